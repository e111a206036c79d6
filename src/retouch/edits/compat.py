"""The functions of the specification, with their names and signatures, implemented by this package."""

from __future__ import annotations

import re
from importlib.resources import files as resources
from typing import TYPE_CHECKING, TypedDict

from retouch.edits.apply import apply_blocks
from retouch.edits.filelines import FileLines
from retouch.edits.formats import read_blocks
from retouch.edits.render import fence_for
from retouch.edits.values import EditBlock, Refusal, lines_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACE = re.compile(r"\{\{ (\w+) \}\}")
_FILE = "file"


class DiffChange(TypedDict):
    """One change: its description, the text to find, and the replacement."""

    description: str
    find_block: str
    replace_block: str


class DiffParseResult(TypedDict):
    """The changes of a reply in order, or the reason why it cannot be parsed."""

    success: bool
    changes: list[DiffChange]
    error: str | None


def is_large_file(content: str, line_threshold: int = 500, byte_threshold: int = 15000) -> bool:
    """Return whether the text has more lines or more bytes (as UTF-8) than the thresholds.

    A final newline does not start another line: 500 lines with a newline each are 500 lines.
    """
    if len(content) > byte_threshold or len(content.encode("utf-8", "surrogatepass")) > byte_threshold:
        return True
    return len(FileLines(content).bodies) > line_threshold


def build_diff_prompt(lld_content: str, existing_content: str, test_content: str, file_path: str) -> str:
    """Return the prompt that requests changes as FIND and REPLACE WITH blocks instead of the whole file.

    `lld_content` describes the change. `test_content` (may be empty) contains the tests that the result must pass. All
    three strings are in fences that are longer than any fence inside.
    """
    template = resources("retouch.edits").joinpath("prompts", "blocks.txt").read_text(encoding="utf-8")
    tests = resources("retouch.edits").joinpath("prompts", "tests.txt").read_text(encoding="utf-8")
    values = {
        "file_path": file_path,
        "request": _fenced(lld_content),
        "existing": _fenced(existing_content),
        "test_content": _fenced(test_content),
        "fence": fence_for(existing_content),
    }
    values["tests"] = _fill(tests, values) if test_content.strip() else ""
    return _fill(template, values)


def parse_diff_response(response_text: str) -> DiffParseResult:
    """Return the changes of a reply for one file. If `error` is set, there are no changes.

    A reply that names several files is an error. Use `apply_reply` for those.
    """
    try:
        blocks = read_blocks(response_text)
    except Refusal as refusal:
        return DiffParseResult(success=False, changes=[], error=f"{refusal.issue.message} {refusal.issue.fix}".strip())
    named = sorted({block.path for block in blocks if block.path and block.path_is_sure})
    if len(named) > 1 or any(block.kind == "delete" or block.move_to for block in blocks):
        error = f"The reply changes more than the text of one file ({', '.join(named)}); use apply_reply."
        return DiffParseResult(success=False, changes=[], error=error)
    changes = [
        DiffChange(description=block.description, find_block=text_of(block.find), replace_block=text_of(block.replace))
        for block in blocks
    ]
    return DiffParseResult(success=True, changes=changes, error=None)


def apply_diff_changes(original_content: str, changes: Sequence[DiffChange]) -> tuple[str, list[str]]:
    """Return the text with all changes and no errors, or the unchanged text and the error of each failed change."""
    blocks = [
        EditBlock(
            number=number,
            find=lines_of(change["find_block"]),
            replace=lines_of(change["replace_block"]),
            description=change["description"],
            path=_FILE,
        )
        for number, change in enumerate(changes, start=1)
    ]
    if not blocks:
        return original_content, []
    result = apply_blocks(blocks, {_FILE: original_content})
    if result.outcome == "applied":
        return result.files[_FILE] or "", []
    errors = [f"{issue.message} {issue.fix}".strip() for issue in result.issues if issue.severity == "error"]
    return original_content, errors


def _fenced(text: str) -> str:
    fence = fence_for(text)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"


def _fill(template: str, values: dict[str, str]) -> str:
    return _PLACE.sub(lambda match: values[match[1]], template)
