"""The destruction guard: an answer that removes what the request does not name needs the user's agreement.

Most of a file (`SHRUNK`), or a definition, member of a class, heading, key or section (`REMOVED`). A name counts as
requested if it is in the request. It is not removed if the run's files define it elsewhere, for example after a move.
No model is called for these errors: the answer may be right. `retouch resume DIR --allow-removal NAME` accepts the
stored answer.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from retouch.engine.types import Issue, Tier
from retouch.recipes.edit.answers import every_text
from retouch.recipes.edit.definitions import definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.definitions import DefinedName
    from retouch.recipes.edit.source import EditFile, EditJob

T = TypeVar("T")
REMOVED, SHRUNK, AGREED = "REMOVED", "SHRUNK", "REMOVAL_AGREED"
_MOST_NAMES = 12
_LEAST_CHARS = 1_000  # a long line may be shortened by this much without a question
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Removal:
    """What an answer removes from one file without a request: names, or most of its text."""

    unit: str
    path: str
    names: tuple[str, ...] = ()
    shrunk: str = ""

    @property
    def needed(self) -> tuple[str, ...]:
        """The names that `--allow-removal` needs: those of the definitions, and the path for most of the text."""
        return (*self.names, *([self.path] if self.shrunk else []))


def removal_issues(job: EditJob, values: Mapping[str, NewText], allowed: Sequence[str]) -> list[Issue]:
    """Return an error for each file that loses something without a request, and a note for each removal agreed to.

    `allowed` are the names that the user agreed to, as patterns: `old_*` matches every name with this prefix. A user's
    own text of a file is never questioned.
    """
    found: list[Issue] = []
    for removal in _removals(job, values):
        agreed = {name for name in removal.needed if any(fnmatchcase(name, pattern) for pattern in allowed)}
        names = tuple(name for name in removal.names if name not in agreed)
        shrunk = removal.shrunk if removal.path not in agreed else ""
        found += _errors(replace(removal, names=names, shrunk=shrunk))
        found += [_agreed(removal, name) for name in removal.needed if name in agreed]
    return found


def _removals(job: EditJob, values: Mapping[str, NewText]) -> Iterator[Removal]:
    asked = _Request(job.request)
    before = {file.path: definitions(file.path, file.text) for file in job.files if file.exists}
    after = dict(before)
    texts = every_text(values)
    for path, (_, value) in texts.items():
        if value.changed:
            before.setdefault(path, definitions(path, job.file(path).text))
            after[path] = definitions(path, value.text)
    old, new = _places(before), _places(after)
    for path, (unit, value) in texts.items():
        file = job.file(path)
        if not value.changed or value.by_user or not file.exists:
            continue
        lost = _lost(file, value.text, before[file.path], after[file.path])
        gone = [one for one in lost if new[one.name] < old[one.name]]
        names = tuple(dict.fromkeys(one.name for one in gone if not asked.names(one)))
        unasked = set(names)
        wanted = [one for one in lost if one.name not in unasked]
        shrunk = _shrunk(file, value.text, wanted)
        if names or shrunk:
            yield Removal(unit=unit, path=file.path, names=names, shrunk=shrunk)


def _places(found: Mapping[str, Sequence[DefinedName]]) -> Counter[str]:
    """Return in how many places each name is defined: a duplicate name in one scope counts once."""
    places = {(path, *one.scope, one.name): one.name for path, known in found.items() for one in known}
    return Counter(places.values())


def _lost(file: EditFile, text: str, old: Sequence[DefinedName], new: Sequence[DefinedName]) -> list[DefinedName]:
    """Return the top-level definitions of the old text that the new one lacks, without those inside of lost ones."""
    left = Counter(_path_of(one) for one in new if one.is_top)
    missing = [one for one in old if one.is_top and not _taken(left, _path_of(one))]
    moved = Counter(path[-1] for path in left.elements())
    gone: set[tuple[str, ...]] = set()
    lost: list[DefinedName] = []
    for one in missing:
        if any(one.scope[:depth] in gone for depth in range(1, len(one.scope) + 1)):
            continue
        if not _taken(moved, _spelled(one)) and not (one.is_heading and _body_is_kept(file.text, text, one)):
            lost.append(one)
            gone.add((*one.scope, one.name))
    return lost


def _path_of(one: DefinedName) -> tuple[str, ...]:
    return (*one.scope, _spelled(one))


def _taken(counts: Counter[T], key: T) -> bool:
    """Take one of `key` from the counts, and return whether there was one."""
    if not counts[key]:
        return False
    counts[key] -= 1
    return True


def _spelled(one: DefinedName) -> str:
    """Return the name for a comparison. Case and punctuation of a heading may be corrected."""
    return " ".join(_WORD.findall(one.name.casefold())) if one.is_heading else one.name


def _body_is_kept(old: str, new: str, heading: DefinedName) -> bool:
    """Return whether most lines below a heading are in the new text, so that only the heading was changed."""
    lines = [line.strip() for line in old.splitlines()[heading.start : heading.end]]
    body = [line for line in lines if _WORD.search(line)]
    kept = {line.strip() for line in new.splitlines()}
    return bool(body) and 2 * sum(line in kept for line in body) > len(body)


def _shrunk(file: EditFile, text: str, wanted: Iterable[DefinedName]) -> str:
    """Return how much of a file is gone if it is more than half, apart from the removals that were wanted."""
    lines = file.text.splitlines()
    wanted_lines = {number for one in wanted for number in range(one.start, one.end + 1)}
    rest = [line for number, line in enumerate(lines, 1) if number not in wanted_lines and line.strip()]
    left = sum(bool(line.strip()) for line in text.splitlines())
    if 2 * left < len(rest):
        return f"{sum(bool(line.strip()) for line in lines)} to {left} lines"
    chars = sum(map(len, rest))
    if 2 * len(text) < chars and chars - len(text) > _LEAST_CHARS:
        return f"{len(file.text)} to {len(text)} characters"
    return ""


class _Request:
    """The user's request, searched for names."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        words = _WORD.findall(self._text)
        self._words, self._phrase = set(words), f" {' '.join(words)} "

    def names(self, one: DefinedName) -> bool:
        """Return whether the request has the name of a definition as a word, or the words of a heading in order."""
        if one.is_heading:
            return f" {_spelled(one)} " in self._phrase
        name = one.name.casefold()
        if _WORD.fullmatch(name):
            return name in self._words
        return re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", self._text) is not None


