"""Writes sentences about a calendar in the words that the readers know: what is in it, which one it is, public events.

What a server for calendars has is in them, so that "never delete anything from my calendar" is never to delete events.
"The team calendar, team@acme.example" is the calendar of that address, and "no public events" forbids to set one so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.said_verbs import in_form
from retouch.recipes.policy.english.words.lexicon import in_case_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_MINE = r"(?:(?:any of )?(?:my|our|the|any|this|the user['\u2019]s)(?: (?:own|whole|entire))*)"
_IN = rf"(?:from|off|on|in|to|into|onto|out of) {_MINE} (?:calendars?|schedule|diary|agenda)"
_END = (
    r"(?=[.,;!]?$|[,;] | (?:unless|without|before|but|and|or|ever|at|on|for|after|between|until|with|longer|that|is|"
    r"are|needs?|may|must|can|should)\b)"
)
_EVENTS = r"(?:events?|meetings?|appointments?|entry|entries|items?)"
_ADDING = r"(?P<verb>[Aa]dd|[Pp]ut|[Ii]nsert|[Ee]nter)(?P<form>(?:t?ing)?)"
_DOING = (
    r"(?P<verb>delet|remov|cancel|eras|clear|wip|creat|mak|add|book|schedul|plan|put|insert|enter)"
    r"(?P<form>e|ing|ling|n?ing|ting|)"
)
_CHANGING = r"(?P<verb>chang|edit|updat|alter|modify|mov|reschedul|touch)(?P<form>e|ing|)"
_THINGS = r"(?:anything|something|things?|stuff)"
_ADDED = re.compile(rf"\b{_ADDING} {_THINGS}{_END}")
_ANYTHING_IN = re.compile(rf"\b{_DOING} {_THINGS} {_IN}{_END}", re.IGNORECASE)
_CHANGED_IN = re.compile(rf"\b(?P<done>{_CHANGING}) {_THINGS} {_IN}{_END}", re.IGNORECASE)
_EVENTS_IN = re.compile(
    rf"\b(?P<what>{_DOING} (?:(?:an?|any|new|existing|the|my|all) )*{_EVENTS}) {_IN}{_END}", re.IGNORECASE
)
_NOTHING = re.compile(
    rf"^(?P<no>Nothing) (?:{_IN} )?(?P<may>(?:may|must|can|should|is to|gets?)(?: ever)?) (?:ever )?(?:be )?"
    rf"(?P<done>deleted|removed|cancelled|canceled|erased)(?: {_IN})?(?= unless| without|[.!]?$)",
    re.IGNORECASE,
)
_ADDRESS = r"[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}"
_NAMED = re.compile(
    rf"\b(?P<the>[Mm]y|[Tt]he|[Oo]ur) (?:(?!calendar\b)[a-z]+ ){{0,2}}calendar(?:, (?:which is )?| "
    rf"\()(?P<who>{_ADDRESS})"
    rf"(?:\)|,|(?=[.;!]?$))"
)
_BEFORE_NOUN = re.compile(rf"\b(?P<the>the|my|our) (?P<who>{_ADDRESS}) calendar\b", re.IGNORECASE)
_OFF = re.compile(
    rf"the calendar (?P<who>{_ADDRESS}),? (?:is|stays|remains) (?:strictly |completely |totally )?"
    r"(?:off[- ]limits|taboo|private|none of your business|not for you|a no-go|out of bounds|forbidden)"
    r"(?: (?:for|to) you)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"(?:no (?P<no>public|private|confidential)|(?:never|do not|don['\u2019]t) (?:create|make|add|book|schedule|have|"
    r"set up|put in)"
    rf" (?:an? |any )?(?P<made>public|private|confidential)) {_EVENTS}"
    r"(?P<rest>(?:,? (?:unless|without) [^,;]+|,? (?:ever|at all|please|under any circumstances))?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_MADE_PUBLIC = re.compile(
    rf"\b(?P<verb>mak(?:e|ing)|turn(?:ing)?) (?P<what>(?:(?:an?|any|my|the|our|all) )*{_EVENTS}) "
    r"(?P<how>public|private|confidential)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    rf"(?:always )?(?:make|keep|set|mark|create) (?:(?:all|every|each|any|my|new|the) )*{_EVENTS} (?:as |to )?"
    r"(?P<how>private|confidential|public)(?: always)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_NO_MEETINGS = re.compile(
    rf"no (?P<when>weekend|evening|sunday|saturday|monday|tuesday|wednesday|thursday|friday)? ?(?:{_EVENTS})"
    r"(?P<rest>(?: (?:on|before|after|between|outside) [^,;]+)?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_GUESTS = r"(?:guests|attendees|participants|people|invitees|persons)"
_SO_MANY = r"(?P<{}>\d{{1,4}}|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty)"
_TOO_MANY = re.compile(
    rf"(?:(?:an? |any |my |the )?{_EVENTS} (?:must|may|can|should) have (?:at most|no more than|up to|a maximum of) "
    rf"{_SO_MANY.format('most')} {_GUESTS}|(?:never|do not|don['\u2019]t) invite (?:more than|over) "
    rf"{_SO_MANY.format('over')} {_GUESTS}(?: to (?:(?:an?|any|one|the|the same|a single) )?{_EVENTS})?|(?:an? |"
    r"any |my )?"
    rf"{_EVENTS} (?:must|may|can|should)(?: ?not|n['\u2019]t| never)? have (?:more than|over) "
    rf"{_SO_MANY.format('more')} "
    rf"{_GUESTS})(?P<rest>(?: (?:unless|without) [^,;]+)?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_PRIMARY = re.compile(
    rf"(?P<only>(?:you (?:may|can) )?only (?:create|add|book|schedule|make|put) (?:new )?{_EVENTS} (?:in|to|on|into)) "
    r"(?:my|the) (?P<which>primary|main) calendar(?P<end>[.!]?)|"
    rf"you (?P<may>may|can) (?P<add>create|add|book|schedule) {_EVENTS} (?:in|to|on|into) (?:my|the) (?:primary|main) "
    r"calendar only(?P<stop>[.!]?)",
    re.IGNORECASE,
)
_FREE_TIMES = re.compile(
    r"\b(?P<look>view|see|read|look at|check|list) (?P<what>(?:my |our |the )?[a-z]+) and (?:my |our |the )?"
    r"(?:free times?|free slots?|free/busy(?: (?:times?|info(?:rmation)?|status))?|availability|busy times?)\b",
    re.IGNORECASE,
)
# The verbs that events have
_VERBS = {
    "remov": "delete", "eras": "delete", "clear": "delete", "wip": "delete", "cancel": "cancel", "delet": "delete",
    "book": "book", "schedul": "schedule", "plan": "schedule",
}  # fmt: skip
_HOURS = re.compile(
    rf"(?:you (?:may|can) )?only (?:create|book|schedule|add|make|set up|plan) (?:new )?{_EVENTS} "
    r"(?:that |which |if they )?(?:start|begin)(?:s|ing)? (?:at (?P<from>\S+(?: ?[ap]\.?m\.?)?) or later|"
    r"(?:after|from|not before|no earlier than) (?P<since>\S+(?: ?[ap]\.?m\.?)?)(?: on(?:wards)?)?),? "
    r"and (?:that |which )?(?:end|finish)(?:s|ing)? (?:by|before|no later than|at the latest at|not after|until) "
    r"(?P<to>\S+?(?: ?[ap]\.?m\.?)?)(?: (?:or earlier|at the latest))?(?P<end>[.!]?)",
    re.IGNORECASE,
)


def with_plain_calendars(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about calendars and their events in plain words. Quoted text stays."""
    if "`" in text or '"' in text or not _keeps_events(toolbox):
        return text
    text = _BEFORE_NOUN.sub(lambda found: f"{found['the']} calendar {found['who']}", text)
    text = _NAMED.sub(lambda found: f"{in_case_of(found['the'], 'the')} calendar {found['who']}", text)
    text = _BEFORE_NOUN.sub(lambda found: f"the calendar {found['who']}", text)
    text = re.sub(rf"\b(?:my|our) calendar (?={_ADDRESS})", "the calendar ", text)
    if found := _OFF.fullmatch(text):
        return f"Don't touch the calendar {found['who']}{found['end']}"
    if found := _HOURS.fullmatch(text):
        first = found["from"] or found["since"]
        return f"Never book meetings before {first} or after {found['to']}{found['end']}"
    text = _counted(text, toolbox)
    if _is_visible(toolbox):
        text = _with_visibility(text)
    if {"freebusy", "free"} & toolbox.said_words:
        text = _FREE_TIMES.sub(lambda found: f"{found['look']} {found['what']} and check when I am free", text)
    text = _NOTHING.sub(lambda found: f"Events {_not(found['may'])} be {found['done']}", text)
    text = _EVENTS_IN.sub(lambda found: found["what"], text)
    text = _CHANGED_IN.sub(lambda found: f"{found['done']} anything", text)
    return _ADDED.sub(_events, _ANYTHING_IN.sub(_events, text))


