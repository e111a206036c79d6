"""Replaces sentences that say what a thing is by what must not be done: "treat X as read-only" is "never change X".

"X are private, so never read them" is "never read X", "show me each X before it is sent" asks before X is sent, and
"every X but Y" is every X except Y.
"""

from __future__ import annotations

import re

from retouch.recipes.policy.english.rewriting.replacing import replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.tokens import Token

_READ_ONLY = r"(?:strictly |purely )?(?:read-only|read only|for reading only|look-only)"
_TREATED = (
    rewriting(
        r"^(?:please )?(?:always )?(?:treat|consider|regard|handle|keep|leave) (?P<x>[^,;]+?) (?:as )?"
        rf"{_READ_ONLY}$",
        "{x} is read-only",
    ),
    rewriting(
        r"^(?P<x>[^,;]+?) (?:must|should|has to|have to|is to|are to|needs to|need to) (?:always )?"
        rf"(?:be (?:treated|considered|regarded|handled|kept)(?: as)?|be|stay|remain) {_READ_ONLY}$",
        "{x} is read-only",
    ),
)
_IS_READ_ONLY = re.compile(
    rf"^(?P<all>(?:(?:everything|anything|all|all files|all documents) (?:in|under|below|inside|within|"
    r"(?P<out>outside(?: of)?)) )?)"
    rf"(?P<x>[^,;]+?) (?:is|are|stays|stay|remains|remain) (?:always )?{_READ_ONLY}"
    r"(?:(?: ,)? (?:except|except for|apart from|but not|unless it is in|other than)(?: (?:in|for|inside))? "
    r"(?P<but>[~/]\S*(?: (?:and|or) [~/]\S*)*))?$"
)
_PRIVATE = rewriting(
    r"^(?P<x>(?!(?:it|they|this|that|these|those|you|we|i) )(?:[^,;\s]+ ){0,3}?[^,;\s]+) (?:is|are) "
    r"(?:very |strictly )?(?:private|personal|confidential|sensitive|secret|important|precious|fragile|critical|"
    r"off limits|off-limits|out of bounds|reserved for (?:me|us))"
    r"(?: , so| ; so| so| , and) "
    r"(?P<rule>(?:please )?(?:never|do not|you must not|you must never|leave|keep out of|stay out of|stay away from|"
    r"keep away from|hands off)(?:(?: ,)? [a-z]+){0,5}?) (?:it|them|those|these)(?P<rest>(?: [^,;]+)?)$",
    "{rule} {x} {rest}",
)
_SHOWN = rewriting(
    r"^(?:please )?(?:always )?(?:show|let) (?:me|us)(?: (?:see|check|review|approve))? "
    r"(?:(?:each|every|any|all|the) )?(?:new )?(?P<x>[a-z]+(?: [a-z]+)?)"
    r"(?: for (?:my )?(?:approval|review|confirmation))?(?: first)? before "
    r"(?:it is|it gets|it can be|they are|they get|they can be) (?P<y>[a-z]+(?: (?:or|and) [a-z]+)?(?: [^,;]+)?)$",
    "before any {x} is {y} , ask me",
)
_WANTED = rewriting(
    r"^(?:i|we) (?:want to|would like to|need to|have to|must|insist on) (?:approve|approving|confirm|confirming|"
    r"authorize|authorise|ok|sign off on|sign off) (?:every|each|any)(?: single)? "
    r"(?P<x>(?:shell |terminal |bash )?command(?: (?!before )[^,;]+)?)$",
    "ask before running any {x}",
)
_OTHER_MOVES = re.compile(
    r"^(?P<first>(?P<doing>moving|copying|uploading|transferring) (?P<x>(?:[a-z]+ ){1,2}?)(?:to|into) [^,;]+? "
    r"(?:is|are) [a-z ]+?) (?P<joint>, but|but|; but|;|, and) (?:(?:please )?ask(?: me)?(?: first)? about any other "
    r"(?P<noun>[a-z]+)|any other (?P<same>[a-z]+) (?:needs|requires) my (?:approval|ok|permission|confirmation))$"
)
_MOVES = {"moving": "move", "copying": "copy", "uploading": "upload", "transferring": "transfer"}
_EVERY = re.compile(
    r"(?<!\S)(?:every|each|any|all|anyone|everyone|anything|everything)(?: (?!but )[a-z-]+){0,2} (?P<but>but) "
)
_NAME = re.compile(r"[#@/~.]\S+|[A-Z]\S*|\S*[a-z][_\d]\S*")
_OFF_LIMITS = re.compile(
    r"^(?P<x>[^,;]+?) (?:is|are) (?:strictly |completely |always )?(?:off limits|off-limits|out of bounds|taboo|no-go)"
    r"(?: (?:for|to) (?:you|(?:the|this) (?:agent|assistant|bot)))?$"
)
_PATHS = re.compile(r"[~/]\S*(?: (?:and|or) [~/]\S*)*")
_WORDS = re.compile(r"(?:the|my|our) (?P<words>(?:[\w./-]+|\x00)(?: (?:[\w./-]+|\x00)){1,3})")
_SMALL = word_set("and or but for to of in on at with without from by not only all any my the our is are as")
# What has things in it that can be changed. Who says that the agent, its access or a key is read-only tells a fact.
CONTAINERS = word_set(
    "calendar namespace project board folder directory table schema collection database bucket channel list sheet "
    "repository repo space workspace notebook mailbox album drive zone area environment ledger cluster vault wiki group"
)
_KEPT_OUT_OF = word_set("calendar namespace project board table schema collection database bucket repository repo")


