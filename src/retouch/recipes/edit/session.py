"""The edits of one file over several replies: which are placed, which failed, and how a correction is merged.

A first reply is stored as it was received. A correction answers only the edits that failed. The merged edits are stored
as one text: `EDITS` and a JSON list.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

from retouch.edits import EditBlock, EditIssue, EditResult, apply_blocks, changes_between, read_reply
from retouch.edits.targets import clean_path
from retouch.text import Fenced, fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.edits import Edit, ReplyReading
    from retouch.recipes.edit.source import EditFile

EDITS = "ANSWER: edits\n"
BLOCKS = "ANSWER: FIND/REPLACE blocks\n"  # of runs before corrections were partial
_MORE = re.compile(r"^[ \t*_#>-]*MORE CHANGES:[ \t]*(yes|no)\b.*$", re.IGNORECASE | re.MULTILINE)
_DROP = re.compile(r"^[ \t*_#>-]*DROP EDIT[ \t]+(\d+)\b.*$", re.IGNORECASE | re.MULTILINE)
SHOW = re.compile(r"^[ \t*_#>-]*SHOW FILE:[ \t]*[`'\"]?([^`'\"\n]+?)[`'\"]?[ \t]*$", re.MULTILINE | re.IGNORECASE)
LEAST_LIKENESS = 0.4
_WORDS = re.compile(r"\w+|[^\w\s]")
_LEFT_OUT = {"number", "reply_line"}  # of a stored block


@dataclass(frozen=True, kw_only=True)
class EditSession:
    """The edits for one file so far, numbered from 1, and whether the model has announced `more`.

    `dropped` are the numbers of earlier edits that a correction takes back. `unread` is an issue if a part of the reply
    was not understood.
    """

    blocks: tuple[EditBlock, ...]
    more: bool = False
    dropped: frozenset[int] = frozenset()
    unread: EditIssue | None = None

    def whole_text(self, file: EditFile) -> str | None:
        """Return the new text if the reply is this file as a whole under its path, else None."""
        if len(self.blocks) != 1 or self.unread is not None or self.blocks[0].kind != "whole":
            return None
        (block,) = self.blocks
        return "\n".join(block.replace) if block.path is None or clean_path(block.path) == file.path else None


def read_session(file: EditFile, answer: str) -> EditSession:
    """Return the edits of a stored answer or a reply, in any format that `retouch.edits` can read."""
    if answer.startswith(EDITS):
        return _from_json(answer.removeprefix(EDITS))
    reply = without_thinking(answer.removeprefix(BLOCKS))
    reading = read_reply(reply, known=[file.path])
    prose = prose_of(reading)
    more = [found[1].lower() for found in _MORE.finditer(prose)]
    dropped = frozenset(int(found[1]) for found in _DROP.finditer(prose))
    unread = None
    if reading.unread:
        first = reading.unread[0]
        message = f"line {first.line} of the reply, {first.text!r}, looks like an edit and cannot be read: {first.why}"
        unread = EditIssue(
            code="malformed", message=message, fix="Write each edit in the form that the prompt requests."
        )
    return EditSession(blocks=_numbered(reading.edits), more=more[-1:] == ["yes"], dropped=dropped, unread=unread)


def prose_of(reading: ReplyReading) -> str:
    """Return the prose of a reply around its edits. A line inside of an edit, or of a file, is no word to the program.

    Without any edit, a fenced block may be the file. One that only has such words is not.
    """
    prose = reading.prose
    blocks = fenced_blocks(prose, nested=True) if not reading.edits else list[Fenced]()
    for block in reversed(blocks):
        if any(line.strip() and not _is_word(line) for line in block.text.split("\n")):
            prose = prose[: block.start] + prose[block.end :]
    return prose


def _is_word(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_MORE, _DROP, SHOW))


def stored_session(session: EditSession) -> str:
    """Return the text that `read_session` reads again."""
    blocks = [_block_to_json(block) for block in session.blocks]
    return EDITS + json.dumps({"edits": blocks, "more": session.more}, ensure_ascii=False, indent=1)


def session_of_text(file: EditFile, text: str) -> EditSession | None:
    """Return the edits that make the file's text into `text`, or None if edits cannot express it."""
    session = EditSession(blocks=_numbered(changes_between(file.text, text)))
    result = applied(file, session)
    return session if result.outcome == "applied" and result.files.get(file.path) == text else None


