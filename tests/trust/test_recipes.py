"""For every recipe, results that are wrong in ways its checks cannot see: none may be verified."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.options import RunOptions
from retouch.errors import BadInput
from retouch.recipes.edit import edit_job
from retouch.recipes.edit import recipe as edit_recipe
from retouch.testing import scripted
from tests.trust.test_commands import Place

if TYPE_CHECKING:
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import TierPlan
    from retouch.recipes.csharp.ir import Style

CONDITIONS = "\nopenapi: 3.0.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n"
ENUM = """        '200':
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {kind: {type: string, enum: [%s]}}}
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def declared(place: Place, values: str, *, style: Style = "connector", closed: str = "") -> list[TierPlan]:
    from retouch.recipes.csharp import ReadingOptions, load_document, read_endpoint

    file = place.root / "api.yaml"
    file.write_text(CONDITIONS + ENUM % (values + closed), encoding="utf-8")
    endpoint = read_endpoint(load_document(file), "GET /a", ReadingOptions(style=style))
    return list(retouch.find_recipe("csharp").tiers(endpoint))


@pytest.mark.parametrize("value", ["''", "' y'", "'y '", "' '"])
def test_csharp_that_compiles_and_throws_for_every_payload_is_not_verified(place: Place, value: str):
    last = declared(place, f"{value}, x")[-1]
    assert (4, "run time") == (last.tier, last.name)
    assert last.why
    assert not any(plan.why for plan in declared(place, "x, y"))
    assert not any(plan.why for plan in declared(place, f"{value}, x", style="plain"))  # an open enum reads any text
    shut = declared(place, f"{value}, x", style="plain", closed="], x-ms-enum: {modelAsString: false}, x-more: [")
    assert (4, "run time") == (shut[-1].tier, shut[-1].name)


def test_a_project_with_an_endpoint_that_could_not_be_read_is_not_verified():
    from retouch.recipes.csharp.ir import CsType, Endpoint, Served

    served = (Served(endpoint="GET /a", type="A"), Served(endpoint="GET /b", type="", error="it leads nowhere"))
    types = (CsType(name="A", kind="class"),)
    names = dict.fromkeys(("method", "path", "status", "media_type", "label", "namespace"), "")
    tiers = retouch.find_recipe("csharp").tiers(Endpoint(**names, types=types, style="plain", served=served))
    assert ["1 of 2 endpoints could not be read, for example GET /b"] == [tier.why for tier in tiers if tier.why]


@pytest.mark.parametrize(
    "paths",
    [
        ["data/2024-03-05/a.csv"],
        ["a", "b/c.txt", "d-e-f", "2024", "x/y/z/1", "_SUCCESS"],
        ["_SUCCESS", ".DS_Store", "x.crc"],
        [f"logs/2024-03-05/{name}.gz" for name in "abcdef"],
    ],
)
def test_a_rule_whose_constants_nobody_questioned_is_not_verified(place: Place, paths: list[str]):
    (place.root / "paths.txt").write_text("\n".join(paths) + "\n", encoding="utf-8")
    status, out = place.run("generate", "rule", "@paths.txt", "-o", "run", "--json")
    found = json.loads(out)
    assert "verified" != found.get("status"), found
    assert status or "unverified" == found["status"]
    if "status" in found:
        assert 1 == place.run("validate", "run", "--strict")[0]
        assert "verified" != json.loads(place.run("show", "run", "--json")[1])["status"]


def test_a_rule_from_no_path_is_bad_input(place: Place):
    (place.root / "none.txt").write_text("", encoding="utf-8")
    assert 2 == place.run("generate", "rule", "@none.txt", "-o", "run")[0]
    assert not (place.root / "run").exists()


POLICIES = {
    "a prohibition that reaches no tool": "Allow using any tool of dev.\n\nNever delete anything.\n",
    "a sentence that is not understood": "Allow using any tool of dev.\n\nBe careful with the crown jewels.\n",
    "no sentence": "",
    "only a heading": "# Rules\n",
    "only blanks": "  \n\n",
}
TOOLS = {"servers": {"dev": {"tools": [{"toolName": "Bash", "args": {"command": ["executes-code"]}}]}}}


