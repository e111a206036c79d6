"""What a model and a person are told of an edit that failed."""

from __future__ import annotations

from retouch.edits import EditIssue, apply_reply
from tests.edits.blocks import change

SHOP = "".join(f"def item_{n}(count):\n    total = count * {n}\n    return total + {n}\n\n\n" for n in range(200))


def issue_for(find: str, text: str, replace: str = "x = 1\n") -> EditIssue:
    result = apply_reply(change((find, replace)), {"shop.py": text})
    assert "refused" == result.outcome
    return result.issues[0]


def test_the_nearest_window_is_shown_with_the_first_line_that_differs():
    issue = issue_for("def item_77(count):\n    total = count * 78\n    return total + 77\n", SHOP)
    assert "Edit 1 (step 1) in 'shop.py': FIND was not found." in issue.message
    assert "Near lines 386-388 (2 of 3 lines agree); first difference at line 387:" in issue.message
    assert "FIND: '    total = count * 78'" in issue.message
    assert "file: '    total = count * 77'" in issue.message
    assert "387 |     total = count * 77" in issue.message
    assert (386, 388) == issue.lines[0]


def test_a_line_that_is_only_like_one_of_the_file_is_found_by_its_words():
    issue = issue_for("def item_77(counter):\n", SHOP)
    assert "first difference at line 386" in issue.message


def test_there_are_at_most_three_windows_and_forty_lines():
    text = "".join(f"begin_here()\nmiddle_{n}()\nend_here_{n}()\n" for n in range(50))
    issue = issue_for(
        "begin_here()\nmiddle_x()\nend_here_x()\n" + "".join(f"end_here_{n}()\n" for n in range(30)), text
    )
    assert issue.message.count("Near lines") <= 3
    assert len(issue.message.splitlines()) <= 40


def test_a_file_of_one_long_line_is_never_quoted_whole():
    issue = issue_for('const data = "abd";\n', 'const data = "' + "abc" * 200_000 + '";\n')
    assert len(issue.message) < 2_000


def test_blanks_at_the_edges_can_be_seen():
    issue = issue_for("    def item_3(count):\n\ttotal = count * 3\n", SHOP)
    assert r"'\ttotal" in issue.message or "'    def item_3(count):'" in issue.message


def test_where_nothing_resembles_it_the_find_is_quoted_in_part():
    issue = issue_for("".join(f"zzz{n}qqq\n" for n in range(30)), "a\nb\n")
    assert "No line of the file is similar" in issue.message
    assert "… 24 more lines" in issue.message


def test_every_error_has_a_next_step():
    replies = [change(("gone()\n", "x\n")), change(("a\n", "b\n")), change(("", "b\n")), "prose", "FIND:\nx\n"]
    for reply in replies:
        result = apply_reply(reply, {"m.py": "a\na\n"})
        assert all(issue.fix for issue in result.issues), reply


def test_a_malformed_reply_is_told_by_its_line():
    result = apply_reply(change(("a\n", "b\n")) + "\n### CHANGE 2: more\nFIND:\n```\nx\n```\n", {"m.py": "a\n"})
    assert "malformed" == result.error
    assert 14 == result.issues[0].reply_line
    assert "line 14 of the reply: FIND has no REPLACE WITH" in result.issues[0].message
