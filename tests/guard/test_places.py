"""What a command writes besides its redirections: every case is a rule, a command, and whether it is stopped."""

import pytest

from agentmemory.guardcode import changed, shown
from tests.guard.verdicts import mode

VENDOR = "Never touch vendor/"
DIFF = "--- a/vendor/a.go\n+++ b/vendor/a.go\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    "command",
    [
        "unzip -o a.zip -d vendor/lib", "unzip -dvendor a.zip", "tar -xzf a.tgz -C vendor", "tar xf a.tgz -C vendor/",
        "tar -Cvendor -xf a.tgz", "tar --extract -f a.tgz --directory=vendor", "cd vendor && tar xf ../a.tgz",
        "cd vendor && unzip ../a.zip", "tar czf vendor/a.tgz src", "cp -t vendor a b", "cp -rt vendor a",
        "cp --target-directory=vendor a", "mv -t vendor a", "mv -t /tmp vendor/a", "install -m 644 -t vendor a",
        "curl -ovendor/a https://x", "curl -sSLo vendor/a https://x", "curl --output=vendor/a https://x",
        "curl -O --output-dir vendor https://x", "wget -Ovendor/a https://x", "wget -P vendor https://x",
        "sort -o vendor/a vendor/a", "go build -o vendor/bin ./cmd", "pip install --target vendor requests",
        "gzip vendor/a", "zip -r vendor/a.zip src", "git clone https://x vendor/x", "git apply --directory=vendor p",
        f"git apply <<'EOF'\n{DIFF}EOF", f"patch -p1 <<'EOF'\n{DIFF}EOF", "patch -d vendor -p1 < p",
        "rsync -a --delete empty/ vendor/", "sed -i s/a/b/ v*/a.go", "rm -rf *",
    ],
)  # fmt: skip
def test_a_file_is_written_wherever_a_command_names_it(project, command):
    (project / "vendor").mkdir()
    (project / "vendor" / "a.go").write_text("a\n", "utf-8")

    assert mode(VENDOR, project, command=command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "unzip -l vendor/a.zip", "unzip vendor/a.zip -d /tmp/x", "tar czf /tmp/a.tgz vendor", "tar tf vendor/a.tgz",
        "tar -czf /tmp/a.tgz -C vendor .", "tar xf vendor/a.tgz -C /tmp", "tar xf a.tgz", "cp -t /tmp vendor/a",
        "curl -o /tmp/a https://x/vendor/a", "curl -d @vendor/a https://x", "grep -o vendor/ a", "rm -rf src",
        "git apply --check vendor/a.patch", "git apply fixes/vendor.patch", "kubectl get pods --output vendor",
        "git worktree add ../x vendor/topic", "scp a build:/srv/vendor/", "rsync -a src/ build:vendor/",
        "gzip -c vendor/a", "gunzip -t vendor/a.gz", "sed -i s/a/b/ s*/a.go",
    ],
)  # fmt: skip
def test_what_is_only_read_from_there_runs(project, command):
    for folder in ("vendor", "src"):
        (project / folder).mkdir()
        (project / folder / "a.go").write_text("a\n", "utf-8")

    assert mode(VENDOR, project, command=command) is None


@pytest.mark.parametrize(
    "command", ["rm -rf config", "mv config old", "git rm -r config", "rm -r ./*", "rm config/*.yml"]
)
def test_a_file_goes_with_its_folder(project, command):
    (project / "config").mkdir()
    (project / "config" / "prod.yml").write_text("a: 1\n", "utf-8")
    (project / "docs").mkdir()

    assert mode("config/prod.yml must never be changed", project, command=command) == "deny"
    assert mode("docs/prod.yml must never be changed", project, command=command) is None


def test_what_takes_only_some_files_of_a_folder_runs(project):
    (project / "config").mkdir()
    (project / "config" / "prod.yml").write_text("a: 1\n", "utf-8")
    rule = "config/prod.yml must never be changed"

    for command in ("find . -name '*.pyc' -delete", "git clean -fd config", "rsync -a --delete out/ config/"):
        assert mode(rule, project, command=command) is None


