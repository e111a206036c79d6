"""Replaces what people say of common servers by the words of the tools: "make somebody an admin", "when I am free".

"Make anyone an admin" is to set the role of a user to admin, "check when I am free" is to get freebusy, "make an
announcement" is to broadcast a message, "anything that says buy" are elements with buy in the name, and "weekends are
off limits for posts" are no posts on weekends. Each is only replaced if the tools at hand have what it stands for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import CREATING, in_case_of, singular, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_END = r"(?=[.,;!]?$|[.,;] | (?:without|unless|and|or|except|on|in|at|before|after|between)\b)"
_RESTRICTS = re.compile(
    r"(?:please )?(?:never|no|don['\u2019]t|do not|(?:always )?(?:ask|check with)|you (?:must|may|can|should) "
    r"(?:not|never)|nobody|no one)\b",
    re.IGNORECASE,
)
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays|holidays)"
_DAYS_OFF = re.compile(
    rf"^(?P<days>{_DAY}(?:(?:, (?:and |or )?| and | or ){_DAY})*) (?:is|are) (?:strictly |always )?"
    r"(?:off[- ]limits|taboo|out of bounds|closed|blocked|a no-go|no-go|forbidden) for (?:any )?"
    r"(?P<what>(?:new )?[a-z]+(?: [a-z]+)?)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_WHO = (
    r"(?:any(?:one|body)(?: else)?|some(?:one|body)(?: else)?|people|(?:(?:an?|any|other|new|existing|another) )?"
    r"(?:users?|members?|agents?|colleagues?|accounts?|guests?|collaborators?))"
)
_MADE = re.compile(
    rf"\b(?P<verb>[Mm]ak|[Pp]romot|[Tt]urn)(?P<form>e|ing|) {_WHO} (?:(?:into|to|as) )?(?:an? |the )?"
    rf"(?P<role>[a-z][a-z_-]*){_END}"
)
_RIGHTS = re.compile(
    rf"\b(?P<verb>[Gg]iv|[Gg]rant)(?P<form>e|ing|) {_WHO} (?:an? |the )?(?P<role>[a-z][a-z_-]*) "
    rf"(?:rights?|access|roles?|permissions?|privileges){_END}"
)
_ROLES = word_set("role permission access_level accesslevel access")
_FREE = re.compile(
    r"\b(?P<verb>[Cc]heck(?:ing)?|[Ss]ee(?:ing)?|[Ll]ook(?:ing)? up|[Ff]ind(?:ing)? out|[Ll]ook(?:ing)? at) "
    r"(?:(?:when|whether|if) (?:I['\u2019]m|I am|we are|people are|someone is|somebody is|others are) "
    r"(?:free(?: or busy)?|busy|available)|(?:my|our) (?:availability|free time|free slots)|"
    r"when I have (?:time|free time))\b"
)
_FREEBUSY = (["freebusy"], ["free", "busy"], ["availability"], ["free", "time"], ["free", "slots"])
_ANNOUNCED = re.compile(
    r"\b(?P<verb>[Mm]ak(?:e|ing)|[Bb]roadcast(?:ing)?) (?:an? |any )?announcements?"
    r"(?: (?:around|in|throughout|through|to|across) (?:the |my |our )?(?:whole |entire )?(?:house|home|flat|family))?"
)
_GOES_OUT = re.compile(
    r"^(?P<no>[Nn]o) (?P<what>[a-z-]+(?: [a-z-]+)?) (?:may|can|must|should|is to|are to) (?:ever )?"
    r"(?:go out|be sent out|leave|get out)(?=[.,;!]?$| (?:without|unless|before|after)\b)"
)
_MARKED = re.compile(
    r"(?P<made>\b(?:[Ii]ssu|[Cc]reat|[Mm]ak|[Oo]pen|[Ff]il|[Aa]dd)(?:e|ing|) (?:(?:an?|any|new) )?[a-z]+) "
    r"(?:that (?:is|are) )?(?:marked|flagged|classified|tagged) as (?P<value>[a-z_-]+)"
)
_TEXT = r"['\u2018\u2019]?(?!(?:and|or)\b)[A-Za-z]+['\u2018\u2019]?"
_SAYS = re.compile(
    r"\b(?P<click>[Cc]lick(?:ing)?|[Pp]ress(?:ing)?)(?: on)? (?:anything|(?:an?|any|the) (?:button|link|element)s?"
    r"(?: or (?:link|button)s?)?|(?:buttons|links|elements)(?: (?:and|or) (?:links|buttons))?) "
    r"(?:(?:that |which )?(?:says?|reads?|contains?)|saying|reading|containing|labell?ed(?: as)?|"
    r"(?:that (?:is|are) )?called|with(?: the)? (?:texts?|labels?|words?))(?: the words?)? "
    rf"(?P<texts>{_TEXT}(?:(?:, (?:or |and )?| or | and ){_TEXT})*)(?=[.;!]?$| (?:without|unless)\b)"
)
_HANDED = re.compile(
    r"\b(?P<verb>[Hh]and(?:ing)?|[Pp]ass(?:ing)?|[Rr]out(?:e|ing)) (?P<what>(?:(?:an?|any|the) )?[a-z]+) "
    r"(?:(?:over|on) )?to "
    r"(?=(?:the |any |another )?(?:[a-z0-9]+ )?(?:group|team|agent|user|queue|assignee)\b|anyone\b|anybody\b)"
)
_EVENTS = r"(?:meetings?|events?|appointments?)"
_MOVED = re.compile(
    rf"\b(?P<verb>[Mm]ov(?:e|ing)|[Ss]hift(?:ing)?|[Pp]ostpon(?:e|ing)|[Pp]ush(?:ing)? back) "
    rf"(?P<what>(?:(?:an?|any|the|my|our|existing|other) )*{_EVENTS})(?: around)?(?=[.,;!]?$|,? (?:without|unless)\b)"
)
# "Meetings on Sundays need my OK"
_TIMED_NEED = re.compile(
    r"^(?:any |all |new )?(?P<what>meetings|events|appointments) (?P<when>(?:on|before|after|at) [^,;]+?) "
    r"(?:needs?|requires?) (?:my|our) (?:explicit |prior )?"
    r"(?:approval|ok|okay|permission|consent|go-ahead)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
# "Coupons may not take off more than 20 percent"
_TAKES_OFF = re.compile(
    r"\b(?:(?:may|must|can|should) (?:not|never)|cannot|can['\u2019]t|mustn['\u2019]t) "
    r"(?:take off|knock off|deduct|give|offer) more than (?P<much>\d+(?:\.\d+)? ?(?:percent|%))(?: off)?"
    r"(?=[.!]?$|,? (?:without|unless)\b)"
)
_ASSIGNEES = word_set("assignee group team owner")
_SAVED = re.compile(
    r"\b(?P<verb>[Ss]av(?:e|ing)|[Ss]tor(?:e|ing)|[Kk]eep(?:ing)?) (?:(?:new|some|e-?mail|mail) )?drafts\b"
)


def with_daily_words(text: str, toolbox: Toolbox) -> str:
    """Return a sentence in the words of the tools at hand. A sentence with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    text = _DAYS_OFF.sub(lambda found: f"No {found['what']} on {found['days'].lower()}{found['end']}", text)
    text = _RIGHTS.sub(
        lambda found: _set_role(found, toolbox), _MADE.sub(lambda found: _set_role(found, toolbox), text)
    )
    text = _FREE.sub(lambda found: _got_free(found, toolbox), text)
    if "broadcast" in toolbox.verbs and toolbox.said_words.isdisjoint({"announce", "announcement"}):
        text = _ANNOUNCED.sub(lambda found: _in_form(found["verb"], "broadcast", "broadcasting") + " a message", text)
    if "send" in toolbox.verbs:
        text = _GOES_OUT.sub(lambda found: f"Never send {found['what']}", text)
    text = _MARKED.sub(lambda found: _with_value(found, toolbox), text)
    if _RESTRICTS.match(text) and any("click" in one.verbs and "element" in one.tool.args for one in toolbox.tools):
        text = _SAYS.sub(_with_texts, text)
    if {"hand", "pass", "route", "transfer"}.isdisjoint(toolbox.verbs) and any(
        not one.reads and _ASSIGNEES & one.argument_words for one in toolbox.tools
    ):
        text = _HANDED.sub(lambda found: f"{_in_form(found['verb'], 'assign', 'assigning')} {found['what']} to ", text)
    text = _TAKES_OFF.sub(lambda found: f"must not be above {found['much']}", text)
    makes = any(one.head == "event" and one.verbs & CREATING for one in toolbox.tools)
    if makes and "move" not in toolbox.verbs:
        text = _MOVED.sub(
            lambda found: f"{_in_form(found['verb'], 'reschedule', 'rescheduling')} {found['what']}", text
        )
    if makes:
        text = _TIMED_NEED.sub(
            lambda found: f"Ask me before you book {found['what'].lower()} {found['when']}{found['end']}", text
        )
    if "draft" in toolbox.verbs and not any(one.head == "draft" for one in toolbox.tools):
        text = _SAVED.sub(lambda found: _in_form(found["verb"], "draft", "drafting") + " emails", text)
    return text


