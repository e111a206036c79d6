"""Replaces a negation after the verb by one before it: "delete nothing in X" is "never delete anything in X".

"Nobody gets invited to X" is "never invite anyone to X", and "You may read X, but change nothing there" names X again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.replacing import replaced, text_of
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, word_set
from retouch.recipes.policy.english.words.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Collection


_AGENT = r"(?:you|(?:the|this|my|our|your) (?:ai )?(?:agent|assistant|bot|ai|model))"
_NEVER = r"(?:never|not|no|nothing|nobody|none|nor|neither|without|unless)"
_JOINT = r"(?:, but|but|; but|;|, and|and)"
_OPENING = rf"(?:(?:please )?(?:{_AGENT} (?:may|can|must|should|shall|will|is to) )?)"
_VERBS = r"(?P<v>[a-z]+(?:(?: ,)? or [a-z]+)*)(?P<p>(?: (?:to|with|for|on))?)"
_NONE = {"nothing": "anything", "nobody": "anyone", "no one": "anyone", "no-one": "anyone", "no": "any"}
_COMPARED = r"(?:one|more|less|fewer|later|earlier|longer|matter|other|sooner|further|\d\S*)"
_NOTHING = rf"(?P<n>nothing|nobody|no one|no-one|no(?! {_COMPARED}(?: |$)))"
# Two clauses may share what follows the second one: "post nothing, and read nothing on Mondays"
_ONE_CLAUSE = r"(?P<rest>(?: (?!else(?: |$))[^;]+?)?)$"
_WHERE = r"(?P<rest> (?:there|in|inside|under|below|within|on|from) ?[^,;]*?)$"
_FIRST = re.compile(rf"^(?P<start>{_OPENING}){_VERBS} {_NOTHING}{_ONE_CLAUSE}")
_SECOND = re.compile(rf"(?P<start>(?<!\S){_JOINT} ){_VERBS} {_NOTHING}{_WHERE}")
_PASSIVE = re.compile(
    r"^(?:nobody|no one|no-one)(?P<who>(?: (?:outside(?: of)?|except(?: for)?|at|from) \S+)?) "
    r"(?:gets|(?:may|can|must|should|shall|will|is to)(?: ever)? (?:be|get)) "
    r"(?P<v>[a-z-]+)(?P<rest>(?: .+)?)$"
)
_PLACED = "in|inside|under|below|within"
_THERE = re.compile(
    rf"^(?P<first>(?:(?!(?:, but|but|;|,|{_PLACED}) )\S+ )+"
    rf"(?P<place>(?:{_PLACED}) (?P<name>(?:(?!(?:and|or|but|in|on|at|to|from|if|unless|except) )[^\s,;]+ ){{1,4}}?)))"
    rf"(?P<joint>{_JOINT}) (?P<second>(?:(?!(?:and|but|{_PLACED}|to|into|from|on) )[^\s,;]+ )+?)(?P<inside>in )?there$"
)
# "Create subfolders in ~/a and move files around inside it": of several things, the folder is "it"
_IN_IT = re.compile(
    rf"(?:(?!(?:a|an|the|one|any|every|each|this|that|my|our|another|{_PLACED}) )\S+ )+"
    rf"(?:{_PLACED}) [~/]\S*(?:, but|; but| and| but|,|;) (?P<second>(?:(?!(?:{_PLACED}) )\S+ )+)"
    rf"(?:{_PLACED}) (?:it|there)"
)
_BROUGHT = re.compile(r"(?:[a-z']+ ){0,4}?(?:move|copy|upload|download|save|put) (?!.*\b(?:around|about)\b)")
# What is left, kept or missed is there: "leave nothing in the trash" says what to do.
_POSITIVE = word_set("leave keep miss skip lose forget spare need want have take do say know cost be")
# Nobody is added to an event by making one: who is added stands in an argument.
_ADDING = word_set("add put include set")
_NO_DEEDS = word_set("allowed permitted authorized authorised supposed expected meant required asked told")


def with_plain_negations(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return the words of a sentence with "never" before its verbs for "nothing" and "nobody" after them.

    `verbs` are those of the tools.
    """
    return _with_place_again(_in_active_form(_with_never(tokens, verbs), verbs))


def _with_never(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    text = text_of(tokens)
    found = _FIRST.fullmatch(text)
    if found is None:
        found = _SECOND.search(text)
        if found is None or re.search(rf"(?<!\S){_NEVER}(?!\S)", text[: found.start()]):
            return tokens
    elif re.search(rf"(?:,|(?<!\S)(?:and|or|but)) (?:[a-z]+ ){{1,3}}{_NEVER}(?!\S)", found["rest"]):
        return tokens
    said = [word for word in re.findall("[a-z]+", found["v"]) if word != "or"]
    if not all(word in verbs or word in lexicon.VERBS for word in said) or not _POSITIVE.isdisjoint(said):
        return tokens
    if found["n"] == "nothing" and not found["rest"]:
        return tokens  # "send nothing" may be about drafts as well
    if _NONE[found["n"]] == "anyone" and not _ADDING.isdisjoint(said):
        return tokens
    opening = found["start"].strip() if found["start"].startswith((",", ";", "but", "and")) else ""
    more = {"opening": opening, "any": _NONE[found["n"]]}
    return replaced(tokens, found, "{opening} never {v} {p} {any} {rest}", more)


def _in_active_form(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "never invite anyone to X" for "nobody gets invited to X"."""
    found = _PASSIVE.fullmatch(text_of(tokens))
    bases = bases_of(found["v"], form="ed") if found and found["v"] not in _NO_DEEDS else ()
    known = [one for one in dict.fromkeys(bases) if one in lexicon.VERBS or one in verbs]
    if found is None or len(known) != 1 or known[0] in _ADDING:
        return tokens
    return replaced(tokens, found, "never {verb} anyone {who} {rest}", {"verb": known[0]})


def _with_in_there(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "and move files in there" for "and move files around inside it"."""
    found = _IN_IT.fullmatch(text_of(tokens))
    if found is None:
        return tokens
    around = tokens[-3].text == "around" and "move" in found["second"].split()
    before = tokens[:-3] if around else tokens[:-2]
    return (*before, Token(text="in", raw="in"), Token(text="there", raw="there"))


def _with_place_again(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "you may read X in Y, but never change anything in Y" for "..., but never change anything there"."""
    tokens = _with_in_there(tokens)
    found = _THERE.fullmatch(text_of(tokens))
    if found is None:
        return tokens
    if _BROUGHT.match(found["second"]) is None or found["inside"]:
        return replaced(tokens, found, "{first} {joint} {second} {place}")
    return replaced(tokens, found, "{first} {joint} {second} to {name}")
