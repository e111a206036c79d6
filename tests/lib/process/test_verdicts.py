"""What a command says of new code, by what it says of the old."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch._lib.process.judging import CheckStep, unreadable

if TYPE_CHECKING:
    from tests.lib.process.scenes import Bench


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "baseline", "outcome"),
    [
        ("grep -qE 'old|new' a.txt", "passed", "passed"),
        ("grep -q old a.txt", "passed", "failed"),
        ("grep -q new a.txt", "failed", "passed"),
        ("grep -q other a.txt", "failed", "failed"),
        ("true && false", "failed", "failed"),
        ("echo ok; exit 3", "failed", "failed"),
        ("cat a.txt | grep -q new || false", "failed", "passed"),
        ("no-such-tool", "inconclusive", "inconclusive"),
        ("./a.txt", "inconclusive", "inconclusive"),
        ("kill -SEGV $$", "inconclusive", "inconclusive"),
        ("sh -c 'kill -9 $$'; exit $?", "inconclusive", "inconclusive"),
        ("sh -c no-such-tool; exit 1", "inconclusive", "inconclusive"),
        ("echo JAVA_HOME is not set; exit 1", "inconclusive", "inconclusive"),
        ("grep -q old a.txt || no-such-tool", "passed", "inconclusive"),
        ("grep -q old a.txt || kill -9 $$", "passed", "inconclusive"),
    ],
)
def test_a_verdict_comes_from_both_ends(bench: Bench, command: str, baseline: str, outcome: str) -> None:
    verdict = bench.judge(command)
    assert (baseline, outcome) == (verdict.baseline, verdict.outcome), verdict
    assert {"a.txt": "old\n"} == bench.tree()


def test_a_failure_that_was_there_before_is_said_to_be(bench: Bench) -> None:
    same = bench.judge("cat a.txt; echo error in line 7; exit 1")
    assert same.why.endswith("failed with exit status 1; this failed before your change too")
    new = bench.judge("if grep -q new a.txt; then echo error: undefined; fi; echo error in line 7; exit 1")
    assert new.why.endswith("failed with exit status 1")


@pytest.mark.slow
def test_a_time_out_keeps_what_was_printed_and_judges_nothing(bench: Bench) -> None:
    verdict = bench.judge("if grep -q new a.txt; then echo begun; sleep 600; fi", limit_s=12)
    assert ("inconclusive", "passed", None, "begun") == (
        verdict.outcome,
        verdict.baseline,
        verdict.status,
        verdict.output,
    )
    assert "took longer than 12 s" in verdict.why


def test_without_any_change_the_workspace_itself_is_judged(bench: Bench) -> None:
    assert "failed" == bench.judge("false", texts={}).outcome
    assert "passed" == bench.judge("true", texts={"a.txt": "old\n"}).outcome
    assert "inconclusive" == bench.judge("no-such-tool", texts={}).outcome


COMPILE = CheckStep(name="compile", command="mkdir -p build; cp a.txt build/b.txt", baseline="pass")
PROVE = CheckStep(name="lec", command="grep -q new build/b.txt", baseline="fail")


def test_commands_in_a_row_share_their_products(bench: Bench) -> None:
    found = bench.verdicts(COMPILE, PROVE)
    assert [("compile", "passed", "passed"), ("lec", "failed", "passed")] == [
        (one.step, one.baseline, one.outcome) for one in found
    ]
    wrong = bench.verdicts(COMPILE, PROVE, texts={"a.txt": "wrong\n"})
    assert ["passed", "failed"] == [one.outcome for one in wrong]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((CheckStep(name="compile", command="grep -q new a.txt", baseline="pass"),), "fails before any change"),
        ((COMPILE, CheckStep(name="lec", command="true", baseline="fail")), "succeeds before any change"),
        ((COMPILE, CheckStep(name="lec", command="no-such-prover", baseline="fail")), "found a program missing"),
    ],
)
def test_a_command_that_cannot_judge_is_found_before(bench: Bench, steps: tuple[CheckStep, ...], why: str) -> None:
    refused = bench.preflight(*steps)
    assert refused is not None
    assert ("inconclusive", True) == (refused.outcome, why in refused.why)
    assert "inconclusive" == bench.judge(*steps).outcome


def test_a_command_that_can_judge_passes_the_look_before(bench: Bench) -> None:
    assert bench.preflight(COMPILE, PROVE) is None
    assert bench.preflight("false") is None  # a failing test is what a change may be for


@pytest.mark.parametrize("command", ["", "  ", "pytest 'x", "if true", "a\0b"])
def test_a_command_that_the_shell_cannot_read_is_known_without_running_it(command: str) -> None:
    assert unreadable(command)
    assert not unreadable("npm ci && npm test -- 'a b'")


def test_a_path_that_leads_out_of_the_workspace_is_not_run(bench: Bench) -> None:
    (bench.workspace / "link").symlink_to(bench.root)
    verdict = bench.judge("true", texts={"link/x.txt": "new\n"})
    assert "not_run" == verdict.outcome
    assert not (bench.root / "x.txt").exists()


def test_a_check_that_opens_no_changed_file_is_known(bench: Bench) -> None:
    assert [True, False] == [bench.judge(command).saw_change for command in ("cat a.txt", "true")]
