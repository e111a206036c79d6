"""docs/reference/run.md: every file, every row of a ledger and every JSON result has exactly the documented keys."""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.cli.verb import LazyGroup
from tests.docs.shapes import Shape, differences, shapes
from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import click

MADE = 'd --model "faulty:offline?rate=0.4&seed=3"'
DEPOT = 'generate csharp depot.yaml "GET /deliveries/{deliveryId}" -o'
POLICY = "--tools policy/annotations.json --lists policy/lists.json --base policy/base.json"
LINES = {
    "csharp endpoints": "csharp endpoints depot.yaml",
    "generate csharp": f"{DEPOT} {MADE}",
    "generate --dry-run": f"{DEPOT} e --dry-run",
    "generate csharp --all": 'generate csharp depot.yaml --match "GET /deliveries*" -o many',
    "generate csharp --all --dry-run": 'generate csharp depot.yaml --match "GET /deliveries*" -o none --dry-run',
    "resume": "resume d",
    "validate": "validate d",
    "assemble": "assemble d",
    "regenerate": "regenerate d --compare --model offline",
    "regenerate --dry-run": "regenerate d --dry-run",
    "show": "show d --attempts --cost",
    "report": "report d",
    "demo": "demo rule --to demo",
    "eval": f'eval csharp depot.yaml --match "GET /deliveries*" --models offline,{MADE[11:-1]} -o ev',
    "eval --dry-run": 'eval csharp depot.yaml --match "GET /deliveries*" --models offline --dry-run -o none',
    "eval --replay": "eval --replay ev",
    "export": "export d -o attempts.jsonl",
    "scrub": "scrub d --text nowhere-in-it --dry-run",
    "recipes": "recipes",
    "models": "models",
    "csharp compiler status": "csharp compiler status",
    "csharp runtime": "csharp runtime d",
    "generate edit": 'generate edit app.py --request "rename load to read"',
    "undo": "undo output/edit-app.py",
    "generate extract": "generate extract tickets.jsonl --schema ticket.json --key id -o ex --pack 2",
    "extract": "extract tickets.jsonl --schema ticket.json --key id -o ex",
    "show JOB": "show ex --cost",
    "resume JOB": "resume ex",
    "validate JOB": "validate ex",
    "fleet run": "fleet run extract tickets.jsonl --shared shared.json -o fl --max-cost 1",
    "fleet work": "fleet work fl --shard 0",
    "fleet export": "fleet export fl -o fl.jsonl",
    "show FLEET": "show fl",
    "show TREE": "show fl/runs",
    "apply": "apply --root . --target app.py --response reply.txt",
    "generate rule": "generate rule @paths.txt -o found",
    "rule wizard": "rule wizard @paths.txt",
    "rule drafts list": "rule drafts list",
    "rule apply": "rule apply rule.yaml a/1.txt",
    "rule apply --unmatched": "rule apply rule.yaml b/1.png --unmatched",
    "rule edit": "rule edit rule.yaml --rename number=n --dry-run",
    "rule export": "rule export rule.yaml a/1.txt --to regex",
    "rule watch": "rule watch a/1.txt b/1.png --rule rule.yaml --state watched.json",
    "rule test": "rule test rule.yaml --expect expected.json",
    "rule conflicts": "rule conflicts rule.yaml rule2.yaml",
    "locate": "locate alu/wanted.diff --source alu/src",
    "locate index": "locate index alu/src --cache index",
    "generate policy": f"generate policy policy/constitution.md {POLICY} --scenarios policy/scenarios.json -o p",
    "policy clauses": "policy clauses p",
    "policy check": "policy check p policy/call.json --why-not allow",
    "policy test": "policy test p",
    "policy analyse": "policy analyse p",
    "policy explain": "policy explain p",
    "policy diff": "policy diff p q",
    "policy annotate": "policy annotate tools.json",
    "policy assert": 'policy assert p "never allow sending emails"',
}
RULE = """version: 1
name: {name}
glob: 'a/*.txt'
extract:
  number: {{from: filename, pattern: '^(\\d+)\\.txt$', type: integer}}
"""
FINDS = (
    "csharp compiler status",
    "csharp runtime",
    "apply",
    "rule apply --unmatched",
    "rule test",
    "rule conflicts",
    "rule watch",
    "policy diff",
)
KINDS = {
    "text",
    "round",
    "way",
    "intent",
    "pack",
    "part",
    "reply",
    "failure",
    "settled",
    "derived",
    "writing",
    "written",
}
FILES = ("ir.json", "prompts.json", "pages.json", "ledger.db", ".lock")
UNRUN = {
    "adopt",
    "generate chisel",
    "generate NAME",
    "csharp compiler install",
    "chisel batch",
    "chisel trials",
    "policy export",
    "policy rewrite",
    "policy waive",
    "policy lists",
}


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    """The text of the page."""
    return (project / "docs" / "reference" / "run.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def told(page: str) -> dict[str, Shape]:
    """The shapes that the page tells, by the command or the name above them."""
    return shapes(page)


@pytest.fixture(scope="module")
def desk(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something for every command to work on."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", folder)
    shutil.copytree(project / "examples" / "policy", folder / "policy")
    shutil.copytree(project / "examples" / "chisel" / "alu", folder / "alu")
    texts = {
        "tools.json": '{"tools": [{"name": "read_file", "inputSchema": {"properties": {"path": {"type": "string"}}}}]}',
        "tickets.jsonl": '{"id": 1, "name": "Ada"}\n{"id": 2, "name": "Bob"}\n',
        "shared.json": '{"schema": {"type": "object", "properties": {"name": {"type": "string"}}}}',
        "ticket.json": '{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}',
        "app.py": "def load(path):\n    return path\n",
        "reply.txt": "<<<<<<< SEARCH\n    return read\n=======\n    return paths\n>>>>>>> REPLACE\n",
        "paths.txt": "".join(f"data/site{day}/2024-03-{day:02}/scan_{day:03}.tif\n" for day in range(1, 9)),
        "rule.yaml": RULE.format(name="one"),
        "rule2.yaml": RULE.format(name="two"),
        "expected.json": '{"path": "a/1.txt", "fields": {"number": 2}}\n',
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def printed(desk: Path) -> dict[str, Any]:
    """What each command prints as JSON, by the name that the page has for it."""
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk)
        patch.setenv("RETOUCH_COMPILER", "none")
        for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(desk / "home"))
        for name, line in LINES.items():
            done = CliRunner().invoke(command, [*shlex.split(line), "--json"])
            assert done.exit_code in ({0, 1} if name in FINDS else {0}), f"{line}\n{done.output}"
            found[name] = json.loads(done.stdout)
            if name == "rule drafts list":
                draft = found[name]["drafts"][0]["id"]
                for verb in ("show", "validate"):
                    done = CliRunner().invoke(command, ["rule", "drafts", verb, draft, "--json"])
                    found[f"rule drafts {verb}"] = json.loads(done.stdout)
            if name == "generate policy":
                stricter = f"generate policy policy/stricter.md {POLICY} -o q"
                assert 0 == CliRunner().invoke(command, shlex.split(stricter)).exit_code
    return found


