"""Reads "you may open issues and comment on them, nothing else": a permission, and all other tools are forbidden.

Two whole sentences that are joined ("never send invoices and never create coupons") are read one by one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.label_arguments import is_state_label
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_AGENT = r"(?:you|(?:the|this|my|our|your) (?:ai )?(?:agent|assistant|bot|model))"
# "With issues, you may ..., nothing else" may be about issues only, and so may "in ~/work, ...".
_CLOSED = re.compile(
    rf"(?P<first>(?:please )?(?:{_AGENT} (?:may|can|is allowed to|are allowed to) |feel free to )?)(?:just |only )?"
    r"(?P<acts>(?:[a-z]+ )[^;:]+?)(?:,|;|\.| -| \u2014)?(?: and| but)?(?: please)?(?:(?: do)? nothing (?:else|more)"
    r"(?: at all)?|"
    r"(?:(?<=[,;.\u2014-])|(?<= and)) that(?:['\u2019]s| is) (?:it|all|everything))[.!]*",
    re.IGNORECASE,
)
_NEVER = rf"(?:never|do not|don't|{_AGENT} (?:must|may|can|should) ?not|{_AGENT} (?:must|may|should) never)"
_BAD = r"(?:is|are)(?: not|n't) (?:allowed|permitted|ok|okay)|(?:is|are) (?:forbidden|prohibited|off[- ]limits)"
_ASK = r"(?:always |please )?(?:ask|check with) (?:me )?(?:first )?before"
_TWO = re.compile(
    rf"(?P<first>(?:please )?(?:{_AGENT} (?:may|can) (?!not|never)|feel free to |{_NEVER} )[^;:]+?)"
    rf"(?:(?:,|;)? (?:and|but)|;) (?P<second>{_NEVER} [^;:,]+?|{_ASK} [^;:,]+?|"
    rf"[a-z]+ing(?: (?!is\b|are\b)[^\s,;:]+)* (?:{_BAD}))[.!]*",
    re.IGNORECASE,
)
# "You may read invoices, but not change anything"
_NOT = re.compile(
    r"\bbut (?:not|can['\u2019]t|cannot|may not) "
    r"(?=(?:change|modify|edit|alter|update|delete|create|send|write|add|remove) any(?:thing)?\b)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\bbut (?P<verb>change|modify|edit|alter|update|delete|create|send|write) nothing\b(?: at all)?(?=[.!]*$)",
    re.IGNORECASE,
)
_REFERRING = re.compile(
    r"\b(?:it|its|them|their|they|one|ones|there|that|this|these|those|either|too|also|so|any[.!]*$|same|such)\b",
    re.IGNORECASE,
)
_FRONTS = re.compile(r"(?:with|for|in|on|at|if|when|while|never|no|do not|don't|nothing|ask)\b", re.IGNORECASE)


_ONLY_TOOLS = re.compile(
    rf"(?:please )?(?:{_AGENT} (?:may|can|must|should) )?(?:only use|use only) the (?P<names>[\w, -]+?) tools?"
    r"(?:,? and nothing else)?[.!]*|"
    rf"(?:please )?(?:{_AGENT} (?:may|can) )use the (?P<named>[\w, -]+?) tools? only[.!]*",
    re.IGNORECASE,
)


_ONLY_ACTS = re.compile(
    rf"(?:please )?(?:{_AGENT} (?:may|can|are allowed to|is allowed to) only|only) (?P<acts>[a-z]+ [^;:.]+?)[.!]*",
    re.IGNORECASE,
)


def only_tools_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "you can only use the fetch tool" means: all other tools are forbidden. None if it is no such one."""
    found = _ONLY_TOOLS.fullmatch(text.strip())
    if found is None or toolbox.other_servers:
        return None
    names = re.split(r",? (?:and|or) (?:the )?|, (?:the )?", (found["names"] or found["named"]).lower())
    named = [[one for one in toolbox.tools if _is_called(one, name)] for name in names]
    if not all(len(each) == 1 for each in named):
        return None
    kept = {one.key for each in named for one in each}
    allowed = frozenset(part_of(one) for one in toolbox.tools if one.key in kept)
    return Meaning(allow=allowed, never=frozenset(part_of(one) for one in toolbox.tools if one.key not in kept))


def _is_called(one: KnownTool, name: str) -> bool:
    """Return whether a name is that of a tool, with or without the one of its server."""
    words = re.sub(r"[ -]", "_", name)
    own = "_".join(one.words)
    return words in {own, f"{'_'.join(split_name(one.tool.server))}_{own}"}


