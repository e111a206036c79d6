"""Reads past calls from a log: the audit of a guard, or calls as JSON lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.policy.deciding.counting import CallTally
from retouch.recipes.policy.deciding.evaluation import ON_DISK, amounts_of, as_request, evaluate
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.language.strict_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ToolCall

_OTHER_EVENTS = frozenset({"started", "asked", "reloaded", "reload-refused"})


@dataclass(frozen=True, kw_only=True)
class PastCall:
    """A call of a log with the decision that it got then, None if the log has none. `line` is 1-based.

    `at` is its time. `made`: the user allowed it.
    """

    line: int
    request: ToolCall
    was: str | None = None
    at: datetime | None = None
    made: bool = False


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A past call and its decision by another policy."""

    past: PastCall
    now: Decision

    @property
    def changed(self) -> bool:
        """True if the log has another decision."""
        return self.past.was is not None and self.past.was != self.now.decision

    def as_json(self) -> dict[str, JSON]:
        """Return the call with both decisions as JSON."""
        return {
            "line": self.past.line,
            "request": self.past.request.as_json(),
            "was": self.past.was,
            "decision": self.now.decision,
            "rule": self.now.rule,
            "changed": self.changed,
        }


def read_log(path: Path) -> tuple[PastCall, ...]:
    """Return the calls of a log: lines of a guard's audit, or `{"serverName", "toolName", "arguments"}`.

    Raises:
        BadInput: a line is neither, or there is no call.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8: byte {error.start}", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise BadInput(
            f"cannot read {str(path)!r}: {error.strerror}", hint="Pass an audit or a file of calls."
        ) from error
    found = tuple(_calls_in(text, name=str(path)))
    if not found:
        raise BadInput(f"{str(path)!r} contains no calls", hint="Pass the audit of a guard, or calls as JSON lines.")
    return found


def replay_log(policy: Policy, calls: tuple[PastCall, ...]) -> tuple[Replayed, ...]:
    """Return what a policy decides about past calls, in their order. Symbolic links are followed as they are now.

    Rules about earlier calls count those of the log that this policy allows, or that it escalates and the user allowed.
    """
    tally, found, ready = CallTally(), list[Replayed](), prepared(policy, disk=True)
    for one in calls:
        now = tally.last if one.at is None else max(one.at.timestamp(), tally.last)
        around = replace(ON_DISK, at=one.at, spent=tally.spent_at(now))
        decided = evaluate(policy, one.request, surroundings=around)
        if ready.needs_state and (decided.decision == "allow" or (decided.decision == "escalate" and one.made)):
            tally.add(now, amounts_of(ready, one.request, one.at))
        found.append(Replayed(past=one, now=decided))
    return tuple(found)


def _calls_in(text: str, *, name: str) -> Iterator[PastCall]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        value = parse_json(line, name=f"{name}, line {number}")
        row = line_value = value if isinstance(value, dict) else {}
        event = row.get("event")
        if event in _OTHER_EVENTS:
            continue
        if event in {"decided", "failed"}:
            row = {"serverName": row.get("server"), "toolName": row.get("tool"), "arguments": row.get("arguments")} | {
                "decision": row.get("decision")
            }
        call = as_request(row)
        if call is None:
            hint = 'Each line is a line of an audit, or {"serverName": "NAME", "toolName": "NAME", "arguments": {...}}.'
            raise BadInput(f"line {number} of {name!r} is not a call", hint=hint)
        was = row.get("decision")
        yield PastCall(
            line=number,
            request=call,
            was=was if isinstance(was, str) else None,
            at=_instant(line_value.get("at")),
            made=line_value.get("answer") == "allowed-by-user",
        )


def _instant(value: JSON) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return None if found is None or found.tzinfo is None else found