def with_json(group: click.Command, path: tuple[str, ...] = ()) -> list[str]:
    if isinstance(group, LazyGroup):
        table = [name for name in group.table if name not in recipes_of_others()]
        below = [name for each in table for name in with_json(group.load(each), (*path, each))]
        return below + ([" ".join(path)] if _prints_json(group) else [])
    return [" ".join(path)] if _prints_json(group) else []


def _prints_json(one: click.Command) -> bool:
    return any(parameter.name == "as_json" for parameter in one.params)


@pytest.mark.slow
def test_every_command_that_prints_json_is_told(told: Mapping[str, Shape]):
    names = with_json(command)
    assert len(names) >= 30
    assert [] == [name for name in names if name not in told]


@pytest.mark.slow
def test_every_shape_of_a_command_is_compared_with_what_it_prints(told: Mapping[str, Shape], printed: dict[str, Any]):
    files = {"ir.json", "prompts.json", "pages.json", "job.json", "line of records.jsonl", "line of dead.jsonl"}
    commands = {name for name in told if name.islower() or " " in name} - files - {"line of an export"}
    rows = {name for name in told if name in KINDS}
    assert set() == commands - rows - printed.keys() - UNRUN
    assert printed.keys() <= commands


def test_commands_print_the_keys_that_the_page_tells(told: Mapping[str, Shape], printed: dict[str, Any]):
    wrong = {name: list(differences(told[name], value, told)) for name, value in printed.items()}
    assert {} == {name: found for name, found in wrong.items() if found}


