"""Files that are missing or were changed: every verb says so, for recipes with and without blocks."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.overview import overview
from retouch.engine.recipe import no_blocks
from retouch.engine.scrub import scrub, scrubber
from retouch.engine.verbs import compare
from retouch.errors import BadInput, BrokenFile, EditedByHand
from retouch.testing import scripted
from tests.engine.conftest import Scene, always, honest, one_at_a_time
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Reply, Request

FILE = "glossary.txt"
OUTSIDE = ("# begin animals", "A note of mine.\n# begin animals")
INSIDE = ("eel=EEL", "eel=EEL ")


def missing(scene: Scene) -> None:
    (scene.folder / FILE).unlink()


def edited(scene: Scene) -> None:
    scene.edit("eel=EEL", "eel=Eel")


def edited_outside(scene: Scene) -> None:
    scene.edit(*OUTSIDE)


def reformatted(scene: Scene) -> None:
    scene.edit("# begin animals", "\n\n# begin animals")


def without_a_block(scene: Scene) -> None:
    scene.edit("# begin tools\naxe=AXE\nsaw=SAW\n# end tools\n", "")


def with_a_block_twice(scene: Scene) -> None:
    scene.edit("# end tools\n", "# end tools\n# begin tools\nx=Y\n# end tools\n")


def codes(result: RunResult) -> list[str]:
    return [one.code for one in result.issues if one.code.startswith(("FILE_", "MANUAL_"))]


CELLS = [
    (True, missing, "FILE_MISSING", "issues"),
    (True, edited, "MANUAL_EDIT", "verified"),  # judged as it is
    (True, edited_outside, "MANUAL_EDIT", "unverified"),
    (True, reformatted, "MANUAL_EDIT", "verified"),
    (True, without_a_block, "FILE_CHANGED", "issues"),
    (True, with_a_block_twice, "FILE_CHANGED", "issues"),
    (False, missing, "FILE_MISSING", "issues"),
    (False, edited, "FILE_CHANGED", "issues"),
    (False, edited_outside, "FILE_CHANGED", "issues"),
    (False, reformatted, "FILE_CHANGED", "issues"),
]


@pytest.fixture(params=CELLS, ids=lambda cell: f"{'blocks' if cell[0] else 'no_blocks'}-{cell[1].__name__}")
def cell(request: Any, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> tuple[Scene, str, str]:
    has_blocks, change, code, status = request.param
    if not has_blocks:
        scene.use(blocks=no_blocks)
    monkeypatch.setattr("retouch.engine.overview.find_recipe", always(scene.recipe))
    assert "verified" == scene.generate().status
    change(scene)
    return scene, code, status


def test_validate_names_what_is_not_as_it_was_written(cell: tuple[Scene, str, str]) -> None:
    scene, code, status = cell
    for write in (False, True):
        result = scene.validate(write=write)
        assert ([code], status) == (codes(result), result.status)
        assert 0 == (result.exit_status if status != "issues" else 0)


def test_show_says_what_validate_does(cell: tuple[Scene, str, str]) -> None:
    scene, code, status = cell
    before = overview(open_run(scene.folder))
    assert [code] == [one.code for one in before.disk]
    assert "verified" != before.status  # nothing has judged the change yet
    scene.validate()
    after = overview(open_run(scene.folder))
    assert ([code], status) == ([one.code for one in after.disk], after.status)


def test_generate_leaves_the_file_as_it_is_and_force_makes_an_unusable_one_again(cell: tuple[Scene, str, str]) -> None:
    scene, code, _status = cell
    before = scene.tree().get(FILE)
    result = scene.generate(model := honest())
    assert ([], [code]) == (model.requests, codes(result))
    assert before == scene.tree().get(FILE)
    assert (0 if code == "MANUAL_EDIT" else 1) == result.exit_status
    if code != "MANUAL_EDIT":
        assert any("--force" in one.fix for one in result.issues)
        assert ("verified", []) == ((again := scene.generate(force=True)).status, codes(again))


def test_no_call_is_made_for_a_file_that_cannot_be_used(cell: tuple[Scene, str, str]) -> None:
    scene, code, _status = cell
    if code == "MANUAL_EDIT":
        scene.regenerate(honest(), "tools")
        return
    model = honest()
    with pytest.raises(EditedByHand) as refusal:
        scene.regenerate(model, "tools")
    assert ([], 1, True) == (model.requests, refusal.value.exit_status, "--force" in refusal.value.hint)


VERBS: dict[str, Callable[[Scene], RunResult]] = {
    "generate": lambda scene: scene.generate(honest()),
    "regenerate": lambda scene: scene.regenerate(honest(), "tools"),
    "adopt": lambda scene: scene.adopt("tools"),
    "compare": lambda scene: asyncio.run(compare(scene.recipe, scene.folder, honest()))[0],
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
def test_an_edit_that_the_checks_fail_is_passed_by_no_verb_that_keeps_it(
    verb: Callable[[Scene], RunResult], scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retouch.engine.overview.find_recipe", always(scene.recipe))
    assert "verified" == scene.generate().status
    scene.edit("eel=EEL", "no glossary line")
    if verb is VERBS["adopt"]:
        scene.edit("saw=SAW", "saw=Saw")
    result = verb(scene)
    assert ("issues", True) == (result.status, "BROKEN_LINE" in [one.code for one in result.issues])
    assert "no glossary line" in (scene.folder / FILE).read_text()
    if verb is not VERBS["compare"]:  # which writes nothing
        assert "issues" == overview(open_run(scene.folder)).status
    scene.edit("no glossary line", "eel=EEL")
    assert "verified" == scene.generate(honest()).status


def test_adopt_takes_blocks_only_and_refuses_the_rest(cell: tuple[Scene, str, str], request: Any) -> None:
    scene, code, _status = cell
    if "blocks-edited]" in request.node.name.replace("no_blocks", "none"):
        assert [] == codes(scene.adopt())
        return
    if code == "FILE_CHANGED" and "with_a_block_twice" in request.node.name:
        return  # one of the two can be adopted, and the file stays an error
    with pytest.raises(BadInput):
        scene.adopt()


def test_assemble_writes_a_missing_file_and_overwrites_only_with_force(cell: tuple[Scene, str, str]) -> None:
    scene, code, _status = cell
    try:
        result = scene.assemble()
    except EditedByHand as error:
        assert "--force" in error.hint  # noqa: PT017 - some cells are an error, some a result
    else:
        assert ([] if code == "FILE_MISSING" else [code]) == codes(result)
    assert ("verified", []) == ((again := scene.assemble(force=True)).status, codes(again))


def test_the_report_of_the_shell_is_quoted(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "my run")
    scene.generate()
    missing(scene)
    (fix,) = [one.fix for one in scene.validate().issues]
    assert ["retouch", "assemble", str(scene.folder)] == shlex.split(fix.partition(": ")[2].partition(";")[0])


def test_an_edit_after_the_check_is_not_verified_by_show(scene: Scene) -> None:
    scene.generate()
    edited(scene)
    seen = overview(open_run(scene.folder))
    assert ("issues", "FILE_CHANGED") == (seen.status, seen.disk[0].code)  # the recipe is not installed: nothing judges


def test_show_counts_replies_that_an_interrupted_run_left_as_answers(scene: Scene) -> None:
    def then_killed(request: Request) -> Reply | str:
        if request.prompt.key == ("animals", 2):
            raise KeyboardInterrupt
        return answer(request.prompt)

    with pytest.raises(KeyboardInterrupt):
        scene.generate(scripted(then_killed), options=one_at_a_time())
    seen = overview(open_run(scene.folder))
    pages = {(unit.unit, page.page): page.model for unit in seen.units for page in unit.pages}
    assert ("scripted", None) == (pages["animals", 1], pages["animals", 2])
    assert "incomplete" == seen.status


@pytest.mark.parametrize("name", ["ir.json", "pages.json"])
@pytest.mark.parametrize("first", [True, False])
def test_a_newer_version_is_refused_by_every_verb_and_left_alone(scene: Scene, name: str, *, first: bool) -> None:
    scene.generate()
    content = scene.json(name)
    del content["version"]
    content = {"version": 2, **content} if first else {**content, "version": 2}
    (scene.folder / name).write_text(json.dumps({**content, "new": True}), encoding="utf-8")
    scene.edit("cat", "cow", "prompts.json")  # a verb that went on would write this file again
    before = {path: data for path, data in scene.tree().items() if path.endswith(".json") or path == FILE}
    verbs: list[Callable[[], object]] = [
        scene.generate,
        lambda: scene.generate(force=True),
        scene.regenerate,
        scene.validate,
        lambda: scene.validate(write=False),
        scene.adopt,
        lambda: scene.assemble(force=True),
        lambda: scene.repaginate("animals"),
        lambda: open_run(scene.folder),
    ]
    for verb in verbs:
        with pytest.raises(BrokenFile, match=re.escape(name)) as refusal:
            verb()
        assert "has version 2; this Retouch knows version 1" in refusal.value.message
        assert "Upgrade" in refusal.value.hint
    assert before == {path: scene.tree()[path] for path in before}


def test_a_version_that_never_was_is_a_broken_file(scene: Scene) -> None:
    scene.generate()
    scene.edit('"version": 1', '"version": 0', "ir.json")
    with pytest.raises(BrokenFile, match="there is no version 0"):
        scene.validate()


def test_every_verb_says_that_the_ledger_was_deleted_and_so_do_later_ones(scene: Scene) -> None:
    assert "" == scene.generate().lost_ledger
    (scene.folder / "ledger.db").unlink()
    asyncio.run(scrub(scene.folder, scene.recipe, scrubber(["nowhere in it"], [])))
    assert "is missing: calls and costs" in scene.validate(write=False).lost_ledger
    assert "is missing" in overview(open_run(scene.folder)).lost_ledger
    for result in (scene.generate(), scene.validate(), scene.assemble(), scene.regenerate(honest(), "tools")):
        assert "was missing on" in result.lost_ledger
        notes: Any = result.as_json()["notes"]
        assert result.lost_ledger == notes[0]
    assert "was missing on" in overview(open_run(scene.folder)).lost_ledger


def test_a_scrubbed_run_still_says_that_its_ledger_was_deleted(scene: Scene) -> None:
    scene.generate()
    (scene.folder / "ledger.db").unlink()
    for text in ("cat=CAT", "axe=AXE"):
        asyncio.run(scrub(scene.folder, scene.recipe, scrubber([text], [])))
        assert "was missing on" in overview(open_run(scene.folder)).lost_ledger
