"""Corrections are partial: edits that matched are kept, only those that failed are requested, and none is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.targets import Targets
from retouch.engine.verbs import regenerate
from retouch.recipes.edit import EditFile, recipe
from retouch.recipes.edit.session import (
    EDITS,
    applied,
    failed_edits,
    merged,
    read_session,
    session_of_text,
    stored_session,
)
from retouch.testing import scripted
from tests.recipes.edit.scenes import LARGE, SMALL, Project, change, cut, whole

if TYPE_CHECKING:
    from random import Random

    from retouch.engine.types import Request

WRONG_9 = change("def step_9(value):\n    return value - 9", "def step_9(value):\n    return value * 9", 2)
RIGHT_9 = change("def step_9(value):\n    return value + 9", "def step_9(value):\n    return value * 9")
WRONG_11 = change("def step_11(value):\n    return value - 11", "def step_11(value):\n    return value * 11", 3)
RIGHT_11 = change("def step_11(value):\n    return value + 11", "def step_11(value):\n    return value * 11")


def step(number: int, index: int = 1) -> str:
    """Return an edit of one function of the large file."""
    find = f"def step_{number}(value):\n    return value + {number}"
    return change(find, find.replace("+", "*"), index)


def stepped(*numbers: int) -> str:
    text = LARGE
    for number in numbers:
        text = text.replace(f"return value + {number}\n", f"return value * {number}\n")
    return text


def test_only_the_edit_that_failed_is_requested_and_the_others_are_kept(project: Project) -> None:
    first = "".join(step(number, number) for number in range(1, 9)) + WRONG_9
    result = project.edit("large.py", answers=[first, RIGHT_9])
    assert ("unverified", 2) == (result.status, result.calls)
    assert stepped(*range(1, 10)) == project.new("large.py")
    turn = project.asked(1).partition("CORRECTION REQUIRED")[2]
    assert "do not repeat them" in turn
    assert "step_9" in turn
    assert "step_8" not in turn
    assert "all edits" not in turn


def test_a_correction_follows_the_clean_prompt_in_one_message(project: Project) -> None:
    project.edit("large.py", answers=[step(1) + WRONG_9, RIGHT_9])
    first, second = project.model.requests
    assert 1 == len(second.messages)
    assert second.messages[0].text.startswith(first.messages[0].text)
    assert first.system == second.system


def test_edits_that_the_correction_repeats_are_applied_once(project: Project) -> None:
    insert = change("def step_3(value):", "import os\n\n\ndef step_3(value):")
    result = project.edit("large.py", answers=[insert + WRONG_9, insert + RIGHT_9])
    assert "unverified" == result.status
    assert 1 == project.new("large.py").count("import os\n")


def test_an_edit_that_the_correction_repeats_with_a_wrong_quote_stays_applied(project: Project) -> None:
    misquoted = step(1).replace("FIND:\n```\ndef", "FIND:\n```\nfed")
    result = project.edit("large.py", answers=[step(1) + WRONG_9, misquoted + RIGHT_9])
    assert ("unverified", 2, stepped(1, 9)) == (result.status, result.calls, project.new("large.py"))


def test_a_wrong_quote_in_a_repeated_edit_does_no_harm_if_the_result_did_not_parse(project: Project) -> None:
    broken, misquoted = step(2).replace("* 2", "* (2"), step(1).replace("FIND:\n```\ndef", "FIND:\n```\nfed")
    result = project.edit("large.py", answers=[step(1) + broken, misquoted + step(2)])
    assert ("unverified", 2, stepped(1, 2)) == (result.status, result.calls, project.new("large.py"))


def test_a_further_edit_of_a_correction_that_does_not_fit_is_requested_again(project: Project) -> None:
    result = project.edit("large.py", answers=[step(1) + WRONG_9, WRONG_11 + RIGHT_9, RIGHT_11])
    assert ("unverified", 3, stepped(1, 9, 11)) == (result.status, result.calls, project.new("large.py"))


def test_two_of_the_edits_may_be_corrected_one_after_the_other(project: Project) -> None:
    result = project.edit("large.py", answers=[step(1) + WRONG_9 + WRONG_11, RIGHT_9 + WRONG_11, RIGHT_11])
    assert ("unverified", 3, stepped(1, 9, 11)) == (result.status, result.calls, project.new("large.py"))
    last = project.asked(2).partition("CORRECTION REQUIRED")[2]
    assert ("step_11" in last, "step_9(" in last) == (True, False)


def test_a_failed_edit_can_be_dropped_but_not_by_silence(project: Project) -> None:
    result = project.edit("large.py", answers=[step(1) + WRONG_9, "NO CHANGES NEEDED", "DROP EDIT 2\n"])
    assert ("unverified", 3, stepped(1)) == (result.status, result.calls, project.new("large.py"))
    assert "MALFORMED" in project.asked(2)


def test_an_edit_that_matched_cannot_be_dropped_by_a_correction_of_another(project: Project) -> None:
    result = project.edit("large.py", answers=[step(1) + WRONG_9, "DROP EDIT 1\n" + RIGHT_9])
    assert ("unverified", stepped(1, 9)) == (result.status, project.new("large.py"))


def test_after_three_corrections_the_failed_edits_are_requested_one_at_a_time(project: Project) -> None:
    wrong = [f"{WRONG_9}{WRONG_11}".replace("as asked", f"try {number}") for number in range(3)]
    result = project.edit("large.py", answers=[step(1) + WRONG_9 + WRONG_11, *wrong, RIGHT_9, RIGHT_11])
    assert ("unverified", 6, stepped(1, 9, 11)) == (result.status, result.calls, project.new("large.py"))
    ninth, eleventh = (project.asked(call).partition("CORRECTION REQUIRED")[2] for call in (4, 5))
    assert ("step_9(" in ninth, "step_11(" in ninth) == (True, False)
    assert ("step_9(" in eleventh, "step_11(" in eleventh) == (False, True)


def test_if_a_single_edit_fails_again_the_unit_is_exhausted_and_nothing_is_written(project: Project) -> None:
    wrong = [change(f"    nowhere {number}", "x") for number in range(5)]
    result = project.edit("large.py", answers=wrong)
    assert ("exhausted", 5) == (result.status, result.calls)
    assert not (project.run / "files" / "large.py").exists()


def test_the_whole_file_is_requested_at_last_if_the_user_wants_it(project: Project) -> None:
    wrong = [change(f"    nowhere {number}", "x") for number in range(5)]
    result = project.edit("large.py", answers=[*wrong, whole(stepped(7))], fallback_whole_file=True)
    assert ("unverified", 6, stepped(7)) == (result.status, result.calls, project.new("large.py"))
    assert "OUTPUT: the whole file" in project.asked(5)


def test_the_whole_file_of_the_fallback_is_behind_the_guard(project: Project) -> None:
    wrong = [change(f"    nowhere {number}", "x") for number in range(5)]
    last = whole("def step_7(value):\n    return value * 7\n")
    result = project.edit("large.py", answers=[*wrong, last], fallback_whole_file=True)
    assert ("issues", ["SHRUNK", "REMOVED"]) == (result.status, [issue.code for issue in result.issues])


def test_a_truncated_answer_is_requested_again_three_times_at_most(project: Project) -> None:
    result = project.edit("large.py", answers=cut(step(1)), max_output_limit=1_000_000)
    assert ("exhausted", 4) == (result.status, result.calls)


def test_a_result_that_does_not_parse_is_corrected_on_top_of_the_change(project: Project) -> None:
    broken = change("    return value + 5", "    return (value * 5")
    result = project.edit(
        "large.py", answers=[step(1) + broken, change("    return (value * 5", "    return value * 5")]
    )
    assert ("unverified", 2, stepped(1, 5)) == (result.status, result.calls, project.new("large.py"))
    turn = project.asked(1).partition("CORRECTION REQUIRED")[2]
    assert "+    return (value * 5\n" in turn
    assert "edits alone" in turn


def test_an_edit_of_the_same_lines_replaces_the_one_that_failed_the_check(project: Project) -> None:
    check = "python3 -c 'import large; assert large.step_5(2) == 10 and large.step_1(3) == 3'"
    wrong = change("    return value + 5", "    return value * 6")
    right = change("    return value + 5", "    return value * 5")
    result = project.edit("large.py", answers=[step(1) + wrong, right], check=check)
    assert ("verified", 2, stepped(1, 5)) == (result.status, result.calls, project.new("large.py"))
    assert "AssertionError" in project.asked(1)


def test_a_whole_answer_that_fails_the_check_is_corrected_by_edits(project: Project) -> None:
    first = SMALL.replace("load(path)", "load(path, mode)").replace("open(path)", "open(path, mode)")
    check = "python3 -c 'import small; small.load(\"small.py\")'"
    fix = change("def load(path, mode):", 'def load(path, mode="r"):')
    result = project.edit("small.py", answers=[whole(first), fix], check=check)
    assert ("verified", 2) == (result.status, result.calls)
    assert first.replace("path, mode):", 'path, mode="r"):') == project.new("small.py")


def test_the_repair_of_one_file_sees_the_change_of_the_others(project: Project) -> None:
    answers = {"large.py": [step(1)], "small.py": [whole("y = 1\n" + SMALL), whole("x = 1\n" + SMALL)]}
    check = "grep -q '^x = 1' small.py && grep -q 'value . 1' large.py"

    def answer(request: Request) -> str:
        given = answers[request.prompt.unit]
        return given.pop(0) if given else "NO CHANGES NEEDED"

    result = project.edit("large.py", "small.py", answers=answer, check=check)
    assert "verified" == result.status
    turns = [r.messages[-1].text for r in project.model.requests if r.prompt.unit == "small.py"]
    assert "+    return value * 1\n" in turns[1]


def test_a_removal_can_be_given_back_to_the_model(project: Project) -> None:
    kept = SMALL + "\n\ndef save(path):\n    return path\n"
    (project.root / "small.py").write_text(kept, encoding="utf-8")
    first = project.edit("small.py", answers=[whole(SMALL.replace("read()", "read(1)"))])
    assert ("issues", ["REMOVED"]) == (first.status, [issue.code for issue in first.issues])
    model = scripted([whole(kept.replace("read()", "read(1)"))])
    result = asyncio.run(regenerate(recipe, project.run, model, Targets(from_errors=True)))
    assert ("unverified", kept.replace("read()", "read(1)")) == (result.status, project.new("small.py"))
    turn = model.requests[0].messages[-1].text.partition("CORRECTION REQUIRED")[2]
    assert ("Keep it" in turn, "retouch resume" in turn) == (True, False)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(failing=st.sets(st.integers(1, 12), min_size=1), dice=st.randoms(use_true_random=False))
def test_no_edit_is_lost_or_doubled_whatever_fails_first(failing: set[int], dice: Random) -> None:
    file = EditFile(path="large.py", text=LARGE)
    wrong = {n: step(n, n).replace("value + ", "value - ", 1) for n in range(1, 13)}
    current = read_session(file, "".join(wrong[n] if n in failing else step(n, n) for n in range(1, 13)))
    left = set(failing)
    while left:
        failed = failed_edits(applied(file, current))
        assert len(left) == len(failed)
        solved = {n for n in left if dice.random() < 0.6} or {min(left)}
        unmentioned = {n for n in left - solved if dice.random() < 0.3}
        parts = [step(n) for n in range(1, 13) if n not in left and dice.random() < 0.2]
        parts += [step(n) if n in solved else wrong[n] for n in left - unmentioned]
        dice.shuffle(parts)
        current = merged(file, current, read_session(file, "".join(parts)), requested=failed)
        current = read_session(file, stored_session(current))
        left -= solved
        assert 12 == len(current.blocks)
    assert stepped(*range(1, 13)) == applied(file, current).files["large.py"]


def test_a_correction_that_answers_only_one_of_two_edits_does_not_lose_the_other(project: Project) -> None:
    result = project.edit("large.py", answers=[step(1) + WRONG_9 + WRONG_11, RIGHT_11, RIGHT_9])
    assert ("unverified", 3, stepped(1, 9, 11)) == (result.status, result.calls, project.new("large.py"))


def test_two_edits_in_conflict_may_be_combined_into_one(project: Project) -> None:
    one = change("def step_5(value):\n    return value + 5", "def step_5(value):\n    return value * 5")
    other = change("    return value + 5\n\n\ndef step_6(value):", "    return value - 5\n\n\ndef step_6(value):", 2)
    two = "def step_5(value):\n    return value + 5\n\n\ndef step_6(value):"
    both = change(two, two.replace("+ 5", "* 5"))
    result = project.edit("large.py", answers=[step(1) + one + other, both])
    assert ("unverified", 2, stepped(1, 5)) == (result.status, result.calls, project.new("large.py"))


FILE = EditFile(path="a.txt", text="".join(f"line {number}\n" for number in range(30)))


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        (change("line 5", "line five"), ["line five", "LINE 9"]),  # the same line
        (change("line 6", "line six"), ["LINE 5", "line six", "LINE 9"]),  # the next line
        (change("line 4\nline 5", "line 4\nline five"), ["line five", "LINE 9"]),  # with context
        (change("line 6\nline 7", "line 6\nline seven"), ["LINE 5", "line seven", "LINE 9"]),
    ],
)
def test_a_further_edit_replaces_an_earlier_one_only_on_the_lines_that_both_change(new: str, kept: list[str]) -> None:
    current = session_of_text(FILE, FILE.text.replace("line 5\n", "LINE 5\n").replace("line 9\n", "LINE 9\n"))
    assert current is not None
    session = merged(FILE, current, read_session(FILE, new), requested=())
    changed = {line for block in session.blocks for line in block.replace} - set(FILE.text.splitlines())
    assert set(kept) == changed


def test_a_merged_session_is_stored_as_text_that_can_be_read_again() -> None:
    session = read_session(FILE, change("line 3", 'he said "x"\n\tline') + change("line 4\nline 5", "", 2))
    text = stored_session(session)
    assert text.startswith(EDITS)
    again = read_session(FILE, text)
    assert [(b.find, b.replace, b.number) for b in session.blocks] == [
        (b.find, b.replace, b.number) for b in again.blocks
    ]
    assert text == stored_session(again)
