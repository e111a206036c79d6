"""Writes names instead of what describes them, and leaves emphasis out: what a sentence says is the same."""

from __future__ import annotations

import re

_EMAIL = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
# "My tax adviser at info@acme.example" is an address, and "my sister Ada" is Ada.
_ADDRESSED = re.compile(rf"\b(?:my|our|the)(?: [a-z]+){{1,3}} at (?P<at>{_EMAIL})")
_RELATIVES = (
    "sister brother mother father mum mom dad wife husband partner daughter son aunt uncle cousin friend neighbour "
    "neighbor boss colleague landlord landlady flatmate roommate accountant adviser advisor lawyer assistant secretary"
)
_RELATED = re.compile(rf"\b(?:my|our) (?:{'|'.join(_RELATIVES.split())}) (?=[A-Z][a-z]+)")
# "A student's grade"
_OF_ANY = re.compile(
    r"\b(?P<article>an?|any|every|each) (?P<whose>[a-z]+)['\u2019]s (?P<what>[a-z]+)\b"
    r"(?=[.,;]|$| (?:to|without|unless|above|over|below|under)\b)"
)
EMPHASIS = (
    r"(?:and )?(?:that|this)(?: is|['\u2019]s) (?:final|it|all|plenty|enough|"
    r"(?:a|the|my) (?:absolute |hard |strict |firm |upper )?"
    r"(?:limit|maximum|rule|line))"
    r"|not (?:a single )?(?:one )?more|not (?:even |ever )?once|no more than that|not ever|ever"
    r"|(?:each and )?every (?:single )?time|each time|always|without fail"
    r"|no (?:discussion|excuses|arguments?|debate|ifs,? (?:and |or |no )?buts)"
    r"|(?:and )?(?:absolutely |strictly )?(?:no|without) exceptions?(?: whatsoever)?|full stop|period"
    r"|no matter (?:what|which|who|where|when|how|why)(?: [a-z]+){0,5}"
    r"|whatever (?:(?:the|a|any|my|our) )?[a-z]+ (?:says?|asks?(?: for)?|wants?|claims?|thinks?|tells? you)"
    r"|(?:thanks|thank you|ok|please|got it|understood)"
    r"|(?:and )?(?:after that|then|from then on),? (?:you(?: are|['\u2019]re)|it(?: is|['\u2019]s)) (?:done|over|"
    r"finished)"
    r"(?: (?:until|till) (?:tomorrow|the next (?:day|hour|week))| for (?:the|that) (?:day|hour|week))?"
)
_EMPHASIS = re.compile(rf"(?:[,;:]| [\u2013\u2014-]) *(?:{EMPHASIS})(?P<stop>[.!]*)$", re.IGNORECASE)


def with_plain_names(text: str) -> str:
    """Return a sentence with "info@acme.example" for "my adviser at info@acme.example", "Ada" for "my sister Ada".

    "A student's grade" is the grade of a student.
    """
    text = _OF_ANY.sub(lambda found: f"the {found['what']} of {found['article']} {found['whose']}", text)
    return _RELATED.sub("", _ADDRESSED.sub(lambda found: found["at"], text))


def without_emphasis(text: str) -> str:
    """Return a sentence without an ending such as ", not one more" or "; no exceptions"."""
    return _EMPHASIS.sub(lambda found: found["stop"], text)
