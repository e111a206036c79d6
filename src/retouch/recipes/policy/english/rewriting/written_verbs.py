"""Replaces verbs of written English by those of the tools: "end a session", "mail a customer", "delete for good"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.said_verbs import in_form
from retouch.recipes.policy.english.words.lexicon import in_case_of, singular, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_WHOSE = r"(?:(?:an?|any|the|my|our|your|all|every|(?:some|any)(?:body|one)'s|another|a user's|other|running) )*"
_ENDED = re.compile(rf"\b(?P<verb>[Ee]nd|[Ee]nding)(?P<object> {_WHOSE}(?P<noun>[a-z]+))\b(?! (?:time|date|of)\b)")
_ENDING = word_set("terminate stop close finish hangup")
# "Building LIS-A" and "the build" are things.
_BUILT = re.compile(
    r"(?<![-#@/.])(?<!\bthe )(?<!\ba )(?<!\bany )(?<!\bly )\b(?P<verb>[Bb]uild|built|[Bb]uilding(?= "
    r"(?:an?|any|new) ))\b(?![-/_]|\.\w)"
)
_EMPTIED = re.compile(
    r"\b(?:(?P<verb>[Ee]mpty|[Ee]mptying)(?= (?:an?|the|any|my|our|out|all)\b)|(?<=\bbe )(?P<done>emptied))\b"
)
_PREPARED = re.compile(r"(?<=\bbe )(?:prepared|set up|drawn up|put together)\b")
_MADE_ONES = re.compile(
    r"\b(?:[Aa]ny|[Ee]very|[Ee]ach)(?: new)? (?P<noun>[a-z]+(?: request)?)(?: that)? "
    r"(?:you|the agent|the assistant|it|the bot) (?:creates?|sets? up|opens?|makes?|adds?)"
    r"(?=,? (?:must|has to|have to|should|needs? to) be )"
)
_ONE = re.compile(r"(?P<must>\b(?:must|has to|have to|should|needs? to) be )an? (?P<kind>[a-z]+) one(?=[.,;]?$)")
_PERSON = (
    r"(?=(?:(?:an?|any|the|our|my|all|other|new) )*(?:customers?|clients?|people|users?|guests?|patients?|students?|"
    r"members?|suppliers?|candidates?|colleagues?|contacts?|anyone|anybody|someone|somebody|them|[\w.+-]+@[\w-]+\.)\b)"
)
_AFTER_NOUN = r"(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\bmy )(?<!\bour )(?<!\bany )(?<!\bdirect )(?<!\bof )(?<!\bread )"
_MAILED = re.compile(rf"{_AFTER_NOUN}\b(?P<verb>(?:[Ee]-?)?[Mm]ail(?:ing)?) {_PERSON}")
_MESSAGED = re.compile(rf"{_AFTER_NOUN}\b(?P<verb>[Mm]essage|[Mm]essaging) {_PERSON}")
_FOR_GOOD = re.compile(
    r"\b(?:for good|forever|once and for all|irrevocably|irreversibly)\b(?=[.,;]?$|[,;] | (?:is|are|need|with)\b)"
)
_DELETED = r"(?:delet(?:e|ed|ing)|remov(?:e|ed|ing)|eras(?:e|ed|ing))"
_PERMANENTLY = re.compile(
    rf"\b(?:permanently (?P<before>{_DELETED})|(?P<after>{_DELETED})(?P<object>(?: [a-z-]+){{0,5}}) permanently)\b"
)
_FINALLY = re.compile(r"\b(?:permanent(?:ly)?|irrevocabl[ey]|irreversibl[ey]|for good|forever|cannot be undone)\b")
_DELETING = word_set("delete remove erase destroy purge")
_TRASHES = word_set("trash bin recycle archive soft restore undelete recover")
_BY_DOING = re.compile(r"\bby (?P<verb>squash|rebas|merg)ing\b(?=[.,;]?$| (?:them|it)\b)")
_OWN_CODE = re.compile(
    r"\b(?:your|its) own (?P<what>java ?script|scripts?|code|commands?|queries|sql)\b|"
    r"\b(?P<code>java ?script|scripts?|code|commands?|queries|sql) of (?:your|its) own\b",
    re.IGNORECASE,
)
_SOMEBODYS = re.compile(
    r"\b(?:a (?:customer|client|user|patient|guest|member|person|colleague)|any(?:body|one)|some(?:body|one)|people|"
    r"any (?:customer|client|user|patient|guest|member))['\u2019]s? (?=(?:subscription|order|booking|"
    r"reservation|account|"
    r"invoice|payment|plan|appointment|ticket)s?\b)"
)
_SETS = re.compile(r"\b(?P<verb>[Ss]et(?:ting)?)(?= (?:(?:an?|any|the|new) )*(?P<noun>[a-z]+)\b)")
_ASSIGNED = re.compile(
    r"\b(?P<what>(?:re)?assign(?:ing)? (?:(?:an?|any|the|my|our|new|existing) )*[a-z]+) to "
    r"(?:anyone|anybody|someone|somebody|people|others|other people)(?=[.,;!]?$| (?:without|unless|is|needs) )"
)
# To open what is in a folder is to read it, and makes nothing.
_OPENED = re.compile(
    r"\b(?P<verb>[Oo]pen(?:ing)?)(?= (?:(?:and|or) [a-z]+ )?(?:anything|everything|(?:(?:any|the|my|all|all the) )?"
    r"(?:files?|documents?|folders?))\b)"
)
# To open an issue is to make one. What is open is said without an article, and what is opened again is reopened.
_MOVED = re.compile(
    r"\b(?P<verb>mov(?:e|ing))(?= (?:(?:an?|any|the|my|our|existing) )*(?:events?|meetings?|appointments?)"
    r"(?:[.,;!]?$|,? (?:without|unless|needs?|requires?|is|on) ))",
    re.IGNORECASE,
)
_THINGS = r"(?P<noun>issues?|tickets?|pull requests?|prs?|merge requests?|mrs?|bugs?|cases?|discussions?|incidents?)\b"
_SURELY = r"(?P<before>\b(?:not|don['\u2019]t|never|before|before you|you may|you can|you to|only) )"
_COUNTED = r"(?:(?:an?|any|new|more than|at most|no more than|up to|over|only|draft|\d+|one|two|three|four|five|ten) )"
_OPENED_ANEW = (
    re.compile(rf"{_SURELY}(?P<verb>open(?:ing)?)(?= {_COUNTED}*{_THINGS})", re.IGNORECASE),
    re.compile(rf"{_SURELY}(?P<verb>open(?:ing)?)(?= (?:or|and) [a-z]+ {_COUNTED}*{_THINGS})", re.IGNORECASE),
    re.compile(rf"(?P<before>^|\b(?:please|to|and|or) )(?P<verb>[Oo]pen(?:ing)?)(?= {_COUNTED}+{_THINGS})"),
)
_REACTED = re.compile(
    r"\b(?P<verb>[Rr]eact(?:ing)?)(?:(?P<to> to (?:(?:an?|any|the|my|our) )?(?:messages?|posts?|comments?))?"
    r"(?: with (?:an? )?emojis?)|(?P<on> to (?:(?:an?|any|the|my|our) )?(?:messages?|posts?|comments?)))"
)
_REPLY_TO_ALL = re.compile(
    r"(?<!\buse )(?<!\bwith )\b(?P<reply>repl(?:y|ying)) (?:to )?all(?: (?:the )?recipients)?"
    r"(?=$|[.,;]| (?:unless|without|is|needs)\b)",
    re.IGNORECASE,
)


def with_reply_to_all(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "reply to all" as the flag `reply_all`, if that is the only way to do it here."""
    flags = any("reply all" in one.flags for one in toolbox.tools)
    others = any({"reply", "all"} <= {*one.words} for one in toolbox.tools)
    listed = any(
        one.verbs & {"reply"} and any("all" in values for values in one.listed.values()) for one in toolbox.tools
    )
    if not flags or others or listed:
        return text
    return _REPLY_TO_ALL.sub(lambda found: f"{found['reply']} to a message with reply all", text)