def closed_meaning(text: str, toolbox: Toolbox, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what a permission of actions means after which "nothing else" is. None if the sentence is no such one.

    Raises:
        Unclear: the permission is not understood, or is not one for all calls of its tools.
    """
    found = _CLOSED.fullmatch(text.strip())
    if found is None or _FRONTS.match(found["acts"]) or toolbox.other_servers:
        return None
    if len({one.tool.server for one in toolbox.tools}) != 1:
        return None
    meaning = read(f"{found['first']}{found['acts']}.")
    plain = bool(meaning.allow) and not (meaning.ask or meaning.never or meaning.excepted)
    limited = [one for one in meaning.allow if one.where or one.unless]
    allowed = [(one.server, one.tool) for one in meaning.allow]
    clear = len(set(allowed)) == len(allowed) and not any(one.unless for one in limited)
    if not plain or (limited and not clear):
        raise Unclear("'nothing else' may be about the same things elsewhere, or about everything; write two sentences")
    always = {(one.name, tool) for one in toolbox.frame.servers.values() for tool in one.introspection}
    others = frozenset(part_of(one) for one in toolbox.tools if one.key not in {*allowed, *always})
    beyond = frozenset(replace(one, where=(), unless=one.where) for one in limited)
    return Meaning(allow=meaning.allow, never=others | beyond)


def only_meaning(text: str, toolbox: Toolbox, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what "you may only view events" means, where "only" limits no place: nothing else may be done.

    "You may only delete drafts" may be about what is deleted, so that it is only read for what reads. None if the
    sentence is another one.

    Raises:
        Unclear: the permission is not understood.
    """
    found = _ONLY_ACTS.fullmatch(text.strip())
    meaning = found and closed_meaning(f"You may {found['acts']}, nothing else.", toolbox, read)
    reading = {one.key for one in toolbox.tools if one.reads}
    plain = meaning and all(
        (one.server, one.tool) in reading and not (one.where or one.unless) for one in meaning.allow
    )
    return meaning if plain else None


def _two_sentences(text: str) -> tuple[str, ...]:
    """Return the two whole sentences that are joined, of which the second points to nothing of the first, or none."""
    text = _NOT.sub("but never ", text.strip().replace("\u2019", "'"))
    found = _TWO.fullmatch(_NOTHING.sub(lambda one: f"but never {one['verb']} anything", text))
    if found is None or _REFERRING.search(found["second"]):
        return ()
    second = found["second"]
    return f"{found['first']}.", f"{second[0].upper()}{second[1:]}."


def refuse_mixed(text: str, meaning: Meaning, read: Callable[[str], Meaning]) -> None:
    """Refuse a meaning of two joined prohibitions that is another one than that of both alone.

    The verb of one and the things of the other may mean a tool that neither of them is about.

    Raises:
        Unclear: it is another one.
    """
    two = _two_sentences(text)
    if not two or meaning.allow or not meaning.never:
        return
    try:
        first, second = map(read, two)
    except Unclear:
        return
    if {(one.server, one.tool) for one in meaning.parts} - {(one.server, one.tool) for one in (first | second).parts}:
        raise Unclear("together its parts are about other tools than alone; write two sentences")


def two_meanings(text: str, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what two whole sentences that are joined mean together. None if the sentence is no such one.

    Raises:
        Unclear: one is not understood, or what one of them says may be about the other one as well.
    """
    two = _two_sentences(text)
    if not two or '"' in text or "`" in text:
        return None
    first, second = map(read, two)
    both = (first, second)
    asks = bool(first.allow) and bool(second.ask) and not (first.ask or first.never or second.never)
    if any(one.excepted or (one.ask and not asks) for one in both) or second.allow:
        raise Unclear("what is asked about or excepted may be about both parts; write two sentences")
    if not asks and bool(first.allow) is bool(first.never):
        raise Unclear("what is asked about or excepted may be about both parts; write two sentences")
    tools = [{(part.server, part.tool) for part in one.parts} for one in both]
    limits = [not all(map(_has_no_limit_said, one.parts)) for one in both]
    # What must never be done comes before any permission, and leaves some of it.
    apart = bool(first.allow and second.never) and all(
        part.where for part in second.never if (part.server, part.tool) in tools[0]
    )
    if (tools[0] & tools[1] and not apart) or any(limits):
        raise Unclear("a limit or tool of one part may be of the other one as well; write two sentences")
    return first | second


def _has_no_limit_said(part: ToolPart) -> bool:
    """Return whether the tests of a part only say what its verb does: to label, to archive, to invite anybody."""
    tests = (*part.where, *part.unless)
    named = {limit.arg for limit in tests if limit.among}
    states = all(is_state_label(limit) for limit in tests if limit.among)
    given = all(limit.state is not None or limit.among or (limit.size and limit.above == 0) for limit in tests)
    return not tests or (given and states and None not in named)
