"""The chain of hashes: damage is noticed, has a place, and nothing is built on it; version 1 is read and chained."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.history import read_history
from retouch.engine.ledger import APPLICATION_ID, Ledger, read_entries
from retouch.engine.overview import overview
from retouch.errors import BrokenFile, DamagedRun
from tests.engine.conftest import Scene, honest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSION_1 = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, attempt INTEGER, unit TEXT, at TEXT NOT NULL, data TEXT NOT NULL
);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""


def changed(path: Path, statement: str, *values: Any) -> None:
    """Change a ledger as no writer does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("DROP TRIGGER events_last")
        database.execute(statement, values)


def as_version_1(path: Path) -> None:
    """Write a ledger again as version 1 did."""
    rows = [row.stored() for row in read_entries(path)]
    path.unlink()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
        database.execute("PRAGMA user_version=1")
        database.execute("PRAGMA journal_mode=WAL")
        database.executescript(VERSION_1)
        database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)


def written(path: Path, *numbers: int) -> None:
    ledger = Ledger(path, next_seq=read_history(path).last_seq + 1)
    for number in numbers:
        ledger.append("note:n", {"n": number})
    ledger.synced_now()
    ledger.close()


CHANGES: list[tuple[str, tuple[Any, ...], str]] = [
    ("UPDATE events SET data = ? WHERE seq = 3", ('{"n": 4}',), r"row 3 \(note:n\) was changed"),
    ("UPDATE events SET kind = 'note:m' WHERE seq = 3", (), r"row 3 \(note:m\) was changed"),
    ("UPDATE events SET at = '2020' WHERE seq = 3", (), "row 3 "),
    ("UPDATE events SET attempt = 1 WHERE seq = 3", (), "row 3 "),
    ("UPDATE events SET unit = 'a' WHERE seq = 3", (), r"row 3 \(note:n of 'a'\)"),
    ("UPDATE events SET chain = NULL WHERE seq = 3", (), "row 3 "),
    ("UPDATE events SET chain = ? WHERE seq = 3", ("0" * 64,), r"rows 3 \(note:n\), 4 \(note:n\) were changed"),
    ("DELETE FROM events WHERE seq > 5", (), "rows 6 to 7 are lost; the rows up to row 5 are intact"),
    ("UPDATE head SET chain = 'x'", (), "its head does not match its last row"),
    ("DELETE FROM head", (), "its head does not match its last row"),
    ("INSERT INTO events SELECT 8, kind, attempt, unit, at, data, chain FROM events WHERE seq = 7", (), "row 8 "),
]


@pytest.mark.parametrize(("statement", "values", "message"), CHANGES, ids=range(len(CHANGES)))
def test_whatever_is_changed_of_a_row_is_noticed_and_has_a_place(
    tmp_path: Path, statement: str, values: tuple[Any, ...], message: str
) -> None:
    path = tmp_path / "ledger.db"
    written(path, *range(7))
    assert 7 == len(read_entries(path))
    changed(path, statement, *values)
    with pytest.raises(DamagedRun, match=message) as damaged:
        read_entries(path)
    assert "are intact" in damaged.value.message
    assert "Put back a copy" in damaged.value.hint


def test_two_rows_that_changed_places_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    written(path, *range(7))
    changed(path, "UPDATE events SET data = CASE seq WHEN 3 THEN ? ELSE ? END WHERE seq IN (3, 5)", '{"n": 4}', "{}")
    with pytest.raises(DamagedRun, match=r"rows 3 \(note:n\), 5 \(note:n\) were changed"):
        read_entries(path)


def damaged(scene: Scene) -> None:
    scene.generate()
    changed(scene.folder / "ledger.db", "UPDATE events SET at = '2020-01-01' WHERE kind = 'reply'")


def test_a_damaged_ledger_is_shown_and_never_verified(scene: Scene) -> None:
    damaged(scene)
    seen = overview(open_run(scene.folder))
    assert ("issues", ["RUN_DAMAGED"]) == (seen.status, [issue.code for issue in seen.damage])
    before = scene.tree()
    for write in (True, False):
        result = scene.validate(write=write)
        (issue,) = [one for one in result.issues if one.code == "RUN_DAMAGED"]
        assert ("issues", 1) == (result.status, result.exit_status)
        assert "(reply)" in issue.message
        assert "move it away" in issue.fix
    after = scene.tree()
    assert before == {name: after[name] for name in before}


def test_nothing_is_built_on_a_damaged_ledger(scene: Scene) -> None:
    damaged(scene)
    before, model = scene.tree(), honest()
    verbs: list[Callable[[], Any]] = [lambda: scene.generate(model), lambda: scene.regenerate(model)]
    for verb in (*verbs, scene.adopt, scene.assemble):
        with pytest.raises(DamagedRun, match=r"ledger\.db"):
            verb()
    assert ([], before) == (model.requests, {name: data for name, data in scene.tree().items() if name in before})