def test_a_folder_that_cannot_be_read_opens_no_gate(project):
    (project / "closed").mkdir(mode=0)
    (project / "file").write_text("x", "utf-8")

    for path in ("closed/*/x", "file/*", "a\0*", "/proc/1/fd/*"):
        assert mode(VENDOR, project, command=f"rm {path}; rm vendor/a") == "deny"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("open('v/a','w').write('x/y')", ["v/a"]),
        ("open('out','w').write(open('v/a').read())", ["out"]),
        ("p='v/a'\ns=open(p).read()\nopen(p,'w').write(s.replace('q/a','b'))", ["v/a"]),
        ("p = Path('v') / 'a.py'\np.write_text(p.read_text())", ["v/a.py"]),
        ("with open(os.path.join('v','a'), mode='wb') as f:\n  f.write('q/x')", ["v/a"]),
        ("for f in ['v/a', 'v/b']:\n    Path(f).write_text('')", ["v/a", "v/b"]),
        ("import shutil; shutil.rmtree('v')", ["v"]),
        ("os.rename('v/a', 'q')", ["v/a", "q"]),
        ("shutil.copy('v/a', 'q/b')", ["q/b"]),
        ("require('fs').writeFileSync('v/a.js', fs.readFileSync('q/b', 'utf8'))", ["v/a.js"]),
        ("const p = `v/a`; fs.rmSync(p, {recursive: true})", ["v/a"]),
        ("File.write('v/a.rb', 'x')", ["v/a.rb"]),
        ("open(my $fh, '>', 'v/a'); print $fh 1", ["v/a"]),
        ("print(open('v/a').read())", []),
        ("x = 'v/a'.replace('v', 'w'); names.remove('v/a')", []),
        ("# open('v/a', 'w')\nprint('rmtree v/a')", []),
        ("open('v/a'", []),
        ("'" * 7 + "((((", []),
    ],
)
def test_a_program_on_the_spot_writes_the_files_that_its_calls_name(code, written):
    assert list(dict.fromkeys(path for path in changed(code) if path)) == written


def test_a_program_on_the_spot_is_stopped_where_it_writes_or_reads_what_it_must_not(project):
    assert mode(VENDOR, project, command="python3 - <<'EOF'\np = 'vendor/a'\nopen(p, 'w').write('')\nEOF") == "deny"
    assert mode(VENDOR, project, command="uv run python -c \"open('vendor/a', 'a')\"") == "deny"
    assert mode(VENDOR, project, command="python -c \"print(open('vendor/a').read())\"") is None
    assert mode("Never read .env", project, command="python -c \"print(open('.env').read())\"") == "deny"
    assert shown("fs.readFileSync('v/a', 'utf8')") == ["v/a"]


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("mcp__filesystem__write_file", {"path": "vendor/a", "content": "x"}, "deny"),
        ("mcp__filesystem__move_file", {"source": "vendor/a", "destination": "b"}, "deny"),
        ("mcp__serena__replace_symbol_body", {"relative_path": "vendor/a.go", "body": "x"}, "deny"),
        ("mcp__jetbrains__create_new_file", {"pathInProject": "vendor/a.go", "text": "x"}, "deny"),
        ("mcp__github__push_files", {"files": [{"path": "vendor/a.go", "content": "x"}]}, None),
        ("mcp__x__write_files", {"files": [{"path": "vendor/a.go", "content": "x"}]}, "deny"),
        ("mcp__filesystem__write_file", {"path": "src/a", "content": "vendor/a"}, None),
        ("mcp__filesystem__copy_file", {"source": "vendor/a", "destination": "src/a"}, None),
        ("mcp__filesystem__read_text_file", {"path": "vendor/a"}, None),
        ("mcp__github__create_review_comment", {"path": "vendor/a", "body": "x"}, None),
        ("str_replace_based_edit_tool", {"command": "view", "path": "vendor/a"}, None),
    ],
)
def test_the_file_tools_of_servers_are_guarded_as_the_clients_own(project, tool, given, expected):
    assert mode(VENDOR, project, tool, **given) == expected


