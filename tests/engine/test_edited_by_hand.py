"""What a person wrote into a file is noticed, kept, judged, adopted, or overwritten on demand only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import no_blocks
from retouch.errors import BadInput, EditedByHand
from retouch.testing import scripted
from tests.engine.conftest import Scene, honest, states, wrong_first
from tests.engine.glossary import SOURCE

if TYPE_CHECKING:
    from pathlib import Path

LOUD = "axe=AXES\nsaw=SAWS"


@pytest.fixture
def edited(scene: Scene) -> Scene:
    """A run whose block of animals was edited, and a line above it."""
    scene.generate()
    scene.edit("eel=EEL", "eel=Aal")
    scene.edit("# begin animals", "A note of mine.\n# begin animals")
    return scene


def test_a_changed_block_is_spliced_in_around_what_a_person_wrote(edited: Scene) -> None:
    result = edited.regenerate(scripted(lambda _request: LOUD), "tools")
    assert "A note of mine.\n# begin animals\ncat=CAT\ndog=DOG\neel=Aal\n# end animals" in edited.text()
    assert f"# begin tools\n{LOUD}\n# end tools" in edited.text()
    assert ["kept the blocks of 'animals' in glossary.txt" in note for note in result.notes] == [True]


def test_an_edited_block_is_refused_before_any_call(edited: Scene) -> None:
    model = honest()
    before = edited.text()
    with pytest.raises(EditedByHand, match="'animals'") as refusal:
        edited.regenerate(model, "animals:1")
    assert ([], before) == (model.requests, edited.text())
    assert "retouch adopt" in refusal.value.hint


def test_force_overwrites_the_block_that_is_asked_and_no_other(edited: Scene) -> None:
    edited.edit("saw=SAW", "saw=Motorsaege")
    edited.regenerate(honest(), "animals", force=True)
    assert "eel=EEL" in edited.text()
    assert "saw=Motorsaege" in edited.text()
    assert "A note of mine." in edited.text()


def test_assemble_refuses_to_lose_an_edit_and_force_makes_the_file_anew(edited: Scene) -> None:
    with pytest.raises(EditedByHand):
        edited.assemble()
    edited.assemble(force=True)
    assert "eel=EEL" in edited.text()
    assert "A note of mine." not in edited.text()


def test_a_file_that_is_gone_is_made_again(scene: Scene) -> None:
    scene.generate()
    before = scene.text()
    (scene.folder / "glossary.txt").unlink()
    scene.assemble()
    assert before == scene.text()


def test_an_adopted_block_is_the_answer_and_is_never_asked_for(edited: Scene) -> None:
    result = edited.adopt("animals")
    assert ("unverified", "adopted") == (result.status, states(result)["animals"])  # nothing judged the note above it
    assert "edited outside its blocks" in result.reason
    pages = edited.json("pages.json")["pages"]
    assert [("person", "cat=CAT\ndog=DOG\neel=Aal"), (None, None)] == [(p["model"], p["output"]) for p in pages[:2]]
    model = honest()
    assert "unverified" == edited.generate(model).status
    assert [] == model.requests
    assert "eel=Aal" in edited.text()


def test_an_adopted_block_is_no_edit_any_more(edited: Scene) -> None:
    edited.adopt()
    with pytest.raises(BadInput, match="no block was edited"):
        edited.adopt()
    assert () == edited.validate().notes


def test_adopting_keeps_what_a_person_wrote_around_the_blocks(edited: Scene) -> None:
    edited.adopt()
    edited.regenerate(scripted(lambda _request: LOUD), "tools")
    assert "A note of mine.\n# begin animals\ncat=CAT\ndog=DOG\neel=Aal\n" in edited.text()


def test_an_adopted_block_can_be_asked_for_again(edited: Scene) -> None:
    edited.adopt()
    result = edited.regenerate(honest(), "animals")
    assert {"animals": "answered", "tools": "answered"} == states(result)
    assert "eel=EEL" in edited.text()


def test_an_adopted_block_with_errors_is_blamed_and_not_asked(scene: Scene) -> None:
    scene.generate()
    scene.edit("axe=AXE\nsaw=SAW", "saw=SAW")
    result = scene.adopt()
    assert (["MISSING"], "issues") == ([issue.code for issue in result.issues], result.status)
    assert 0 == scene.generate().calls


def test_adopting_ends_a_dispute(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["saw=SAW"] * 9}))
    scene.edit("saw=SAW", "axe=AXE\nsaw=SAW")
    assert "verified" == scene.adopt("tools").status


@pytest.mark.parametrize("unit", ["tools", "nobody"])
def test_what_was_not_edited_cannot_be_adopted(edited: Scene, unit: str) -> None:
    with pytest.raises(BadInput, match=f"'{unit}' was not edited.*edited are: animals"):
        edited.adopt(unit)


def test_the_block_of_a_unit_that_is_planned_no_more_cannot_be_adopted(edited: Scene) -> None:
    edited.source = replace(SOURCE, units={"tools": SOURCE.units["tools"]})
    edited.generate()
    with pytest.raises(BadInput):
        edited.adopt("animals")


def test_validate_judges_what_is_on_disk(edited: Scene) -> None:
    edited.edit("eel=Aal", "eel")
    result = edited.validate()
    assert (["BROKEN_LINE", "MANUAL_EDIT"], "issues") == ([issue.code for issue in result.issues], result.status)
    assert ["'animals' has a manual edit, which was checked as it is on disk"] == list(result.notes)
    assert "eel=EEL" == edited.json("pages.json")["pages"][1]["output"]


def test_validate_without_writing_changes_no_byte(edited: Scene) -> None:
    edited.edit("eel=Aal", "eel")
    before = edited.tree()
    result = edited.validate(write=False)
    assert "issues" == result.status
    assert before == edited.tree()


def test_validate_brings_the_summary_up_to_date(edited: Scene) -> None:
    edited.edit("eel=Aal", "eel")
    edited.validate()
    assert ["1"] == list(edited.json("ir.json")["validation"]["animals"]["issues"])


def test_a_file_that_lies_in_the_way_is_refused_before_any_call(scene: Scene) -> None:
    scene.folder.mkdir()
    (scene.folder / "glossary.txt").write_text("my own notes")
    model = honest()
    with pytest.raises(EditedByHand, match="was not written by this run"):
        scene.generate(model)
    assert ([], "my own notes") == (model.requests, scene.text())
    assert "verified" == scene.generate(model, force=True).status
    assert "cat=CAT" in scene.text()


@pytest.mark.parametrize("has_blocks", [True, False])
def test_no_answer_is_paid_for_that_could_not_be_put_into_its_file(scene: Scene, *, has_blocks: bool) -> None:
    if not has_blocks:
        scene.use(blocks=no_blocks)
    scene.generate()
    scene.edit("# begin tools\naxe=AXE\nsaw=SAW\n# end tools\n", "")
    model, before = scripted(lambda _request: LOUD), scene.text()
    with pytest.raises(EditedByHand, match=r"'glossary\.txt' was changed since it was written") as refusal:
        scene.regenerate(model, "tools")
    assert ([], before) == (model.requests, scene.text())
    assert "--force" in refusal.value.hint
    assert "verified" == scene.regenerate(honest(), "tools", force=True).status
    assert "axe=AXE" in scene.text()


def test_what_stands_outside_of_blocks_cannot_be_adopted_and_the_file_is_named(scene: Scene) -> None:
    scene.generate()
    scene.edit("# begin animals", "# my own words\n# begin animals")
    with pytest.raises(BadInput, match=r"no block was edited by hand .*; glossary\.txt was, outside the blocks"):
        scene.adopt()


def test_line_endings_and_bytes_of_a_person_survive_a_splice(scene: Scene) -> None:
    scene.generate()
    path: Path = scene.folder / "glossary.txt"
    path.write_bytes(b"caf\xe9\r\n" + path.read_bytes())
    scene.regenerate(scripted(lambda _request: LOUD), "tools")
    assert path.read_bytes().startswith(b"caf\xe9\r\n# begin animals\n")
    assert LOUD.encode() in path.read_bytes()


def another_file(_source: Any, _values: Any) -> dict[str, str]:
    return {"other.txt": "another file"}


def test_a_file_that_no_unit_belongs_to_any_more_is_left_and_told_once(scene: Scene) -> None:
    scene.generate()
    scene.use(assemble=another_file)
    notes = scene.generate().notes
    left = "glossary.txt was written by this run before; now no unit belongs there, and it was left as it is"
    assert (left,) == notes
    assert "cat=CAT" in scene.text()
    assert () == scene.generate().notes
