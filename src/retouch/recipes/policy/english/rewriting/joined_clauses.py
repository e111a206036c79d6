"""Writes joined clauses as whole ones: "but do not change any" after "you may list events" is "... change any events".

Only what stands for the things of the clause before is replaced, and only if that names nothing else.
"""

from __future__ import annotations

import re

from retouch.recipes.policy.english.words import lexicon

_VERBS = r"(?P<v>[a-z]+(?:(?:, (?:or |and )?| or | and )[a-z]+)*)"
_NOT = r"(?:you )?(?:must not|must never|may not|can not|cannot|should not|do not|don't|never)"
_THINGS = r"(?P<things>(?:[a-z]+s, )*(?:[a-z]+s,? (?:and|or) )?[a-z]+s)"
_ANY = re.compile(
    rf"(?P<first>(?:You|The (?:agent|assistant|bot)) (?:may|can) [^,;:]*?(?:, [^,;:]+?)*?{_THINGS}),? (?:but|and) "
    rf"{_NOT} {_VERBS} (?:any|any of them|any of those|them|one)(?P<end>[.!]?)"
)
_READ_ONLY = re.compile(
    rf"(?P<things>[A-Z][a-z]+s) are read-only(?: for you)?, so (?:you (?:may|can) )?(?:only )?"
    rf"(?:look at|read|view|list) them,? but {_NOT} {_VERBS} (?:any|any of them|them)(?P<end>[.!]?)"
)
_LIMITED = re.compile(r"\b(?:in|from|to|of|with|on|for|by|that|which|about|whose|only|under|if|between|without|not)\b")
_NONE = re.compile(
    r"No (?P<thing>(?!one |other |more |longer |new )[a-z]+(?: [a-z]+)?) (?:may|should|must|can|shall)(?: ever)? "
    r"be (?P<rest>[a-z]+ed(?: [^,;]+)? ?(?:without my|unless I) [^,;]+)"
)


def _are_all(found: re.Match[str]) -> bool:
    """Return whether the things come right after their verb, and no others before: "urgent tickets" are only some."""
    before = found.string[: found.start("things")].rstrip().split(" ")
    others = any(word.rstrip(",").endswith("s") and len(word) > 3 for word in before)
    return not others and (before[-1] in lexicon.VERBS or before[-2:] in (["look", "up"], ["look", "at"]))


def with_whole_clauses(sentence: str) -> str:
    """Return a sentence with the things that its second part points to, and "a thing must not be" for "no thing"."""
    text = sentence.replace("\u2019", "'")
    if "`" in text or '"' in text:
        return sentence
    if (found := _ANY.fullmatch(text)) and not _LIMITED.search(found["first"]) and _are_all(found):
        things = re.sub(r",? and ", " or ", found["things"])
        return f"{found['first']}, but you must not {found['v']} any {things}{found['end']}"
    if found := _READ_ONLY.fullmatch(text):
        more = "" if re.search(r"\bchange\b", found["v"]) else " or change"  # which is to delete them, too
        return f"You must not {found['v']}{more} {found['things'].lower()}{found['end']}"
    if found := _NONE.fullmatch(text):
        return f"{'An' if found['thing'][0] in 'aeio' else 'A'} {found['thing']} must not be {found['rest']}"
    return sentence
