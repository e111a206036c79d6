"""Replies to the edit recipe that were once read in part, or for another file, and called verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.edits import apply_reply
from retouch.recipes.edit.answers import read
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