def test_what_a_servers_tool_shows_or_adds_is_guarded_too(project):
    assert mode("Never read .env", project, "mcp__filesystem__read_text_file", path=".env") == "deny"
    assert mode("Never read .env", project, "mcp__filesystem__write_file", path=".env", content="") is None
    rule, edit = "No `console.log` in src/", {"oldText": "console.log(1)", "newText": "log(1)"}
    assert mode(rule, project, "mcp__fs__edit_file", path="src/a.ts", edits=[edit]) is None
    assert mode(
        rule, project, "mcp__fs__edit_file", path="src/a.ts", edits=[{**edit, "newText": "console.log(2);" * 2}]
    )


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Never delete files in data/", ["rm data/a", "mv data/a /tmp", "git rm data/a", "rm -r data"],
         ["touch data/new", "cp a data/", "sed -i s/a/b/ data/a", "echo x >> data/a"]),
        ("Never delete or edit files in data/", ["rm data/a", "sed -i s/a/b/ data/a"], ["cat data/a"]),
        ("NEVER create documentation files (*.md)", ["echo x > data/new.md", "cp x.md data/", "mv x.md y.md data"],
         ["rm data/b.md", "echo x >> data/a.md", "rm data/a.md"]),
        ("Never edit existing files under data/", ["echo x >> data/a", "rm data/a"], ["echo x > data/new"]),
        ("Never touch .env files", ["rm .env.local"], ["cp .env .env.example", "touch a/.env.sample"]),
        ("Never commit .env files", ["git add .env.local"], ["git add .env.example"]),
    ],
)  # fmt: skip
def test_a_rule_against_one_kind_of_change_stops_no_other(project, rule, stopped, passes):
    (project / "data").mkdir()
    for name in ("a", "a.md"):
        (project / "data" / name).write_text("x\n", "utf-8")

    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    "rule",
    ["Never edit ./README.md", "Never edit /README.md", "Never edit the root README.md",
     "README.md in the root is off limits", "Do not touch README.md at the top level"],
)  # fmt: skip
def test_a_file_at_the_root_is_the_one_there(project, rule):
    docs = project / "docs"
    docs.mkdir()
    written = {"content": "x", "tool": "Write"}

    assert mode(rule, project, file_path="README.md", **written) == "deny"
    assert mode(rule, docs, file_path="../README.md", **written) == "deny"
    assert mode(rule, docs, command="cd .. && echo a > README.md") == "deny"
    assert mode(rule, project, file_path=str(docs / "README.md"), **written) is None
    assert mode(rule, docs, command="echo a > README.md") is None


def test_a_file_that_is_named_alone_is_any_of_that_name(project):
    assert mode("Never edit README.md", project, command="echo a > docs/README.md") == "deny"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push", "deny"), ("git push --all", "deny"), ("git push --follow-tags", "deny"),
        ("git push --tags", None), ("git push origin --tags", None), ("git push origin v1.2", None),
    ],
)  # fmt: skip
def test_tags_are_no_branch(repository_on_main, command, expected):
    assert mode("Never push to main", repository_on_main, command=command) == expected


@pytest.fixture
def repository_on_main(project):
    import subprocess

    subprocess.run(["git", "checkout", "-q", "-b", "main"], cwd=project, check=False)
    return project


@pytest.mark.parametrize(
    "before", ["git -C $'.\\x00' push", "cd $'.\\x00'", "cd ~a\0b", "cd ~$'\\ud841'", "touch ~$'\\udc41' '~a\0'"]
)
def test_a_path_that_no_system_takes_opens_no_gate(repository_on_main, before):
    (repository_on_main / "vendor").mkdir()

    assert mode("Never push to main", repository_on_main, command=f"{before}; git push") == "deny"
    assert mode(VENDOR, repository_on_main, command=f"{before}; touch vendor/a") == "deny"
    assert mode(VENDOR, repository_on_main, "mcp__fs__write", paths=["~a\0", "vendor/a"]) == "deny"
