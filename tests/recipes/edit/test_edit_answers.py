"""The result of an answer for one file, and the message if there is none."""

from __future__ import annotations

import pytest

from retouch.recipes.edit import EditFile, EditJob
from retouch.recipes.edit.answers import exact_answer, read
from retouch.recipes.edit.pages import plan
from tests.recipes.edit.scenes import LARGE, SMALL, change, whole


def job(path: str = "small.py", text: str = SMALL, *, exists: bool = True) -> EditJob:
    return EditJob(request="change it", files=(EditFile(path=path, text=text, exists=exists),))


def test_a_small_file_may_be_answered_in_both_forms_and_a_large_one_in_blocks_alone() -> None:
    assert "\nOUTPUT: FIND/REPLACE blocks, or the whole file\n" in next(iter(plan(job()))).user
    assert "\nOUTPUT: FIND/REPLACE blocks\n" in next(iter(plan(job(text=LARGE)))).user


def test_the_form_that_came_decides_how_a_small_file_is_read() -> None:
    edit = change("def load(path):", "def load(place):")
    for answer in (edit, f"```\n{edit}```\n", whole(SMALL.replace("load(path)", "load(place)"))):
        value = read(job(), "small.py", [answer]).value
        assert value is not None
        assert SMALL.replace("load(path)", "load(place)") == value.text


def test_a_whole_file_under_its_path_is_its_new_text_and_under_another_path_it_is_not() -> None:
    new = SMALL.replace("load(path)", "load(place)")
    for answer in (f"small.py\n```python\n{new}```\n", f"```python small.py\n{new}```\n"):
        value = read(job(), "small.py", [answer]).value
        assert value is not None
        assert (new, None) == (value.text, value.edits)
        other = read(job(), "small.py", [answer.replace("small.py", "other.py")])
        assert None is other.value
        assert "error" in [issue.severity for issue in other.issues]


def test_a_whole_file_is_no_answer_for_a_large_one() -> None:
    found = read(job(text=LARGE), "small.py", [whole(LARGE.replace("+ 7\n", "+ 70\n"))])
    assert (None, ["NO_BLOCKS"]) == (found.value, [issue.code for issue in found.issues])


def test_a_file_that_shows_edit_marks_may_be_answered_as_a_whole() -> None:
    text = "# Format\n\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\nEnd.\n"
    value = read(job("a.md", text), "a.md", [whole(text.replace("End.", "The end."))]).value
    assert value is not None
    assert text.replace("End.", "The end.") == value.text


def test_a_new_file_is_requested_as_a_whole_whatever_its_size() -> None:
    user = next(iter(plan(job(text="", exists=False)))).user
    assert "does not exist yet" in user
    assert "OUTPUT: the whole file" in user


def test_the_file_is_shown_in_a_fence_longer_than_any_in_it() -> None:
    assert "\n````\n```\ninner\n```\n````\n" in next(iter(plan(job(text="```\ninner\n```\n")))).user


def test_a_whole_file_in_a_fence_is_its_new_text() -> None:
    value = read(job(), "small.py", [whole("x = 1\ny = 2\n" + SMALL)]).value
    assert value is not None
    assert ("x = 1\ny = 2\n" + SMALL, True) == (value.text, value.changed)


def test_no_changes_needed_leaves_the_file_as_it_is() -> None:
    value = read(job(text=LARGE), "small.py", ["NO CHANGES NEEDED\n"]).value
    assert value is not None
    assert (LARGE, False) == (value.text, value.changed)


@pytest.mark.parametrize("answer", ["x = 1\n", "```python\nx = 1\n"])
def test_text_outside_a_closed_fence_is_never_taken_for_a_file(answer: str) -> None:
    found = read(job(), "small.py", [answer])
    assert (None, ["MALFORMED"]) == (found.value, [issue.code for issue in found.issues])


def test_line_endings_byte_order_mark_and_a_missing_last_newline_are_the_files_own() -> None:
    value = read(job(text="\ufeffa = 1\r\nb = 2"), "small.py", ["```\na = 1\nb = 3\n```"]).value
    assert value is not None
    assert "\ufeffa = 1\r\nb = 3" == value.text


def test_a_placeholder_for_left_out_code_is_refused() -> None:
    found = read(job(), "small.py", [whole("def load(path):\n    # ... rest of the code unchanged ...\n    pass\n")])
    assert "ELISION" in [issue.code for issue in found.issues]


def test_a_file_that_would_not_parse_is_an_error_with_its_line() -> None:
    issue = read(job(), "small.py", [whole(SMALL + "def broken(:\n    pass\n")]).issues[0]
    assert ("SYNTAX_ERROR", "error", "small.py:3") == (issue.code, issue.severity, issue.path)


def test_a_file_that_never_parsed_is_only_a_warning() -> None:
    found = read(job(text="def broken(:\n    pass\n"), "small.py", [whole("def broken(:\n    return 1\n")])
    assert ["warning"] == [issue.severity for issue in found.issues]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.json", '{"a": 1}\n', '{"a": 1,}\n'),
        ("a.toml", "a = 1\n", "a = \n"),
        ("a.yaml", "a: 1\n", "a: [1\n"),
        ("a.cs", "class A { }\n", "class A { \n"),
    ],
)
def test_other_languages_are_parsed_where_a_parser_is_at_hand(path: str, before: str, after: str) -> None:
    assert ["SYNTAX_ERROR"] == [i.code for i in read(job(path, before), path, [whole(after)]).issues]
    assert [] == list(read(job(path, before), path, [whole(before)]).issues)