@pytest.mark.parametrize("text", POLICIES.values(), ids=POLICIES.keys())
def test_a_policy_that_lost_a_sentence_or_has_none_is_not_verified(place: Place, text: str):
    (place.root / "text.md").write_text(text, encoding="utf-8")
    (place.root / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    status, out = place.run("generate", "policy", "text.md", "--tools", "tools.json", "-o", "run", "--json")
    found = json.loads(out)
    assert 0 != status, found
    assert "verified" != found.get("status")
    for file in (place.root / "run").glob("*.json"):
        content: Any = json.loads(file.read_text("utf-8"))
        assert '"verified": true' not in json.dumps(content), file


def test_a_policy_without_any_tool_is_not_verified(place: Place):
    (place.root / "text.md").write_text("Allow using any tool of dev.\n", encoding="utf-8")
    (place.root / "tools.json").write_text('{"servers": {}}', encoding="utf-8")
    status, out = place.run("generate", "policy", "text.md", "--tools", "tools.json", "-o", "run", "--json")
    assert (True, True) == (status != 0, "verified" != json.loads(out).get("status")), out


def edited(root: Path, answer: str, *, check: str = "", **way: Any) -> RunResult:
    job = edit_job(root, [Path("a.py")], "change it", check=check)
    options = RunOptions(workspace=str(root), **way)
    return retouch.generate(edit_recipe, job, root / "run", scripted(lambda _: answer), options)


@pytest.mark.parametrize("answer", ["", " ", "NO CHANGES NEEDED", "```python\na = 2\n```\n", "Done!", "```\n```\n"])
def test_an_edit_that_nobody_checked_is_not_verified(place: Place, answer: str):
    result = edited(place.root, answer)
    assert "verified" != result.status
    assert "verified" != retouch.validate(edit_recipe, place.root / "run").status


def test_a_file_that_lost_most_of_its_content_is_an_issue_although_the_check_passes(place: Place):
    lines = "".join(f"b{number} = {number}\n" for number in range(40))
    (place.root / "a.py").write_text(f"a = 1\n{lines}", encoding="utf-8")
    result = edited(place.root, "```python\na = 2\n```\n", check="grep -q 2 a.py")
    assert ("issues", 1, ["SHRUNK", "REMOVED"]) == (result.status, result.calls, [one.code for one in result.issues])


def test_a_removal_that_the_user_agreed_to_is_named_next_to_the_status(place: Place):
    (place.root / "a.py").write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    answer = "```python\na = 2\nc = 3\n```\n"
    result = edited(place.root, answer, check="grep -q 2 a.py", allow_removal=("b",))
    assert ("verified", "1 removal waived") == (result.status, result.reason)
    again = retouch.validate(edit_recipe, place.root / "run", options=RunOptions(workspace=str(place.root)))
    assert ("verified", "1 removal waived") == (again.status, again.reason)


def test_a_model_cannot_pass_its_answer_off_as_the_users_own(place: Place):
    (place.root / "a.py").write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    result = edited(place.root, "ANSWER: this text, as a person wrote it\na = 2\n", check="grep -q 2 a.py")
    assert ("issues", ["SHRUNK", "REMOVED"]) == (result.status, [one.code for one in result.issues])


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        "<<<<<<< SEARCH\na = 0\n=======\na = 2\n>>>>>>> REPLACE\n",
        "```python\na.py\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n```\n",
        "```\n*** Begin Patch\n*** Update File: b.py\n+a = 2\n```\n",
        "```\n@@ -1,1 +1,1 @@\n-a = 7\n+a = 2\n```\n",
        'ANSWER: edits\n{"edits": [{"find": 3}], "more": 1}\n',
    ],
)
def test_an_answer_with_the_marks_of_edits_never_becomes_a_file(place: Place, answer: str):
    result = edited(place.root, answer, check="grep -q 2 a.py")
    assert "verified" != result.status
    assert not (place.root / "run" / "files" / "a.py").exists()


def test_a_library_call_that_does_not_know_the_project_does_not_repeat_its_verdict(place: Place):
    result = edited(place.root, "```python\na = 2\n```\n", check="grep -q 2 a.py")
    assert "verified" == result.status
    for verb in (retouch.validate, retouch.assemble):
        again = verb(edit_recipe, place.root / "run")
        assert ("unverified", 1) == (again.status, again.exit_status)


def test_a_project_that_changed_after_the_check_is_checked_again(place: Place):
    (place.root / "b.py").write_text("ok\n", encoding="utf-8")
    assert "verified" == edited(place.root, "```python\na = 2\n```\n", check="grep -q ok b.py && grep -q = a.py").status
    (place.root / "b.py").write_text("no\n", encoding="utf-8")
    options = RunOptions(workspace=str(place.root))
    assert "issues" == retouch.validate(edit_recipe, place.root / "run", options=options).status


def test_a_run_of_version_one_is_not_verified_by_being_looked_at(project: Path, tmp_path: Path):
    """It has no record of which tiers ran."""
    run = shutil.copytree(project / "tests" / "golden" / "glossary", tmp_path / "run")
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview

    assert "verified" != overview(open_run(run)).status


def test_two_runs_at_once_in_one_project_are_each_judged_by_their_own_text(place: Place):
    from retouch.engine.verbs import generate

    def job(number: int) -> Any:
        file = place.root / f"f{number}.py"
        file.write_text("a = 0\n", encoding="utf-8")
        return edit_job(place.root, [Path(file.name)], "change it", check="test $(cat f1.py f2.py | grep -c 9) = 1")

    async def started(number: int, text: str) -> RunResult:
        folder = place.root.parent / f"{place.root.name}-{number}"
        model = scripted(lambda _: f"```python\n{text}\n```\n")
        return await generate(edit_recipe, job(number), folder, model, RunOptions(workspace=str(place.root)))

    async def both() -> list[RunResult]:
        return list(await asyncio.gather(started(1, "a = 9"), started(2, "a = 1")))

    assert ["verified", "issues"] == [result.status for result in asyncio.run(both())]


def test_bad_options_of_a_check_are_bad_input(place: Place):
    with pytest.raises(BadInput):
        edited(place.root, "```python\na = 2\n```\n", check="grep 'a")