def test_the_lines_of_an_export_have_the_keys_that_the_page_tells(
    told: Mapping[str, Shape], printed: dict[str, Any], desk: Path
):
    lines = [json.loads(line) for line in (desk / "attempts.jsonl").read_text().splitlines()]
    assert printed["export"]["attempts"] == len(lines)
    assert [] == [one for line in lines for one in differences(told["line of an export"], line, told)]


def test_a_run_folder_has_the_files_and_keys_that_the_page_tells(
    told: Mapping[str, Shape], printed: dict[str, Any], desk: Path, page: str
):
    assert printed
    for name in ("ir.json", "prompts.json", "pages.json"):
        found = [json.loads((desk / run / name).read_text()) for run in ("d", "found", "p")]
        assert [] == [wrong for one in found for wrong in differences(told[name], one, told, name)]
    there = {path.name for path in (desk / "d").iterdir()}
    assert set(FILES) == {name for name in there if f"`{name}`" in page}


def test_a_job_has_the_files_and_keys_that_the_page_tells(
    told: Mapping[str, Shape], printed: dict[str, Any], desk: Path, page: str
):
    assert printed
    job = json.loads((desk / "ex" / "job.json").read_text())
    assert [] == list(differences(told["job.json"], job, told, "job.json"))
    dead = "extract tickets.jsonl --schema strict.json --key id -o dead --max-dead 9 --format parquet"
    (desk / "strict.json").write_text('{"type": "object", "required": ["other"]}')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(desk)
        assert 0 == CliRunner().invoke(command, shlex.split(dead)).exit_code
    for place in (desk / "ex" / "records.jsonl", desk / "dead" / "records.jsonl", desk / "dead" / "dead.jsonl"):
        lines = [json.loads(line) for line in place.read_text().splitlines()]
        shape = told[f"line of {place.name}"]
        assert lines
        assert [] == [one for line in lines for one in differences(shape, line, told)]
    there = {path.name for path in (desk / "dead").iterdir() if path.is_file() and not path.name.startswith(".")}
    assert [] == [name for name in there if name not in page]


def test_the_rows_of_a_ledger_have_the_keys_that_the_page_tells(
    told: Mapping[str, Shape], printed: dict[str, Any], desk: Path
):
    assert printed
    seen: set[str] = set()
    for run in ("d", "found", "p", "ex/shards/00000"):
        database = sqlite3.connect(desk / run / "ledger.db")
        rows = database.execute("SELECT kind, data FROM events WHERE kind NOT LIKE 'note:%'").fetchall()
        database.close()
        seen |= {kind for kind, _ in rows}
        assert [] == [one for kind, data in rows for one in differences(told[kind], json.loads(data), told, kind)]
    assert KINDS - {"failure", "derived"} == seen


@pytest.mark.parametrize(
    ("shape", "value", "wrong"),
    [
        ('{"a"}', {"a": 1}, []),
        ('{"a"}', {"a": 1, "b": 2}, [".b: not told"]),
        ('{"a", "b"}', {"a": 1}, [".b: missing"]),
        ('{"a", "b"?}', {"a": 1}, []),
        ('{"a": {"b"}}', {"a": {}}, [".a.b: missing"]),
        ('{"a"}', {"a": {"b": 1}}, [".a: has keys that are not told: ['b']"]),
        ('{"a": [{"b"}]}', {"a": [{"b": 1}, {"c": 1}]}, [".a[1].b: missing", ".a[1].c: not told"]),
        ('{"a": {NAME: {"b"}}}', {"a": {"x": {"b": 1}, "y": {}}}, [".a.y.b: missing"]),
        ('{X, "b"}', {"x": 1, "b": 2}, []),
        ('{X, "b"}', {"b": 2}, [".x: missing"]),
        ('{"a": X}', {"a": {"y": 1}}, [".a.x: missing", ".a.y: not told"]),
        ('{"a": OTHER}', {"a": {"y": 1}}, []),
        ('{"a": [X]}', {"a": 3}, [".a: a value in place of the list"]),
    ],
)
def test_a_key_that_is_missing_or_not_told_is_seen(shape: str, value: object, wrong: list[str]):
    named = shapes(f'```text\nX\n    {{"x"}}\nretouch it\n    {shape}\n```\n')
    assert wrong == list(differences(named["it"], value, named))
