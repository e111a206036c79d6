"""The ledger of trials: what it remembers, whoever is killed, whoever writes beside it, whatever is damaged."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.locate.errors import LocateError
from retouch.locate.sources import LocalFiles
from retouch.locate.trial_events import OUTCOMES, TrialEvent, TrialRecord, split_id
from retouch.locate.trials import TrialLedger, case_id_of, span_hashes
from retouch.locate.values import Candidate, Span
from tests.locate import trial_writing

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.locate.trials import Invalidate

pytestmark = pytest.mark.concurrency

ALU = "src/Alu.scala::Alu"


def candidate(module_id: str, score: float = 0.8, *, lines: tuple[int, int] = (1, 3)) -> Candidate:
    names = split_id(module_id)
    span = Span(
        file=names["file"],
        name=names["name"].rpartition(".")[2],
        qualified=names["name"],
        kind="class",
        start_line=lines[0],
        end_line=lines[1],
        name_line=lines[0],
    )
    return Candidate(module_id=module_id, span=span, scores={"mf": score}, fused_score=score, sources_hit=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger is kept."""
    return tmp_path / "trials.jsonl"


def test_what_was_tried_is_known_to_the_next_process(path: Path) -> None:
    TrialLedger(path).mark_tried(ALU, "lec_fail", 1, "abc", 0.75, "close", case_id="bug")
    record = TrialLedger(path).get_record(ALU, case_id="bug")
    assert record is not None
    assert ("lec_fail", True, 1, 0.75, "abc", "close") == (
        record.outcome_last,
        record.tried,
        record.attempts,
        record.score,
        record.commit_hash,
        record.notes,
    )
    assert {"file": "src/Alu.scala", "name": "Alu"} == record.module_id


def test_trying_a_module_for_one_case_says_nothing_of_another(path: Path) -> None:
    ledger = TrialLedger(path)
    ledger.mark_tried(ALU, "rejected", 1, "abc", 0.75, case_id="one")
    assert ledger.get_record(ALU, case_id="other") is None
    assert [ALU] == [one.module_id for one in ledger.get_untried([candidate(ALU)], "abc", case_id="other")]
    assert [] == ledger.get_untried([candidate(ALU)], "abc", case_id="one")


def test_an_attempt_that_nobody_ended_counts_and_is_not_tried(path: Path) -> None:
    TrialLedger(path).start(ALU, 1, "abc", 0.75, case_id="bug")
    record = TrialLedger(path).get_record(ALU, case_id="bug")
    assert record is not None
    assert ("none", False, 1, (1,)) == (record.outcome_last, record.tried, record.attempts, record.pending)


def test_the_outcome_of_a_started_attempt_is_not_another_attempt(path: Path) -> None:
    ledger = TrialLedger(path)
    ledger.start(ALU, 1, "abc", 0.75)
    ledger.mark_tried(ALU, "apply_fail", 1, "abc", 0.75)
    ledger.mark_tried(ALU, "compile_fail", 2, "abc", 0.75)
    record = ledger.records["", ALU]
    assert (2, 2, ()) == (record.attempts, len(record.timestamps), record.pending)


def test_an_unknown_outcome_is_refused_with_those_that_are_known(path: Path) -> None:
    with pytest.raises(ValueError, match="lec_fail"):
        TrialLedger(path).mark_tried(ALU, "great", 1, "abc", 0.75)  # type: ignore[arg-type] # a caller without types
    assert not path.exists()


@pytest.mark.parametrize(
    ("mode", "commit", "span", "untried"),
    [
        ("span", "abc", "old", False),
        ("span", "new", "old", False),
        ("span", "abc", "new", True),
        ("commit", "abc", "new", False),
        ("commit", "new", "old", True),
        ("never", "new", "new", False),
    ],
)
def test_changed_code_makes_a_module_untried_as_the_ledger_is_told(
    path: Path, mode: Invalidate, commit: str, span: str, untried: bool
) -> None:
    ledger = TrialLedger(path, invalidate=mode)
    ledger.mark_tried(ALU, "rejected", 1, "abc", 0.75, span_sha256="old")
    open_ones = ledger.get_untried([candidate(ALU)], commit, span_hashes={ALU: span})
    assert untried == bool(open_ones)
    ledger.invalidate_on_change(commit, span_hashes={ALU: span})
    assert untried is not TrialLedger(path).records["", ALU].tried