def _in_form(like: str, base: str, ing: str) -> str:
    return in_case_of(like, ing if like.lower().endswith("ing") else base)


def _set_role(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "set the role of a user to admin", if the tools that make or change one kind of people have it."""
    pairs = [pair for one in toolbox.tools if not one.reads for pair in _roles_of(one, found["role"])]
    heads, args = {head for head, _, _ in pairs}, {arg for _, arg, _ in pairs}
    if len(heads) != 1 or len(args) != 1:
        return found[0]
    verb = in_case_of(found["verb"], "setting" if found["form"] == "ing" else "set")
    return f"{verb} the {' '.join(split_name(min(args)))} of a {min(heads)} to {pairs[0][2]}"


def _roles_of(one: KnownTool, role: str) -> list[tuple[str, str, str]]:
    """Return what a tool is about, its argument for a role, and the role as it lists it."""
    wanted = {role, role.removesuffix("s"), {"administrator": "admin", "admin": "administrator"}.get(role, role)}
    return [
        (one.head or "", arg, value)
        for arg, values in one.listed.items()
        for value in values
        if one.head and arg.lower() in _ROLES and value.lower() in wanted
    ]


def _got_free(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "get freebusy" for "check when I am free", if one tool here finds that out."""
    names = {one.key: one.words for one in toolbox.tools if one.reads}
    tools = [(words, name) for words in names.values() for name in _FREEBUSY if words[1:] == name]
    if len(tools) != 1:
        return found[0]
    words, name = tools[0]
    return f"{in_case_of(found['verb'], words[0])}{'ting' if found['verb'].endswith('ing') else ''} {' '.join(name)}"


def _with_value(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "refunds with the reason fraudulent", if the value is of one argument of the tools that make things."""
    making = [one for one in toolbox.tools if one.verbs & (CREATING | {"issue"})]
    args = {arg for one in making for arg, values in one.listed.items() if found["value"] in values}
    return f"{found['made']} with the {singular(min(args))} {found['value']}" if len(args) == 1 else found[0]


def _with_texts(found: re.Match[str]) -> str:
    """Return "click on elements with buy or pay in the name" for "click anything that says buy or pay"."""
    texts = re.sub("['\u2018\u2019]", "", found["texts"]).lower().replace(" and ", " or ")
    return f"{_in_form(found['click'], 'click', 'clicking')} on elements with {texts} in the name"