def with_plain_verdicts(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words of a sentence with "never change anything in X" for "treat X as read-only"."""
    for one in (_PRIVATE, _SHOWN, _WANTED, *_TREATED):
        tokens = rewritten(tokens, one)
    tokens = _with_other_moves(_with_exception(tokens))
    closed = _OFF_LIMITS.fullmatch(text_of(tokens))
    if closed is not None and _is_named(closed["x"], _KEPT_OUT_OF):
        return replaced(tokens, closed, "keep out of {x}")
    found = _IS_READ_ONLY.fullmatch(text_of(tokens))
    if found is None or not _is_place(found["x"]):
        return tokens
    where = "outside" if found["out"] else "in"
    return replaced(tokens, found, f"never change anything {where} {{x}}{' except in {but}' if found['but'] else ''}")


def _is_place(text: str) -> bool:
    """Return whether words are directories, or one named thing that has others in it."""
    if _PATHS.fullmatch(text):
        return True
    return _is_named(text, CONTAINERS)


def _is_named(text: str, nouns: frozenset[str]) -> bool:
    """Return whether words are one of some nouns with a name: "the Family calendar", "the calendar Family"."""
    found = _WORDS.fullmatch(text)
    words = found["words"].split() if found is not None else []
    return bool(words) and not {words[0], words[-1]}.isdisjoint(nouns) and _SMALL.isdisjoint(words)


def _with_exception(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "every channel except #hr" for "every channel but #hr", if nothing but names follows."""
    found = _EVERY.search(text_of(tokens))
    at = len(text_of(tokens)[: found.start("but")].split()) if found is not None else len(tokens)
    rest = [one for one in tokens[at + 1 :] if one.text not in {"and", "or", ",", "the"}]
    if not rest or not all(one.quoted or _NAME.fullmatch(one.raw) for one in rest):
        return tokens
    return (*tokens[:at], Token(text="except", raw="except"), *tokens[at + 1 :])


def _with_other_moves(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "..., but ask before moving them anywhere else" for "..., but ask me about any other move"."""
    found = _OTHER_MOVES.fullmatch(text_of(tokens))
    if found is None or (found["noun"] or found["same"]) != _MOVES[found["doing"]]:
        return tokens
    return replaced(tokens, found, "{first} {joint} ask before {doing} them anywhere else")