def _keeps_events(toolbox: Toolbox) -> bool:
    """Return whether all that the tools change here are events of calendars."""
    changing = [one for one in toolbox.tools if not one.reads]
    return bool(changing) and all(one.head == "event" and "calendar" in one.subjects for one in changing)


def _counted(text: str, toolbox: Toolbox) -> str:
    """Return "No event may have more than 8 attendees" for "meetings must have at most 8 guests".

    The calendar "primary" may have another id, too. What may only be done there is not done by that one.
    """
    if (found := _NO_MEETINGS.fullmatch(text)) and (found["when"] or found["rest"]):
        when = f" on {found['when'].lower()}s" if found["when"] and found["when"].lower() != "evening" else ""
        return f"Never book meetings{when}{found['rest']}{found['end']}" if when or found["rest"] else text
    if (found := _TOO_MANY.fullmatch(text)) and "attendee" in toolbox.words.left_out:
        number = found["most"] or found["over"] or found["more"]
        return f"No event may have more than {number} attendees{found['rest']}{found['end']}"
    if (found := _PRIMARY.fullmatch(text)) and any(
        "primary" in one.examples.get("calendarId", ()) for one in toolbox.tools
    ):
        return f'Only create events in the calendar "primary"{found["end"] or found["stop"] or ""}'
    return text


def _is_visible(toolbox: Toolbox) -> bool:
    """Return whether events can be public or private."""
    return any("public" in values for one in toolbox.tools for values in one.listed.values())


def _with_visibility(text: str) -> str:
    if found := _PUBLIC.fullmatch(text):
        return f"Never set an event to {(found['no'] or found['made']).lower()}{found['rest']}{found['end']}"
    if found := _ALWAYS.fullmatch(text):
        return f"Events must always be {found['how'].lower()}{found['end']}"
    return _MADE_PUBLIC.sub(
        lambda found: (
            f"{in_case_of(found['verb'], 'setting' if found['verb'].lower().endswith('ing') else 'set')} "
            f"{found['what']} to {found['how'].lower()}"
        ),
        text,
    )


def _not(may: str) -> str:
    return "must not" if may.lower().startswith(("is", "get")) else f"{may.split(maxsplit=1)[0].lower()} not"


def _events(found: re.Match[str]) -> str:
    """Return "deleting events" for "removing anything", with a verb that events have."""
    base = _VERBS.get(found["verb"].lower(), "create")
    form = "ing" if found["form"].lower().endswith("ing") else "base"
    return f"{in_case_of(found['verb'], in_form(base, form))} events"