def test_a_damaged_ledger_that_is_moved_away_costs_no_answer(scene: Scene) -> None:
    damaged(scene)
    shutil.move(scene.folder / "ledger.db", scene.folder.parent / "damaged.db")
    model = honest()
    assert ("verified", []) == (scene.generate(model).status, model.requests)


@pytest.mark.parametrize("name", ["ir.json", "prompts.json"])
def test_a_source_or_prompt_that_the_run_has_not_written_is_an_issue_and_nothing_is_built_on_it(
    scene: Scene, name: str
) -> None:
    scene.generate()
    scene.edit("animals", "animalz", name)
    before = scene.text(name)
    seen = overview(open_run(scene.folder))
    assert [name] == [one.path for one in seen.damage]
    assert seen.status in {"issues", "incomplete"}
    for verb in (scene.validate, lambda: scene.validate(write=False), scene.adopt, scene.assemble):
        with pytest.raises(DamagedRun, match=f"{name}' was changed; the ledger, with every answer, is"):
            verb()
    assert before == scene.text(name)
    assert (0, "verified") == ((done := scene.generate()).calls, done.status)
    assert "verified" == overview(open_run(scene.folder)).status


def test_pages_that_the_run_has_not_written_are_shown_and_written_anew(scene: Scene) -> None:
    scene.generate()
    before = scene.text("pages.json")
    scene.edit("eel=EEL", "eel=EEK", "pages.json")
    assert ["RUN_DAMAGED"] == [one.code for one in scene.validate(write=False).issues]
    result = scene.validate()
    assert ("verified", before) == (result.status, scene.text("pages.json"))
    assert ["pages.json was changed, and was rebuilt from the ledger"] == list(result.notes)


def test_a_run_of_version_1_is_read_and_not_changed_by_readers(scene: Scene) -> None:
    scene.generate()
    expected = read_entries(scene.folder / "ledger.db")
    as_version_1(scene.folder / "ledger.db")
    before = (scene.folder / "ledger.db").read_bytes()
    assert [row.stored() for row in expected] == [row.stored() for row in read_entries(scene.folder / "ledger.db")]
    assert "verified" == scene.validate(write=False).status
    assert before == (scene.folder / "ledger.db").read_bytes()


def test_a_run_of_version_1_is_chained_from_the_first_new_row(scene: Scene) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    as_version_1(path)
    old = len(read_entries(path))
    assert ("verified", 0) == ((done := scene.generate()).status, done.calls)
    written(path, 1)
    with closing(sqlite3.connect(path)) as database:
        chains = [chain for (chain,) in database.execute("SELECT chain FROM events ORDER BY seq")]
        assert 2 == database.execute("PRAGMA user_version").fetchone()[0]
    assert ([None] * old, False) == (chains[:old], None in chains[old:])
    assert "verified" == scene.validate(write=False).status


def test_the_first_chained_row_covers_the_rows_of_version_1(scene: Scene) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    as_version_1(path)
    old = len(read_entries(path))
    written(path, 1)
    changed(path, "UPDATE events SET at = '2020-01-01' WHERE seq = 2")
    with pytest.raises(DamagedRun, match=f"rows 1 to {old + 1} were changed"):
        read_entries(path)


def test_a_wrong_text_in_a_ledger_of_version_1_is_still_noticed(scene: Scene) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    as_version_1(path)
    path.write_bytes(path.read_bytes().replace(b"cat=CAT", b"cat=BAT"))
    with pytest.raises(BrokenFile, match="a text was changed"):
        scene.generate()


def test_a_run_that_was_copied_or_moved_is_the_same_run(scene: Scene) -> None:
    scene.generate()
    copied, moved = (scene.folder.with_name(name) for name in ("copied", "moved"))
    shutil.copytree(scene.folder, copied)
    shutil.move(scene.folder, moved)
    for folder in (copied, moved):
        other = Scene(folder)
        assert "verified" == other.validate(write=False).status
        model = honest()
        assert ("verified", []) == (other.generate(model).status, model.requests)
        assert "verified" == other.regenerate(honest(), "tools").status


def test_a_run_that_is_copied_while_it_is_written_is_whole_up_to_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "run" / "ledger.db"
    path.parent.mkdir()
    ledger = Ledger(path, next_seq=1)
    for number in range(20):
        ledger.append("note:n", {"n": number})
        ledger.synced_now()
        copy = tmp_path / f"copy{number}"
        shutil.copytree(path.parent, copy)
        assert list(range(number + 1)) == [row.data["n"] for row in read_entries(copy / "ledger.db")]
    ledger.close()


def test_hashes_of_json_files_are_notes_of_the_ledger(scene: Scene) -> None:
    scene.generate()
    stored = [json.loads(json.dumps(row.data)) for row in scene.rows("note:stored")]
    assert {"ir.json", "prompts.json", "pages.json"} == {name for row in stored for name in row["files"]}