def applied(file: EditFile, session: EditSession, others: Mapping[str, str] | None = None) -> EditResult:
    """Return the result of applying the edits to the file as it was shown.

    `others` is the content of further files that edits may name.
    """
    if session.unread is not None:
        return EditResult(outcome="refused", error=session.unread.code, issues=(session.unread,))
    if not session.blocks:
        fix = "Write each change as FIND and REPLACE WITH, each followed by a fenced block."
        issue = EditIssue(code="no_blocks", message="The reply contains no edit block.", fix=fix)
        return EditResult(outcome="refused", error="no_blocks", issues=(issue,))
    return apply_blocks(session.blocks, {**(others or {}), file.path: file.text}, target=file.path)


def failed_edits(result: EditResult) -> list[int]:
    """Return the numbers of the edits that could not be applied, in order."""
    return sorted({number for issue in result.issues if issue.severity == "error" for number in issue.edits})


def merged(
    file: EditFile,
    current: EditSession,
    new: EditSession,
    *,
    requested: Iterable[int],
    others: Mapping[str, str] | None = None,
) -> EditSession:
    """Return the current edits with those of a correction.

    If edits were `requested`, by their numbers, each is replaced by the new one that resembles it, at its place in the
    order. Otherwise a new edit replaces an earlier one that changes the same lines. Edits that are repeated unchanged
    are ignored.
    """
    failed = set(requested)
    dropped = failed & new.dropped
    kept = [block for block in current.blocks if block.number not in failed]
    known = {_content(block) for block in kept}
    added = [block for block in new.blocks if _content(block) not in known]
    requested_blocks = [block for block in current.blocks if block.number in failed]
    added = [block for block in added if not _is_misquoted_copy(file, block, kept, requested_blocks, others)]
    if not failed:
        gone = _replaced(file, current, added, others)
        blocks = [block for block in kept if block.number not in gone] + added
    else:
        wanted = [block for block in current.blocks if block.number in failed - dropped]
        covered = {block.number for block in wanted if _is_covered(file, block, added, others)}
        blocks = _in_place_of(current.blocks, wanted, dropped | covered, added)
    return EditSession(blocks=_numbered(blocks), more=new.more)


def continued(current: EditSession, new: EditSession) -> EditSession:
    """Return the current edits followed by new ones, for changes that arrive one at a time."""
    return EditSession(blocks=_numbered((*current.blocks, *new.blocks)), more=new.more)


def _in_place_of(
    blocks: Iterable[EditBlock], failed: Sequence[EditBlock], gone: set[int], added: Sequence[EditBlock]
) -> list[EditBlock]:
    """Return the blocks with each failed one replaced by the added one that corrects it.

    A failed edit that no added one resembles stays, so that it is requested again: a reply must not lose it by silence.
    `gone` are the numbers of edits to leave out.
    """
    corrected = _corrections_of(failed, added)
    found: list[EditBlock] = []
    for block in blocks:
        if block.number in corrected:
            found.append(added[corrected[block.number]])
        elif block.number not in gone:
            found.append(block)
    further = [block for number, block in enumerate(added) if number not in corrected.values()]
    return [*found, *further]


def _corrections_of(failed: Sequence[EditBlock], added: Sequence[EditBlock]) -> dict[int, int]:
    """Return, by the number of each failed edit, the index of the added one that resembles it most."""
    if len(failed) == 1 and added:
        rest = range(len(added))
        return {failed[0].number: max(rest, key=lambda index: _likeness(failed[0], added[index]))}
    pairs = [(_likeness(old, new), old.number, index) for old in failed for index, new in enumerate(added)]
    found: dict[int, int] = {}
    for likeness, number, index in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if likeness >= LEAST_LIKENESS and number not in found and index not in found.values():
            found[number] = index
    return found