def test_a_case_stays_solved_when_its_fix_changes_the_code(path: Path) -> None:
    ledger = TrialLedger(path)
    ledger.mark_tried(ALU, "success", 1, "abc", 0.75, span_sha256="old")
    ledger.invalidate_on_change("abc", span_hashes={ALU: "new"})
    assert "success" == ledger.records["", ALU].outcome_last


def test_the_hash_of_a_module_covers_all_its_members_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "Alu.scala"
    file.write_text("class Alu {\n  a\n}\nobject Other\nobject Alu {\n  b\n}\n")
    one = candidate("Alu.scala::Alu")
    both = replace(one, members=(one.span, replace(one.span, kind="object", start_line=5, end_line=7)))

    def hashed() -> str:
        return span_hashes([both], LocalFiles(tmp_path))["Alu.scala::Alu"]

    first = hashed()
    file.write_text(file.read_text().replace("Other", "Another"))
    assert first == hashed()
    file.write_text(file.read_text().replace("  b", "  c"))
    assert first != hashed()
    assert {} == span_hashes([candidate("Gone.scala::Gone")], LocalFiles(tmp_path))


def test_a_last_line_that_was_cut_is_left_out_with_a_warning_and_written_over(path: Path) -> None:
    TrialLedger(path).mark_tried(ALU, "rejected", 1, "abc", 0.75)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    ledger = TrialLedger(path)
    assert ["the last line of " in warning for warning in ledger.warnings] == [True]
    ledger.mark_tried("B.scala::B", "rejected", 1, "abc", 0.75)
    assert [] == ledger.warnings
    assert {ALU, "B.scala::B"} == {module for _, module in TrialLedger(path).records}


@pytest.mark.parametrize("damage", [b"{broken\n", b"\xff\xfe\x00\n", b'{"event": "outcome"}\n', b"[]\n", b"7\n"])
def test_a_damaged_line_in_the_middle_costs_that_line_and_no_other(path: Path, damage: bytes) -> None:
    ledger = TrialLedger(path)
    for number in range(6):
        ledger.mark_tried(f"{number}.scala::M", "rejected", 1, "abc", 0.75)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], damage, *lines[4:]]))
    again = TrialLedger(path)
    assert [0, 1, 2, 4, 5] == [int(module[0]) for _, module in again.records]
    assert 1 == len(again.warnings)
    again.mark_tried("9.scala::M", "rejected", 1, "abc", 0.75)
    assert damage in path.read_bytes(), "what cannot be read is not lost"
    assert 6 == len(TrialLedger(path).records)


def test_a_file_that_is_no_ledger_is_read_as_empty_and_stays_as_it_is(path: Path) -> None:
    path.write_text('{"records": []}\n')
    ledger = TrialLedger(path)
    ledger.save()
    assert {} == dict(ledger.records)
    assert '{"records": []}\n' == path.read_text()
    ledger.compact()
    assert '{"records": []}\n' == path.read_text(), "an empty state replaces nothing"


def test_a_folder_in_place_of_the_file_is_an_error_that_names_it(path: Path) -> None:
    path.mkdir()
    with pytest.raises(LocateError, match=r"trials\.jsonl"):
        TrialLedger(path)


def test_compaction_keeps_every_record_and_what_stood_before(path: Path) -> None:
    ledger = TrialLedger(path)
    for number, outcome in enumerate(OUTCOMES):
        ledger.start(ALU, number, "abc", 0.75, case_id="bug", sources={"mf": 1.0})
        ledger.mark_tried(ALU, outcome, number, "abc", 0.75, case_id="bug")
    ledger.start("B.scala::B", 9, "abc", 0.5)
    before, text = dict(ledger.records), path.read_bytes()
    reader = TrialLedger(path)
    ledger.compact()
    assert before == dict(ledger.records) == dict(TrialLedger(path).records)
    assert 2 == path.read_bytes().count(b"\n")
    assert text == path.with_name("trials.jsonl.bak").read_bytes()
    reader.mark_tried("C.scala::C", "rejected", 1, "abc", 0.75)
    assert 3 == len(reader.records) == len(TrialLedger(path).records), "another process goes on with the new file"