def _errors(removal: Removal) -> list[Issue]:
    found: list[Issue] = []
    if removal.shrunk:
        message = f"{removal.path!r} would shrink from {removal.shrunk}, and nobody asked to remove most of it"
        found.append(_error(SHRUNK, removal, message, [removal.path]))
    if removal.names:
        shown = ", ".join(map(repr, removal.names[:_MOST_NAMES]))
        more = f" and {len(removal.names) - _MOST_NAMES} more" if len(removal.names) > _MOST_NAMES else ""
        message = f"the answer removes {shown}{more} from {removal.path!r}, and the request does not name it"
        found.append(_error(REMOVED, removal, message, removal.names))
    return found


def _error(code: str, removal: Removal, message: str, names: Sequence[str]) -> Issue:
    """Return an error for the user alone: `person` keeps it from being retried."""
    few = names if len(names) <= _MOST_NAMES else ["*"]
    options = " ".join(f"--allow-removal {_quoted(name)}" for name in few)
    fix = f"Read changes.diff. If that was meant, run: retouch resume DIR {options}"
    detail: dict[str, JSON] = {"person": True, "names": list(names)}
    return Issue(code=code, message=message, tier=Tier.SCHEMA, unit=removal.unit, page=1, detail=detail, fix=fix)


def _quoted(name: str) -> str:
    from shlex import quote

    return quote(re.sub(r"([*?\[])", r"[\1]", name) if name != "*" else name)


def _agreed(removal: Removal, name: str) -> Issue:
    message = f"{name!r} was removed from {removal.path!r}: you agreed to it"
    detail: dict[str, JSON] = {"waived": "removal"}
    return Issue(
        code=AGREED,
        message=message,
        tier=Tier.SCHEMA,
        unit=removal.unit,
        page=1,
        severity="info",
        detail=detail,
        fix="",
    )
