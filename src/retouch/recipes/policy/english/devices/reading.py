"""Reads sentences about the devices of a home and makes rules of them: "never unlock the front door after 10 pm".

Every word must have a meaning. A sentence that has none here is left to the other readers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.devices.acts import has_strange_tool, tools_of_home, uses
from retouch.recipes.policy.english.devices.calls import beyond, elsewhere, permitting, restricting
from retouch.recipes.policy.english.devices.listed_items import item_parts
from retouch.recipes.policy.english.devices.sayings import said_in
from retouch.recipes.policy.english.devices.settings import ARGUMENTS
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.words.clock_times import times, whole_times
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.english.words.tokens import tokens_of
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.devices.acts import Deed, Use
    from retouch.recipes.policy.english.devices.phrases import HomeDeed
    from retouch.recipes.policy.english.devices.sayings import HomeSaying
    from retouch.recipes.policy.english.devices.settings import SetBound
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.clock_times import NamedTime
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.english.words.tokens import Token


def home_meaning(text: str, toolbox: Toolbox, *, led: bool = False) -> Meaning | None:
    """Return what a sentence about the devices of a home means. None if it is not understood here.

    `led`: a line above may forbid what it seems to permit.

    Raises:
        Unclear: no rule for these tools can decide it.
    """
    tools = tools_of_home(toolbox)
    if not tools or toolbox.other_servers or has_strange_tool(toolbox):
        return None
    for said, when in _readings(_with_areas(text), toolbox):
        if not said or (led and any(one.stance == "permit" for one in said)):
            continue
        return _Home(toolbox, tools, when).meaning(said)
    return None


_IN_AREA = re.compile(
    r"\b(in|of|from) (?:the|my|our) [\w'\u2019]+(?: [\w'\u2019]+)? \((?:the )?(?:area|room)(?: is)?(?: called| "
    r"named)? [\"\u201c']?(?P<name>[\w' ]+?)[\"\u201d']?\)",
    re.IGNORECASE,
)


def _with_areas(text: str) -> str:
    return _IN_AREA.sub(lambda one: f'{one[1]} the area "{one["name"]}"', text)


def _readings(text: str, toolbox: Toolbox) -> Iterator[tuple[tuple[HomeSaying, ...], NamedTime | None]]:
    """Yield what a sentence says, as a whole, or with the time at its beginning or end apart."""
    plain = " ".join(re.sub(r"[.!]+$", "", text.strip()).split()).lower().replace("\u2019", "'")
    yield said_in(_expanded(plain)), None
    tokens = tokens_of(text)
    words = Phrases(tokens, known=toolbox.words)
    for at in range(1, words.size):
        for when, end in (*whole_times(words, at), *times(words, at)):
            if end == words.size:
                yield said_in(_joined(tokens[:at])), when
    for when, end in (*whole_times(words, 0), *times(words, 0)):
        if end < words.size:
            yield said_in(_joined(tokens[end:])), when


def _expanded(text: str) -> str:
    for short, long in (
        ("don't", "do not"),
        ("can't", "can not"),
        ("cannot", "can not"),
        ("mustn't", "must not"),
        ("shouldn't", "should not"),
        ("okay", "ok"),
        ("isn't", "is not"),
        ("aren't", "are not"),
        ("you're", "you are"),
        ("it's", "it is"),
    ):
        text = re.sub(rf"\b{short}\b", long, text)
    return text


def _joined(tokens: Sequence[Token]) -> str:
    text = " ".join(f'"{one.raw}"' if one.quoted else one.text for one in tokens)
    return re.sub(r",? (?:when|if|while) it is$", "", re.sub(r" ([,;])", r"\1", text))


class _Home:
    """Makes rules of what is said about a home. `when` is the time of the sentence."""

    def __init__(self, toolbox: Toolbox, tools: tuple[KnownTool, ...], when: NamedTime | None) -> None:
        self.toolbox, self.tools, self.when = toolbox, tools, when

    def meaning(self, said: tuple[HomeSaying, ...]) -> Meaning:
        """Return the meaning of the clauses of a sentence.

        Raises:
            Unclear: no rule for these tools can decide it.
        """
        if len(said) > 1 and self.when is not None:
            raise Unclear("the time may be of one part only; write two sentences")
        whole = Meaning()
        for one in said:
            whole |= self._of(one)
        return whole

    def _of(self, said: HomeSaying) -> Meaning:
        if said.closed or (said.only and self._has_no_limit(said)):
            return self._closed(said)
        if said.only:
            return self._only(said)
        if said.stance == "permit":
            return Meaning(allow=frozenset(self._permitted(said.done)))
        parts = frozenset(self._at(self._restricted(said.done), self.when, sure=False))
        return Meaning(never=parts) if said.stance == "forbid" else Meaning(ask=parts)

    def _has_no_limit(self, said: HomeSaying) -> bool:
        limited = any(one.device.rooms or one.device.which or one.bounds or one.lists for one in said.done)
        return self.when is None and not limited

    def _restricted(self, done: Iterable[HomeDeed]) -> list[ToolPart]:
        found: list[ToolPart] = []
        for one in done:
            _refuse_unclear(one)
            parts = [part for deed in one.deeds for part in self._parts(one, deed)]
            if not parts:
                raise Unclear("no tool here does this")
            found += parts
        return found

    def _parts(self, done: HomeDeed, deed: Deed) -> Iterator[ToolPart]:
        if done.bounds:
            yield from self._beyond_bounds(done)
            return
        if deed in {"add", "complete", "remove", "announce", "timer"}:
            yield from item_parts(self.tools, deed, done.lists or (), restricts=True)
            return
        for use in uses(self.tools, deed, done.device, restricts=True):
            for part in restricting(use, done.device):
                yield _of_sound(part, use, done)

    def _beyond_bounds(self, done: HomeDeed) -> Iterator[ToolPart]:
        """Yield the calls that set a number beyond a bound, or may. To open a blind is to open it all the way."""
        deed = done.deeds[0]
        for use in uses(self.tools, deed, done.device, restricts=True):
            for bound in done.bounds:
                test = _limit_of(use.one, ARGUMENTS[deed], bound)
                given = () if test.arg in use.one.required else (Limit(arg=test.arg, state="present"),)
                yield from restricting(replace(use, where=(*use.where, test, *given)), done.device)
        for bound in done.bounds if deed == "position" else ():
            for use in uses(self.tools, "open" if bound.is_upper else "close", done.device, restricts=True):
                if "position" not in use.one.tool.args:
                    yield from restricting(use, done.device)

    def _permitted(self, done: Iterable[HomeDeed]) -> list[ToolPart]:
        found: list[ToolPart] = []
        for one in done:
            _refuse_unclear(one)
            parts = [part for deed in one.deeds for part in self._allowed(one, deed)]
            if not parts:
                raise Unclear("no tool here does this, or none can be tested for it")
            found += parts
        return self._at(found, self.when, sure=True)

    def _allowed(self, done: HomeDeed, deed: Deed) -> Iterator[ToolPart]:
        if deed in {"add", "complete", "remove", "announce", "timer"}:
            yield from item_parts(self.tools, deed, done.lists or (), restricts=False)
            return
        for use in uses(self.tools, deed, done.device, restricts=False):
            arg = ARGUMENTS.get(deed, "")
            if done.bounds and arg not in use.one.tool.args:
                continue
            within = _within(arg, done.bounds) if done.bounds else ()
            for part in permitting(replace(use, where=(*use.where, *within)), done.device):
                yield _of_sound(part, use, done)

    def _only(self, said: HomeSaying) -> Meaning:
        """Return the meaning of "only": the same deeds in other rooms, at other times or beyond "
        "numbers are forbidden."""
        if any(one.device.which and self.when is None for one in said.done):
            raise Unclear("a device may have another name, so that no rule knows all others")
        allow = frozenset(self._permitted(said.done))
        never: list[ToolPart] = []
        for one in said.done:
            if one.lists:
                parts = (part for deed in one.deeds for part in self._allowed(one, deed))
                never += [replace(part, where=(), unless=part.where) for part in parts if part.where]
            elif one.bounds:
                never += self._beyond_bounds(one)
            elif one.device.rooms:
                for deed in one.deeds:
                    for use in uses(self.tools, deed, one.device, restricts=True):
                        never += [_of_sound(part, use, one) for part in elsewhere(use, one.device)]
        if self.when is not None:
            rest = replace(self.when, outside=not self.when.outside)
            never += self._at(self._restricted(said.done), rest, sure=True)
        return Meaning(allow=allow, never=frozenset(never))

    def _closed(self, said: HomeSaying) -> Meaning:
        """Return the meaning of a permission after which nothing else is."""
        if self.when is not None or any(one.bounds or one.lists or one.music for one in said.done):
            raise Unclear("'nothing else' may be about the same things, or about everything; write two sentences")
        allow = frozenset(self._permitted(said.done))
        never: list[ToolPart] = []
        used: dict[str, list[tuple[ToolPart, ...]]] = {}
        for one in said.done:
            for deed in one.deeds:
                for use in uses(self.tools, deed, one.device, restricts=False):
                    used.setdefault(use.one.tool.name, []).append(tuple(beyond(use, one.device)))
        allowed = {part.tool for part in allow}
        for one in self.toolbox.tools:
            ways = used.get(one.tool.name, []) if one.tool.name in allowed else []
            if len(set(ways)) > 1:
                raise Unclear("a tool is permitted in several ways; write one sentence for each")
            if one.tool.name not in allowed:
                never.append(part_of(one))
            never += [part for way in ways for part in way]
        return Meaning(allow=allow, never=frozenset(never))

    def _at(self, parts: Iterable[ToolPart], when: NamedTime | None, *, sure: bool) -> list[ToolPart]:
        """Return parts with the test of a time."""
        if when is None:
            return list(parts)
        if sure and when.is_open:
            raise Unclear("it does not say until when; write 'between 18:00 and 22:00'")
        if any(each.is_night and each.days for each in when.alternatives):
            raise Unclear("hours over midnight end on the next day; write one sentence for each day")
        if sure and when.together:
            raise Unclear("times with 'and' can be both or either; write one sentence for each")
        if self.toolbox.frame.time_zone is None:
            raise Unclear("hours and days need a time zone; name yours with --time-zone, such as Europe/Berlin")
        found = when.rest if when.outside else when.alternatives
        clocks = [Limit(hours=each.hours, days=each.days) for each in found]
        return [replace(part, where=(*part.where, clock)) for part in parts for clock in clocks]