def without_somebodys(text: str) -> str:
    """Return a sentence with "a subscription" for "a customer's subscription": all of them are somebody's."""
    return text if "`" in text or '"' in text else _SOMEBODYS.sub("a ", text)


def with_plain_verbs(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with the verbs of the tools for those of written English. Quoted text stays."""
    if "`" in text or '"' in text:
        return text
    text = _OWN_CODE.sub(lambda found: found["what"] or found["code"], text)
    text = _BY_DOING.sub(lambda found: f"by {_squashing(found['verb'], toolbox)}", text)
    text = _ASSIGNED.sub(lambda found: found["what"], text)
    text = _ENDED.sub(lambda found: _ended(found, toolbox), text)
    if {"mail", "email"}.isdisjoint(toolbox.verbs) and "send" in toolbox.verbs:
        text = _MAILED.sub(
            lambda found: "sending emails to " if found["verb"].endswith("ing") else "send emails to ", text
        )
    if {"message", "dm"}.isdisjoint(toolbox.verbs):
        text = _MESSAGED.sub(
            lambda found: "sending a message to " if found["verb"].endswith("ing") else "send a message to ", text
        )
    text = _ONE.sub(lambda found: f"{found['must']}{found['kind']}", _MADE_ONES.sub(_new_ones, text))
    if any("read-path" in one.roles for one in toolbox.tools) and not any("open" in one.verbs for one in toolbox.tools):
        text = _OPENED.sub(_read, text)
    if "react" not in toolbox.verbs and any(one.head == "reaction" and "add" in one.verbs for one in toolbox.tools):
        text = _REACTED.sub(_with_reaction, text)
    if "set" not in toolbox.verbs:
        text = _SETS.sub(lambda found: _making(found, toolbox), text)
    if "build" not in toolbox.verbs:
        text = _BUILT.sub(lambda found: _created(found["verb"]), text)
    if "clear" in toolbox.verbs and "empty" not in toolbox.said_words:
        text = _EMPTIED.sub(lambda found: in_form("clear", _form_of(found)), text)
    if {"prepare", "prepared"}.isdisjoint(toolbox.said_words):
        text = _PREPARED.sub("created", text)
    permanent = "permanently" in toolbox.said_words or "permanent" in toolbox.words.flags
    kept = permanent or not _TRASHES.isdisjoint(toolbox.said_words)  # what is thrown away may come back
    text = _FOR_GOOD.sub("permanently", text) if kept else text
    return _PERMANENTLY.sub(_purged, text) if _deletes_for_good(toolbox) else text


def _read(found: re.Match[str]) -> str:
    verb = "reading" if found["verb"].endswith("ing") else "read"
    return in_case_of(found["verb"], verb)


def with_moved_events(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "reschedule meetings" for "move meetings", if no tool moves them to another calendar."""
    planned = any(one.head == "event" and not one.reads for one in toolbox.tools)
    if not planned or "move" in toolbox.verbs or "`" in text or '"' in text:
        return text
    return _MOVED.sub(_rescheduled, text)


def _rescheduled(found: re.Match[str]) -> str:
    verb = "rescheduling" if found["verb"].lower().endswith("ing") else "reschedule"
    return in_case_of(found["verb"], verb)


def with_opened_things(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "create an issue" for "open an issue". Who opens a closed one again reopens it."""
    again = re.search(r"\b(?:re-?open|clos)", text.lower()) is not None
    if "open" in toolbox.verbs or again or "`" in text or '"' in text:
        return text
    for pattern in _OPENED_ANEW:
        text = pattern.sub(lambda found: _opened(found, toolbox), text)
    return text


def _opened(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "create" in the form of "open", if a tool creates such things."""
    said = found["noun"].lower()
    noun = singular({"pr": "request", "mr": "request"}.get(said.rstrip("s"), said.split()[-1]))
    made = any(one.head == noun and "create" in {*one.verbs, *_methods(one)} for one in toolbox.tools)
    verb = "creating" if found["verb"].endswith("ing") else "create"
    return f"{found['before']}{in_case_of(found['verb'], verb)}" if made else found[0]


def _methods(one: KnownTool) -> tuple[str, ...]:
    """Return the values of the argument that chooses what a tool does: `create` and `update` for `issue_write`."""
    return one.listed.get("method", ()) if "method" in one.required else ()


def _with_reaction(found: re.Match[str]) -> str:
    """Return "add reactions" for "react with emoji"."""
    verb = "adding" if found["verb"].endswith("ing") else "add"
    return f"{in_case_of(found['verb'], verb)} reactions{found['to'] or found['on'] or ''}"


def _deletes_for_good(toolbox: Toolbox) -> bool:
    """Return whether the tools that delete some things say that this is for good, and no other one deletes them."""
    deleting = [one for one in toolbox.tools if one.verbs & _DELETING]
    final = {one.key for one in deleting if _FINALLY.search(one.tool.comment.lower())}
    heads = {one.head for one in deleting if one.key in final}
    asked = any("permanent" in flag for flag in toolbox.words.flags)
    return bool(final) and not asked and all(one.key in final for one in deleting if one.head in heads)


def _purged(found: re.Match[str]) -> str:
    """Return "purge an email" for "permanently delete an email" and "delete an email permanently"."""
    verb = found["before"] or found["after"]
    form = "ing" if verb.lower().endswith("ing") else "ed" if verb.lower().endswith("d") else "base"
    return f"{in_form('purge', form)}{found['object'] or ''}"


def _squashing(stem: str, toolbox: Toolbox) -> str:
    """Return the value that a schema lists for "squashing"."""
    return next((one for one in (stem, f"{stem}e") if one in toolbox.values), f"{stem}ing")


def _new_ones(found: re.Match[str]) -> str:
    """Return "new repositories" for "every repository that you create"."""
    noun = found["noun"]
    many = (
        f"{noun[:-1]}ies"
        if re.search(r"[^aeiou]y$", noun)
        else f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"
    )
    return f"{'N' if found[0][0].isupper() else 'n'}ew {many}"


def _making(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "create a price" for "set a price", if prices are only made here, and no number of something else."""
    noun = singular(found["noun"])
    verbs = {verb for one in toolbox.tools if one.head == noun and not one.reads for verb in one.verbs}
    if verbs != {"create"} or any(noun in split_name(arg) for one in toolbox.tools for arg in one.numbers):
        return found[0]
    made = "creating" if found["verb"].endswith("ing") else "create"
    return in_case_of(found["verb"], made)


def _created(verb: str) -> str:
    made = "created" if verb == "built" else "creating" if verb.endswith("ing") else "create"
    return in_case_of(verb, made)


def _form_of(found: re.Match[str]) -> str:
    return "ed" if found["done"] else "ing" if found["verb"].endswith("ing") else "base"


def _ended(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "terminate a session", if that is the one way in which the tools end such a thing."""
    noun = singular(found["noun"])
    verbs = {verb for one in toolbox.tools if one.head == noun for verb in one.verbs & (_ENDING | {"end", "cancel"})}
    if len(verbs) != 1 or not verbs <= _ENDING:
        return found[0]
    (verb,) = verbs
    form = f"{verb.removesuffix('e')}ing" if found["verb"].endswith("ing") else verb
    return f"{form}{found['object']}"
