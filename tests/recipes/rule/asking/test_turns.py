"""The content of a further turn: the failures, and the requested output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.repair import patch_instructions
from retouch.engine.types import Issue, Tier
from retouch.recipes.rule import (
    ValidationResult,
    build_retry_prompt,
)
from tests.recipes.rule.rounds_scene import (
    BROKEN,
    FUNCTION,
    PATHS,
    RIGHT,
    failing,
    job,
    other,
    result,
)

if TYPE_CHECKING:
    from tests.recipes.rule.rounds_scene import Scene


def test_all_errors_of_the_first_failing_tier_are_reported_and_none_of_a_later_one(scene: Scene) -> None:
    two = "```yaml\nname: X Y\nglob: '**/flight_*/*.csv'\nextarct: {}\nextract: {m: {from: folder(-3)}}\n```"
    scene.begin(two, RIGHT)
    turn = scene.sent_text(1)
    assert all(what in turn for what in ("extarct", "folder(-3)", "X Y"))
    assert "GLOB_MISMATCH" not in turn


def test_a_line_is_never_named_without_its_text_and_a_caret(scene: Scene) -> None:
    scene.begin(BROKEN, RIGHT)
    turn = scene.sent_text(1)
    assert "line 6, column 9" in turn
    assert "   6 |     from: segment(-3)" in turn
    assert "^" in turn


def test_earlier_failures_have_a_line_each_and_the_last_is_shown_in_full(scene: Scene) -> None:
    scene.begin(*failing(1, 2, 3), RIGHT)
    turn = scene.sent_text(3)
    assert ["1. [YAML_SYNTAX_ERROR]", "2. [SCHEMA_VIOLATION]"] == [
        line.split("]")[0] + "]" for line in turn.splitlines() if line[:2] in {"1.", "2.", "3."}
    ]
    assert 1 == turn.count("<previous_output>")
    assert "flight_*" in turn.partition("</previous_output>")[0]


def test_every_request_extends_the_last_exchange_that_could_be_read_byte_for_byte(scene: Scene) -> None:
    scene.begin(*failing(3, 1), other(BROKEN, 5), RIGHT)
    first, second, third, fourth = (request.messages for request in scene.model.requests)
    assert first == second[: len(first)]
    assert (*first, second[1]) == third[:2]  # the second answer was unreadable, so the first exchange is kept
    assert fourth[:2] == third[:2]
    assert {request.system for request in scene.model.requests} == {scene.model.requests[0].system}


def test_an_unreadable_answer_is_reported_after_the_original_prompt(scene: Scene) -> None:
    scene.begin(BROKEN, RIGHT)
    first, second = (request.messages for request in scene.model.requests)
    assert first == second[:1]
    assert ["user", "user"] == [message.role for message in second]


def test_a_failure_on_samples_is_shown_segment_by_segment(scene: Scene) -> None:
    scene.begin("name: x\nglob: '**/*.csv'\nextract: {m: {from: segment(-3)}, d: {from: segment(-9)}}\n", RIGHT)
    turn = scene.sent_text(1)
    assert "segment(-3) = mission_001" in turn
    assert "segment(-1) = r1_x.csv" in turn
    assert "d, SEGMENT_OUT_OF_RANGE" in turn
    assert 2 == turn.count("segment(-2) = ")


def test_a_long_answer_is_corrected_in_blocks_that_are_applied_to_it(scene: Scene) -> None:
    fields = "\n".join(f"  f{number}:\n    from: segment(-3)\n    default: null" for number in range(25))
    long = f"name: x\nglob: '**/flight_*/*/*.csv'\nextract:\n{fields}\n"
    line = "glob: '**/flight_*/*/*.csv'"
    new = line.replace("flight", "mission")
    patch = f"CHANGE 1: the folder\nFIND:\n```\n{line}\n```\nREPLACE WITH:\n```\n{new}\n```\n"
    outcome = scene.begin(long, patch)
    assert patch_instructions() in scene.sent_text(1)
    assert "passed" == outcome.ending
    assert "mission_*" in outcome.text
    assert "f24" in outcome.text


def test_a_long_answer_is_shown_around_its_error_only() -> None:
    raw = "\n".join(f"line {number} of a long answer" for number in range(2_000))
    issue = Issue(code="X", message="wrong", tier=Tier.SYNTAX, unit="rule", line=1_500)
    turn = build_retry_prompt("prompt", [ValidationResult([issue], raw_output=raw)], [])
    assert len(turn) < 12_000
    assert "1500 | line 1499" in turn
    assert "line 10 of" not in turn


def test_without_errors_in_samples_the_samples_given_are_shown() -> None:
    turn = build_retry_prompt("prompt", [result(3, "REJECTED")], PATHS)
    assert PATHS[0] in turn
    assert "prompt" not in turn


def test_a_truncated_answer_is_reported_as_truncated(scene: Scene) -> None:
    from retouch.engine.types import Reply

    outcome = scene.begin(Reply(text=BROKEN[:30], finish="length", model="m"), RIGHT)
    assert ["OUTPUT_TRUNCATED"] == [one.error_type for one in outcome.history]
    assert "[OUTPUT_TRUNCATED]" in scene.sent_text(1)
    assert scene.model.requests[1].max_output_tokens > scene.model.requests[0].max_output_tokens


def test_yaml_is_requested_after_three_functions_that_failed(scene: Scene) -> None:
    bad = "```python\ndef extract(path: str) -> dict:\n    return {\n```"
    missing = "```python\ndef values(path: str) -> dict:\n    return {}\n```"
    outcome = scene.begin(bad, missing, other(missing, 2), RIGHT, of=job(form="python"))
    assert ("passed", "rule.yaml") == (outcome.ending, outcome.run.files[0] if outcome.run else "")
    assert "Leave out what could only be computed" in scene.sent_text(3)


def test_a_user_can_request_yaml_after_functions_failed(scene: Scene) -> None:
    missing = "```python\ndef values(path: str) -> dict:\n    return {}\n```"
    scene.begin(*(other(missing, number) for number in range(3)), of=job(form="python"))
    assert "passed" == scene.yaml_only(other(BROKEN, 1), RIGHT).ending
    assert scene.model.requests[0].messages[0] == scene.model.requests[1].messages[0]


def test_a_function_is_sent_back_if_yaml_was_requested(scene: Scene) -> None:
    scene.begin(FUNCTION, RIGHT)
    assert "[WRONG_LANGUAGE]" in scene.sent_text(1)