def _refuse_unclear(done: HomeDeed) -> None:
    """Refuse deeds that these tools also do in a way that no rule can tell.

    Raises:
        Unclear: they do.
    """
    if "on" in done.deeds and "climate" in done.device.domains and done.device.family == "climate":
        raise Unclear("to set a temperature may turn the heating on; say up to which temperature")
    if done.device.family is None and not {*done.deeds} <= {
        "control",
        "on",
        "off",
        "add",
        "complete",
        "remove",
        "announce",
        "timer",
    }:
        raise Unclear("it does not say of which devices")


_VIDEO = frozenset({"movie", "tv_show", "video", "app", "channel", "game", "episode", "season"})


def _of_sound(part: ToolPart, use: Use, done: HomeDeed) -> ToolPart:
    """Return a part that plays, for what has sound only."""
    listed = use.one.listed.get("media_class", ())
    sound = tuple(one for one in listed if one not in _VIDEO)
    if not done.music or not sound:
        return part
    return replace(part, where=(*part.where, Limit(arg="media_class", among=sound)))


def _limit_of(one: KnownTool, arg: str, bound: SetBound) -> Limit:
    """Return the test of a number beyond a bound. Each step of a relative volume may go beyond it.

    Raises:
        Unclear: the tool has no argument for it.
    """
    if arg in one.tool.args:
        return replace(Limit(arg=arg), **{bound.side: bound.number})
    if "volume_step" in one.tool.args:
        return Limit(arg="volume_step", above=0) if bound.is_upper else Limit(arg="volume_step", below=0)
    raise Unclear(f"no argument of {one.tool.name} can be tested for this")


def _within(arg: str, bounds: Iterable[SetBound]) -> tuple[Limit, ...]:
    inverse = {"above": "at_most", "below": "at_least", "at_least": "below", "at_most": "above"}
    return (replace(Limit(arg=arg), **{inverse[one.side]: one.number for one in bounds}),)
