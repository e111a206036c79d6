"""Parses a model's answer: edits of the files it was shown, or the statement that the change does not belong there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits import EditBlock, apply_reply, render_blocks
from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.errors import Invalid
from retouch.locate.diffs.scan import scan
from retouch.recipes.chisel.outside import forbidden_additions
from retouch.recipes.chisel.source import UNIT
from retouch.text import without_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.edits import EditIssue, EditResult
    from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

REJECTED = "NOT_HERE"
MANUAL_PATCH = "ANSWER: a person's patch\n"
CHOSEN = "PLACE_CHOSEN"
MORE_WANTED = "MORE_WANTED"
_CHOSEN = re.compile(r"^\W*PLACES?\W*:\s*([\d ,.and]+)", re.MULTILINE)
_FOR = re.compile(r"\AANSWER FOR GROUP (?P<place>\d+)(?: WITH (?P<also>[^\n]*))?\n")
_MORE = re.compile(r"\A\W*SHOW ALSO\b[\s:.*-]*(?P<names>[^\n]*)")
_NOT_HERE = re.compile(r"\A\W*NOT HERE\b[\s:.,*-]*(?P<why>[^\n]*)")
_STARRED = re.compile(r"^\*(?=[ \t]*\d+ \|)", re.MULTILINE)  # the mark of a listed line with evidence


@dataclass(frozen=True, kw_only=True)
class Fix:
    """The result of applying an answer: new content by path, and the candidates whose lines it changed.

    `also` are the ids of the definitions that were shown besides the candidates at `place`.
    """

    texts: Mapping[str, str]
    touched: tuple[str, ...]
    place: int
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Shown:
    """The part of a file that is shown for a group of candidates. `before` is the number of lines before it."""

    text: str
    before: int


def marked(job: FixJob, place: int, reply: str, also: Sequence[Suspect] = ()) -> str:
    """Return `reply` as the answer for the group of candidates at `place`, which was shown with the definitions `also`.

    For the first group alone it is unchanged, unless the first prompt lets the model choose.
    """
    more = f" WITH {', '.join(one.module_id for one in also)}" if also else ""
    return f"ANSWER FOR GROUP {place}{more}\n{reply}" if place or more or job.choose else reply


def names_wanted(reply: str) -> list[str]:
    """Return the names of the definitions that a reply requests. Empty if it is another answer."""
    found = _MORE.match(without_thinking(reply))
    names = re.split(r"[,;]|\band\b", found["names"]) if found else []
    return [name for one in names if (name := one.strip().strip("`'\"*.()[] "))]


def chosen_places(job: FixJob, reply: str) -> list[int]:
    """Return the indices (from 0) of the candidates that a reply to the first prompt names, in its order."""
    found = _CHOSEN.search(without_thinking(reply))
    numbers = [int(number) - 1 for number in re.findall(r"\d+", found[1])] if found else []
    return list(dict.fromkeys(number for number in numbers if 0 <= number < min(job.choose, len(job.suspects))))


def is_rejection(reply: str) -> bool:
    """Return whether a reply is the answer that the change does not belong to the code shown."""
    return _NOT_HERE.match(without_thinking(reply)) is not None


def read(job: FixJob, unit: str, pages: Sequence[str]) -> Read[Fix]:  # noqa: ARG001 - there is one unit
    """Return the sources after applying the answer, with the issues of parsing and applying it (tier 1).

    Edits are placed in the candidates' own lines first, then in their whole files.

    Raises:
        Invalid: the model answered that the change does not belong to the code it was shown, or asked to see more.
    """
    answer = "".join(pages)
    found = _FOR.match(answer)
    place = int(found["place"]) if found else 0
    also = job.called((found["also"] or "").split(", ")) if found else []
    is_manual = answer.startswith(MANUAL_PATCH)
    if job.choose and not is_manual and not found:
        names = [job.suspects[at].name for at in chosen_places(job, answer)]
        raise Invalid(CHOSEN, f"the model chose {', '.join(names) or 'no place'}", fix="Show the code of that place.")
    reply = _STARRED.sub(" ", without_thinking(_FOR.sub("", answer.removeprefix(MANUAL_PATCH))))
    group = (*job.suspects, *job.related) if is_manual else (*job.groups[min(place, len(job.groups) - 1)], *also)
    if wanted := names_wanted(reply):
        raise Invalid(MORE_WANTED, f"the model asked to see {', '.join(wanted)}", fix="Show it.")
    if (refusal := _NOT_HERE.match(reply)) is not None:
        message = f"the change does not belong to the code shown: {refusal['why'].strip() or 'no reason given'}"
        raise Invalid(REJECTED, message, fix="Try the next candidate.")
    narrow, wide = ({file.path: part(file, group) for file in _files(job, group)} for part in (_own_lines, _all_lines))
    shown = wide if is_manual else narrow
    result = _applied(reply, shown)
    if result.outcome == "refused":
        result, shown = _applied(reply, wide), wide
    if result.outcome == "refused":
        return Read(None, [_issue(issue) for issue in result.issues])
    texts = {path: _spliced(job.file(path), shown[path], text or "") for path, text in result.files.items()}
    if not is_manual and (forbidden := _forbidden(job, texts)):
        return Read(None, [*map(_issue, result.issues), *forbidden])
    fix = Fix(
        texts=texts,
        touched=_touched(result, shown, (*job.suspects, *job.related)),
        place=place,
        also=tuple(one.module_id for one in also),
    )
    return Read(fix, [_issue(issue) for issue in result.issues])


def _forbidden(job: FixJob, texts: Mapping[str, str]) -> list[Issue]:
    """Return the issues of code that a hardware fix does not need, and that could decide its own verdict."""
    return [
        Issue(
            code=kind.code,
            message=f"{kind.message} {', '.join(names)}",
            tier=Tier.SYNTAX,
            unit=UNIT,
            page=1,
            fix=kind.fix,
        )
        for kind, names in forbidden_additions([job.file(path).text for path in texts], texts.values())
    ]


def adopted(job: FixJob, _unit: str, text: str) -> str:
    """Return a user's version of the patch in the form of an answer."""
    inside = {job.in_workspace(file.path): file.path for file in job.files}
    changed = [(inside.get(file.path, file.path), hunk) for file in scan(text) for hunk in file.hunks]
    blocks = [
        EditBlock(
            number=number,
            path=path,
            find=tuple(line.text for line in hunk.lines if line.sign != "+"),
            replace=tuple(line.text for line in hunk.lines if line.sign != "-"),
        )
        for number, (path, hunk) in enumerate(changed, 1)
    ]
    return MANUAL_PATCH + render_blocks(blocks)


