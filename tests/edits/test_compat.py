"""The functions with the names and scenarios of the first design."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from retouch.edits import (
    DiffChange,
    apply_diff_changes,
    build_diff_prompt,
    detect_truncation,
    is_large_file,
    parse_diff_response,
)
from tests.edits.blocks import change


def one(find: str, replace: str) -> DiffChange:
    return DiffChange(description="a change", find_block=find, replace_block=replace)


@pytest.mark.parametrize(
    ("large", "text"),
    [
        (True, "x\n" * 501),
        (False, "x\n" * 500),
        (True, "x\n" * 500 + "x"),
        (False, "x\n" * 499 + "x"),
        (True, "x" * 15_001),
        (False, "x" * 15_000),
        (True, "é" * 7_501),
        (False, "x\n" * 100),
        (False, ""),
        (True, "x\r\n" * 501),
    ],
)
def test_a_file_is_large_by_lines_or_by_bytes(large: bool, text: str):
    assert large is is_large_file(text)


def test_the_thresholds_are_arguments():
    assert is_large_file("a\nb\n", line_threshold=1)
    assert is_large_file("ab", byte_threshold=1)


def test_valid_blocks_become_changes_in_their_order():
    parsed = parse_diff_response(change(("a\n", "A\n"), ("b\nc\n", ""), ("d\n", "\n")))
    assert parsed["success"]
    assert parsed["error"] is None
    assert ["step 1", "step 2", "step 3"] == [one["description"] for one in parsed["changes"]]
    assert [("a", "A"), ("b\nc", ""), ("d", "\n")] == [
        (one["find_block"], one["replace_block"]) for one in parsed["changes"]
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "### CHANGE 1: x\nFIND:\n```\na\n```\n",
        "### CHANGE 1: x\nREPLACE WITH:\n```\na\n```\n",
        "### CHANGE 1: x\nFIND:\n```\na\nREPLACE WITH:\nb\n",
        "just prose",
        "",
    ],
)
def test_a_malformed_reply_has_an_error_and_no_changes(reply: str):
    parsed = parse_diff_response(reply)
    assert not parsed["success"]
    assert [] == parsed["changes"]
    assert parsed["error"]


def test_a_reply_about_two_files_is_an_error_here():
    reply = change(("a\n", "b\n"), path="a.py") + change(("a\n", "b\n"), path="b.py")
    assert "a.py, b.py" in str(parse_diff_response(reply)["error"])


def test_changes_are_applied():
    text, errors = apply_diff_changes("a\nb\nc\n", [one("c", "C"), one("a\n", "1\n2\n")])
    assert ("1\n2\nb\nC\n", []) == (text, errors)


def test_an_ambiguous_change_leaves_the_text_and_names_the_places():
    text, errors = apply_diff_changes("x\ny\nx\n", [one("y", "z"), one("x", "w")])
    assert "x\ny\nx\n" == text
    assert "lines 1, 3" in errors[0]


def test_a_change_that_is_not_found_leaves_the_text_and_shows_the_find():
    text, errors = apply_diff_changes("x\n", [one("nowhere()", "w")])
    assert "x\n" == text
    assert "nowhere()" in errors[0]


def test_another_indentation_is_matched():
    text, errors = apply_diff_changes("    if a:\n        b(c)\n", [one("if a:\n    b(c)", "if a:\n    b(d)")])
    assert ("    if a:\n        b(d)\n", []) == (text, errors)


def test_no_changes_change_nothing():
    assert ("x\n", []) == apply_diff_changes("x\n", [])


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (True, SimpleNamespace(stop_reason="max_tokens")),
        (True, SimpleNamespace(stop_reason="max_length")),
        (False, SimpleNamespace(stop_reason="end_turn")),
        (True, {"choices": [{"finish_reason": "length"}]}),
        (False, {"choices": [{"finish_reason": "stop"}]}),
        (True, SimpleNamespace(candidates=[SimpleNamespace(finish_reason=SimpleNamespace(name="MAX_TOKENS"))])),
        (True, {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
        (True, "FinishReason.MAX_TOKENS"),
        (False, SimpleNamespace(stop_reason=None)),
        (False, {"choices": []}),
        (False, None),
    ],
)
def test_truncation_is_seen_in_the_messages_of_all_providers(cut: bool, message: Any):
    assert cut is detect_truncation(message)


def test_the_prompt_holds_the_format_and_all_texts():
    prompt = build_diff_prompt("Rename it.\n", "x = {{ fence }}\n````\n", "assert x\n", "src/a.py")
    for part in (
        "src/a.py",
        "Rename it.",
        "x = {{ fence }}\n````\n",
        "assert x",
        "FIND:\n`````",
        "REPLACE WITH:\n`````",
    ):
        assert part in prompt


def test_the_prompt_says_nothing_of_tests_that_are_not_there():
    assert "tests" not in build_diff_prompt("Rename it.", "x = 1\n", "", "a.py")


def test_the_format_that_the_prompt_shows_is_the_one_that_is_read():
    prompt = build_diff_prompt("Rename it.", "x = 1\n", "", "a.py")
    shown = prompt[prompt.index("### CHANGE") : prompt.index("Rules:")]
    assert ["lines of the file, exactly as they are"] == [
        one["find_block"] for one in parse_diff_response(shown)["changes"]
    ]
