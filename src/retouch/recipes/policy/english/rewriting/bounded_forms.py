"""Replaces bounds of one call by plain ones: "when you read rows, the limit must never exceed 500".

It is "never read rows if the limit is over 500". "Spend more on a single flight" is on a flight, and a question may
stand before its condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.replacing import replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.words import idioms

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.words.tokens import Token

_NOT = r"(?:must|may|should|can|shall) (?:not|never)(?: ever)?"
_AMOUNT = r"(?:[$\u20ac\u00a3]?\d[\d.,]*[$\u20ac\u00a3%]?(?: (?!and |or |but |if |when |unless )[a-z]+)?)"
_NUMBER = r"(?:[$\u20ac\u00a3]?\d[\d.,]*|(?!a |an )[a-z]+)"
_WHEN = r"(?:when|whenever|if) you"
_DOING = r"(?P<v>[a-z]+ (?:(?!(?:and|or|but|not|never|no|if|when|unless) )[^\s,;]+ )*?(?:[^\s,;]+))"
_ITS = r"(?:the|its|their) (?P<a>[a-z]+)"
_OVER = rf"{_NOT} (?:exceed|go (?:over|above|beyond)|be (?:over|above|(?:more|higher|larger|greater|bigger) than))"
_UNDER = rf"{_NOT} (?:fall below|go (?:under|below)|be (?:under|below|(?:less|lower|smaller) than))"
_AT_MOST = r"(?:must|should|has to) (?:always )?(?:be|stay) (?:at most|no more than|not more than)"
_AT_LEAST = r"(?:must|should|has to) (?:always )?(?:be|stay) (?:at least|no less than)"
_WHEN_DONE = tuple(
    rewriting(pattern, f"never {{v}} if the {{a}} is {bound} {{n}}")
    for said, bound in ((f"(?:{_OVER}|{_AT_MOST})", "over"), (f"(?:{_UNDER}|{_AT_LEAST})", "under"))
    for pattern in (
        rf"^{_WHEN} {_DOING} , {_ITS} {said} (?P<n>{_AMOUNT})$",
        rf"^{_ITS} {said} (?P<n>{_AMOUNT})(?: ,)? {_WHEN} {_DOING}$",
    )
)
_ONE_CALL = (
    rewriting(
        rf"(?P<x>(?:more than|over|above|up to|at most|no more than) {_AMOUNT} (?:on|for|per)) "
        r"(?:(?:a|an|any|each|every|the) (?:single|individual)|(?:any )?one)(?= [a-z]+$)",
        "{x} a",
    ),
    rewriting(
        rf"(?P<x>(?:more than|over|above|up to|at most|no more than) {_NUMBER} "
        r"(?:hours?|minutes?|euros?|dollars?|pounds?|eur|usd|gbp)) "
        r"(?:in|per|for) (?:a|an|any|each|every|one)(?: single| one)? (?:entry|record|go|call)$",
        "{x}",
    ),
)
_CONDITION = (
    r"(?:a|an|any|the) (?:(?!(?:and|or|but|not|i|you|if|when) )[a-z-]+ ){1,4}?"
    r"(?:costs?|exceeds?|is|amounts to|goes|lasts|comes to) "
    rf"(?:(?:over|above|beyond|more than|longer than|higher than|for more than) )?{_AMOUNT}"
)
_QUESTION = rewriting(
    rf"^(?P<z>{idioms.ASK.pattern}) (?:if|when|whenever|in case) (?P<x>{_CONDITION})$", "if {x} , {z}"
)
_OWNED = re.compile(
    rf"^(?:a|an|any|every|each|the) (?P<owner>[a-z]+)'s (?P<a>[a-z]+(?: [a-z]+)?)(?= (?:{_NOT}|must|should) )"
)
# "Transfers up to 100 euros are fine; anything bigger needs my approval": bigger transfers.
_BIGGER = rewriting(
    rf"(?P<x>up to {_AMOUNT} (?:is|are) (?:fine|ok|allowed|permitted|all right|acceptable)) "
    r"(?P<j>;|, but|, and|,|but|and) (?:anything|everything) (?:bigger|larger|higher|greater|beyond|over|above|more)"
    r"(?: (?:than )?(?:that|this|it))? "
    r"(?:needs|requires)",
    "{x} {j} larger ones need",
)
# "Each fetch may return 10,000 characters at most"
_MOST = r"(?:at (?:the )?(?:very )?most|no more than|not more than|a maximum of|up to)"
_EACH_CALL = tuple(
    re.compile(
        rf"^(?:each|every|a single|any single|any) (?P<v>[a-z]+) (?:may|must|can|should) (?:only )?"
        rf"(?:return|fetch|read|get|load|have|give) {said}$"
    )
    for said in (
        rf"{_MOST} (?P<n>\d[\d.,]*) (?P<u>[a-z]+)",
        r"(?P<n>\d[\d.,]*) (?P<u>[a-z]+) (?:at (?:the )?(?:very )?most|max|maximum|tops)",
    )
)
_MANY_DEGREES = r"(?= (?:[\d.]+|[a-z]+)(?: and [\d.]+)? degrees?\b)"
_HEATING = r"(?:the )?(?P<n>heating|thermostat|climate|heat) (?:to )?(?:anywhere )?(?:(?:a|any) temperature )?"
# "Set the heating anywhere between 18 and 22 degrees": its temperature.
_DEGREES = tuple(
    rewriting(rf"(?:{said}) {_HEATING}(?P<b>{bound}){_MANY_DEGREES}", f"{verb} the {words} {{b}}")
    for verb, said in (("set", "set|turn|put|adjust"), ("setting", "setting|turning|putting|adjusting"))
    for bound, words in (
        ("between", "temperature of the {n}"),
        ("above|over|below|under|(?:higher|lower|more|less) than", "{n}"),
    )
)
_TIMED = r"(?:on|before|after|at|between|during|earlier|later|past|outside)"
_BOUNDED = r"(?:more|less|over|under|above|below|beyond|longer|shorter|larger|bigger|higher)"
_PROPERTY = (
    rf"(?:(?:start|begin|commence|end|finish|take place|happen|depart|arrive|leave) {_TIMED}|exceed|"
    rf"(?:cost|last|take|go) {_BOUNDED}|be (?:held |scheduled |planned |booked )?(?:{_TIMED}|for|{_BOUNDED}))"
)
_NO_PLURAL = rewriting(
    r"^no (?P<x>(?:(?!(?:and|or|but|one|other|others|more) )[^\s,;]+ ){0,3}(?:[a-z]+s)) (?:may|must|should|can|shall)"
    rf"(?: ever)?(?= {_PROPERTY} )",
    "{x} must not",
)
_NO_SINGLE = rewriting(
    r"^no (?P<x>(?:(?!(?:and|or|but|one|other|others|more) )[^\s,;]+ ){0,3}(?:[a-z]+)) (?:may|must|should|can|shall)"
    rf"(?: ever)?(?= {_PROPERTY} )",
    "a {x} must not",
)


def with_plain_bounds(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return the words of a sentence with bounds of one call in a plain form, each once. `verbs` are of the tools."""
    for pattern in _EACH_CALL:
        found = pattern.fullmatch(text_of(tokens))
        if found is not None and found["v"] in verbs:
            tokens = replaced(tokens, found, "never {v} more than {n} {u} at once")
    for one in (*_WHEN_DONE, *_ONE_CALL, *_DEGREES, _QUESTION, _BIGGER, _NO_PLURAL):
        tokens = rewritten(tokens, one)
    owned = _OWNED.search(text_of(tokens))
    if owned is not None:
        tokens = replaced(tokens, owned, "the {a} of a {noun}", {"noun": owned["owner"]})
    return rewritten(tokens, _NO_SINGLE) if text_of(tokens).startswith("no ") else tokens
