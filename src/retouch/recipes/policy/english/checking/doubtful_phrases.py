"""Phrases beside the action of a sentence that may change what it says, whatever its reading is.

"Let me know if you delete tickets" asks nobody, and "last year, you may ..." permits nothing now.
"""

from __future__ import annotations

import re

_TIMES = r"(?:on|at|after|before|by|until|from|during|between)"
_MADE = r"(?:booked|made|created|ordered|placed|scheduled|reserved|planned)"
_PEOPLE = r"(?:people|anyone|users|members|addresses|recipients|customers|those)"
_LIMIT = r"(?:up to|under|at most|below|over|above|(?:more|less) than) \S*\d"
_DAY = r"(?:today|yesterday|tomorrow|tonight|(?:last|next|this) [a-z]+|once)"
_SAYING = r"(?:(?:my|our|the) [a-z]+ (?:says?|said)|tell [a-z]+)"
_CONDITIONS = r"\b(?:before|unless|until|till|if|once|after|when|only|that|what|which|first|whatever|anything)\b"
_MUST_BE = r"(?:must|should|has to|have to|needs? to|may only|can only) be"
_OF_THE_THING = re.compile(rf"\b{_MUST_BE} {_MADE} {_TIMES}\b|^only {_TIMES}\b.* be {_MADE}\b")
_PHRASES = {
    "'by default' leaves exceptions open": r"\bby default\b",
    "it may say who receives something, and not who does it": rf"\b(?:reserved|left|up) (?:for|to) {_PEOPLE}\b",
    "what is said of the second 'no' may be said of the first one, too": (
        r"\bno (?!(?:earlier|later|more|less|fewer|sooner|longer|matter|one)\b)[a-z]+\b.*\b(?:and|or),? no [a-z]"
    ),
    "'of its own accord' and 'for good' may change what is said": r"\b(?:of (?:its|your) own accord|for good)\b",
    "the condition may be that of both parts of 'nor'": (
        r"\bnor\b.*\b(?:without|unless|except)\b|\bnever\b.*\bnor\b.*\b(?:if|until)\b"
    ),
    "its beginning says when it is so, or who says so": rf"^(?:{_DAY}|{_SAYING})(?:,|:| that\b| you\b)",
    "who is told of something is not asked": (
        r"\b(?:(?:let|tell|inform|notify) (?:me|us)(?: know)?) (?:if|when|whenever|once|after|as soon as) you "
        r"(?!want|plan|intend|need|are about|would like|wish)"
    ),
    "to save downloads may be to download": (
        r"\b(?:sav(?:e|ing)|stor(?:e|ing)|keep(?:ing)?|put(?:ting)?) (?:(?:all|any|my|the) )?(?:downloads|exports)\b"
    ),
    "it may say what is approved already": rf"^(?!.*{_CONDITIONS}).* i approve$",
    "it may be one limit at one time, and none at other times": (
        rf"\b(?:fine|ok|okay|allowed|permitted|welcome), (?:but )?{_TIMES}\b.*\b{_LIMIT}"
    ),
}
_DOUBTFUL = tuple((why, re.compile(pattern)) for why, pattern in _PHRASES.items())


def doubtful_phrase(text: str, *, timed: bool) -> str:
    """Return what may be meant by a phrase of a sentence in small letters. "" if it has none that is doubtful.

    `timed`: its reading tests the time that an argument names.
    """
    if timed and _OF_THE_THING.search(text):
        return "it may be the time of the call, or the time that it is about"
    return next((why for why, pattern in _DOUBTFUL if pattern.search(text)), "")
