"""A broken file of a run directory is named with its key and the remedy, and is left as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.errors import BadInput, BrokenFile, EditedByHand
from tests.engine.conftest import always, honest, states

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.conftest import Scene


def refuses(scene: Scene, name: str, message: str) -> None:
    """Every verb refuses the folder with this message, asks nothing and changes no file."""
    before = {file: data for file, data in scene.tree().items() if not file.startswith(".")}
    model = honest()
    verbs: list[Callable[[], Any]] = [lambda: scene.generate(model), lambda: scene.regenerate(model)]
    for verb in (*verbs, scene.validate, scene.adopt, scene.assemble, lambda: open_run(scene.folder)):
        with pytest.raises(BrokenFile, match=message) as broken:
            verb()
        assert name in broken.value.message
        assert "left as it is" in str(broken.value) or "left as it was" in str(broken.value)
    assert ([], before) == (model.requests, {f: d for f, d in scene.tree().items() if not f.startswith(".")})


BYTES = [
    (b"", "line 1 column 1"),
    (b"[1, 2", "line 1 column"),
    (b'{"a": \xff}', "byte 6 is not UTF-8"),
    (b"[" * 100_000, "recursion"),
    (b"1" * 5_000, "digits"),
    (b'{"a": NaN}', "NaN is not JSON"),
    (b"null", "found NoneType"),
    (b'"text"', "found str"),
]


@pytest.mark.parametrize("name", ["ir.json", "prompts.json", "pages.json"])
@pytest.mark.parametrize(("data", "message"), BYTES, ids=range(len(BYTES)))
def test_bytes_that_are_no_such_file_are_refused(scene: Scene, name: str, data: bytes, message: str) -> None:
    scene.generate()
    (scene.folder / name).write_bytes(data)
    before = scene.tree()[name]
    model = honest()
    for verb in (lambda: scene.generate(model), scene.validate, lambda: open_run(scene.folder)):
        with pytest.raises(BrokenFile, match=f"{name}.*{message}"):
            verb()
    assert ([], before) == (model.requests, scene.tree()[name])


def without(key: str) -> Callable[[Any], Any]:
    return lambda data: {name: value for name, value in data.items() if name != key}


def having(key: str, value: Any) -> Callable[[Any], Any]:
    return lambda data: {**data, key: value}


def first(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda items: [change(items[0]), *items[1:]]


CHANGES: list[tuple[str, Callable[[Any], Any], str]] = [
    *[("ir.json", without(key), f"key '{key}' is missing") for key in ("version", "recipe", "source", "validation")],
    ("ir.json", having("version", "1"), "'version' has the wrong kind: str"),
    ("ir.json", having("version", True), "'version' has the wrong kind: bool"),
    ("ir.json", having("source", {"units": 3}), "'source.units'"),
    ("ir.json", having("source", "text"), "'source'"),
    *[
        ("prompts.json", first(without(key)), rf"key '\[0\].{key}' is missing")
        for key in ("type_name", "is_root", "page", "total_pages", "system", "user")
    ],
    ("prompts.json", first(having("page", "1")), r"'\[0\].page' has the wrong kind: str"),
    ("prompts.json", first(having("is_root", 0)), "is_root"),
    ("prompts.json", lambda items: [items[0], *items], r"\[1\]: 'animals' page 1 is there twice"),
    ("prompts.json", lambda items: items[1:], "unit 'animals' has pages"),
    ("prompts.json", lambda items: ["text", *items], r"\[0\] should be an object, found str"),
    ("prompts.json", lambda _items: {}, "expected a list of prompts, found dict"),
    *[("pages.json", without(key), f"key '{key}' is missing") for key in ("version", "ir_hash", "pages")],
    ("pages.json", having("pages", {}), "'pages' has the wrong kind: dict"),
    ("pages.json", having("pages", [{}]), r"'pages\[0\].type_name' is missing"),
    ("pages.json", having("pages", [{"type_name": "a", "page": 1, "output": 3}]), r"pages\[0\].output"),
    (
        "pages.json",
        having("pages", [{"type_name": "a", "page": 1, "output": None, "prompt_hash": 3}]),
        r"pages\[0\].prompt_hash",
    ),
    ("pages.json", having("pages", [{"type_name": "a", "page": 1, "output": None}] * 2), "'a' page 1 is there twice"),
]


@pytest.mark.parametrize(("name", "change", "message"), CHANGES, ids=range(len(CHANGES)))
def test_a_wrong_key_is_named(scene: Scene, name: str, change: Callable[[Any], Any], message: str) -> None:
    scene.generate()
    changed = json.dumps(change(scene.json(name)))
    (scene.folder / name).write_text(changed)
    if "source" in message and "missing" not in message:  # a reader that knows no recipe cannot tell
        with pytest.raises(BrokenFile, match=message):
            scene.generate()
        assert changed == scene.text(name)
        return
    refuses(scene, name, message)


def test_a_folder_of_another_recipe_is_refused(scene: Scene) -> None:
    scene.generate()
    scene.use(name="other")
    with pytest.raises(BadInput, match="a run of 'glossary', not of 'other'"):
        scene.generate()


@pytest.mark.parametrize("name", ["ir.json", "prompts.json"])
def test_a_folder_without_its_files_is_no_run_folder(scene: Scene, name: str) -> None:
    scene.generate()
    (scene.folder / name).unlink()
    with pytest.raises(BadInput, match=f"it has no {name}"):
        scene.validate()
    assert (0, "verified") == ((result := scene.generate()).calls, result.status)


def test_a_folder_with_only_the_files_of_the_seed_is_taken_over(scene: Scene) -> None:
    scene.generate()
    pages = scene.json("pages.json")
    for page in pages["pages"]:
        page.update(model="claude-haiku", input_tokens=5, generated_at="2026-02-25T10:30:05Z")
        del page["prompt_hash"], page["cached_tokens"]
    (scene.folder / "pages.json").write_text(json.dumps(pages))
    (scene.folder / "ledger.db").unlink()
    model = honest()
    assert "verified" == scene.generate(model).status
    assert [] == model.requests
    after = scene.json("pages.json")["pages"]
    kept = ("model", "input_tokens", "generated_at", "output")
    assert [[page[key] for key in kept] for page in pages["pages"]] == [[page[key] for key in kept] for page in after]


def test_edits_are_seen_in_a_folder_that_was_taken_over(scene: Scene) -> None:
    scene.generate()
    (scene.folder / "ledger.db").unlink()
    scene.edit("eel=EEL", "eel=Aal")
    result = scene.validate(write=False)
    assert ["'animals' has a manual edit, which was checked as it is on disk"] == list(result.notes)
    assert "adopted" == states(scene.adopt())["animals"]


def test_what_a_person_adopted_is_taken_over_as_such(scene: Scene) -> None:
    scene.generate()
    scene.edit("eel=EEL", "eel=Aal")
    scene.adopt()
    (scene.folder / "ledger.db").unlink()
    result = scene.generate()
    assert (0, "adopted") == (result.calls, states(result)["animals"])
    assert "eel=Aal" in scene.text()


def test_an_output_for_an_older_prompt_is_not_taken_over(scene: Scene) -> None:
    scene.generate()
    pages = scene.json("pages.json")
    pages["pages"][0]["prompt_hash"] = "sha256:older"
    (scene.folder / "pages.json").write_text(json.dumps(pages))
    (scene.folder / "ledger.db").unlink()
    with pytest.raises(EditedByHand):  # the block may be an edit or an older answer: nobody can tell
        scene.generate()
    assert 1 == scene.generate(force=True).calls


def test_a_plan_of_nothing_is_unverified(scene: Scene) -> None:
    scene.use(plan=always([]))
    result = scene.generate()
    assert ("unverified", []) == (result.status, scene.json("prompts.json"))
