"""Decides whether an ordinary sentence covers a call, from the values as written. It shares no code with the rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

from retouch.recipes.policy.deciding.comparing import value_compared
from retouch.recipes.policy.deciding.counting import subject_of
from retouch.recipes.policy.english.words.sentences import CallAction
from retouch.recipes.policy.language.values import PERIOD_S, SQL_KINDS, CallState
from retouch.recipes.policy.language.values import When as RuleWhen
from retouch.recipes.policy.resources.roles import PATH_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart
    from retouch.recipes.policy.language.values import EarlierCall, EarlierTools, Limit, RoleSpec, Tool

Covers: TypeAlias = Literal["surely", "perhaps", "not"]
_RUNS_ANOTHER = frozenset({"sudo", "env", "xargs", "time", "nohup", "exec", "command", "sh", "bash", "ssh", "timeout"})
Inside: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True, kw_only=True)
class SeenCall:
    """A call as it is written: its tool, its arguments, its time and the calls before it.

    `inside` tells whether a path is in a directory. `tools` are all tools.
    """

    tool: Tool
    arguments: Mapping[str, JSON]
    state: CallState
    zone: tzinfo
    inside: Inside
    tools: Mapping[tuple[str, str], Tool]


def call_covers(sentence: Sentence, call: SeenCall) -> Covers:
    """Return whether a sentence covers a call."""
    if not isinstance(sentence.action, CallAction):
        return "not"
    parts = [one for one in sentence.action.parts if (one.server, one.tool) == (call.tool.server, call.tool.name)]
    found = [_part_covers(one, call, sentence.action.parts) for one in parts]
    return "surely" if "surely" in found else "perhaps" if "perhaps" in found else "not"


def _part_covers(part: ToolPart, call: SeenCall, parts: Sequence[ToolPart]) -> Covers:
    where = _all(_test(one, part, call, parts) for one in part.where)
    if not part.unless or where == "not":
        return where
    unless = _all("not" if _is_missing(one, call) else _test(one, part, call, parts) for one in part.unless)
    if unless == "surely":
        return "not"
    return where if unless == "not" else "perhaps"


def _is_missing(limit: Limit, call: SeenCall) -> bool:
    """Return whether an argument must be given, with any value, and is not."""
    return limit.like == ("*",) and limit.arg is not None and call.arguments.get(limit.arg) is None


def _all(found: Iterable[Covers]) -> Covers:
    seen: set[Covers] = set(found)
    return "not" if "not" in seen else "perhaps" if "perhaps" in seen else "surely"


def _test(limit: Limit, part: ToolPart, call: SeenCall, parts: Sequence[ToolPart]) -> Covers:
    if limit.after is not None:
        return _called_before(limit, limit.after, part, call)
    if limit.is_clock:
        return _time(limit, call.state.at and call.state.at.astimezone(call.zone))
    if limit.per is not None:
        return _total(limit, part, call, [one for one in parts if (one.where, one.unless) == (part.where, part.unless)])
    names = [limit.arg] if limit.arg is not None else [arg for arg, spec in call.tool.args.items() if _has(spec, limit)]
    if limit.state is not None:
        empty = [call.arguments.get(name) in ("", [], {}) for name in names]
        left_out = [call.arguments.get(name) is None for name in names]
        return "perhaps" if any(empty) else "surely" if (limit.state == "absent") is all(left_out) else "not"
    if limit.since is not None:
        return _lasting(limit, call.arguments.get(limit.since), call.arguments.get(limit.arg or ""))
    if limit.size is not None:
        return _size(
            limit,
            [(_plain(call.arguments.get(name)), call.tool.args[name]) for name in names if name in call.tool.args],
        )
    given = [_plain(call.arguments[name]) for name in names if call.arguments.get(name) not in ("", None)]
    if not given:
        return "perhaps"
    values = [one for value in given for one in (value if isinstance(value, list) else [value])]
    found: list[Covers] = [_value(limit, one, call) for one in values]
    if "perhaps" in found or len(set(found)) != 1:
        return "perhaps"
    return found[0]


def _plain(value: JSON) -> JSON:
    """Return a list of objects that have one text each as these texts."""
    texts = [
        [text for text in one.values() if isinstance(text, str)] if isinstance(one, dict) else []
        for one in (value if isinstance(value, list) else [None])
    ]
    return [one for (one,) in texts] if all(len(one) == 1 for one in texts) else value


def _lasting(limit: Limit, start: JSON, end: JSON) -> Covers:
    """Return whether the minutes between two times that are written alike are within the bounds."""
    texts = [one for one in (start, end) if isinstance(one, str) and "T" in one]
    try:
        first, last = (datetime.fromisoformat(one) for one in texts)
        minutes = (last - first).total_seconds() / 60
    except (ValueError, TypeError):
        return "perhaps"
    return "perhaps" if minutes < 0 else "surely" if limit.admits(minutes) else "not"


def _size(limit: Limit, given: Sequence[tuple[JSON, RoleSpec]]) -> Covers:
    """Return whether the characters of each text, or the items of all values together, are within the bounds."""
    values = [(value, "email-address" in spec.default) for value, spec in given if value is not None]
    if limit.size == "characters":
        texts = [one for value, _ in values for one in (value if isinstance(value, list) else [value])]
        sizes = {len(one) if isinstance(one, str) else None for one in texts}
    else:
        counts = [_items(value, mails=mails) for value, mails in values]
        sizes = {None if None in counts else sum(one or 0 for one in counts)} if counts else set[int | None]()
    found = {None if one is None else limit.admits(one) for one in sizes}
    return "perhaps" if None in found or len(found) != 1 else "surely" if found == {True} else "not"


def _items(value: JSON, *, mails: bool) -> int | None:
    if mails:
        texts = [one for one in (value if isinstance(value, list) else [value]) if one != ""]
        written = [one for one in texts if isinstance(one, str) and "@" in one]
        return sum(one.count("@") for one in written) if len(written) == len(texts) else None
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, str):
        return None if isinstance(value, (dict, bool)) else 1
    return None if set(value) & set(" ,;|\t\n") else int(value != "")


def _written(limit: Limit, value: str, zone: tzinfo) -> Covers:
    """Return whether a written time is one of these: as it is written, and in the zone of the policy."""
    if re.fullmatch(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?", value, re.ASCII):
        on_some_day = _time(replace(limit, days=()), datetime.fromisoformat(f"2024-01-08T{value}"))
        return "perhaps" if limit.days and on_some_day == "surely" else on_some_day
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return "perhaps"
    if len(value) < len("2025-01-01T00:00"):
        return "perhaps" if limit.hours else _time(limit, at)
    found: set[Covers] = {_time(limit, at), _time(limit, at if at.tzinfo is None else at.astimezone(zone))}
    return found.pop() if len(found) == 1 else "perhaps"


def _time(limit: Limit, here: datetime | None) -> Covers:
    if here is None:
        return "perhaps"
    clock, spans = here.strftime("%H:%M"), [one.split("-") for one in limit.hours]
    hours = any(low <= clock < high if low < high else not high <= clock < low for low, high in spans)
    return "surely" if (hours or not spans) and (not limit.days or here.strftime("%a").lower() in limit.days) else "not"


def _total(limit: Limit, part: ToolPart, call: SeenCall, parts: Sequence[ToolPart]) -> Covers:
    own: object = 1 if limit.sum is None else call.arguments.get(limit.sum)
    if limit.same is not None and value_compared(call.arguments.get(limit.same), call.tool.args[limit.same]) is None:
        return "perhaps"
    spent = _earlier_total(limit, part, call, parts)
    if isinstance(own, bool) or not isinstance(own, (int, float)) or own < 0 or spent is None:
        return "perhaps"
    return "surely" if limit.admits(float(Decimal(str(spent)) + Decimal(str(own)))) else "not"


def _earlier_total(limit: Limit, part: ToolPart, call: SeenCall, parts: Sequence[ToolPart]) -> float | None:
    """Return the total of the earlier calls that the parts are about. None if the amount of one is unknown."""
    state, total = call.state, Decimal(0)
    if state.assumed is not None:
        when, subject = RuleWhen(where=part.where, unless=part.unless), subject_of(limit)
        keys = [f"{when.scope_of(one.server, one.tool)}:{subject}" for one in parts]
        return sum(state.assumed.get((key, limit.per or "day"), 0) for key in dict.fromkeys(keys))
    for one in state.earlier:
        recent = state.at is None or (state.at - one.at).total_seconds() < PERIOD_S[limit.per or "day"]
        tool = call.tools.get((one.call.server, one.call.tool))
        if (
            not recent
            or tool is None
            or not _is_counted(parts, replace(call, tool=tool, arguments=one.call.arguments), one)
        ):
            continue
        if limit.same is not None:
            mine = value_compared(call.arguments.get(limit.same), call.tool.args[limit.same])
            other = value_compared(one.call.arguments.get(limit.same), tool.args[limit.same])
            if mine is None or other is None:
                return None
            if mine != other:
                continue
        amount = 1 if limit.sum is None else one.call.arguments.get(limit.sum)
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or amount < 0:
            return None
        total += Decimal(str(amount)) * one.times
    return float(total)


def _is_counted(parts: Sequence[ToolPart], call: SeenCall, earlier: EarlierCall) -> bool:
    call = replace(call, state=CallState(at=earlier.at))
    own = [one for one in parts if (one.server, one.tool) == (call.tool.server, call.tool.name)]
    bare = [
        replace(one, where=tuple(test for test in one.where if test.per is None and test.after is None)) for one in own
    ]
    return any(_part_covers(one, call, ()) != "not" for one in bare)


def _called_before(limit: Limit, after: EarlierTools, part: ToolPart, call: SeenCall) -> Covers:
    """Return whether one of the earlier calls is of such a tool, with the same values."""
    state, found = call.state, set[Covers]()
    if state.at is None and not state.earlier:
        return "perhaps"
    for one in state.earlier:
        age_s = 0.0 if state.at is None else (state.at - one.at).total_seconds()
        tool = call.tools.get((one.call.server, one.call.tool))
        recent = limit.per is None or age_s < PERIOD_S[limit.per]
        if tool is None and recent:
            found.add("perhaps")  # only some tools are shown, and it may be one of the others
        if tool is None or not recent or tool.server != part.server or tool.name not in after.tools:
            continue
        made = replace(call, tool=tool, arguments=one.call.arguments, state=CallState(at=one.at))
        tests = _all(_test(each, part, made, ()) for each in after.where)
        found.add(_all((tests, _all(_is_same(call, own, made, other) for own, other in after.same))))
    return "surely" if "surely" in found else "perhaps" if "perhaps" in found else "not"


def _is_same(call: SeenCall, own: str, made: SeenCall, other: str) -> Covers:
    """Return whether two calls have the same value. Texts that differ in case or spaces only may mean the same."""
    mine, its = call.arguments.get(own), made.arguments.get(other)
    if isinstance(mine, str) and isinstance(its, str) and not PATH_ROLES.isdisjoint(call.tool.args[own].default):
        return "surely" if call.inside(mine, its) and call.inside(its, mine) else "perhaps"
    known = [
        one for one in (mine, its) if isinstance(one, (str, int, float)) and not isinstance(one, bool) and one != ""
    ]
    if len(known) < 2:
        return "perhaps"
    texts = [re.sub(r"\W|^0+|\.0+$", "", str(one).casefold()) for one in known]
    return "surely" if mine == its else "not" if texts[0] != texts[1] and "://" not in f"{mine}{its}" else "perhaps"


def _has(spec: object, limit: Limit) -> bool:
    default = getattr(spec, "default", ())
    return limit.role in default


def _value(limit: Limit, value: JSON, call: SeenCall) -> Covers:
    inside = call.inside
    if limit.bounds:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "perhaps"
        return "surely" if limit.admits(value) else "not"
    if not isinstance(value, str):
        return _other_value(limit, value)
    if limit.is_written_time:
        return _written(limit, value, call.zone)
    if limit.within:
        found = any(inside(value, one) for one in limit.within)
        near = any(inside(one, value) for one in limit.within)
        return "surely" if found else "perhaps" if near or limit.role not in PATH_ROLES else "not"
    if limit.domains:
        return _host(limit, value)
    if limit.sql or limit.tables or limit.runs:
        return _runs(limit, value) if limit.runs else _sql(limit, value)
    if limit.emails and "@" not in value:
        return "perhaps"
    names = limit.among or limit.emails or limit.like
    if any(fnmatchcase(value, str(one)) for one in names):
        return "surely"
    plain = all(one.isalnum() or one in "@-_/ " for one in value.replace(".", "") if one != ".")
    similar = any(fnmatchcase(value.lower(), f"*{str(one).lower().lstrip('*')}*") for one in names)
    return "perhaps" if similar or not plain else "not"


def _other_value(limit: Limit, value: JSON) -> Covers:
    """Return whether a value that is no text is one of those that are tested, or names one of them."""
    if isinstance(value, dict) and limit.among:
        return _in_object(limit, value)
    flags = isinstance(value, bool) and all(isinstance(one, bool) for one in limit.among)
    return "surely" if value in limit.among else "not" if flags else "perhaps"


def _in_object(limit: Limit, value: Mapping[str, JSON]) -> Covers:
    """Return whether an object names a value, as a field or in one, in this spelling or in a similar one."""
    if not value:
        return "perhaps"
    words = {str(one).casefold() for one in limit.among}
    text = json.dumps(value, ensure_ascii=False).casefold()
    named = any(json.dumps(one, ensure_ascii=False) in text for one in words)
    return "surely" if named else "perhaps" if any(one in text for one in words) else "not"


def _sql(limit: Limit, text: str) -> Covers:
    """Return whether plain statements of SQL, as a person reads them, are of the tested kinds, or name a table."""
    statements = [one.lower().replace('"', "").split() for one in text.split(";") if one.strip()]
    if not statements or any(re.fullmatch(r"[\w\s,.*=()]+", " ".join(one), re.ASCII) is None for one in statements):
        return "perhaps"
    used = {word for words in statements for word in words if word in SQL_KINDS}
    if not used or any(words[0] not in used for words in statements):
        return "perhaps"
    if limit.tables:
        named = {word for words in statements for word in re.findall(r"\w+", " ".join(words))}
        if not used <= {"select"} and not named.isdisjoint({"schema", "database", "tables", "tablespace"}):
            return "perhaps"
        return "not" if named.isdisjoint(one.lower() for one in limit.tables) else "surely"
    if "drop index" in text.lower():
        used = used - {"drop"} | {"drop other"} if "drop table" not in text.lower() else used | {"drop other"}
    more = {f"{words[0]} all" for words in statements if words[0] in {"update", "delete"} and "where" not in words}
    more |= {
        "user" for words in statements if words[0] in {"create", "alter", "drop"} and {*words[1:2]} & {"user", "role"}
    }
    if more & {*limit.sql}:
        return "surely"
    return "surely" if used <= {*limit.sql} else "not" if used.isdisjoint(limit.sql) else "perhaps"


def _runs(limit: Limit, text: str) -> Covers:
    """Return whether plain commands, as a person reads them, are of the tested ones."""
    if re.fullmatch(r"[\w\s./:=@,+;&|-]+", text, re.ASCII) is None:
        return "perhaps"
    commands = [one.split() for one in re.split(r";|&&|[|][|]?|\n", text)]
    if any(not words or "=" in words[0] for words in commands) or "&" in text.replace("&&", ""):
        return "perhaps"
    found = {_is_command(words, one) for words in commands for one in limit.runs}
    whole = all(any(_is_command(words, one) == "surely" for one in limit.runs) for words in commands)
    return "surely" if whole else "perhaps" if found != {"not"} else "not"


def _is_command(words: Sequence[str], pattern: str) -> Covers:
    if pattern.startswith("("):
        changes = pattern == "(reads)" and words[0] in {"rm", "mv", "mkdir"}
        return "surely" if words[0] in {"ls", "pwd", "cat"} else "not" if changes else "perhaps"
    wanted = pattern.split()
    if "<" in pattern and words[:2] == ["git", "push"]:
        return _pushes(words[2:], wanted[2:])
    plain = [one for one in wanted if not one.startswith(("-", "<", "+"))]
    if words[: len(plain)] == plain:
        return "surely" if words[: len(wanted)] == wanted else "perhaps"
    runs = words[0] in _RUNS_ANOTHER or words[0].rpartition("/")[2] == plain[0]
    return "perhaps" if runs or not {*plain}.isdisjoint(words) else "not"


def _pushes(words: Sequence[str], branches: Sequence[str]) -> Covers:
    """Return whether a push names one of some branches."""
    if any(one.startswith(("-", "+")) or ":" in one for one in words) or len(words) < 2:
        return "perhaps"
    return "surely" if any(fnmatchcase(one, branch[1:-1]) for one in words[1:] for branch in branches) else "not"


def _host(limit: Limit, value: str) -> Covers:
    host = urlsplit(value).hostname or ""
    exact = any(host == one or (one.startswith("*.") and f".{host}".endswith(one[1:])) for one in limit.domains)
    below = any(f".{host}".endswith(f".{one.removeprefix('*.')}") for one in limit.domains)
    return "surely" if exact else "perhaps" if below or not host else "not"
