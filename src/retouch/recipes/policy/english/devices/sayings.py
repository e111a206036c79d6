"""Reads what a sentence about devices says: what it forbids, what it permits, and before what to ask.

"Keep the front door locked" forbids to unlock it, "hands off the thermostat" forbids to control it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.devices.phrases import HomeDeed, acts_in
from retouch.recipes.policy.english.devices.settings import (
    SetBound,
    kept_within,
    moved_setting,
    setting_of,
    sound_of,
    too_far,
)
from retouch.recipes.policy.english.devices.things import device_of, rooms_of
from retouch.recipes.policy.english.words.idioms import APPROVAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.devices.acts import Deed

Stance: TypeAlias = Literal["forbid", "ask", "permit"]
_YOU = r"(?:you|(?:the|this|my|our|your) (?:ai |home |house )?(?:agent|assistant|bot|ai|model))"
_MY = r"(?:(?:my|our|the|a|an|any|explicit|prior|express|clear|first|getting|having|asking for|permission or) )*"
_CONSENT = rf"{_MY}{APPROVAL}(?: (?:from|by) (?:me|us))?(?: first| beforehand)?"
_ASKING = (
    r"(?:asking|checking|consulting|confirming|clearing it|checking in)(?: with)?(?: (?:me|us))?(?: for "
    r"(?:it|permission|"
    r"approval|confirmation))?(?: first| beforehand)?"
)
_SAYS = (
    r"(?:say so|said so|confirm(?:ed)?(?: it)?|approved?(?: it)?|agreed?(?: to it)?|allow(?:ed)? it|ok(?:ed)? it|"
    r"said yes|say yes|give you (?:my )?ok)"
)
_UNASKED = re.compile(
    rf"(?P<act>.+?),? (?:without (?:first )?(?:{_ASKING}|{_CONSENT})|unless (?:i|we)(?: have)?(?: "
    rf"explicitly| first)? {_SAYS}"
    rf"(?: first)?|unless you (?:ask|check with|have asked) (?:me|us)(?: first)?)"
)
_WITH_CONSENT = re.compile(
    rf"(?P<act>.+?),? (?:with {_CONSENT}|(?:if|when|once|after) (?:i|we)(?: have)?(?: explicitly)? "
    rf"{_SAYS}(?: first)?|after "
    rf"{_ASKING}|(?:if|once) you (?:ask|have asked|asked) (?:me|us)(?: first)?)"
)
_ASK = (
    rf"(?:{_YOU} (?:must|should|have to|need to|ought to) )?(?:(?:always|first|please) )*(?:(?:ask|"
    rf"consult)(?: (?:me|us))?"
    rf"(?: for {_CONSENT})?|(?:check|confirm|verify|clear it)(?: in)? with (?:me|us)|(?:get|obtain|seek|"
    rf"request|wait for|ask "
    rf"for) {_CONSENT}|confirm|i (?:want|would like|need) to (?:be asked|confirm|approve it|be "
    rf"consulted)|let me (?:confirm|know|decide|approve))"
    r"(?: first)?"
)
_ASKS = (
    re.compile(rf"{_ASK},? (?:before|prior to) (?:{_YOU} )?(?:ever |even |any |actually )*(?P<act>.+?)(?: first)?"),
    re.compile(rf"before (?:{_YOU} )?(?:ever )?(?P<act>.+?),? {_ASK}"),
    re.compile(
        rf"{_ASK},? (?:if|when|whenever) {_YOU} (?:want to|wish to|plan to|are about to|would like to) (?P<act>.+)"
    ),
    re.compile(
        rf"(?P<act>.+?) (?:always )?(?:needs?|requires?|must have|takes|is subject to|are subject to) {_CONSENT}"
        r"(?: (?:each|every) time)?"
    ),
    re.compile(
        rf"(?P<act>.+?) (?:is|are)(?: only)? (?:ok|fine|allowed|permitted)(?: only)? (?:with {_CONSENT}|"
        rf"after {_ASKING})"
    ),
)
_FORBIDS = (
    re.compile(
        rf"(?:{_YOU} )?(?:(?:must|may|should|can|shall|are|is|will|do)(?: never| not)|never|do not|"
        rf"not)(?: ever| be)*(?: "
        r"(?:allowed|permitted|supposed|meant) to| to| even)?(?: go and| try to)? (?P<act>.+)"
    ),
    re.compile(rf"(?:{_YOU} (?:must|should|has to|have to) )?(?:refrain from|avoid|stop) (?P<act>[a-z]+ing .+)"),
    re.compile(rf"under no circumstances (?:(?:may|should|must|can|are|do) {_YOU} (?:to )?(?:ever )?)?(?P<act>.+)"),
    re.compile(r"(?:i|we) (?:do not|never) want you to (?:ever )?(?P<act>.+)"),
    re.compile(rf"at no time (?:(?:may|should|must|can) {_YOU} )(?P<act>.+)"),
    re.compile(r"(?:no|absolutely no|there must be no|there should be no) (?P<act>.+?)(?: please)?"),
)
_OFF_LIMITS = re.compile(
    r"(?P<act>.+?) (?:is|are|stays?|remains?)(?: (?:strictly|absolutely|completely|always|totally|"
    r"all))*(?: (?:forbidden|"
    r"prohibited|off limits|off-limits|taboo|out of bounds|banned|a no-go|no-go areas?|not (?:allowed|"
    r"permitted|ok|fine|"
    r"an option|acceptable|to be touched)))(?: (?:for|to) you)?"
)
_PERMITS = (
    re.compile(
        rf"{_YOU} (?:may|can|are allowed to|is allowed to|are free to|are welcome to|are permitted "
        rf"to)(?: always| also| freely)? (?P<act>.+)"
    ),
    re.compile(r"feel free to (?P<act>.+)"),
    re.compile(r"(?:it is|it's) (?:ok|fine|all right)(?: for you)? to (?P<act>.+)"),
    re.compile(r"(?P<act>[a-z]+ing .+?) (?:is|are) (?:ok|fine|allowed|permitted|all right|no problem)"),
)
_ONLY = (
    re.compile(rf"(?:{_YOU} (?:may|can|must|should|are allowed to|are permitted to) )?only (?P<act>.+)"),
    re.compile(rf"{_YOU} are only (?:allowed|permitted) to (?P<act>.+)"),
    re.compile(
        rf"(?:{_YOU} (?:may|can|must|should) )?(?P<act>[a-z]+ .+?) only(?P<tail> (?:in|with|if|after|when|once) .+)?"
    ),
)
_NOTHING_ELSE = re.compile(
    r"(?P<act>.+?)(?:,|;|\.)?(?: and| but)? (?:nothing (?:else|more|but that)|do nothing else)(?: at all)?"
)
_TAILS = re.compile(
    r"(?:,? (?:please|at all|ever|under any circumstances|for me|for now|at any time|at all times|no "
    r"matter what|whatsoever|"
    r"in any case|by yourself|though|always|completely|under any circumstance|anymore|any more|again|or "
    r"adjusted|in any "
    r"way|regardless|in any room|in every room|ok))+$"
)
_HEADS = re.compile(r"^(?:(?:please|and|also|just|but|absolutely|really|as a rule|generally|in general),? )+")
_STATES: Mapping[str, Deed] = {
    "locked": "unlock", "unlocked": "lock", "closed": "open", "shut": "open", "down": "open", "open": "close",
    "up": "close", "off": "on", "on": "off",
}  # fmt: skip
_STATE = (
    r"(?P<state>locked|unlocked|closed|shut|down|open|up|(?:(?:switched|turned) )?off|(?:(?:switched|"
    r"turned) )?on|alone|"
    r"untouched|as (?:it|they) (?:is|are)|be)"
)
_KEPT = (
    re.compile(rf"(?:always )?(?:keep|leave|make sure (?:that )?) ?(?P<what>.+?) {_STATE}"),
    re.compile(
        rf"(?P<what>.+?) (?:must|should|has to|have to|needs to|need to|is to|are to|shall)(?: always)? "
        rf"(?:stay|remain|be kept|be "
        rf"left|be|always be|always stay) {_STATE}"
    ),
    re.compile(rf"(?P<what>.+?) (?:stays?|remains?) {_STATE}"),
)
_HANDS = re.compile(
    r"(?:stay away from|keep away from|keep out of|stay out of|hands off|keep (?:your )?(?:hands|"
    r"fingers|paws) off(?: of)?) (?P<what>.+)"
)
_SET_KEPT = (
    re.compile(
        r"(?:always )?(?:keep|hold|maintain|limit|cap|restrict|leave) (?P<what>.+?)(?: set)? "
        r"(?P<rest>(?:at|to|between|within|in the "
        r"range|below|under|above|over|at most|at least|no |not |from |up to|somewhere between|strictly between).*)"
    ),
    re.compile(
        r"(?P<what>.+?) (?:must|should|has to|have to|may|can|needs to|is to|are to|shall)(?: always| "
        r"only| be)* (?:stay|remain|"
        r"be kept|be set|be between|be|lie|stays|range) (?P<rest>(?:at|to|between|within|in the range|"
        r"below|under|above|over|at "
        r"most|at least|no |not |from |up to).*)"
    ),
    re.compile(
        r"(?P<what>.+?) (?:stays?|remains?) (?P<rest>(?:at|between|below|under|above|over|within|at "
        r"most|at least|no ).*)"
    ),
)
_CAPPED = (
    (
        re.compile(
            r"(?:the )?(?:max(?:imum|\.)?|highest|upper limit (?:for|of)|limit for)(?: allowed)? "
            r"(?P<what>.+?) (?:is|:|of)? ?(?P<n>\d.*)"
        ),
        "at most",
    ),
    (
        re.compile(r"(?:the )?(?:min(?:imum|\.)?|lowest)(?: allowed)? (?P<what>.+?) (?:is|:|of)? ?(?P<n>\d.*)"),
        "at least",
    ),
    (re.compile(r"(?:the )?(?P<what>.+?) (?:limit|maximum|cap) is (?P<n>\d.*)"), "at most"),
    (re.compile(r"(?:limit|cap) (?P<what>.+?) (?:to|at) (?P<n>\d.*)"), "at most"),
)
_GOES = re.compile(
    r"(?:let )?(?P<what>.+?) (?:(?:(?:must|may|should|can|shall|is|are|do|does)(?: never| not)|"
    r"never)(?: ever| to| be allowed to)*"
    r" ?)?(?:go|goes|be|be set|set|rise|get|climb|be turned|be turned up|be raised|drop|fall|be opened|"
    r"be lowered|be moved|"
    r"exceed|turned up|opened|raised|run|be put|be heated|heat up)?(?: up| down)?(?: to)?(?: anything)? "
    r"(?P<rest>(?:above|over|"
    r"past|beyond|higher|louder|hotter|warmer|brighter|more|below|under|lower|less|colder|quieter|outside|out of|\d).*)"
)
_PASSIVE = re.compile(
    r"(?P<what>.+?) (?:may|must|should|can|is|are|shall)(?P<how>(?: only| never| not)?)(?: ever| to)* "
    r"be (?P<more>(?:only )?)"
    r"(?P<verb>[a-z]+ed|shut|set|run|put|switched|turned|done|made)(?P<rest>(?: .+)?)"
)
_BEFORE_DOING = re.compile(r"^(?:any|the|all|your) (?=[a-z]+ing )")
_CHANGES = re.compile(r"^(?:any |all )?(?:changes?|adjustments?|modifications?|access) to ")
_NAMED_DEEDS = (
    (re.compile(r"(?:any |loud )?(?P<what>music(?: (?:in|on|through) .+)?)"), "play"),
    (re.compile(r"(?:the )?(?P<verb>[a-z]+ing) of (?P<what>.+)"), ""),
)


@dataclass(frozen=True, kw_only=True)
class HomeSaying:
    """What a clause says of deeds. `only`: they are permitted with their limits, and otherwise forbidden.

    `closed`: nothing else is permitted.
    """

    stance: Stance
    done: tuple[HomeDeed, ...]
    only: bool = False
    closed: bool = False


def said_in(text: str) -> tuple[HomeSaying, ...]:
    """Return what a sentence says, in lower case and without its time. () if it is not understood."""
    text = _trimmed(text)
    closed = _NOTHING_ELSE.fullmatch(text)
    if closed is not None:
        found = said_in(closed["act"])
        plain = len(found) == 1 and found[0].stance == "permit"
        return (replace(found[0], only=False, closed=True),) if plain else ()
    for first, second in _halves(text):
        two = _two(first, second)
        if two:
            return two
    one = _one(text)
    return (one,) if one else ()


def _halves(text: str) -> list[tuple[str, str]]:
    return [
        (text[: one.start()], text[one.end() :])
        for one in re.finditer(
            r",? but (?:please )?|; |, (?=never|do not|not )| and (?=never |do not |hands off )", text
        )
    ]


def _two(first: str, second: str) -> tuple[HomeSaying, ...]:
    """Return what "you may add items to the shopping list but not remove them" says."""
    begun, then = _one(_trimmed(first)), _one(_trimmed(second))
    if begun is not None and (then is None or _has_devices(begun)):
        then = _one(_trimmed(_with_object(second, first))) if _PRONOUN.search(second) else then
    if begun is None or then is None or begun.only or then.only or (then.stance == begun.stance == "permit"):
        return ()
    lists = [one.lists for one in begun.done if one.deeds[0] in _OF_ITEMS]
    done: list[HomeDeed] = []
    for one in then.done:
        if one.lists is None and not lists:
            return ()
        done.append(replace(one, lists=lists[0]) if one.lists is None else one)
    return begun, replace(then, done=tuple(done))


def _has_devices(said: HomeSaying) -> bool:
    return all(one.deeds[0] not in _OF_ITEMS for one in said.done)


def _with_object(text: str, first: str) -> str:
    """Return a phrase with the devices of the one before it instead of "them"."""
    words = re.sub(r" (?:on|off|up|down)(?: (?:and|or) (?:on|off|up|down))?$", "", _trimmed(first)).split()
    known = (" ".join(words[at:]) for at in range(1, len(words)) if device_of(" ".join(words[at:])))
    found = next(known, "")
    return _PRONOUN.sub(lambda _: found, text) if found else text


_PRONOUN = re.compile(r"\b(?:it|them)\b")
_OF_ITEMS = frozenset({"add", "complete", "remove"})


def _trimmed(text: str) -> str:
    return _HEADS.sub("", _TAILS.sub("", text.strip(" ,")))


def _one(text: str) -> HomeSaying | None:
    for read in (_consent, _asked, _kept, _restricted_setting, _only, _forbidden, _permitted, _passive, _active):
        said = read(text)
        if said is not None:
            return said
    return None


def _consent(text: str) -> HomeSaying | None:
    """Return "never unlock it without asking me" and "only with my approval" as a question."""
    match = _UNASKED.fullmatch(text)
    said = match and _one(_trimmed(match["act"]))
    if said and said.stance == "forbid" and not said.only:
        return replace(said, stance="ask")
    match = _WITH_CONSENT.fullmatch(text)
    if match is None:
        return None
    said = _one(_trimmed(match["act"])) if "only" in match["act"].split() else None
    if said is None:
        act = re.sub(rf"^(?:{_YOU} (?:may|can|must|should) )?only |\bonly\b ?$", "", match["act"]).strip()
        done = acts_in(act) if act != match["act"] else ()
        return HomeSaying(stance="ask", done=done) if done else None
    return None if any(one.device.rooms for one in said.done) else HomeSaying(stance="ask", done=said.done)


def _asked(text: str) -> HomeSaying | None:
    for pattern in _ASKS:
        match = pattern.fullmatch(text)
        done = _subject(match["act"]) if match else ()
        if done:
            return HomeSaying(stance="ask", done=done)
    return None


def _forbidden(text: str) -> HomeSaying | None:
    for pattern in _FORBIDS:
        match = pattern.fullmatch(text)
        done = _subject(match["act"]) if match else ()
        if done:
            return HomeSaying(stance="forbid", done=done)
    match = _HANDS.fullmatch(text)
    done = _controlled(match["what"]) if match else ()
    match = _OFF_LIMITS.fullmatch(text)
    done = done or ((_subject(match["act"]) or _controlled(match["act"])) if match else ())
    return HomeSaying(stance="forbid", done=done) if done else None


def _permitted(text: str) -> HomeSaying | None:
    for pattern in _PERMITS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        done = acts_in(match["act"])
        if done and not any(one.bounds for one in done):
            return HomeSaying(stance="permit", done=done)
        done = _set_within(match["act"])
        if done:
            return HomeSaying(stance="permit", done=done)
    return None


def _only(text: str) -> HomeSaying | None:
    for pattern in _ONLY:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        act = f"{match['act']}{match.groupdict().get('tail') or ''}"
        done = _set_within(act) or acts_in(act)
        if done:
            bound = any(one.bounds for one in done) and not _set_within(act)
            return None if bound else HomeSaying(stance="permit", done=done, only=True)
    return None


def _set_within(act: str) -> tuple[HomeDeed, ...]:
    """Return "set the heating to at most 22", with the numbers that are not permitted."""
    found = moved_setting(act)
    bounds = kept_within(found[2]) if found else ()
    return (HomeDeed(deeds=(found[0],), device=found[1], bounds=bounds),) if found and bounds else ()


def _passive(text: str) -> HomeSaying | None:
    """Return "the front door may never be unlocked" as an order."""
    match = _PASSIVE.fullmatch(text)
    if match is None:
        return None
    verb = match["verb"]
    particle = re.match(r" (on (?:and|or) off|on|off|up|down)\b(?P<rest>.*)", match["rest"])
    rest = match["rest"] if particle is None else particle["rest"]
    nothing = match["what"] in {"nothing", "no device"}
    what = "anything" if nothing else match["what"]
    active = f"{verb} {what}{'' if particle is None else f' {particle[1]}'}{rest}"
    only = "only" in match["how"] or "only" in match["more"]
    done = acts_in(active)
    if not done:
        return None
    if match["how"].strip() in {"never", "not"} or nothing:
        return HomeSaying(stance="forbid", done=done) if not (nothing and match["how"]) else None
    permits = re.search(r" (?:may|can)(?: only)? be ", text) is not None or only
    return HomeSaying(stance="permit", done=done, only=only) if permits else None


_ACTIVE = re.compile(
    r"(?P<what>.+?) (?:may|must|should|can|shall|is|are)(?P<how>(?: only| never|"
    r" not))(?: allowed to)?(?: ever)? (?P<verb>run|"
    r"start|clean|play|open|"
    r"close|unlock|go on|come on|turn on|turn off|switch on|switch off|be on|operate)(?P<rest>(?: in .+)?)"
)
_GOING: Mapping[str, str] = {"go on": "turn on", "come on": "turn on", "be on": "turn on", "clean": "run"}


def _active(text: str) -> HomeSaying | None:
    """Return "the vacuum may only run in the hall" as an order."""
    match = _ACTIVE.fullmatch(text)
    if match is None:
        return None
    done = acts_in(f"{_GOING.get(match['verb'], match['verb'])} {match['what']}{match['rest']}")
    only = match["how"] == " only"
    return HomeSaying(stance="permit" if only else "forbid", done=done, only=only) if done else None


def _kept(text: str) -> HomeSaying | None:
    """Return "keep the front door locked" and "the oven must stay off" as what they forbid."""
    for pattern in _KEPT:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        if match["state"] in {"alone", "untouched", "be"} or match["state"].startswith("as "):
            done = _controlled(match["what"])
            return HomeSaying(stance="forbid", done=done) if done else None
        deed = _STATES[match["state"].rpartition(" ")[2]]
        verb = {"on": "turn on", "off": "turn off"}.get(deed, deed)
        done = acts_in(f"{verb} {match['what']}")
        if done:
            return HomeSaying(stance="forbid", done=done)
    return None


def _restricted_setting(text: str) -> HomeSaying | None:
    """Return "keep the volume below 30" and "the heating must not go above 22" as what they forbid."""
    for pattern in _SET_KEPT:
        match = pattern.fullmatch(text)
        found = _setting(match["what"], kept_within(match["rest"])) if match else None
        if found:
            return found
    for pattern, word in _CAPPED:
        match = pattern.fullmatch(text)
        found = _setting(match["what"], kept_within(f"{word} {match['n']}")) if match else None
        if found:
            return found
    plain = re.fullmatch(
        r"(?P<what>[a-z ]+?),? (?P<rest>(?:at most|at least|max|no more than|no higher than|no louder than|up to) .+)",
        text,
    )
    if plain is not None:
        return _setting(plain["what"], kept_within(plain["rest"]))
    return _gone_too_far(text)


def _gone_too_far(text: str) -> HomeSaying | None:
    negated = re.search(r"\b(?:never|not|no)\b", text)
    exceeded = re.fullmatch(
        r"(?:do not |never )?(?:let )?(?P<what>.+?) (?:(?:must|may|should|can) )?(?:never |not )?exceeds? (?P<n>\d.*)",
        text,
    )
    if exceeded is not None and negated:
        return _setting(re.sub(r"^(?:do not|never) (?:let )?", "", exceeded["what"]), too_far(f"above {exceeded['n']}"))
    match = _GOES.fullmatch(re.sub(r"^(?:do not let|never let|no|do not go|never go) ", "", text))
    return _setting(match["what"], too_far(match["rest"])) if match and negated else None


def _setting(what: str, bounds: tuple[SetBound, ...]) -> HomeSaying | None:
    found = setting_of(what) if bounds else None
    if found is None and bounds and (sound := sound_of(what)) is not None:
        found = ("volume", sound)
    if found is None and bounds:
        device = device_of(what)
        if device is None or device.domains != ("cover",):
            return None
        found = ("position", device)
    if found is None or found[0] == "light":
        return None  # how bright a light is that is only turned on is not known
    return HomeSaying(stance="forbid", done=(HomeDeed(deeds=(found[0],), device=found[1], bounds=bounds),))


def _controlled(what: str) -> tuple[HomeDeed, ...]:
    """Return the control of things, and of all things in a room."""
    rooms = rooms_of(what)
    if rooms:
        return acts_in(f"control everything in {what}")
    return acts_in(f"control {what}")


def _subject(act: str) -> tuple[HomeDeed, ...]:
    """Return the deeds of a phrase that may be a verb phrase, or only name what is done: "announcements"."""
    act = _trimmed(_CHANGES.sub("control ", _BEFORE_DOING.sub("", act)))
    done = acts_in(act)
    if done:
        return done
    for pattern, verb in _NAMED_DEEDS:
        match = pattern.fullmatch(act)
        if match is not None:
            return acts_in(f"{verb or match['verb']} {match['what']}")
    return ()
