"""A tool whose argument chooses what it does, as a family of tools: one for each value of that argument.

`pg_manage_functions(operation=drop)` is what "drop functions" says, `review_write(event=APPROVE)` approves, and
`delete_object(type=task)` deletes tasks. The value is the verb, the noun or both. Where the kind of things is any text,
as in `kubectl_delete(resourceType)`, there is a member for every noun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import GENERAL_THINGS, is_id, split_name
from retouch.recipes.policy.english.words.lexicon import VERBS, bases_of, singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.language.values import Scalar

_DOING = word_set("action operation op event response command subcommand cmd verb method")
_KINDS = word_set("type kind")
_OF_THINGS = word_set("object resource entity item")
_HANDLING = word_set("handle manage set process respond answer reply toggle update")
_NO_ACTS = word_set("other none default custom auto all any unknown")
# What a true argument does, and what it does if it is false.
_OTHERWISE: Mapping[str, frozenset[str]] = {
    "accept": word_set("dismiss decline reject refuse"),
    "approve": word_set("reject decline refuse"),
    "enable": word_set("disable"),
    "lock": word_set("unlock"),
    "publish": word_set("unpublish"),
}
SAME_VERBS: Mapping[str, frozenset[str]] = {
    "decline": word_set("reject refuse"),
    "reject": word_set("decline refuse"),
    "delete": word_set("remove"),
    "dismiss": word_set("reject decline refuse"),
}
# These are done to what a tool is named after. Others are done to what this belongs to: a review approves a request.
_TO_ITSELF = word_set(
    "create add insert new delete remove drop update edit alter get list submit resolve unresolve run rerun cancel "
    "grant revoke"
)
_SAME_THINGS = (
    word_set("event meeting appointment invitation invite"),
    word_set("user account login role"),
    word_set("tab page window"),
)
_SHORT_KINDS: Mapping[str, str] = {
    "namespace": "ns", "pod": "po", "deployment": "deploy", "service": "svc", "configmap": "cm", "node": "no",
    "persistentvolumeclaim": "pvc", "persistentvolume": "pv", "statefulset": "sts", "daemonset": "ds",
    "replicaset": "rs", "ingress": "ing", "cronjob": "cj", "serviceaccount": "sa",
}  # fmt: skip
_IN_NAMESPACES = _SHORT_KINDS.keys() - {"namespace", "node", "persistentvolume"} | word_set("job secret event")
_KNOWN_KINDS = _SHORT_KINDS.keys() | word_set("job secret event role rolebinding clusterrole networkpolicy")
_WHOLE = word_set("manifest filename file yaml json spec body definition")


@dataclass(frozen=True, kw_only=True)
class Member:
    """What a tool does with one value of an argument, in words. `last` are the nouns that its objects can be called.

    `tests` are alternatives: a call that passes one of them does it, or may do it. `sure` are those that surely do.
    """

    tool: KnownTool
    arg: str
    verbs: frozenset[str]
    nouns: frozenset[str]
    last: frozenset[str]
    tests: tuple[tuple[Limit, ...], ...]
    sure: tuple[tuple[Limit, ...], ...]


def family_of(one: KnownTool) -> Iterator[Member]:
    """Yield the members of a tool whose argument with listed values, or that is true or false, says what it does."""
    if one.code:
        return
    for arg, values in one.listed.items():
        words = split_name(arg)
        for value in values:
            if words[-1] in _DOING and value.lower() not in _NO_ACTS:
                yield from _acting(one, arg, value)
            elif words[-1] in _KINDS and _is_general(one, words):
                yield _of_kind(one, arg, value)
    for name, arg in one.flags.items():
        if name in VERBS and arg in one.required and not one.verbs.isdisjoint(_HANDLING):
            yield _member(one, arg, frozenset({name}), (True,))
            if name in _OTHERWISE:
                yield _member(one, arg, _OTHERWISE[name], (False,))


def of_any_kind(one: KnownTool, noun: str) -> Iterator[Member]:
    """Yield the member of a tool for a noun, if any text says which kind of things it is called for."""
    kinds = [arg for arg in one.tool.args if _names_kind(one, arg)]
    if one.code or len(kinds) != 1 or (one.head is not None and one.head not in GENERAL_THINGS):
        return
    (arg,) = kinds
    told = {*map(singular, re.findall("[a-z]+", one.described(arg).lower()))} - {"resource", "object", "type", "kind"}
    if "".join(noun.split()) not in _KNOWN_KINDS | told:
        return
    named = _spellings(noun)
    holders = _spellings("namespace") if "".join(noun.split()) in _IN_NAMESPACES else []
    within = [
        f"{before}{name}{after}"
        for name in (*named, *holders)
        for before in ("", "*,", "*, ")
        for after in ("", ",*", "/*", ".*")
    ]
    tests = [(Limit(arg=arg, like=tuple(within)),)]
    tests += [(Limit(arg=arg, state="absent"),)] if arg not in one.required else []
    tests += [
        (Limit(arg=other, state="present"),)
        for other in one.tool.args
        if _WHOLE & {*split_name(other)} and other != arg
    ]
    yield Member(
        tool=one,
        arg=arg,
        verbs=one.verbs | one.done,
        nouns=frozenset(noun.split()) | one.vocabulary,
        last=frozenset(noun.split()[-1:]),
        tests=tuple(tests),
        sure=((Limit(arg=arg, among=tuple(named)),),),
    )


def _spellings(noun: str) -> list[str]:
    """Return how a kind of things can be written: `persistentvolumeclaims` and `pvc` for a persistent volume claim."""
    joined = "".join(noun.split())
    plural = "es" if joined.endswith(("s", "x", "ch", "sh")) else "s"
    known = {mark.join(noun.split()) + many for mark, many in product(("", " ", "-", "_"), ("", plural))}
    known |= {f"{joined[:-1]}ies"} if joined.endswith("y") else set[str]()
    return sorted(known | {_SHORT_KINDS.get(joined, joined)})


def is_chosen(one: KnownTool) -> bool:
    """Return whether an argument says what a tool does, or to what."""
    return any(True for _ in family_of(one)) or any(_names_kind(one, arg) for arg in one.tool.args)


def called(noun: str) -> frozenset[str]:
    """Return a noun, and what else its things are called where they are answered or managed: an event is a meeting."""
    return frozenset({noun}).union(*(group for group in _SAME_THINGS if noun in group))


def _names_kind(one: KnownTool, arg: str) -> bool:
    words = split_name(arg)
    chosen = words[-1] in _KINDS and (_is_general(one, words) or len(words) == 1)
    return chosen and arg not in one.listed and one.takes_one_text(arg)


def _is_general(one: KnownTool, words: list[str]) -> bool:
    """Return whether `type` says to which things something is done, and not which of its own a tool makes."""
    own = {*words[:-1]} & _OF_THINGS
    return bool(own) or (one.head in GENERAL_THINGS and len(words) == 1)


def _acting(one: KnownTool, arg: str, value: str) -> Iterator[Member]:
    """Yield the member for a value that begins with what is done: `drop`, `accepted`, `create_table`."""
    first, *rest = split_name(value)
    verbs = {first} if first in VERBS or not bases_of(first, form="ed") else set[str]()
    verbs |= {base for base in bases_of(first, form="ed") if base in VERBS}
    nouns = frozenset(map(singular, rest))
    if verbs:
        yield _member(
            one, arg, frozenset(verbs), (value,), nouns=nouns, last=frozenset({singular(rest[-1])} if rest else ())
        )


def _member(
    one: KnownTool,
    arg: str,
    verbs: frozenset[str],
    values: tuple[Scalar, ...],
    *,
    nouns: frozenset[str] = frozenset(),
    last: frozenset[str] = frozenset(),
) -> Member:
    own = frozenset(one.core) | frozenset(word for each in one.told for word in each)
    own |= {singular(split_name(arg)[0]) for arg in one.required if is_id(arg)}
    own = own.union(*map(called, own))
    itself = called(one.head) if one.head and verbs <= _TO_ITSELF else own
    sure = (
        (Limit(arg=arg, among=values),)
        if arg in one.required
        else (Limit(arg=arg, state="present"), Limit(arg=arg, among=values))
    )
    absent = ((Limit(arg=arg, state="absent"),),) if _is_default(one, arg, values) else ()
    return Member(
        tool=one,
        arg=arg,
        verbs=verbs,
        nouns=nouns | own | one.server_words,
        last=last or itself,
        tests=(sure, *absent),
        sure=(sure,),
    )


def _of_kind(one: KnownTool, arg: str, value: str) -> Member:
    words = frozenset(map(singular, split_name(value)))
    return _member(
        one, arg, one.verbs | one.done, (value,), nouns=words, last=frozenset({singular(split_name(value)[-1])})
    )


def _is_default(one: KnownTool, arg: str, values: tuple[Scalar, ...]) -> bool:
    """Return whether a call without an argument may do what these values do: by its default, or as none is told."""
    if arg in one.required:
        return False
    told = re.search(r"\bdefault(?:s|ed)?(?: is| to|:| value)*[ '\"`:=]*(?P<value>\w+)", one.described(arg).lower())
    default = one.default_of(arg) or (told["value"] if told else None)
    if default is not None:
        return str(default).lower() in {str(value).lower() for value in values}
    return split_name(arg)[-1] in _DOING - {"event", "response", "method"} or arg == "method"
