"""Finds words of a sentence that its reading loses or takes for something else.

A flag that is named and not tested, "to" before what is tested as a source, a name that is tested as an id: each speaks
against the reading.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.doubtful_phrases import doubtful_phrase
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.tools.known_tools import ID_OR_NAME, split_name
from retouch.recipes.policy.english.tools.project_paths import takes_either
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.words.rates import NUMBER_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.policy.english.checking.agreeing_tools import Part
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Mood, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

_SOURCES = word_set("from source src origin old current local")
_TARGETS = word_set("to target dest destination new remote into")
_SMALL_FLAG_WORDS = word_set("is at in on the a do be as of")
_CAPITAL = re.compile(r"[A-Z][a-z]+")
_BOUNDS = word_set("since until after before")  # of a time: no single value is meant
_BASES = word_set("from base source origin parent ref start")
_BEFORE_TIMES = word_set("after before on during between at until from outside")
_NAMES_FILES = word_set("host hostname server domain site machine") | word_set(
    "path paths file files filename name names uri url location directory folder source destination"
)
_FILE = re.compile(r"[\w.-]*\w\.[A-Za-z]{1,5}|[A-Z][a-z]+file")
_OTHERS = re.compile(r"\bothers? \w")
_DEMANDS = re.compile(r"(?:please )?(?:always|use)\b")
_INSIDE = re.compile(r"\b(?:outside|under|underneath|beneath|below|inside|within|anything in|everything in)\b")
_PATH = re.compile(r"\bpath\b", re.IGNORECASE)
_ONE_PERSON = re.compile(
    r"\ba (?:customer|client|person|contact|user|member|guest|patient|student|colleague|friend|lead|supplier)\b"
)
_ON_A_NEW_SIDE = re.compile(r"\b(?:to|into|onto)(?: (?:the|a|an|my|our|any|all|files?|folders?|names?))*$")
_OF_ANYTHING = re.compile(
    r"\b(?:to|into|onto) (?:anything|something|a name|names|files?|folders?|addresses|an? [a-z]+)"
    r"(?: (?:that|which))? (?:starting|beginning|ending|starts?|begins?|ends?|containing|contains?|named|called)\b"
)


def lost_word(text: str, tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Return which word of a sentence speaks against a reading, as a reason. "" if none does."""
    plain = " ".join(one.text or one.raw.lower() for one in tokens)
    known = {one.key: one for one in toolbox.tools}
    tested: dict[str, set[str | None]] = {}
    for _, _, part in parts:
        tested.setdefault(part.tool, set()).update(limit.arg for limit in (*part.where, *part.unless))
    for _, _, part in parts:
        one = known.get((part.server, part.tool))
        why = "" if one is None else _wrong_in(plain, one, part, tested[part.tool])
        if why:
            return f"{part.tool} {why}"
    if _is_apart(text, tokens, parts, known):
        return "its time may be that of all of it"
    if _may_demand(text, parts):
        return "it may demand this of every call, and permit none"
    if _adds_whole_tools(parts):
        return "a tool is restricted without the limit that the sentence has"
    limits = [limit for _, _, part in parts for limit in (*part.where, *part.unless)]
    if _loses_subdomains(text, limits):
        return "the subdomains of a host are not tested"
    timed = any(limit.arg and (limit.hours or limit.days) for limit in limits)
    why = doubtful_phrase(text.lower().rstrip(" ."), timed=timed) or _lost_of_clauses(text, parts, known)
    return why or _overlapping(parts) or _only_of_subject(text, parts, toolbox) or _owned(text, parts, known)


def _loses_subdomains(text: str, limits: Sequence[Limit]) -> bool:
    """Return whether a sentence names the subdomains of a host, and does not simply include them."""
    plain = text.lower().replace("sub-domain", "subdomain")
    wild = any(host.startswith("*.") for limit in limits for host in limit.domains)
    return "subdomain" in plain and not (wild and re.search(r"\.[a-z]{2,} and (?:all )?its subdomains", plain))


