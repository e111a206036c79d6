"""Leaves out the fact that is told after a restriction: "stay out of ~/taxes, my accountant looks after it".

A fact says what the things of the restriction are ("those are our certificates"), whose work they are ("that's my job",
"I do that myself"), or what happens to them ("Dee looks after them"). It must point back by a pronoun, so that it is
about the same things, and have no word that could permit, except or add something.
"""

from __future__ import annotations

import re

from retouch.recipes.policy.english.rewriting.spoken import EMPHASIS
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set

_NOT = r"(?:never|no|don't|do not|nothing|nobody|not|you (?:must|may|should|can) (?:not|never)|you (?:mustn't|can't))"
_STRICT = re.compile(
    rf"(?:please,? )?(?:{_NOT}|(?:always )?(?:ask|check with)|(?:stay|keep) (?:out|off|away|clear)|hands off|"
    r"leave [^,;]+ (?:alone|as|be|untouched|to me)|only|avoid)\b"
    r"|[^,;]+? (?:is|are|stays?) (?:strictly |completely |always )?(?:off[- ]limits|forbidden|not allowed|taboo|"
    r"none of your business|read[- ]only|out of bounds|a no[- ]go)\b"
    r"|[^,;]+? needs? (?:my|our|a|an) ",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    rf"(?:please,? )?(?:{_NOT}|(?:stay|keep) (?:out|off|away|clear)|hands off)\b(?!.*\b(?:unless|without|except)\b)",
    re.IGNORECASE | re.DOTALL,
)
_WORD = r"[A-Za-z][a-z'-]*"
_IT = r"(?:that|this|it|those|these|they)"
_WHOSE = r"(?:my|our|his|her|their|the|a|an)"
_KIN = r"(?:i|we|he|she|nobody|no one|everybody|everyone|[A-Z][a-z]+|(?:(?:my|our|the) )(?:[a-z]+ ){0,2}?[a-z]+)"
_BACK = r"(?:it|them|that|those|these|then|there|myself|ourselves)"
_FACTS = (
    re.compile(rf"{_IT}(?: is| are|'s|'re) (?:just |only |all )?{_WHOSE}(?: {_WORD}){{1,4}}", re.IGNORECASE),
    re.compile(r"(?:those|these|they)(?: are|'re) (?:just |only |all )?[a-z]+(?: [a-z]+)?", re.IGNORECASE),
    re.compile(
        rf"(?:{_KIN}|I|We|He|She)(?:'ll| will| always| usually| already| prefer to)* [a-z]+ (?:{_WORD} ){{0,4}}?{_BACK}"
        r"(?: (?:all|already|anyway|by hand|here|now|kept|for [a-z]+(?: [a-z]+)?))?"
    ),
)
# "The live project": what is told may say which one it is
_DESCRIBED = re.compile(r".*\b(?:the|my|our) (?:[a-z]+ )?[a-z]+", re.DOTALL)
_DUTY = word_set("job call task business decision turf domain concern work choice responsibility")
# What may permit, except, add or say when. "Dee gets them" is an exception of "never share files".
_MAY_RULE = word_set(
    "you your yours yourself unless except excepting but if until till when whenever while otherwise instead "
    "apart besides other others rest one ones else just only may can could should shall must might would allowed "
    "allow allows forbidden permitted permit permission approval approve approves approved ask asks asking "
    "confirm confirms okay ok fine good free safe limit limits maximum minimum exception exceptions exempt "
    "excluded included including although though check checks review reviews decide decides decided see sees "
    "agree agrees want wants like likes say says tell tells not no never nothing nobody none get gets got receive "
    "receives go goes stay stays remain remains keep keeps leave leaves take takes need needs same also too well "
    "both either first later before after during without within from to into until new old draft drafts public "
    "internal external today tomorrow and or archived closed open done delete deletes send sends share shares"
)
_ADVICE = re.compile(
    r"(?:please |just |rather |simply )*(?:[a-z]+ (?:it|them|those|these|another one|a different one) instead|"
    r"use (?:another|a different) (?:one|[a-z]+)(?: instead)?)",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(EMPHASIS, re.IGNORECASE)
# Why somebody wants it: "the kids are asleep", "people have kids to collect".
_OF_PEOPLE = re.compile(
    r"(?:(?:the|my|our) )?(?:kids?|children|baby|neighbou?rs?|people|family|wife|husband|partner|parents|dogs?|cats?|"
    r"everybody|everyone|guests?|staff) (?:(?:is|are) (?:already |still |all |very )?(?:asleep|sleeping|at home|home|"
    r"in bed|busy|tired|sick|ill|scared|afraid|annoyed|sensitive|cold|light sleepers)|sleeps?|"
    r"(?:has|have) (?:kids|children|keys|jobs|lives|families)(?: to (?:collect|feed|mind|do))?)"
)
# What says once more that something is not for the agent.
_AGAIN = re.compile(
    rf"{_IT}(?: is| are|'s|'re) (?:really |very |all |strictly )?(?:mine|ours|none of your business|"
    r"not your (?:job|business)|"
    r"private|confidential|sensitive|secret|off[- ]limits|forbidden|taboo)",
    re.IGNORECASE,
)
_OF_REASON = word_set("want wants need needs keep keeps to nobody no")
_OF_USER = word_set("decide decides check checks send sends share shares delete deletes see ask asks review reviews to")
_OWN = re.compile(
    r"(?:i|we)\b.*(?:myself|ourselves)|(?:i|we) (?:do|handle|manage) (?:it|that|them|those|this)", re.IGNORECASE
)
_LOOKING_AFTER = re.compile(r"\blooks? after(?= (?:it|them|that|those|these)\b)")
_ENDED = re.compile(
    r"(?P<rule>[^;]+?)(?:,|;| -| \u2013| \u2014|[.!]) (?:because |since |as )?(?P<told>[^,;:.!?]+?)(?P<end>[.!]?)",
    re.DOTALL,
)
_ASIDE = re.compile(
    r"(?P<rule>[^,;]+), (?P<told>[^,;:.!?]+)(?P<end>, (?:and )?(?:nowhere else|nobody else|nothing else)[.!]?)"
)


def without_told_fact(text: str) -> str:
    """Return a restriction without the facts that are told at its end, or before "and nowhere else"."""
    plain = text.replace("\u2019", "'")
    found = _ASIDE.fullmatch(plain) or _ENDED.fullmatch(plain)
    if found is None or not tells_fact(found["rule"], found["told"]):
        return text
    return without_told_fact(f"{found['rule']}{found['end'] or '.'}")


def tells_fact(rule: str, told: str) -> bool:
    """Return whether some text tells nothing but a fact about the things of the restriction before it."""
    rule, told = (one.replace("\u2019", "'").strip() for one in (rule, told))
    if _AGAIN.fullmatch(told) or _ADVICE.fullmatch(told):
        return _FORBIDS.match(rule) is not None
    if _EMPHASIS.fullmatch(told):
        return _STRICT.match(rule) is not None
    if _OF_PEOPLE.fullmatch(told) and _FORBIDS.match(rule):
        return True
    if _STRICT.match(rule) is None or "n't" in told or not any(one.fullmatch(told) for one in _FACTS):
        return False
    said = re.findall(r"[a-z]+", _LOOKING_AFTER.sub("mind", told.lower()))
    bound = _MAY_RULE - _OF_USER if _OWN.match(told) else _MAY_RULE
    if _FORBIDS.match(rule) and _FACTS[2].fullmatch(told):
        bound = bound - _OF_REASON
    if _DUTY.isdisjoint(said) and _FACTS[2].fullmatch(told) is None and _DESCRIBED.fullmatch(rule) is not None:
        return False
    things = any(singular(word) in lexicon.THINGS and word != singular(word) for word in said)
    return bound.isdisjoint(said) and not (things and said[0] in {"those", "these", "they"})
