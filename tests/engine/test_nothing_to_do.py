"""A verb with nothing to do appends no row and rewrites no file, and still notices each file that is not as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from retouch._lib.frozen import with_fields
from retouch.engine.types import Prompt, prompt_hash
from retouch.testing import scripted
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from tests.engine.conftest import Scene

JSON_FILES = ("ir.json", "pages.json", "prompts.json")


def writes(scene: Scene) -> dict[str, tuple[int, int, int]]:
    """Return what a write changes of each JSON file. A read changes the time of the last access, which is not here."""
    found = {path.name: path.stat() for path in scene.folder.glob("*.json")}
    return {name: (one.st_ino, one.st_mtime_ns, one.st_ctime_ns) for name, one in found.items()}


def test_the_same_command_again_appends_no_row_and_writes_no_file(scene: Scene):
    scene.generate()
    rows, before = scene.rows(), writes(scene)
    assert "verified" == scene.generate().status
    assert (rows, before) == (scene.rows(), writes(scene))
    (scene.folder / "pages.json").unlink()
    scene.generate()
    assert {"pages.json"} == {name for name, one in writes(scene).items() if one != before[name]}


@pytest.mark.parametrize("name", JSON_FILES)
def test_a_removed_file_is_written_again(scene: Scene, name: str):
    scene.generate()
    before = scene.text(name)
    (scene.folder / name).unlink()
    scene.generate()
    assert before == scene.text(name)


@pytest.mark.parametrize("name", JSON_FILES)
def test_a_changed_file_is_written_again(scene: Scene, name: str):
    scene.generate()
    before = scene.text(name)
    (scene.folder / name).write_text(before + "\n", encoding="utf-8")
    scene.generate()
    assert before == scene.text(name)


def test_an_older_version_of_the_pages_is_replaced(scene: Scene):
    """It is a version that the run has written, so that its hash alone does not show that it is outdated."""
    scene.generate()
    older = scene.text("pages.json")
    scene.regenerate(scripted(lambda request: answer(request.prompt).replace("=", "=NEW ")), "tools")
    newer = scene.text("pages.json")
    assert older != newer
    (scene.folder / "pages.json").write_text(older, encoding="utf-8")
    scene.generate()
    assert newer == scene.text("pages.json")


def test_answers_that_no_file_shows_yet_are_written(scene: Scene):
    """As after a kill between an answer and the files."""
    scene.generate()
    older = scene.text("pages.json")
    scene.regenerate(scripted(lambda request: answer(request.prompt).replace("=", "=NEW ")), "tools")
    newer = scene.text("pages.json")
    (scene.folder / "pages.json").write_text(older, encoding="utf-8")
    scene.validate()
    assert newer == scene.text("pages.json")


def test_a_changed_text_has_another_hash_although_the_hash_is_kept():
    prompt = Prompt(unit="a", system="s", user="u")
    known = prompt_hash(prompt)
    assert known != prompt_hash(replace(prompt, user="v"))
    assert known == prompt_hash(replace(prompt, unit="b"))
    assert {"type_name", "is_root", "page", "total_pages", "system", "user"} == prompt.to_json().keys()
    assert prompt == Prompt(unit="a", system="s", user="u")


@dataclass(frozen=True, kw_only=True)
class Point:
    x: int
    y: int = 0


def test_a_copy_of_a_frozen_value_has_the_new_fields_and_the_others():
    point = Point(x=1, y=2)
    assert (Point(x=3, y=2), Point(x=1, y=2)) == (with_fields(point, x=3), point)
