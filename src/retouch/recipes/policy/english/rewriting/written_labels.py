"""Replaces what is done with the labels of e-mails by verbs: "put labels on messages" is to label them.

Only where a tool has one argument for labels that it adds, and one for those that it removes. `unlabel` and `relabel`
are no words that people use, so that nothing else can mean them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.label_arguments import LABELLING, label_arguments
from retouch.recipes.policy.english.tools.said_verbs import in_form
from retouch.recipes.policy.english.words.lexicon import in_case_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ONES = r"(?:(?:an?|any|the|my|our|new|other|existing|all|single|of my) )*"
_KINDS = r"(?:e-?mails?|messages?|mails?|threads?|conversations?)"
_END = r"(?=[.,;!]?$|, | (?:without|unless|but|and|or|is|are|needs?|only|on|at|between|before|after) ?)"
_MAILS = rf"(?P<ones>{_ONES})(?P<mails>{_KINDS}){_END}"
_DO = re.compile(
    rf"\b(?:put|add|apply|attach|assign|set|stick)(?:t?ing)? {_ONES}labels? (?:on|to|onto) {_MAILS}", re.IGNORECASE
)
_UNDO = re.compile(
    rf"\b(?:remov(?:e|ing)|tak(?:e|ing)|strip(?:ping)?) {_ONES}labels? (?:from|off(?: of)?) {_MAILS}", re.IGNORECASE
)
# "Put labels on messages or take them off"
_BOTH = re.compile(
    rf"\b(?:put|add|apply|attach)(?P<ing>(?:t?ing)?) {_ONES}labels? (?:on|to|onto) (?P<mails>{_ONES}{_KINDS})"
    r"(?P<joint>,? (?:and|or) )(?:tak|remov)(?:e|ing) (?:them|it)(?: off| away)?(?: again)?"
    r"(?=[.,;!]?$|[,;] | (?:without|unless|but) )",
    re.IGNORECASE,
)
# "You may add and remove labels": on e-mails, and the labels themselves stay
_ADDED = re.compile(
    r"(?P<who>^[Yy]ou (?:may|can)(?: also)? )(?:add|apply|assign|set|put on)(?: and | or |/)(?:remove|take off|take "
    r"away|clear) (?:(?:any|my|the) )?labels?(?=[.!]?$|,? but |, (?:never|not))"
)
# What is taken out of the inbox is archived, or deleted
_OUT_OF_INBOX = re.compile(
    rf"\b(?P<verb>remov|tak|mov)(?:e|(?P<ing>ing)) (?P<mails>{_ONES}{_KINDS}) (?:from|out of|off) (?:my |the |our "
    r")?inbox\b",
    re.IGNORECASE,
)
_RESTRICTS = re.compile(
    r"(?:please )?(?:never|do not|don['\u2019]t|(?:always )?ask|check with|you must not)\b", re.IGNORECASE
)
_OTHERS = r"(?:between|to (?:an)?other|to different|in and out of)"
_BETWEEN = re.compile(
    rf"\bmov(?:e|ing) (?P<ones>{_ONES})(?P<mails>{_KINDS}) {_OTHERS} (?:labels?|folders?)\b", re.IGNORECASE
)
_CHANGED = re.compile(
    rf"\b(?:chang(?:e|ing)|modify(?:ing)?|edit(?:ing)?|updat(?:e|ing)) (?:the )?labels (?:of|on) {_MAILS}",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b[Ll]abels? (?P<may>(?:may|can|must|should)(?: only| not| never)?) be "
    rf"(?P<how>put|added|applied|attached|removed|taken) (?:on|to|onto|from|off) {_MAILS}"
)
_MARKED = re.compile(
    rf"\b(?:mark|flag|report)(?P<form>(?:g?ing|g?ed)?) (?P<what>(?:{_ONES}{_KINDS}|them|it|those|these|anything|"
    r"everything) )?as "
    r"(?P<state>read|unread|spam|junk|important|starred|archived)\b",
    re.IGNORECASE,
)
_INTO = re.compile(
    rf"\b(?:mov|put|send|drop|throw)(?P<form>e|t?ing|p?ing|ed)? (?P<what>(?:{_ONES}{_KINDS}|them|it|those|these|"
    r"anything|everything) )"
    r"(?:in|into|to) (?:the |my )?(?P<state>trash|bin|spam|junk|archive)(?: folder)?\b",
    re.IGNORECASE,
)
_VERBS = {
    "junk": "markspam", "starred": "star", "archived": "archive", "archive": "archive", "trash": "trash",
    "bin": "trash",
}  # fmt: skip
_PAIRS = ((_DO, "label"), (_UNDO, "unlabel"), (_BETWEEN, "relabel"), (_CHANGED, "relabel"))


def with_plain_labels(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "label emails" for "put labels on emails". Quoted text stays."""
    tools = [one for one in toolbox.tools if label_arguments(one)]
    others = any(one.verbs & LABELLING and not label_arguments(one) for one in toolbox.tools)
    if not tools or others or "`" in text or '"' in text:
        return text
    text = _ADDED.sub(lambda found: f"{found['who']}label emails or unlabel emails", text)
    text = _BOTH.sub(_put_and_taken, text)
    if _RESTRICTS.match(text):
        text = _OUT_OF_INBOX.sub(_archived, text)
    for pattern, verb in _PAIRS:
        text = pattern.sub(lambda found, verb=verb: _plain(found, verb), text)
    return _PASSIVE.sub(_done, _INTO.sub(_in_state, _MARKED.sub(_in_state, text)))


def _in_state(found: re.Match[str]) -> str:
    """Return "markread emails" for "mark emails as read", in the form of the phrase."""
    verb = _VERBS.get(found["state"].lower(), f"mark{found['state'].lower()}")
    form = (found["form"] or "").lower()
    said = in_form(verb, "ing" if form.endswith("ing") else "ed" if form.endswith("ed") else "base")
    what = re.sub(r"(?:any|every)thing", "emails", found["what"] or "", flags=re.IGNORECASE)
    return " ".join((in_case_of(found[0], said), *what.split()))


def _archived(found: re.Match[str]) -> str:
    """Return "archive or delete emails"."""
    first, second = (in_form(verb, "ing" if found["ing"] else "base") for verb in ("archive", "delete"))
    return f"{in_case_of(found['verb'], first)} or {second} {found['mails']}"


def _put_and_taken(found: re.Match[str]) -> str:
    """Return "label messages or unlabel messages"."""
    form = "ing" if found["ing"] else "base"
    verbs = [in_form(verb, form) for verb in ("label", "unlabel")]
    return f"{in_case_of(found[0], verbs[0])} {found['mails']}{found['joint']}{verbs[1]} {found['mails']}"


def _done(found: re.Match[str]) -> str:
    verb = "unlabeled" if found["how"] in {"removed", "taken"} else "labeled"
    return f"{'Emails' if found[0][0].isupper() else 'emails'} {found['may']} be {verb}"


def _plain(found: re.Match[str], verb: str) -> str:
    """Return the verb in the form of the phrase, and its e-mails."""
    ing = re.match(r"[a-z]+", found[0].lower())
    form = f"{verb}ing" if ing is not None and ing[0].endswith("ing") else verb
    form = in_case_of(found[0], form)
    many = found["mails"].lower().endswith("s") or found["mails"].lower() == "mail"
    return f"{form} {found['ones']}email{'s' if many else ''}"
