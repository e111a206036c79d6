"""Verbs that people use for what the tools at hand call otherwise: to call off is to cancel, to turn down is to reject.

A verb is only replaced if no tool says it, and if the tools have exactly one of the verbs that it can stand for: where
a file can be deleted and be moved to the trash, "throw away" stays, and is not understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.timed_arguments import length_argument
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

# What is said in its three forms (a particle is split off by "_"), and the verbs of tools that it can stand for.
_SPOKEN = """
call/calling/called_off: cancel
annul/annulling/annulled: void
reimburse/reimbursing/reimbursed: refund
turn/turning/turned_down: reject decline
restart/restarting/restarted: reboot restart
reboot/rebooting/rebooted: restart reboot
make/making/made_out: create issue
put/putting/put_out: publish post
amend/amending/amended: update edit amend
answer/answering/answered: reply respond answer
hand/handing/handed_over: assign transfer
nudge/nudging/nudged: remind nudge
compose/composing/composed: write compose
tick/ticking/ticked_off: complete
check/checking/checked_off: complete
cross/crossing/crossed_off: complete
duplicate/duplicating/duplicated: copy clone duplicate
advertise/advertising/advertised: promote
advertise/advertising/advertised: boost
relocate/relocating/relocated: move
transmit/transmitting/transmitted: send
dispatch/dispatching/dispatched: ship dispatch
settle/settling/settled: pay settle
give/giving/given_back: refund
pay/paying/paid_back: refund
share/sharing/shared: upload
purchase/purchasing/purchased: buy purchase order
discard/discarding/discarded: delete discard trash
"""
# These delete in whatever way the tools here do, if there is one way.
_DISCARDING = ("throw/throwing/thrown_away", "throw/throwing/thrown_out")
_DELETING = word_set("trash delete discard erase purge destroy")
_FOLDERS = word_set("folder directory mailbox label category")
_FORMS = ("base", "ing", "ed")
_NO_OBJECT = "off away down out over up in on and or to"
_STOP = r"(?=[.,;!]|$| (?:and|or|without|unless|if|before|after|in|on|for|from|above|over|under)\b)"
_OBJECT = rf"(?P<object>(?:(?!(?:{'|'.join(_NO_OBJECT.split())})\b)[a-z]+ ){{1,3}})"
_QUOTED = re.compile(r"(`[^`]*`|\"[^\"]*\")")
_NEEDS_TO = word_set("reply respond")
_PLACES = (
    (r"\b(?P<verb>put|putting)(?P<object>(?: [a-z]+){1,3}) (?:on the (?:web|internet)|online)\b", "publish"),
    (r"\b(?P<verb>move|moving|put|putting)(?P<object>(?: [a-z]+){1,3}) (?:in|to|into) the (?:trash|bin)\b", "trash"),
)
_LEFT = re.compile(r"\b(?P<verb>leave|leaving)(?P<object> (?:[a-z]+ ){0,2}(?:comment|note|reply|review)s?)" + _STOP)
_TIMESHEETS = word_set("worklog timelog timesheet")
_LOGGED = re.compile(
    r"\b(?P<verb>log|book|record|enter|track|report|logging|booking|recording|entering|tracking|reporting) "
    r"(?P<more>(?:more than|over) \w+ (?:hours?|minutes?)\b)"
    r"(?! (?:of|per|an?|each|every|daily|weekly|altogether|(?:in|within) (?:total|all|(?:an?|one|any|every|each) "
    r"(?:single )?(?:day|week|month|hour))))",
    re.IGNORECASE,
)
_OFF = re.compile(r"\b(?P<verb>take|taking)(?P<object> (?:[a-z]+ ){1,3})off(?= (?:an?|the|my|our|any) )")


def with_known_verbs(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "cancel" for "call off", if the tools cancel something. Quoted text stays."""
    pieces = _QUOTED.split(text)
    return "".join(one if at % 2 else _plain(one, toolbox) for at, one in enumerate(pieces))


