"""`decisions.json`: what a model proposed and a user may settle. It is the user's file, and is preserved across runs.

`retouch generate` reads it before a run, and writes it after one. An entry has the unit of a type, a member ("" for the
type), a kind, a value (a list for the values of an enum), a state and `settled`: null (open), true or false. A settled
entry wins over the model. An accepted name is proposed again by code, so that the C# keeps it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.disk import read_text, write_changed
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput, BrokenFile, RetouchError
from retouch.recipes.csharp.ir import MeaningDecision
from retouch.recipes.csharp.meaning.checks import decision_problem, subject_of
from retouch.recipes.csharp.meaning.proposals import KINDS
from retouch.recipes.csharp.writing.code import CsCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.recipe import Unread
    from retouch.recipes.csharp.ir import Endpoint, MeaningProposal

FILE = "decisions.json"
VERSION = 1
_CORRECT = "Correct its value, or remove the entry."
_AGAIN = "Run the 'retouch generate csharp' command of this run again. It applies the file without a call."
_KEPT = ("name", "value_name")
_KEYS = {"type": str, "member": str, "kind": str, "value": (str, list), "quote": str, "state": str}


@dataclass(kw_only=True)
class Entry:
    """One entry of the file. `state` is `taken`, `refused`, `open` (a question), or `gone`."""

    type: str
    member: str
    kind: str
    values: tuple[str, ...]
    quote: str = ""
    state: str = "taken"
    settled: bool | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What the entry is about. Questions differ by their text."""
        return self.type, self.member, self.kind, *(self.values if self.kind == "question" else ())

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        value = list(self.values) if self.kind == "enum_value" else "".join(self.values[:1])
        return {
            "type": self.type,
            "member": self.member,
            "kind": self.kind,
            "value": value,
            "quote": self.quote,
            "state": self.state,
            "settled": self.settled,
        }


def stored_entries(directory: Path) -> list[Entry]:
    """Return the entries of a run directory's file; none if there is no file.

    Raises:
        BrokenFile: it does not have the form of one. It is never overwritten then.
    """
    path = directory / FILE
    if not path.is_file():
        return []
    try:
        content: Any = json.loads(read_text(path))
    except ValueError as error:
        raise _broken(path, f"it is not JSON: {error}") from error
    if not isinstance(content, dict) or cast("Any", content).get("version") != VERSION:
        raise _broken(path, f"it is not an object with the version {VERSION}")
    listed: Any = cast("Any", content).get("decisions")
    if not isinstance(listed, list):
        raise _broken(path, "the key 'decisions' is not a list")
    return [_entry(path, number, one) for number, one in enumerate(cast("list[Any]", listed))]


def _entry(path: Path, number: int, given: Any) -> Entry:
    where = f"decisions[{number}]"
    if not isinstance(given, dict):
        raise _broken(path, f"{where} is not an object")
    defaults: dict[str, Any] = {"member": "", "quote": "", "state": "taken", "value": ""}
    one: dict[str, Any] = {**defaults, **cast("dict[str, Any]", given)}
    for key, kind in _KEYS.items():
        if not isinstance(one.get(key), kind):
            raise _broken(path, f"{where}: the key {key!r} is missing or of another kind")
    given_values = cast("list[Any]", one["value"] if isinstance(one["value"], list) else [one["value"]])
    if one["kind"] not in KINDS or not all(isinstance(text, str) for text in given_values):
        raise _broken(path, f"{where}: the kind {one['kind']!r} or its value is unknown")
    settled = one.get("settled")
    if not (settled is None or isinstance(settled, bool)):
        raise _broken(path, f"{where}: the key 'settled' is neither true, false nor null")
    return Entry(
        type=str(one["type"]),
        member=str(one["member"]),
        kind=str(one["kind"]),
        values=tuple(map(str, given_values)),
        quote=str(one["quote"]),
        state=str(one["state"]),
        settled=settled,
    )


def _broken(path: Path, what: str) -> BrokenFile:
    return BrokenFile(f"{str(path)!r} cannot be read: {what}", hint="Correct it, or move it away to start anew.")