def test_an_event_with_an_id_counts_once_also_after_compaction(path: Path) -> None:
    event = TrialEvent(event="attempt_started", case_id="bug", module_id=ALU, time="2026-01-01T00:00:00Z", id="one")
    ledger = TrialLedger(path)
    assert [1, 0, 0] == [ledger.append([event]), ledger.append([event]), TrialLedger(path).append([event, event])]
    ledger.compact()
    assert 0 == TrialLedger(path).append([event])
    assert 1 == TrialLedger(path).records["bug", ALU].attempts


def test_the_export_has_the_shape_of_the_seed(path: Path) -> None:
    ledger = TrialLedger(path)
    ledger.start("a::b/Alu.scala::Outer.Alu", 2, "abc", 0.75, case_id="bug", sources={"mf": 0.5})
    found = ledger.export_records(case_id="bug")["a::b/Alu.scala::Outer.Alu"]
    assert {"file": "a::b/Alu.scala", "name": "Outer.Alu"} == found["module_id"]
    wanted = {"module_id", "score", "sources", "tried", "attempts", "iteration_last", "outcome_last", "commit_hash"}
    assert wanted | {"timestamps", "notes"} == set(found)


def test_a_record_of_the_seed_can_be_taken_over(path: Path) -> None:
    record = TrialRecord(module_id={"file": "A.scala", "name": "A"}, tried=True, attempts=2, outcome_last="lec_fail")
    TrialLedger(path).update_record(record)
    assert record == TrialLedger(path).get_record("A.scala::A")


def test_a_case_without_a_name_is_called_by_the_hash_of_its_diff() -> None:
    assert case_id_of("-a\n+b\n") == case_id_of("-a\n+b\n") != case_id_of("-a\n+c\n")


def writing(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, trial_writing.__file__, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_a_killed_process_was_told_is_on_disk_is_there(path: Path, seed: int) -> None:
    chance = Random(seed)
    process = writing(path, "one", 10_000)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(chance.randrange(1, 60))]
    time.sleep(chance.random() * 0.01)
    process.kill()
    told += process.communicate()[0].splitlines()
    ledger = TrialLedger(path)
    counted = Counter(line.split()[0] for line in told if line.strip())
    ended = sum(record.outcome_last == "compile_fail" for record in ledger.records.values())
    assert counted["started"] <= len(ledger.records) <= counted["started"] + 1
    assert counted["ended"] <= ended <= counted["ended"] + 1
    ledger.mark_tried("after.scala::A", "rejected", 1, "abc", 0.5)
    assert len(ledger.records) == len(TrialLedger(path).records)
    assert [] == TrialLedger(path).warnings


@pytest.mark.slow
def test_compaction_beside_a_process_that_writes_loses_nothing(path: Path) -> None:
    process = writing(path, "one", 150)
    ledger = TrialLedger(path)
    while process.poll() is None:
        ledger.compact()
    assert 0 == process.returncode
    process.communicate()
    again = TrialLedger(path)
    assert [150, []] == [len(again.of_case("one")), again.warnings]
    assert {(1, "compile_fail")} == {(record.attempts, record.outcome_last) for record in again.of_case("one")}


def test_two_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    both = [writing(path, name, 60) for name in ("one", "two")]
    assert [0, 0] == [process.wait(60) for process in both]
    for process in both:
        process.communicate()
    ledger = TrialLedger(path)
    assert [60, 60, []] == [len(ledger.of_case("one")), len(ledger.of_case("two")), ledger.warnings]
    assert {"compile_fail"} == {record.outcome_last for record in ledger.records.values()}