def _files(job: FixJob, group: Sequence[Suspect]) -> list[SourceText]:
    return [job.file(path) for path in dict.fromkeys(suspect.file for suspect in group)]


def _own_lines(file: SourceText, group: Sequence[Suspect]) -> _Shown:
    """Return the file from the first line of its candidates to the last one."""
    regions = [region for suspect in group if suspect.file == file.path for region in suspect.regions]
    lines = file.text.split("\n")
    first, last = min(first for first, _ in regions), max(last for _, last in regions)
    return _Shown("\n".join([*lines[first - 1 : last], ""] if last < len(lines) else lines[first - 1 :]), first - 1)


def _all_lines(file: SourceText, _group: Sequence[Suspect]) -> _Shown:
    return _Shown(file.text, 0)


def _applied(reply: str, shown: Mapping[str, _Shown]) -> EditResult:
    target = next(iter(shown)) if len(shown) == 1 else None
    return apply_reply(reply, {path: part.text for path, part in shown.items()}, target=target)


def _spliced(file: SourceText, part: _Shown, text: str) -> str:
    before = "".join(f"{line}\n" for line in file.text.split("\n")[: part.before])
    return before + text + file.text[len(before) + len(part.text) :]


def _touched(result: EditResult, shown: Mapping[str, _Shown], suspects: Sequence[Suspect]) -> tuple[str, ...]:
    changed: dict[str, set[int]] = {}
    for edit in result.edits:
        if edit.match_lines is not None:
            first, last = (line + shown[edit.path].before for line in edit.match_lines)
            changed.setdefault(edit.path, set()).update(range(first, last + 1))
    return tuple(suspect.module_id for suspect in suspects if suspect.lines & changed.get(suspect.file, set()))


def _issue(issue: EditIssue) -> Issue:
    return Issue(
        code=issue.code.upper(),
        message=issue.message,
        tier=Tier.SYNTAX,
        unit=UNIT,
        page=1,
        severity=issue.severity,
        fix=issue.fix,
        detail={"edits": list(issue.edits)} if issue.edits else {},
    )
