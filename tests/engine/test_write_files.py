"""Files are whole or not there, stay inside their folder, and a full disk is said in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch._lib.disk import holds, read_text, sweep, write_changed, write_files
from retouch._lib.json_text import json_list, json_text
from retouch.engine.history import read_history
from retouch.errors import BadInput, RecipeBug
from tests.engine.conftest import honest, tree_of
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engine.conftest import Scene

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "", "a\0b"])
def test_a_name_that_leaves_the_folder_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with pytest.raises(BadInput, match="leaves the run directory"):
        write_files(folder, {"good.txt": "x", name: "y"})
    assert {} == tree_of(tmp_path)


def test_a_link_that_points_outside_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "secret").write_text("mine")
    (folder / "glossary.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput):
        write_files(folder, {"glossary.txt": "x"})
    assert "mine" == (tmp_path / "secret").read_text()


def test_files_in_folders_are_written_and_swept(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/b/c.txt": "text\r\nmore\n"})
    left = tmp_path / "a" / "b" / ".c.txt.0123abcd.tmp"
    left.write_text("half")
    others = [tmp_path / ".mine.tmp", tmp_path / "a" / "notes.tmp"]
    for other in others:
        other.write_text("a person's")
    sweep(tmp_path)
    assert not left.exists()
    assert all(other.exists() for other in others)
    assert "text\r\nmore\n" == read_text(tmp_path / "a/b/c.txt")


def test_rights_of_a_file_stay_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a.txt").chmod(0o640)
    write_files(tmp_path, {"a.txt": "new"})
    assert 0o640 == (tmp_path / "a.txt").stat().st_mode & 0o777


def test_very_long_names_are_the_systems_own_error(tmp_path: Path) -> None:
    write_files(tmp_path, {"n" * 250: "fits"})
    with pytest.raises(OSError, match="too long"):
        write_files(tmp_path, {"n" * 300: "does not"})


@pytest.mark.parametrize("name", ["ir.json", "sub/../ledger.db", "ledger.db-wal", "./pages.json", ".lock"])
def test_a_recipe_may_not_write_over_the_folders_own_files(scene: Scene, name: str) -> None:
    def assemble(_source: Any, _values: Any) -> dict[str, str]:
        return {name: "x"}

    recipe = scene.recipe
    scene.use(assemble=assemble)
    with pytest.raises(RecipeBug, match="which the run directory needs itself"):
        scene.generate()
    scene.recipe = recipe
    unused = honest()
    assert (
        "verified" == scene.generate(unused).status
    )  # the answers that were paid for are used once the recipe is right
    assert [] == unused.requests


def test_temporary_files_of_a_killed_writer_are_swept_by_the_next(scene: Scene) -> None:
    scene.generate()
    for name in (".pages.json.00ff00ff.tmp", ".ledger.db.00ff00ff.tmp", ".ledger.db.00ff00ff.tmp-wal"):
        (scene.folder / name).write_text("half")
    scene.generate()
    assert [] == [name for name in scene.tree() if ".tmp" in name]


CRAMPED = """
import asyncio, resource, signal, sys
from pathlib import Path
from tests.engine.conftest import honest
from tests.engine.working import source
from tests.engine.glossary import RECIPE
from retouch.engine.verbs import generate

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    asyncio.run(generate(RECIPE, source(), Path(sys.argv[1]), honest()))
except OSError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 4_096, 9_000, 16_384, 30_000, 60_000, 100_000, 160_000])
def test_a_full_disk_is_said_in_words_and_loses_nothing(scene: Scene, limit: int) -> None:
    from tests.engine.working import source

    command = [sys.executable, "-c", CRAMPED, str(scene.folder), str(limit)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=MOST_S, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout == "" or "OSError" in done.stdout
    for name in ("ir.json", "prompts.json", "pages.json"):
        assert not (scene.folder / name).exists() or scene.json(name)
    rows = read_history(scene.folder / "ledger.db").attempts.values()
    had = {attempt.request for attempt in rows if attempt.reply is not None}
    scene.source = source()
    model = honest()
    assert "verified" == scene.generate(model).status
    assert set() == had & set(model.requests)


def test_a_folder_that_may_not_be_written_can_be_shown(scene: Scene, tmp_path: Path) -> None:
    """Mounted read-only where that is allowed, so that it holds for root too."""
    scene.generate()
    target = tmp_path / "mounted"
    target.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "--bind", scene.folder, target], check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", target], check=True)
        from tests.engine.conftest import Scene

        shown = Scene(target)
        assert "verified" == shown.validate(write=False).status
        with pytest.raises(OSError, match="Read-only"):
            shown.generate()
    finally:
        subprocess.run(["umount", target], check=True)


LONE = re.compile("[\ud800-\udfff]")
ANY_TEXT = st.text(st.characters(), max_size=5)  # lone surrogates included


SCALARS = ANY_TEXT | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
ANY_JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(ANY_TEXT, inner, max_size=3)
)


@settings(max_examples=100)
@given(items=st.lists(ANY_JSON, max_size=3))
def test_json_is_written_as_the_standard_library_indents_it_also_in_pieces(items: list[object]):
    plain = LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(items, indent=1, ensure_ascii=False))
    assert plain + "\n" == json_text(items)
    assert plain == "".join(json_list(items))
    within = "".join(json_list(items, depth=1))
    assert json_text({"a": items}) == '{\n "a": ' + within + "\n}\n"


def test_a_file_that_holds_its_text_already_is_not_written_again(tmp_path: Path):
    def pieces() -> Iterator[str]:
        yield from ("one\r\n", "", "twö")

    write_changed(tmp_path, {"a.txt": pieces, "b.txt": "b"})
    places = tmp_path / "a.txt", tmp_path / "b.txt"
    written = [place.stat().st_ino for place in places]
    assert "one\r\ntwö" == read_text(places[0])
    write_changed(tmp_path, {"a.txt": "one\r\ntwö", "b.txt": lambda: "b"})
    assert written == [place.stat().st_ino for place in places]


@pytest.mark.parametrize("found", ["", "one", "one\ntwo", "one\ntwo\nthree\nfour", "one\ntWo\nthree"])
def test_a_file_holds_a_text_only_when_nothing_is_missing_or_left_over(tmp_path: Path, found: str):
    (tmp_path / "a.txt").write_text(found, encoding="utf-8")
    assert not holds(tmp_path / "a.txt", lambda: ("one\n", "two\n", "three"))
    assert not holds(tmp_path / "b.txt", "")