def test_a_file_of_an_unknown_language_is_taken_as_it_comes_and_not_said_to_parse() -> None:
    found = read(job("a.unknown", "(((\n"), "a.unknown", [whole("((((\n")])
    assert [("SYNTAX_NOT_CHECKED", "info")] == [(issue.code, issue.severity) for issue in found.issues]


def test_a_block_that_does_not_match_names_the_closest_place() -> None:
    answer = change("def step_7(value):\n    return value - 7", "def step_7(value):\n    return 7")
    issue = read(job(text=LARGE), "small.py", [answer]).issues[0]
    assert "NOT_FOUND" == issue.code
    assert "return value + 7" in issue.message


def test_an_unreadable_answer_is_tier_1_and_an_edit_that_does_not_apply_tier_2() -> None:
    tiers = [read(job(text=LARGE), "small.py", [a]).issues[0].tier for a in ("no block", change("nowhere", "x"))]
    assert [1, 2] == tiers


def test_further_changes_are_requested() -> None:
    answer = change("    return value + 7", "    return value + 77") + "MORE CHANGES: yes\n"
    found = read(job(text=LARGE), "small.py", [answer])
    assert ["MORE_TO_COME"] == [issue.code for issue in found.issues]
    assert found.value is not None


@pytest.mark.parametrize("text", ["a = 1\n", "a = 1", "```\nfence\n```\n", ""])
def test_the_text_of_the_user_is_an_answer_to_the_letter(text: str) -> None:
    found = read(job("a.txt"), "a.txt", [exact_answer(job("a.txt"), "a.txt", text)])
    assert found.value is not None
    assert text == found.value.text


@pytest.mark.parametrize(
    "answer",
    [
        "NO CHANGES NEEDED",
        "**No changes needed.**\n",
        "```python\nNO CHANGES NEEDED\n```\n",
        "```\nNO CHANGES NEEDED",
        "Here is the result:\n\n~~~\nNO CHANGES NEEDED\n~~~\n\nI hope this helps.\n",
        "I have read the file.\n\nNO CHANGES NEEDED\n\nI hope this helps.\n",
    ],
)
def test_an_answer_that_nothing_changes_is_never_taken_for_the_file(answer: str) -> None:
    value = read(job("notes.txt", "one\n"), "notes.txt", [answer]).value
    assert value is not None
    assert ("one\n", False) == (value.text, value.changed)


def test_an_answer_with_a_change_is_no_answer_that_nothing_changes() -> None:
    edit = change("def load(path):", "def load(place):")
    for answer in (f"NO CHANGES NEEDED\n\n{edit}", f"NO CHANGES NEEDED\n\n{whole(SMALL.replace('path', 'place'))}"):
        value = read(job(), "small.py", [answer]).value
        assert value is not None
        assert value.changed


def test_one_of_several_fences_is_not_taken_for_the_file_without_a_word() -> None:
    new, test = whole(SMALL.replace("path", "place")), whole("def test_load():\n    assert load('a')\n")
    for answer in (new + test, test + new, new + "```\nother\n```\n"):
        found = read(job(), "small.py", [answer])
        assert (None, ["MALFORMED"]) == (found.value, [issue.code for issue in found.issues])
    for more in ("Run it:\n```bash\npython small.py\n```\n", "```\n```\n"):
        value = read(job(), "small.py", [new + more]).value
        assert value is not None
        assert SMALL.replace("path", "place") == value.text


@pytest.mark.parametrize(
    ("before", "reply", "after"),
    [
        ("a\r\nb\nc\r\nd\r\n", "a\nb\nc\nD\n", "a\r\nb\nc\r\nD\r\n"),
        ("a\nb\r\nc\nd\n", "a\nb\nnew\nc\n", "a\nb\r\nnew\r\nc\n"),
        ("a\r\nb\nc", "new\na\nb\nC\n", "new\r\na\r\nb\nC"),
        ("\ufeffa\r\nb\nc\n", "A\nb\nc\n", "\ufeffA\r\nb\nc\n"),
        ("a\rb\r", "a\nB\n", "a\rB\r"),
        ("caf\udce9\na\n", "caf\ufffd\nA\n", "caf\udce9\nA\n"),
        ("caf\udce9\na\n", "caf?\nA\n", "caf\udce9\nA\n"),
        ("caf\udce9\na\n", "café\nA\n", "café\nA\n"),
        ("\udcff\udcfe(\r\na\n", "\ufffd\ufffd(\nA\n", "\udcff\udcfe(\r\nA\n"),
    ],
)
def test_lines_that_a_whole_file_does_not_change_keep_their_own_bytes(before: str, reply: str, after: str) -> None:
    found = read(job("a.txt", before), "a.txt", [f"```\n{reply}```\n"])
    assert found.value is not None
    assert after == found.value.text
