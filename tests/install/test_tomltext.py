"""A table is taken out of a TOML file as text, or the file is left alone."""

from __future__ import annotations

import pytest

from agentmemory.install import tomltext


def test_a_table_that_only_stands_in_a_text_is_not_taken_out_of_it() -> None:
    ours = '[mcp_servers.agentmemory]\ncommand = "x"\n'
    assert tomltext.drop(f'model = "o3"\n\n{ours}', ("mcp_servers", "agentmemory")) == 'model = "o3"\n'

    with pytest.raises(tomltext.NotToml, match="by hand"):
        tomltext.drop(f'notes = """\n{ours}[other]\n"""\n\n{ours}', ("mcp_servers", "agentmemory"))


def test_what_is_nested_too_deeply_to_be_read_is_refused() -> None:
    with pytest.raises(tomltext.NotToml, match="nested"):
        tomltext.parse(f"a = {'[' * 100_000}{']' * 100_000}")