def _likeness(one: EditBlock, other: EditBlock) -> float:
    """Return how similar two edits are, from 0 to 1, by the words that they have in common."""
    words = [Counter(_WORDS.findall("\n".join((*block.find, *block.replace)))) for block in (one, other)]
    total = sum(words[0].values()) + sum(words[1].values())
    return 2 * sum((words[0] & words[1]).values()) / total if total else 0.0


def _is_misquoted_copy(
    file: EditFile,
    block: EditBlock,
    kept: Sequence[EditBlock],
    wanted: Sequence[EditBlock],
    others: Mapping[str, str] | None,
) -> bool:
    """Return whether an edit only repeats one that is applied, and now quotes the file wrongly."""

    def is_like(other: EditBlock) -> bool:
        return (other.path, other.replace) == (block.path, block.replace)

    if not block.replace or not any(map(is_like, kept)) or any(map(is_like, wanted)):
        return False
    return applied(file, EditSession(blocks=_numbered([block])), others).outcome == "refused"


def _is_covered(file: EditFile, block: EditBlock, added: Sequence[EditBlock], others: Mapping[str, str] | None) -> bool:
    """Return whether added edits change the same lines: two edits in conflict may be combined into one."""
    alone = EditSession(blocks=_numbered([block]))
    return bool(_replaced(file, alone, added, others))


def _replaced(
    file: EditFile, current: EditSession, added: Sequence[EditBlock], others: Mapping[str, str] | None
) -> set[int]:
    """Return the numbers of the current edits that change lines which an added edit changes too."""
    before = [(edit, old) for edit in applied(file, current, others).edits if (old := _changed_lines(edit))]
    gone: set[int] = set()
    for block in added:
        alone = applied(file, EditSession(blocks=_numbered([block])), others).edits
        lines = [(edit.path, new) for edit in alone if (new := _changed_lines(edit))]
        gone |= {edit.number for edit, old in before for path, new in lines if path == edit.path and _overlap(old, new)}
    return gone


def _changed_lines(edit: Edit) -> tuple[int, int] | None:
    """Return the half-open range of the file's lines that an edit changes. It is empty for an insertion."""
    if edit.match_lines is None or edit.tier in ("chained", "create", "delete"):
        return None
    old, new = edit.find.splitlines(), edit.replace.splitlines()
    shorter = min(len(old), len(new))
    same = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    rest = shorter - same
    end = next((number for number in range(rest) if old[-1 - number] != new[-1 - number]), rest)
    first, last = edit.match_lines
    return first + same, max(first + same, last + 1 - end)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    if one[0] == one[1] or other[0] == other[1]:
        return one == other or one[0] < other[0] < one[1] or other[0] < one[0] < other[1]
    return max(one[0], other[0]) < min(one[1], other[1])


def _numbered(blocks: Iterable[EditBlock]) -> tuple[EditBlock, ...]:
    return tuple(replace(block, number=number) for number, block in enumerate(blocks, 1))


def _content(block: EditBlock) -> tuple[Any, ...]:
    return block.kind, block.find, block.replace, block.anchor, block.path


def _block_to_json(block: EditBlock) -> dict[str, Any]:
    """Return the fields that differ from their defaults, lines as one text."""
    data: dict[str, Any] = {}
    for one in fields(EditBlock):
        value = getattr(block, one.name)
        if one.name in _LEFT_OUT or value == one.default:
            continue
        data[one.name] = list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
    return data


def _from_json(text: str) -> EditSession:
    known = {one.name for one in fields(EditBlock)} - _LEFT_OUT
    try:
        data: Any = json.loads(text)
        given = [{key: _restored(value) for key, value in one.items() if key in known} for one in data["edits"]]
        blocks = [EditBlock(number=number, **one) for number, one in enumerate(given, 1)]
        return EditSession(blocks=tuple(blocks), more=data["more"] is True)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:  # a model wrote the heading
        message = f"the stored edits cannot be read: {error}"
        return EditSession(blocks=(), unread=EditIssue(code="malformed", message=message, fix="Send the edits again."))


def _restored(value: Any) -> Any:
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value