def _plain(text: str, toolbox: Toolbox) -> str:
    for pattern, verb in _PLACES:
        if verb == "publish" or _has_trash(toolbox):  # what is put on the web is on no page of it
            text = re.sub(pattern, lambda found, verb=verb: f"{_form_like(found['verb'], verb)}{found['object']}", text)
    text = _logging(text, toolbox)
    text = _LEFT.sub(lambda found: f"{_form_like(found['verb'], 'add')}{found['object']}", text)
    if "remove" in toolbox.verbs:
        text = _OFF.sub(lambda found: f"{_form_like(found['verb'], 'remove')}{found['object']}from", text)
    for line in _SPOKEN.split("\n"):
        if line:
            said, _, others = line.partition(": ")
            forms, _, particle = said.partition("_")
            text = _with(text, forms.split("/"), particle, others.split(), toolbox)
    discarding = _discarding(toolbox)
    for said in _DISCARDING if discarding and "throw" not in toolbox.verbs else ():
        forms, _, particle = said.partition("_")
        text = _replaced(text, forms.split("/"), particle, discarding)
    return text


def _logging(text: str, toolbox: Toolbox) -> str:
    """Return "add a worklog of more than 8 hours" for "log more than 8 hours", if one tool here enters times."""
    found = [one for one in toolbox.tools if one.head in _TIMESHEETS and not one.reads and length_argument(one)]
    verbs = {verb for one in found for verb in one.verbs}
    if len(found) != 1 or len(verbs) != 1 or not verbs <= {"add", "create", "log", "enter", "record"}:
        return text
    noun = split_name(found[0].tool.name)[1:]
    return _LOGGED.sub(
        lambda each: f"{_form_like(each['verb'], next(iter(verbs)))} a {' '.join(noun)} of {each['more']}", text
    )


def _discarding(toolbox: Toolbox) -> str:
    """Return the verb by which the tools delete things. "" if there are several, or a tool removes the same things."""
    verbs = _DELETING & toolbox.verbs
    heads = {one.head for one in toolbox.tools if one.verbs & verbs}
    removed = any("remove" in one.verbs and one.head in heads for one in toolbox.tools)
    return next(iter(verbs)) if len(verbs) == 1 and not removed else ""


def _has_trash(toolbox: Toolbox) -> bool:
    """Return whether a tool moves things to the trash, and no other one may do so: into a folder, or by deleting."""
    deleting = (one for one in toolbox.tools if one.verbs & {"delete", "remove"} and one.told_words & {"trash", "bin"})
    moving = (one for one in toolbox.tools if not one.reads and one.argument_words & _FOLDERS)
    others = (*deleting, *moving)
    return "trash" in toolbox.verbs and not others


def _with(text: str, forms: Sequence[str], particle: str, others: Sequence[str], toolbox: Toolbox) -> str:
    """Return a sentence with the only verb that a spoken one stands for here."""
    known = [one for one in others if one in toolbox.verbs]
    own = f"{forms[0]}_{particle}" if particle else forms[0]
    if len(known) != 1 or own in toolbox.verbs or (particle and forms[0] in toolbox.verbs - {"make", "put"}):
        return text
    return _replaced(text, forms, particle, known[0])


def _replaced(text: str, forms: Sequence[str], particle: str, other: str) -> str:
    """Return a sentence with another verb in the same form. The object may stand before the particle."""
    for form, word in zip(_FORMS, forms, strict=True):
        verb = in_form(other, form)
        if not particle:
            joint = " to" if other in _NEEDS_TO else ""
            text = re.sub(
                rf"(?<![-#@/.])\b(?P<first>{word})\b(?![-/_]|\.\w)(?P<to>(?= (?:to|in|on)\b)| |$|(?=[.,;]))",
                lambda found, verb=verb, joint=joint: _joined(found, verb, joint),
                text,
                flags=re.IGNORECASE,
            )
            continue
        text = re.sub(rf"(?<![-#@/.])\b{word} {particle}\b(?! of\b|[-/_])", verb, text, flags=re.IGNORECASE)
        text = re.sub(
            rf"\b{word} {_OBJECT}{particle}{_STOP}",
            lambda found, verb=verb: f"{verb} {found['object'].rstrip()}",
            text,
            flags=re.IGNORECASE,
        )
    return text


def _joined(found: re.Match[str], verb: str, joint: str) -> str:
    """Return "reply to " before an object, and "reply" before "in", "to" and the end."""
    return f"{verb}{joint if found['to'] else ''}{found['to']}"


def _form_like(word: str, verb: str) -> str:
    return in_form(verb, "ing" if word.lower().endswith("ing") else "base")


def in_form(verb: str, form: str) -> str:
    """Return a regular verb as "cancel", "canceling" or "canceled"."""
    if form == "base":
        return verb
    if form == "ing":
        return f"{verb.removesuffix('e')}ing"
    return f"{verb[:-1]}ied" if verb.endswith("y") else f"{verb.removesuffix('e')}ed"
