"""A run without a text: nothing else changes, it goes on as before, and a killed process leaves the old or the new."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.hashing import text_hash
from retouch.engine.directory import load_ir, open_run
from retouch.engine.ledger import Ledger, one_writer, read_entries
from retouch.engine.scrub import ScrubResult, scrub, scrubber
from retouch.engine.stored_files import JOURNAL
from retouch.errors import BadInput, BrokenFile, FolderBusy
from retouch.testing import scripted
from tests.engine.conftest import Scene, run, tree_of, wrong_first
from tests.engine.glossary import RECIPE, Glossary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from retouch.engine.overview import RunResult


WORD = "canary-word"  # in the source, in prompts, answers, a failed answer, its issue, the correction and the file


def goes_on(scene: Scene) -> RunResult:
    """Go on with a run from what its own directory holds, with a model that must not be asked."""
    scene.source = load_ir(scene.folder, scene.recipe).source
    model = scripted([])
    result = scene.generate(model)
    assert [] == model.requests
    return result


def scrubbed(scene: Scene, *texts: str, patterns: tuple[str, ...] = (), **options: Any) -> ScrubResult:
    return run(scrub(scene.folder, scene.recipe, scrubber(texts, patterns), **options))


def holding(folder: Path, text: str) -> list[str]:
    return [name for name, data in tree_of(folder).items() if text.encode() in data]


@pytest.fixture
def told(scene: Scene) -> Scene:
    """A run with a repair in it, whose report lies beside."""
    scene.source = Glossary(units={"animals": ("cat", WORD, "eel"), "tools": ("axe", "saw")})
    scene.generate(wrong_first({("animals", 1): [f"no {WORD} here"]}))
    (scene.folder / "report.html").write_text(f"<p>{WORD}</p>")
    return scene


def test_nothing_of_the_text_is_left_and_the_run_goes_on_as_before(told: Scene):
    before = told.history
    rows = told.rows()
    assert {"ir.json", "prompts.json", "ledger.db", "pages.json", "glossary.txt", "report.html"} == set(
        holding(told.folder, WORD)
    )
    result = scrubbed(told, WORD)
    assert ([], True, ()) == (holding(told.folder, WORD), result.rows > 0, result.kept)
    after = told.history
    assert (before.attempts.keys(), before.answers.keys(), before.last_seq) == (
        after.attempts.keys(),
        after.answers.keys(),
        after.last_seq,
    )
    assert [(row.seq, row.kind, row.at) for row in rows] == [(row.seq, row.kind, row.at) for row in told.rows()[1:]]
    assert "[scrubbed]" in told.text()
    assert "verified" == goes_on(told).status
    assert "verified" == told.validate().status


def test_the_first_row_names_the_head_of_the_old_ledger_and_not_the_text(told: Scene):
    last = told.rows()[-1]
    result = scrubbed(told, WORD)
    first = told.rows()[0]
    assert (0, "note:scrubbed") == (first.seq, first.kind)
    assert {"seq": last.seq, "kind": last.kind, "at": last.at} == first.data["head"]
    assert (result.rows, list(result.files)) == (first.data["rows"], first.data["files"])
    assert ["scrubbed"] == [note.kind for note in told.history.notes if note.kind == "scrubbed"]


def test_a_second_scrub_keeps_what_the_first_one_said(told: Scene):
    scrubbed(told, WORD)
    first = told.rows()[0]
    scrubbed(told, WORD.upper())
    rows = told.rows()
    assert (0, 1) == (rows[0].seq, rows[1].seq)
    assert [first.data] == rows[0].data["earlier"]


def test_a_new_answer_can_be_given_after_it(told: Scene):
    scrubbed(told, WORD)
    result = told.regenerate(None, "animals")
    assert (2, "verified") == (result.calls, told.validate().status)
    assert "animals" in told.text()


def test_a_pattern_is_removed_as_well(told: Scene):
    scrubbed(told, patterns=("canary.[a-z]{4}",))
    assert [] == holding(told.folder, WORD)


def test_what_is_not_there_changes_nothing(told: Scene):
    before = tree_of(told.folder)
    assert not scrubbed(told, "nowhere-to-be-found").found
    assert before == tree_of(told.folder)


def test_a_look_changes_nothing(told: Scene):
    before = tree_of(told.folder)
    result = scrubbed(told, WORD, write=False)
    assert (True, before) == (result.rows > 0, tree_of(told.folder))


def test_a_file_that_a_user_changed_is_reported_and_left_as_it_is(told: Scene):
    told.edit(f"{WORD}=", f"{WORD}= by hand")
    (told.folder / "notes.md").write_text(f"my own {WORD}")
    text = told.text()
    result = scrubbed(told, WORD)
    assert (("glossary.txt", "notes.md"), text) == (result.kept, told.text())
    assert ["glossary.txt", "notes.md"] == holding(told.folder, WORD)
    assert WORD in told.adopt().run.joinpath("glossary.txt").read_text()


def test_a_text_in_a_name_is_refused_and_nothing_is_changed(told: Scene):
    before = tree_of(told.folder)
    with pytest.raises(BadInput, match="are named so"):
        scrubbed(told, "animals")
    assert before == tree_of(told.folder)


@pytest.mark.parametrize("pattern", ["answer|correction|settled", r"\d+", "sha256", "[0-9a-f]{64}", "clean|offline"])
def test_a_pattern_that_hits_more_than_texts_breaks_nothing(told: Scene, pattern: str):
    attempts = told.history.attempts.keys()
    try:
        scrubbed(told, patterns=(pattern,))
    except BadInput:
        assert "note:scrubbed" not in {row.kind for row in told.rows()}
    assert attempts == told.history.attempts.keys()


@pytest.mark.parametrize(
    ("texts", "patterns", "message"),
    [
        (("abc",), (), "has 3 characters"),
        ((), ("(",), "no regular expression"),
        ((), ("x*",), "matches an empty text"),
        (("scrubbed",), (), "matches an empty text, or"),
    ],
)
def test_what_would_hit_too_much_is_refused(texts: tuple[str, ...], patterns: tuple[str, ...], message: str):
    with pytest.raises(BadInput, match=message):
        scrubber(texts, patterns)


def test_a_run_that_somebody_writes_is_left_alone(told: Scene):
    async def both() -> None:
        async with one_writer(told.folder, wait=False):
            await scrub(told.folder, told.recipe, scrubber(["something"], ()))

    with pytest.raises(FolderBusy):
        run(both())


def test_what_stays_in_the_log_of_the_old_ledger_means_nothing_to_the_new_one(told: Scene):
    """A reader that holds the ledger open keeps its log alive."""
    with closing(sqlite3.connect(told.folder / "ledger.db")) as reader:
        reader.execute("SELECT * FROM events").fetchone()
        reader.commit()
        scrubbed(told, WORD)
        assert [] == holding(told.folder, WORD)
    assert 0 == told.rows()[0].seq


def test_what_a_killed_writer_left_in_the_log_is_in_the_new_ledger_and_the_log_gone(told: Scene):
    last = told.history.last_seq
    writer = Ledger(told.folder / "ledger.db", next_seq=last + 1)
    writer.append("text", {"hash": text_hash(WORD), "text": WORD})
    writer.synced_now()
    left = told.folder.with_name("left")
    shutil.copytree(told.folder, left)  # with the log, as a killed process leaves it
    writer.close()
    assert WORD.encode() in (left / "ledger.db-wal").read_bytes()
    scene = Scene(left)
    scrubbed(scene, WORD)
    assert ([], last + 1) == (holding(left, WORD), scene.history.last_seq)


def test_a_damaged_journal_is_named_and_nothing_leaves_the_run(told: Scene):
    for text in ("{", '{"files": {"../x": "ledger.db"}}', '{"files": {"x": "/etc/passwd"}}', "[]"):
        (told.folder / JOURNAL).write_text(text)
        with pytest.raises(BrokenFile, match="scrub"):
            told.generate()


def killed_at(event: int, work: Callable[[], object]) -> bool:
    """Run `work` in a process that is killed before its n-th change of the file system; return whether it was."""
    child = os.fork()
    if child == 0:
        left = [event]

        def strike(name: str, arguments: tuple[Any, ...]) -> None:
            changes = name in {"os.rename", "os.remove", "os.chmod"} or (
                name == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            )
            if changes or name in {"sqlite3.connect", "os.truncate"}:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(strike)
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def kills(told: Scene) -> Iterator[Path]:
    """Yield what each possible kill of a scrub leaves."""
    event = 0
    while True:
        event += 1
        copy = told.folder.with_name(f"copy-{event}")
        shutil.copytree(told.folder, copy)
        was_killed = killed_at(event, lambda copy=copy: run(scrub(copy, RECIPE, scrubber([WORD], ()))))
        yield copy
        shutil.rmtree(copy)
        if not was_killed:
            return


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_old_run_or_the_new_one(told: Scene):
    count, new = len(told.rows()), 0
    old = open_run(told.folder)
    number = 0
    for number, copy in enumerate(kills(told), 1):
        view = open_run(copy)  # finishes what was decided
        is_new = read_entries(copy / "ledger.db")[0].seq == 0
        new += is_new
        assert len(read_entries(copy / "ledger.db")) == count + is_new
        assert view.history.attempts.keys() == old.history.attempts.keys()
        scene = Scene(copy)
        assert ("verified", "verified") == (goes_on(scene).status, scene.validate().status)
        left = holding(copy, WORD)
        assert ([] == left) == is_new, (number, left)
        assert [] == [name for name in tree_of(copy) if name.endswith(".tmp") or name == JOURNAL]
        assert bool(scrubbed(scene, WORD).rows) is not is_new
        assert [] == holding(copy, WORD)
    assert (True, True) == (number > 10, new > 3)