def decisions_of_entries(entries: Sequence[Entry], endpoint: Endpoint) -> tuple[MeaningDecision, ...]:
    """Return the decisions that apply to a run: what the user settled, and the names that were accepted before.

    Raises:
        BadInput: a settled value cannot be used for the type as the document has it now.
    """
    found: list[MeaningDecision] = []
    for one in entries:
        if one.settled is None and not (one.kind in _KEPT and one.state == "taken"):
            continue
        decision = MeaningDecision(
            type=one.type,
            member=one.member,
            kind=one.kind,
            values=one.values,
            accepted=one.settled is not False,
            by="model" if one.settled is None else "user",
        )
        type_ = endpoint.by_name.get(one.type)
        problem = decision_problem(subject_of(endpoint, type_), decision) if type_ and decision.accepted else ""
        is_there = type_ is not None and _has_member(endpoint, one)
        if problem and is_there and one.settled:
            what = ".".join(filter(None, (one.type, one.member)))
            raise BadInput(f"{FILE}: the {one.kind} of {what!r} cannot be used: {problem}", hint=_CORRECT)
        if is_there and not problem:
            found.append(decision)
    return tuple(found)


def changed_decisions(source: Endpoint, directory: Path) -> list[Issue]:
    """Return a warning if what the user settled in a run's file differs from what its types were made from."""
    made_from = {one for one in source.decisions if one.by == "user"}
    try:
        entries = stored_entries(directory)
        settled = {one for one in decisions_of_entries(entries, replace(source, decisions=())) if one.by == "user"}
    except RetouchError as error:
        return [_changed(source, str(error), error.hint or _CORRECT)]
    changed = sorted({(one.type, one.member, one.kind) for one in made_from ^ settled})
    if not changed:
        return []
    type_, member, kind = changed[0]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    what = f"the {kind} of {'.'.join(filter(None, (type_, member)))!r}{more}"
    return [_changed(source, f"{FILE} was changed since the types were made: {what}", _AGAIN)]


def _changed(source: Endpoint, message: str, fix: str) -> Issue:
    unit = source.root.name
    return Issue(code="DECISIONS_CHANGED", message=message, tier=Tier.SCHEMA, unit=unit, severity="warning", fix=fix)


def _has_member(endpoint: Endpoint, one: Entry) -> bool:
    type_ = endpoint.by_name.get(one.type)
    if type_ is None or not one.member:
        return type_ is not None
    return one.member in {field.json_name for field in type_.fields} | {str(each.value) for each in type_.values}


def write_decisions(directory: Path, endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> list[str]:
    """Write the file after a run, if there is anything to decide. Return notes for the user.

    What the user settled stays. What the document no longer has gets the state `gone`, and a note reports it.
    """
    before = {one.key: one for one in stored_entries(directory)}
    found = {one.key: one for one in _taken(endpoint, values)}
    entries: list[Entry] = []
    for key, one in found.items():
        old = before.pop(key, None)
        settled = old.settled if old is not None else None
        one.settled, one.quote = settled, one.quote or (old.quote if old is not None else "")
        entries.append(one)
    notes: list[str] = []
    for old in before.values():
        if old.settled is None and old.kind not in _KEPT:
            continue
        if not _has_member(endpoint, old):
            what = ".".join(filter(None, (old.type, old.member)))
            notes += [f"{FILE}: the document no longer has {what}"] if old.state != "gone" else []
            old.state = "gone"
        elif old.settled is False:
            old.state = "refused"
        elif old.settled is None:
            continue
        entries.append(old)
    entries.sort(key=lambda one: one.key)
    if entries or (directory / FILE).exists():
        text = json.dumps({"version": VERSION, "decisions": [one.to_json() for one in entries]}, indent=2)
        write_changed(directory, {FILE: f"{text}\n"})
    waiting = sum(one.kind == "question" and one.settled is None for one in entries)
    return [*notes, f"{FILE}: {waiting} open question{'s' if waiting > 1 else ''}"] if waiting else notes


def _taken(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> Iterator[Entry]:
    """Yield an entry for each accepted proposal that a user may want to settle. Summaries are not listed."""
    for type_ in endpoint.types:
        value = values.get(type_.name)
        groups: dict[tuple[str, str, str], list[MeaningProposal]] = {}
        for one in value.taken if isinstance(value, CsCode) else ():
            if one.kind not in ("summary", "remarks"):
                text = one.value if one.kind == "question" else ""
                groups.setdefault((one.kind, one.member, text), []).append(one)
        for (kind, member, _), group in groups.items():
            yield Entry(
                type=type_.name,
                member=member,
                kind=kind,
                values=tuple(one.value for one in group),
                quote=group[0].quote,
                state="open" if kind == "question" else "taken",
            )
