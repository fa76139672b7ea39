"""What code calls deprecated becomes a statement with the name and what to use instead, in five languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn.onboard_retired import deprecated
from agentmemory.learn.onboard_tree import listed

SOURCES = {
    "a.ts": """
/**
 * Parses the {t} input.
 * @deprecated Use {{@link parseAll}} or `parse{t}` instead. It will go in v5.
 * @param text what to parse
 */
@Sealed({{ deep: true }})
export async function old{t}(text: string): Promise<void> {{}}
""",
    "b.go": """package mux

// Old{t} matches at least n.
//
// Deprecated: use MatchAll(ExactArgs(n), New{t}) instead
func (r *Router) Old{t}(n int) {{
}}
""",
    "c.rs": """
impl Arg {{
    /// A number.
    #[doc(hidden)]
    #[cfg_attr(feature = "deprecated", deprecated(since = "4.0.0", note = "Replaced with `Arg::new_{t}`"))]
    #[inline]
    pub(crate) const unsafe fn old{t}(self) -> Self {{ self }}
}}
""",
    "d.py": """
from warnings import deprecated

@deprecated("Use new_{t}() instead.")
def old{t}(): ...
""",
    "e.py": '''
class old{t}:
    """Something.

    .. deprecated:: 2.1
        Use :class:`New{t}` instead.

    More.
    """
''',
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_deprecated_name_comes_with_what_to_use(tmp_path: Path, token: str, name: str) -> None:
    (tmp_path / name).write_text(SOURCES[name].format(t=token))

    (found,) = deprecated(listed(str(tmp_path)))

    assert found.text.startswith(
        (f"`old{token}` (`{name}`) is deprecated: ", f"`Old{token}` (`{name}`) is deprecated: ")
    )
    assert token in found.text.split("deprecated: ")[1]
    assert "v5" not in found.text and "More" not in found.text


@pytest.mark.parametrize(
    "text",
    [
        "/** @deprecated */\nexport const a = 1\n",
        "// we deprecated the use of this instead of that long ago\nfunc x() {}\n",
        "const a = 'deprecated: use b instead'\n",
        "/** @deprecated use b instead */\n",
        "/** @deprecated " + "use b instead " * 9_000,
        "//\n" * 50_000 + "// Deprecated: use b instead\n",
        "#[deprecated(" + "(" * 50_000,
        "/** " * 120_000 + " deprecated",
        "/** " * 120_000 + " deprecated */",
        "// @deprecated it is old\n" + "//\n" * 160_000 + "// x\n",
    ],
)
def test_what_names_nothing_or_says_nothing_is_passed_over(tmp_path: Path, text: str) -> None:
    for suffix in ("ts", "go", "rs"):
        (tmp_path / f"a.{suffix}").write_text(text)

    assert list(deprecated(listed(str(tmp_path)))) == []


def test_tests_and_examples_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "a.py").write_text(SOURCES["d.py"].format(t="x"))

    assert list(deprecated(listed(str(tmp_path)))) == []
