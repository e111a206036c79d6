"""Replies to the edit recipe that were once read in part, or for another file, and called verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.edits import apply_reply
from retouch.recipes.edit.answers import read
from retouch.recipes.edit.session import applied, read_session
from retouch.recipes.edit.source import EditFile, EditJob

if TYPE_CHECKING:
    from retouch.engine.recipe import Read
    from retouch.recipes.edit.answers import NewText

README = "# Title\n\nline a\n\n```sh\npip install x\n```\n\nmore text\n"
LIST = "# Title\n\n1. ```sh\n   one\n   ```\n2. ```sh\n   two\n   ```\n\nend\n"
BARE = "# Title\n\n```\ncode\n```\n\nend\n"
LAST_BARE = "# Title\n\n```\ncode\n```\n"


def answered(path: str, before: str, reply: str) -> Read[NewText]:
    """Return what a reply makes of the file at `path`, which does not exist if it was empty `before`."""
    file = EditFile(path=path, text=before, exists=bool(before))
    return read(EditJob(request="change it", files=(file,)), path, [reply])


@pytest.mark.parametrize("before", [README, ""])
@pytest.mark.parametrize("language", ["markdown", ""])
@pytest.mark.parametrize("around", [("", ""), ("Here is the file:\n\n", "\nIt has a new line.\n")])
def test_a_whole_file_with_fenced_blocks_of_its_own_is_not_cut_at_the_first_of_them(
    before: str, language: str, around: tuple[str, str]
):
    new = README.replace("line a", "line A") + "\n```python\nimport x\n```\n\nend\n"
    value = answered("README.md", before, f"{around[0]}```{language}\n{new}```\n{around[1]}").value
    assert value is not None
    assert new == value.text


@pytest.mark.parametrize("new", [LIST, BARE, LAST_BARE, f"{LIST}\n{README}", f"{README}\n{BARE}", f"{BARE}\n{README}"])
def test_a_whole_file_whose_end_is_unclear_is_refused(new: str):
    found = answered("README.md", "", f"```markdown\n{new}```\n")
    assert (None, ["MALFORMED"]) == (found.value, [issue.code for issue in found.issues])
    whole = answered("README.md", "", f"````markdown\n{new}````\n").value
    assert whole is not None
    assert new == whole.text


MARKERS = "<<<<<<< SEARCH\nimport os\n=======\nimport os, re\n>>>>>>> REPLACE\n"
PAIR = "FIND:\n```\nimport os\n```\nREPLACE WITH:\n```\nimport os, re\n```\n"
FIRST = "FIND:\n```\nx = 1\n```\nREPLACE WITH:\n```\nx = 2\n```\n\n"
CODE = "import os\nimport sys\n\nx = 1\n"
NAMES = [
    "utils.py",
    "src/utlis.py",
    "`src/utils.py`",
    "**src/utils.py**",
    "### src/utils.py",
    "File: src/utils.py",
    "**File:** `src/utils.py`",
    "In src/utils.py:",
    "Now `src/utils.py` needs:",
    "lib/app.py",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "form",
    [
        f"{{}}\n```python\n{MARKERS}```\n",
        f"{{}}\n\n```python\n{MARKERS}```\n",
        f"{{}}\n{MARKERS}",
        f"```python\n{{}}\n{MARKERS}```\n",
        f"{{}}\n\n{PAIR}",
        f"{{}}\n{PAIR}",
        f"{FIRST}{{}}\n\n{PAIR}",
    ],
)
def test_an_edit_that_names_another_file_is_not_applied_to_the_target(name: str, form: str):
    reply = form.format(name)
    found = answered("app.py", CODE, reply)
    assert (None, ["NO_TARGET"]) == (found.value, [issue.code for issue in found.issues])
    result = apply_reply(reply, {"app.py": CODE}, target="app.py")
    assert ("refused", "no_target") == (result.outcome, result.error)


def test_a_fence_that_names_another_file_is_not_applied_to_the_target():
    found = answered("app.py", CODE, f"```python src/utils.py\n{MARKERS}```\n")
    assert (None, ["NO_TARGET"]) == (found.value, [issue.code for issue in found.issues])


@pytest.mark.parametrize(
    "line",
    [
        "",
        "The import is needed, because utils.py will call it soon:",
        "Add the import:",
        "### app.py",
        "In `app.py`:",
    ],
)
def test_a_line_that_names_no_other_file_is_no_obstacle(line: str):
    for reply in (f"{line}\n\n{PAIR}", f"{line}\n```python\n{MARKERS}```\n"):
        value = answered("app.py", CODE, reply).value
        assert value is not None
        assert CODE.replace("import os", "import os, re") == value.text


def test_a_bare_name_with_another_ending_above_search_markers_is_a_heading_and_above_find_another_file():
    value = answered("app.py", CODE, f"test.ts\n{MARKERS}").value
    assert value is not None
    assert CODE.replace("import os", "import os, re") == value.text
    assert ["NO_TARGET"] == [issue.code for issue in answered("app.py", CODE, f"test.ts\n\n{PAIR}").issues]


WORDS = "- More changes: no breaking ones\n- Drop edit 1 of the list\nSHOW FILE: app.py\nMORE CHANGES: yes\n"
XML = """<replace_in_file><path>CHANGES.md</path><diff>
<<<<<<< SEARCH
- Added a menu
=======
- Added a menu
{}>>>>>>> REPLACE
</diff></replace_in_file>
"""
LISTED = "# Changelog\n\n- Added a menu\n"


@pytest.mark.parametrize(
    "form",
    [
        "FIND:\n```\n- Added a menu\n```\nREPLACE WITH:\n```\n- Added a menu\n{}```\n",
        "Here:\n<<<<<<< SEARCH\n- Added a menu\n=======\n- Added a menu\n{}>>>>>>> REPLACE\n",
        "```markdown\n<<<<<<< SEARCH\n- Added a menu\n=======\n- Added a menu\n{}>>>>>>> REPLACE\n```\n",
        "```markdown\n# Changelog\n\n- Added a menu\n{}```\n",
        "CHANGES.md\n```markdown\n# Changelog\n\n- Added a menu\n{}```\n",
        XML,
    ],
)
def test_a_line_of_the_content_that_reads_like_a_word_to_the_program_is_content(form: str):
    file = EditFile(path="CHANGES.md", text=LISTED)
    job = EditJob(request="complete it", files=(file, EditFile(path="app.py", text=CODE)))
    found = read(job, file.path, [form.format(WORDS)])
    assert [] == found.issues
    assert found.value is not None
    assert LISTED + WORDS == found.value.text


def test_content_that_reads_like_a_word_to_the_program_can_be_replaced():
    file = EditFile(path="CHANGES.md", text=LISTED + WORDS)
    edit = f"FIND:\n```\n{WORDS}```\nREPLACE WITH:\n```\n{WORDS}- End\n```\n"
    session = read_session(file, f"{edit}DROP EDIT 2\n\nMORE CHANGES: no\n")
    assert (frozenset({2}), False) == (session.dropped, session.more)
    assert LISTED + WORDS + "- End\n" == applied(file, session).files[file.path]