def _is_of_path(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is a path in which others are. That of a project is one that is named as a whole."""
    return _PATH.search(one.described(arg)) is not None and not takes_either(one, arg)


def _may_demand(text: str, parts: Sequence[Part]) -> bool:
    """Return whether "always create private repositories" would be read as a permission."""
    tested = any(part.where or part.unless for _, _, part in parts)
    return tested and all(mood == "allow" for mood, _, _ in parts) and _DEMANDS.match(text.lower()) is not None


def _wrong_in(plain: str, one: KnownTool, part: ToolPart, tested: Collection[str | None]) -> str:
    """Return why what one tool is tested for is not what the sentence says. "" if nothing speaks against it."""
    limits = (*part.where, *part.unless)
    pairs = list(combinations(part.where, 2))
    copied = {word for word in ("cc", "bcc") if re.search(rf"\b{word}\b", plain) and word in one.tool.args}
    found = {
        "is tested for two values of one argument": any(_excludes(*pair) for pair in pairs),
        "is tested for two limits of one argument, which may be alternatives": any(
            _bounds_again(*pair) for pair in pairs
        ),
        "has a value 'other', and the sentence may mean other ones": bool(_OTHERS.search(plain))
        and any("other" in limit.among for limit in limits),
        "takes a path, and is tested for a single one": _INSIDE.search(plain) is not None
        and any(limit.among and _is_of_path(one, limit.arg or "") for limit in limits),
        "takes an id, and no name": any(_is_name_of_id(one, limit) for limit in limits),
        "is not tested for who gets a copy": bool(copied) and any(one.role == "email-address" for one in limits),
        "is tested for where it takes something from, and the sentence says where to": any(
            _is_source(plain, one, limit) for limit in limits
        ),
        "has an argument for what it is made from, which is not tested": any(
            _is_of_base(plain, one, limit) for limit in limits
        ),
        "is tested for the other side of where something goes": any(
            _is_wrong_side(plain, limit) for limit in (*part.where, *_of_other_places(part))
        ),
        "has a time beside another limit of 'only'": _is_mixed_only(part),
        "is tested for a word that is no such value": any(_is_no_value(one, limit) for limit in limits),
        "is tested for a word that stands for anybody": re.search(r"\b(?:to|with|for) anyone\b", plain) is not None
        and any("anyone" in limit.among for limit in limits),
        "is not tested for whom it is": any(_is_for_some(plain, one, arg) for arg in set(one.tool.args) - {*tested}),
        "has the new value, and not the one before": any(not limit.state for limit in part.where)
        and _has_new_value(plain, one),
        "is counted for all together, and the sentence may mean each": bool(_ONE_PERSON.search(plain))
        and any(limit.count and not limit.same for limit in part.where),
    }
    flag = next((arg for arg in (*_named_flags(plain, one), *_other_forces(one, tested)) if arg not in tested), "")
    why = next((text for text, is_so in found.items() if is_so), "")
    return why or (f"has an argument {flag!r} that is not tested" if flag else "")


def _is_for_some(plain: str, one: KnownTool, arg: str) -> bool:
    """Return whether "events for all attendees" names an argument of a tool that makes or changes such things."""
    noun = singular(split_name(arg)[-1]) if one.takes_text(arg) or arg in one.lists else ""
    return (
        bool(noun) and noun != one.head and re.search(rf"\bfor (?:all |the |any |every )?{noun}s?\b", plain) is not None
    )


def _has_new_value(plain: str, one: KnownTool) -> bool:
    """Return whether "tickets with high priority" is tested as the priority that a ticket gets."""
    said = rf"\b{one.head}s? (?:with|without) (?!(?:asking|checking|my|our|permission|approval|consent|me)\b)"
    return not one.verbs.isdisjoint(CHANGING) and re.search(said, plain) is not None


def _excludes(one: Limit, other: Limit) -> bool:
    """Return whether no call passes two tests of one argument: other values, or other directories."""
    if (one.arg, one.role) != (other.arg, other.role):
        return False
    apart = bool(one.within and other.within) and not any(
        mine.startswith(theirs) or theirs.startswith(mine) for mine in one.within for theirs in other.within
    )
    return apart or (bool(one.among) and bool(other.among) and set(one.among).isdisjoint(other.among))


def _bounds_again(one: Limit, other: Limit) -> bool:
    """Return whether two tests bound the same amount from the same side, or name hours of the same time."""
    if (one.arg, one.sum, one.role) != (other.arg, other.sum, other.role) or one.per != other.per:
        return False
    low = [test.at_least is not None or test.above is not None for test in (one, other)]
    high = [test.at_most is not None or test.below is not None for test in (one, other)]
    return all(low) or all(high) or bool(one.hours and other.hours)


def _is_name_of_id(one: KnownTool, limit: Limit) -> bool:
    """Return whether a name is given to an argument that is an id, and not "ID or name of the calendar"."""
    words = split_name(limit.arg or "")
    named = ID_OR_NAME.search(one.described(limit.arg or "")) is not None
    return words[-1:] in (["id"], ["ids"]) and not named and any(_CAPITAL.fullmatch(str(one)) for one in limit.among)


def _is_source(plain: str, one: KnownTool, limit: Limit) -> bool:
    """Return whether "to" stands before what is tested as a source or an old name, of a tool with a target."""
    words = set(split_name(limit.arg or ""))
    targets = {arg for arg in one.tool.args if _TARGETS & set(split_name(arg))}
    if not words or not targets or limit.arg in targets:
        return False
    if _OF_ANYTHING.search(plain) and limit.like:
        return True
    values = [str(value).strip("*").lower() for value in (*limit.among, *limit.like)]
    plain = _CHANGES_TO.sub("", plain)
    before = (plain[: found.start()].rstrip() for value in values for found in re.finditer(re.escape(value), plain))
    return any(map(_ON_A_NEW_SIDE.search, before)) and not words.isdisjoint(_SOURCES)


def _is_wrong_side(plain: str, limit: Limit) -> bool:
    """Return whether "to ~/out" is tested as what is read, or "from ~/in" as what is written."""
    for value in map(re.escape, map(str.lower, limit.within)):
        to = re.search(rf"\b(?:to|into|onto) {value}(?![\w/.-])", plain) is not None
        since = re.search(rf"\b(?:from|(?<!keep )(?<!stay )out of) {value}(?![\w/.-])", plain) is not None
        if to != since and limit.role == ("read-path" if to else "write-path"):
            return True
    return False


def _of_other_places(part: ToolPart) -> Iterator[Limit]:
    """Yield the tests that spare calls, without those for the places that are tested: what stays in them is spared."""
    tested = {limit.within for limit in part.where}
    yield from (limit for limit in part.unless if limit.within not in tested)


def _is_mixed_only(part: ToolPart) -> bool:
    """Return whether all is forbidden but what has a time and something else: "files in ~/in only on Mondays"."""
    timed = [bool(limit.hours or limit.days) for limit in part.unless]
    places = {limit.within for limit in part.unless if limit.within}
    spans = {(limit.hours, limit.days) for limit in part.unless if limit.state is None}
    of_one_thing = len(spans) == 1 and all(limit.is_written_time for limit in part.unless if limit.state is None)
    return not part.where and len(timed) > 1 and not of_one_thing and (any(timed) or len(places) > 1)


def _is_of_base(plain: str, one: KnownTool, limit: Limit) -> bool:
    """Return whether "branches from main" is tested as the new branch, of a tool that takes what it is made from."""
    if limit.arg and not _BASES.isdisjoint(split_name(limit.arg)):
        return False
    bases = [arg for arg in one.tool.args if not _BASES.isdisjoint(split_name(arg))]
    return bool(bases) and any(
        re.search(rf"\b(?:from|off|based on)(?: the| my)? {re.escape(str(value).lower())}(?!\S)", plain)
        for value in limit.among
    )


def _is_no_value(one: KnownTool, limit: Limit) -> bool:
    """Return whether a file name, a number in words or the word of a thing is tested where it can be none."""
    arg = limit.arg or ""
    if not arg or limit.arg in one.listed:
        return False
    named = bool(_NAMES_FILES & set(split_name(arg))) or one.tool.args[arg].default != ("none",)
    for value in (str(one) for one in limit.among):
        if _FILE.fullmatch(value) and not named:
            return True
        if (
            value in NUMBER_WORDS | {"zero", "none"}
            or not _BOUNDS.isdisjoint(split_name(arg))
            or (value.endswith("s") and singular(value) in one.vocabulary)
        ):
            return True
    return False


def _other_forces(one: KnownTool, tested: Collection[str | None]) -> Iterator[str]:
    """Yield the flags that force as a tested one does: `force_with_lease`."""
    forces = [arg for arg in one.flags.values() if "force" in split_name(arg)]
    yield from forces if {*forces} & {*tested} else ()


def _named_flags(plain: str, one: KnownTool) -> Iterator[str]:
    """Yield the arguments that are true or false and that a sentence names in full."""
    said = {form for word in plain.split() for form in (singular(word), *bases_of(word, form="ing"))}
    for arg in one.flags.values():
        words = {singular(word) for word in split_name(arg)} - _SMALL_FLAG_WORDS
        if words and words <= said and not words <= {*one.nouns, *one.verbs}:
            yield arg


def _only_of_subject(text: str, parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Refuse "only" before an action or a kind of things whose place or amount is said later.

    "Only uploading is fine from ~/outbox" may forbid all else, or uploads from elsewhere.
    """
    if re.match("only you ", text.lower()):
        return "'only you' says who, and not what"
    found = re.match(r"only (?P<subject>[a-z]+) (?:may|can|is|are|should|must)\b", text.lower())
    subject = singular(found["subject"]) if found else ""
    ours = subject.endswith("ing") or any(subject in {one.head, *one.nouns} for one in toolbox.tools)
    tested = any(part.where or part.unless for _, _, part in parts)
    return "'only' can be about the action or about its limit" if subject and ours and tested else ""


_CHANGES_TO = re.compile(r"\b(?:edit|change|update|modification|alteration)s? to\b")
_PROVIDED = re.compile(r"\b(?:as long as|so long as|provided|on condition)\b")
_EXCEPT_WHEN = re.compile(r"\b(?:except|unless)(?: when| if| where)? (?:they|it) (?:are|is)\b")
_MADE = re.compile(r"\b(?:creat|mak|open|add|fil|post|publish)(?:e|es|ed|ing|s)?\b")
_THEM = re.compile(r"\b(?:but|nor|and|or)\b.*\b(?:them|it|those)\b")
_NEVER_MORE = re.compile(r"\b(?:never|not|no) more\b")
_LATER_TIME = re.compile(r", (?:after|before|on|during|between|at|from) [^,]*$")


def _lost_of_clauses(text: str, parts: Sequence[Part], known: dict[tuple[str, str], KnownTool]) -> str:
    """Return what a clause of a sentence may lose that stands in another one. "" if nothing."""
    plain = text.lower()
    ours: list[tuple[Mood, ToolPart]] = [
        (mood, part)
        for mood, _, part in parts
        if (one := known.get((part.server, part.tool))) is not None and not one.code
    ]
    bare = any(mood != "allow" and not part.where and not part.unless for mood, part in ours)
    placed = any(limit.within for _, part in ours for limit in (*part.where, *part.unless))
    flagged = any(limit.among in {(True,), (False,)} for _, part in ours for limit in part.where)
    counted = any(limit.is_total for _, part in ours for limit in part.where)
    if flagged and _EXCEPT_WHEN.search(plain) and _MADE.search(plain) is None:
        return "its exception may be about what there is, and not about what the call makes"
    if bare and _PROVIDED.search(plain):
        return "a tool that it is about has no argument for the condition"
    if bare and placed and _THEM.search(plain):
        return "a pronoun may stand for what is in the place that is named before"
    if flagged and all(mood == "allow" for mood, _ in ours) and re.search(r" (?:and|or) ", plain):
        return "what the one is may be what the other is, too"
    if counted and _NEVER_MORE.search(plain) and _is_shared_limit(ours):
        return "the limit may be that of all its actions"
    return ""


def _is_shared_limit(parts: Sequence[tuple[Mood, ToolPart]]) -> bool:
    """Return whether not all that is permitted is counted, or not all together."""
    counted = {part.tool for _, part in parts if any(limit.is_total for limit in part.where)}
    tests = {
        tuple(str(limit) for limit in part.where if not limit.is_total)
        for mood, part in parts
        if part.tool in counted and (mood == "allow" or any(limit.is_total for limit in part.where))
    }
    return bool({part.tool for mood, part in parts if mood == "allow"} - counted) or len(tests) > 1


def _is_apart(
    text: str, tokens: Sequence[Token], parts: Sequence[Part], known: dict[tuple[str, str], KnownTool]
) -> bool:
    """Return whether a time at the beginning, or after a comma at the end, is tested for some actions only."""
    if tokens[0].text not in _BEFORE_TIMES and _LATER_TIME.search(text.lower()) is None:
        return False
    ours = [part for _, _, part in parts if (one := known.get((part.server, part.tool))) is None or not one.code]
    timed = [any(limit.hours or limit.days for limit in (*part.where, *part.unless)) for part in ours]
    return any(timed) and not all(timed)


def _adds_whole_tools(parts: Sequence[Part]) -> bool:
    """Return whether a tool is restricted as a whole, and with a limit as well."""
    bare = {(mood, one.tool) for mood, _, one in parts if mood != "allow" and not one.where and not one.unless}
    limited = {(mood, one.tool) for mood, _, one in parts if mood != "allow" and (one.where or one.unless)}
    return not bare.isdisjoint(limited)


def _overlapping(parts: Sequence[Part]) -> str:
    """Refuse "up to 50 is fine, up to 100 ask": the second limit may begin where the first one ends."""
    for mood, _, one in parts:
        for other_mood, _, other in parts:
            if mood == "allow" != other_mood and one.tool == other.tool and _is_within(one, other):
                return "a limit may begin where another one ends"
    return ""


def _is_within(one: ToolPart, other: ToolPart) -> bool:
    def highs(part: ToolPart) -> dict[str, float]:
        tops = ((limit.arg, limit.at_most if limit.at_most is not None else limit.below) for limit in part.where)
        return {arg: top for arg, top in tops if arg and top is not None}

    def lows(part: ToolPart) -> set[str]:
        return {limit.arg for limit in part.where if limit.arg and (limit.above or limit.at_least)}

    mine, theirs = highs(one), highs(other)
    return any(arg in mine and mine[arg] <= top and arg not in lows(other) for arg, top in theirs.items())


def _owned(text: str, parts: Sequence[Part], known: dict[tuple[str, str], KnownTool]) -> str:
    """Refuse "change the email of a contact" if it is read as about emails: it is about contacts."""
    for thing, owners in re.findall(r"\bthe ([a-z]+) of (?:a|an|any|the|my|our) ([a-z]+(?: [a-z]+)?)", text.lower()):
        for _, _, part in parts:
            one = known.get((part.server, part.tool))
            if one is None or one.head != singular(thing):
                continue
            if {*one.nouns, *one.argument_words, *one.told_words}.isdisjoint(map(singular, owners.split())):
                return f"{part.tool} is not about the {thing} of a {owners}"
    return ""
