"""Writes times of the day as numbers, and leaves emphasis out: what a sentence says is the same."""

from __future__ import annotations

import re

_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
_HALVES = {"morning": "am", "afternoon": "pm", "evening": "pm"}
_NUMBERED = {word: str(at) for at, word in enumerate(_NUMBERS.split(), start=1)}
# "Ten at night", "after ten", "until six in the morning" and "half past seven" are times.
_IN_WORDS = re.compile(
    rf"\b(?P<open>(?:(?:before|after|until|till|from|between|and|at|to) )?)(?P<half>half (?:past )?)?"
    rf"(?P<hour>{'|'.join(_NUMBERS.split())})"
    r"(?P<rest>(?: o['\u2019]clock)? (?:in the (?:morning|afternoon|evening)|at night|[ap]m)\b)",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?P<hour>1[0-2]|[1-9])(?::(?P<minute>[0-5]\d))?(?: o['\u2019]clock)? in the (?P<part>morning|afternoon|"
    r"evening)\b",
    re.IGNORECASE,
)
_AT_NIGHT = re.compile(r"\b(?P<hour>1[01]|[6-9])(?::(?P<minute>[0-5]\d))? at night\b", re.IGNORECASE)
# "Before 8:30 or after 5 pm": the first one is in the morning.
_EARLY_OR_LATE = re.compile(
    r"\b(?P<early>before (?:[5-9]|1[01])(?::[0-5]\d)?)"
    r"(?P<rest> (?:or|and) (?:\w+ )?after \d{1,2}(?::[0-5]\d)? ?p\.?m\b)",
    re.IGNORECASE,
)
_EMAIL = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
_WHOSE = r"(?:my|our|the)(?: [a-z]+){1,3}"
# "Priya (priya@acme.example)" and "my tax adviser at info@acme.example" are addresses, and "my sister Ada" is Ada.
_ADDRESSED = re.compile(
    rf"(?:\b[A-Z][\w.-]*(?: [A-Z][\w.-]*)*|\b{_WHOSE}) \((?P<inner>{_EMAIL})\)|\b{_WHOSE} at (?P<at>{_EMAIL})"
)
_RELATIVES = (
    "sister brother mother father mum mom dad wife husband partner daughter son aunt uncle cousin friend neighbour "
    "neighbor boss colleague landlord landlady flatmate roommate accountant adviser advisor lawyer assistant secretary"
)
_RELATED = re.compile(rf"\b(?:my|our) (?:{'|'.join(_RELATIVES.split())}) (?=[A-Z][a-z]+)")
# "The landlord (payee_landlord)" is payee_landlord, and "my backup drive (/media/ada/Backup)" this directory.
_VALUE = r"(?:[\w-]+[_\d][\w-]*|[~/][\w./-]+|https?://[^\s()]+|[\w-]+(?:\.[\w-]+)+)"
_IN_BRACKETS = re.compile(
    rf"\b(?:(?:my|our|the) )?(?:[A-Za-z][\w-]* ){{1,3}}\((?P<value>{_VALUE}(?:(?:, | and | or ){_VALUE})*)\)"
)
_ENDINGS = re.compile(r"\((?P<value>\.[a-z0-9]{1,7}(?:(?:, | and | or )\.[a-z0-9]{1,7})*)\)")
# "A student's grade"
_OF_ANY = re.compile(
    r"\b(?P<article>an?|any|every|each) (?P<whose>[a-z]+)['\u2019]s (?P<what>[a-z]+)\b"
    r"(?=[.,;]|$| (?:to|without|unless|above|over|below|under)\b)"
)
_SPAN = re.compile(
    r"\b(?P<open>from|between|hours,?|hours \()(?P<gap>\s*)(?P<first>\d|1[0-2])(?P<joint> to | until | and | "
    r"?[-\u2013] ?)"
    r"(?P<last>1[3-9]|2[0-4])(?![\w:.%]|,\d| (?!on\b|at\b|in\b|and\b|every\b)[a-z])",
    re.IGNORECASE,
)
_HOURS = re.compile(
    r"\bduring (?:the |our |my )?(?:office|business|working|work|opening|school) hours,? "
    r"?\((?P<hours>[^()]*\d[^()]*)\)",
    re.IGNORECASE,
)
EMPHASIS = (
    r"(?:and )?(?:that|this)(?: is|['\u2019]s) (?:final|it|all|(?:a|the|my) (?:absolute |hard |strict |firm |upper )?"
    r"(?:limit|maximum|rule|line))"
    r"|not (?:a single )?(?:one )?more|not (?:even |ever )?once|no more than that|not ever|ever"
    r"|(?:each and )?every (?:single )?time|each time|always|without fail"
    r"|no (?:discussion|excuses|arguments?|debate|ifs,? (?:and |or |no )?buts)"
    r"|(?:and )?(?:absolutely |strictly )?(?:no|without) exceptions?(?: whatsoever)?|full stop|period"
    r"|no matter (?:what|which|who|where|when|how|why)(?: [a-z]+){0,5}"
    r"|(?:thanks|thank you|ok|please|got it|understood)"
    r"|(?:and )?(?:after that|then|from then on),? (?:you(?: are|['\u2019]re)|it(?: is|['\u2019]s)) (?:done|over|"
    r"finished)"
    r"(?: (?:until|till) (?:tomorrow|the next (?:day|hour|week))| for (?:the|that) (?:day|hour|week))?"
)
_EMPHASIS = re.compile(rf"(?:[,;:]| [\u2013\u2014-]) *(?:{EMPHASIS})(?P<stop>[.!]*)$", re.IGNORECASE)


def with_clock(text: str) -> str:
    """Return a sentence with "8 in the evening" as "8 pm", and "from 9 to 17" as "from 9:00 to 17:00"."""
    text = re.sub(r"\b(?:till|til)\b", "until", text)
    text = _IN_WORDS.sub(
        lambda found: (
            f"{found['open']}{_NUMBERED[found['hour'].lower()]}{':30' if found['half'] else ''}{found['rest']}"
        ),
        text,
    )
    text = _EARLY_OR_LATE.sub(lambda found: f"{found['early']} am{found['rest']}", text)
    text = _AT_NIGHT.sub(lambda found: f"{found['hour']}{':' + found['minute'] if found['minute'] else ''} pm", text)
    text = _HOURS.sub(lambda found: f"from {found['hours'].removeprefix('from ')}", text)
    text = _PART.sub(
        lambda found: (
            f"{found['hour']}{':' + found['minute'] if found['minute'] else ''} {_HALVES[found['part'].lower()]}"
        ),
        text,
    )
    return _SPAN.sub(
        lambda found: f"{found['open']}{found['gap']}{found['first']}:00{found['joint']}{found['last']}:00", text
    )


def with_plain_names(text: str) -> str:
    """Return a sentence with "priya@acme.example" for "Priya (priya@acme.example)", and "Ada" for "my sister Ada".

    "A student's grade" is the grade of a student.
    """
    text = _IN_BRACKETS.sub(
        lambda found: found["value"], _ENDINGS.sub(lambda found: f"ending in {found['value']}", text)
    )
    text = _OF_ANY.sub(lambda found: f"the {found['what']} of {found['article']} {found['whose']}", text)
    return _RELATED.sub("", _ADDRESSED.sub(lambda found: found["inner"] or found["at"], text))


def without_emphasis(text: str) -> str:
    """Return a sentence without an ending such as ", not one more" or "; no exceptions"."""
    return _EMPHASIS.sub(lambda found: found["stop"], text)
