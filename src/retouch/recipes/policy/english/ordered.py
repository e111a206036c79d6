"""Reads sentences about an order: "Make a backup before you alter a table", "You may close it once you have commented".

Such a sentence has two actions of tools. Each is read like a sentence of its own: the later one as a prohibition, and
as a permission if the sentence gives one, the earlier one as a permission, so that only tools that certainly do it
count. Then calls for the later one are denied unless a call for the earlier one was let through before. If one half
points to a thing of the other one ("it", "that ticket", "in the same city"), both calls must have the same value there.

It is enough that the earlier action was done once. A sentence that wants it done again each time is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.limits.shell_limits import with_whole_shells
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.language.values import EarlierTools, Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

Read: TypeAlias = "Callable[[str], Meaning]"
_YOU = r"(?:you|the assistant|the agent)"
_HAVE = rf"(?:(?:{_YOU} (?:have|has)|you['\u2019]ve)(?: (?:already|first))? (?P<done>[a-z]+)|(?P<doing>[a-z]+ing))"
_HAVING = r"(?:(?P<doing>[a-z]+ing)|(?P<done>[a-z]+))"
_LATER = rf"(?:{_YOU} (?P<then>[a-z]+)|(?P<thening>[a-z]+ing))"
_MAY = rf"(?:{_YOU} (?:may|can)|{_YOU} (?:are|is) allowed to|feel free to)"
_FINE = r"(?:is|are) (?:fine|ok|okay|allowed|permitted|all right|alright)"
_AFTER = r"(?:after|once|as soon as)"
_LATE = r"(?P<later>(?: .+?)?)"
_REST = r"(?P<rest>(?: .+?)?)"
_FIRST = r"(?:,? first|,? beforehand)?"
_N_T = r"n['\u2019]t"
_NOT = rf"(?:never|do not|do{_N_T}|{_YOU} (?:must|may|can|should|shall)(?: not| never|{_N_T}|not)|{_YOU} ca{_N_T})"
_MUST = rf"(?:(?:please|first,?|{_YOU} (?:must|should|have to|has to|need to|needs to)) )?"
_COMMAND = r"(?P<first>(?!never |do not |don['\u2019]t |you |the |feel |only )[a-z]+(?: .+?)?)"
_NOW = r"(?P<now>[a-z]+(?: .+?)?)"
# Of each form: whether it permits the later action, and whether a line such as "Never:" before it could change that.
# `now` is the later action, `rest` what follows the earlier verb.
_FORMS = tuple(
    (permits, plain, re.compile(text, re.IGNORECASE))
    for permits, plain, text in (
        (False, True, rf"{_MUST}{_COMMAND},? before {_LATER}(?P<later>(?: .+)?)"),
        (False, True, rf"before {_LATER}{_LATE}, {_MUST}{_COMMAND}{_FIRST}"),
        (False, False, rf"{_NOT} {_NOW} (?:before|until|unless) {_HAVE}{_REST}{_FIRST}"),
        (False, False, rf"{_NOT} {_NOW} without (?:having|first(?: having)?) {_HAVING}{_REST}{_FIRST}"),
        (False, False, rf"{_NOT} {_NOW} without {_HAVING}{_REST},? (?:first|beforehand)"),
        (False, True, rf"only {_NOW} {_AFTER} {_HAVE}{_REST}"),
        (False, True, rf"(?!you |the |feel |once |after ){_NOW} only {_AFTER} {_HAVE}{_REST}"),
        (True, False, rf"{_MAY} (?:only )?{_NOW},? (?:but )?(?:only )?{_AFTER} {_HAVE}{_REST}"),
        (True, False, rf"(?P<nowing>[a-z]+ing){_LATE} {_FINE},? (?:but )?(?:only )?{_AFTER} {_HAVE}{_REST}"),
        (True, False, rf"(?:only )?{_AFTER} {_HAVE}{_REST}, {_MAY} {_NOW}"),
    )
)
# "A file must be read before it is edited". An approval is no such act: the agent may not be the one who gives it.
_PASSIVE = re.compile(
    r"(?:(?:an?|any|every|each|the) )?(?P<what>[a-z]+(?: [a-z]+){0,2}?) (?:must|should|has to|have to|needs? to) "
    r"(?:always )?(?:first )?be (?!(?:approv|review|confirm|check|test|verifi|validat|sign|accept)ed )(?P<done>[a-z]+) "
    r"before (?:it is|they are|it gets) (?P<then>[a-z]+)"
)
_IRREGULAR = {"left": "leave", "got": "get", "had": "have", "gone": "go"}
_ASKS = word_set(
    "ask asks asking asked me my mine i us our we approval permission consent confirmation okay ok goahead user human "
    "agree agreed confirm confirmed"
)
_AGAIN = word_set("each every always whenever again twice anytime time times everytime last latest recent recently")
_TIMES = word_set(
    "minute minutes hour hours day days week weeks month months today yesterday tomorrow morning evening night daily "
    "right just immediately directly shortly long soon before after once until unless when while if except without "
    "not never no only then otherwise either instead still yet"
)
_WHOLE = word_set(
    "all everything everyone everybody everywhere both several most many few half whole entire entirely fully "
    "completely"
)
_JOINED = frozenset({"and", "or", "nor", ",", ";", "but"})
_PRONOUNS = frozenset({"it", "them"})
_HIDDEN = word_set("its their there this these that those such one ones same he him his she her they")
_INDEFINITE = frozenset({"a", "an", "any", "some"})
_DETERMINERS = _INDEFINITE | {"the", "existing", "open", "all"}
_ENDS = word_set(
    "of to in into on onto from for at by with as about under over inside who which that is are was has have had and "
    "or between across via through out off up down"
)
_NAMING = word_set("id number key name slug uuid uid identifier ref no")
_SCOPES = word_set(
    "owner repo repository org organization organisation project namespace cluster database db schema workspace "
    "account calendar team site tenant region board channel guild store folder drive context space group zone"
)
_RIGHTS = word_set("access permission permissions rights")
_FILES = word_set("file directory document folder")
UNSEEN = "?"
_EACH_TIME = "it may mean a new one each time, and a rule only knows whether something was done before"


@dataclass(frozen=True, kw_only=True)
class OrderedActs:
    """The two actions of a sentence, as commands: `first` must have been done before `then`, which it may permit."""

    first: tuple[str, ...]
    then: tuple[str, ...]
    permits: bool


@dataclass(frozen=True, kw_only=True)
class _Pointing:
    """Two actions without words that point to each other. `nouns` are the things that must be the same."""

    first: str
    then: str
    nouns: tuple[str, ...] = ()
    named: bool = False


def ordered_acts(text: str, toolbox: Toolbox, *, led: bool) -> OrderedActs | None:
    """Return the two actions of a sentence about an order, each with the spellings that its verb may have.

    None if it is another sentence, for example one that wants the user to be asked. `led`: a heading or a line that
    ends in a colon comes before, so that a bare command may be forbidden.
    """
    plain = " ".join(text.split()).rstrip(".!")
    if passive := _PASSIVE.fullmatch(plain.lower()):
        pair = ((passive["done"], f" a {singular(passive['what'])}"), (passive["then"], " it"))
        first, then = (tuple(_commands({"done": one, "rest": what}, "done", "", "rest", toolbox)) for one, what in pair)
        return OrderedActs(first=first, then=then, permits=False) if first and then else None
    for permits, bare, form in _FORMS:
        found = form.fullmatch(plain)
        if found is None or (bare and led):
            continue
        groups = {name: value or "" for name, value in found.groupdict().items()}
        first = groups.get("first") or ""
        first = first[:1].lower() + first[1:]
        firsts = [first] if first else list(_commands(groups, "done", "doing", "rest", toolbox))
        thens = [groups["now"]] if groups.get("now") else []
        if not thens:
            thens = list(_commands(groups, "then", "thening", "later", toolbox) or ())
            thens += _commands(groups, "", "nowing", "later", toolbox)
        said = {one.strip(".,!'\u2019").lower() for half in firsts for one in half.split()}
        if not firsts or not thens or not said.isdisjoint(_ASKS):
            continue
        return OrderedActs(first=tuple(firsts), then=tuple(thens), permits=permits)
    return None


def _commands(groups: dict[str, str], plain: str, doing: str, rest: str, toolbox: Toolbox) -> Iterator[str]:
    """Yield a verb in its base form with what follows it: "cordon it" for "cordoned it"."""
    word = groups.get(plain, "").lower()
    form = "base" if plain == "then" else "ed"
    if groups.get(doing):
        word, form = groups[doing].lower(), "ing"
    known = toolbox.verbs | lexicon.VERBS.keys() | toolbox.values
    bases = (_IRREGULAR[word],) if word in _IRREGULAR and form == "ed" else bases_of(word, form=form) if word else ()
    bases = tuple(one for one in bases if one in known) or bases
    yield from (f"{one}{groups.get(rest, '')}" for one in bases)


def meaning_of_order(acts: OrderedActs, read: Read, toolbox: Toolbox, *, lenient: bool) -> Meaning:
    """Return what a sentence about an order means. `read` returns the meaning of an ordinary sentence.

    `lenient`: there are other tools, which may do what comes before.

    Raises:
        Unclear: one of the actions is no action of a tool here, they cannot be compared, or it may mean another one
            each time.
    """
    _refuse_unclear_words(acts)
    if toolbox.elsewhere:
        raise Unclear("what was called before is known for the tools of one server, and there are others")
    found: dict[Meaning, None] = {}
    whys: list[str] = []
    for pointing in _resolved(acts, toolbox):
        try:
            found[_combined(pointing, acts, read, toolbox, lenient=lenient)] = None
        except Unclear as error:
            whys.append(error.why)
    if len(found) > 1:
        raise Unclear("it can be read in two ways; write what is done before what with nouns instead of 'it'")
    if not found:
        raise Unclear(whys[0] if whys else "it is not clear what it points to; write the noun")
    return next(iter(found))


def _refuse_unclear_words(acts: OrderedActs) -> None:
    first, then = ([one.strip(".,!").lower() for one in half[0].split()] for half in (acts.first, acts.then))
    said = {*first, *then}
    if said & _AGAIN:
        raise Unclear(_EACH_TIME)
    if said & _WHOLE:
        raise Unclear(f"{min(said & _WHOLE)!r} is more than one call, and one call would be enough for a rule")
    if first[:1] == ["read"] and not _RIGHTS.isdisjoint(first[1:2]):
        raise Unclear("to have read access is not to have read something")
    if said & _TIMES:
        raise Unclear(
            f"{min(said & _TIMES)!r} may limit when it holds; write what is done before what, and nothing else"
        )
    if _JOINED & {*first} or any(one in half for half in (acts.first[0], acts.then[0]) for one in ",;:()\"`'\u2019"):
        raise Unclear("several things that are done before can be read in two ways; write one sentence for each")


# What points from one half to the other


def _resolved(acts: OrderedActs, toolbox: Toolbox) -> Iterator[_Pointing]:
    for first in acts.first:
        for then in acts.then:
            yield from _pointing(first, then, toolbox)


def _pointing(first: str, then: str, toolbox: Toolbox) -> Iterator[_Pointing]:
    """Yield the halves of a sentence with nouns instead of words that point to the other half."""
    halves = [first.split(), then.split()]
    same: list[str] = []
    for place, half in enumerate(halves):
        halves[place], nouns = _without_same(half)
        same += nouns
    marks = [(place, at) for place, half in enumerate(halves) for at in _pointers(half, halves[1 - place])]
    hidden = [one.lower() for half in halves for one in half if one.lower() in _HIDDEN]
    if len(marks) > 1 or len(same) > 1 or (marks and same) or (hidden and not marks) or len(hidden) > 1:
        raise Unclear("it is not clear what it points to; write the noun")
    if not marks:
        yield _Pointing(first=" ".join(halves[0]), then=" ".join(halves[1]), nouns=tuple(same))
        return
    place, at = marks[0]
    half, word = halves[place], halves[place][at].lower()
    for phrase in _phrases(halves[1 - place], toolbox):
        noun, definite = phrase[-1], phrase[0].lower() == "the"
        if word == "one":
            made, nouns = [*half[:at], singular_of(noun), *half[at + 1 :]], ()
        elif word in _PRONOUNS:
            made = [*half[:at], *phrase, *half[at + 1 :]]
            nouns = () if definite else (singular(noun),)
        elif at + 1 < len(half) and singular(half[at + 1]) == singular(noun):
            made = [*half[:at], phrase[0], *half[at + 1 :]]
            nouns = () if definite else (singular(noun),)
        else:
            continue
        both = [made, halves[1]] if place == 0 else [halves[0], made]
        yield _Pointing(first=" ".join(both[0]), then=" ".join(both[1]), nouns=nouns, named=definite and word != "one")


def _without_same(half: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a half without "in the same city", and its noun."""
    low = [one.lower() for one in half]
    for at in range(1, len(low) - 2):
        if low[at : at + 2] == ["the", "same"] and low[at - 1] in {"in", "on", "for", "of", "with", "to", "from", "at"}:
            return [*half[: at - 1], *half[at + 3 :]], [singular(low[at + 2])]
    return list(half), []


def _pointers(half: Sequence[str], other: Sequence[str]) -> Iterator[int]:
    """Yield the places of words that point to the other half: "it", "a new one", "that issue", "the issue"."""
    low, there = [one.lower() for one in half], [one.lower() for one in other]
    for at, word in enumerate(low):
        following = singular(low[at + 1]) if at + 1 < len(low) else ""
        if (
            word in _PRONOUNS
            or (word == "one" and at > 0 and low[at - 1] in {"new", "another"})
            or word in {"that", "this"}
            or (word == "the" and _mentions(there, following))
        ):
            yield at


def _mentions(words: Sequence[str], noun: str) -> bool:
    """Return whether words have "a ticket" or "tickets", to which "the ticket" points back."""
    return any(
        singular(one) == noun and (words[at - 1] in _INDEFINITE or one != singular_of(one))
        for at, one in enumerate(words)
        if at > 0
    )


def singular_of(noun: str) -> str:
    """Return a noun in the singular as it is written: `folder` for "folders"."""
    return noun[:-1] if noun.lower().endswith("s") and singular(noun) != noun.lower() else noun


def _phrases(half: Sequence[str], toolbox: Toolbox) -> Iterator[list[str]]:
    """Yield the nouns of a half with their determiners: "a ticket", "the app database", "existing tickets"."""
    known = toolbox.nouns | toolbox.words.objects | toolbox.words.given | lexicon.THINGS
    low = [one.lower() for one in half]
    at = 1
    while at < len(half):
        end = at + 1 if low[at] in _DETERMINERS else at
        start = end
        while end < len(half) and low[end] not in _ENDS and low[end] not in _DETERMINERS and end - start < 4:
            end += 1
        plural = end > start and low[end - 1] != singular_of(low[end - 1])
        if end > start and singular(low[end - 1]) in known and (low[at] in _DETERMINERS or plural):
            yield list(half[at:end])
        at = max(end, at + 1)


# The tests


def _combined(pointing: _Pointing, acts: OrderedActs, read: Read, toolbox: Toolbox, *, lenient: bool) -> Meaning:
    known = {one.key: one for one in toolbox.tools}
    try:
        earlier = _earlier_parts(_permission(pointing.first, read))
    except Unclear:
        if not lenient:
            raise
        return _of_unseen(acts, read(f"Never {pointing.then}."), pointing.then, read)
    restricted = with_whole_shells(read(f"Never {pointing.then}."))
    if not restricted.never or restricted.allow or restricted.ask or restricted.excepted:
        raise Unclear("no tool here does what comes after")
    if any(part.unless or any(one.is_of_state for one in part.where) for part in restricted.never):
        raise Unclear("what comes after has a time, a limit or an exception of its own; write two sentences")
    later = [part for part in restricted.never if not known[part.server, part.tool].code]
    if not later:
        raise Unclear("no tool here does what comes after")
    if pointing.named:
        _expect_same_tests(earlier, later)
    elif not pointing.nouns:
        _refuse_unsaid_thing(pointing, *([known[one.server, one.tool] for one in parts] for parts in (earlier, later)))
    tests = {part: _test(part, earlier, pointing.nouns, known) for part in later}
    if not acts.permits:
        code = [_for_code(known[one.server, one.tool], one, tests) for one in restricted.never if one not in tests]
        return Meaning(never=frozenset((*(replace(one, unless=(test,)) for one, test in tests.items()), *code)))
    allowed = _allowed(pointing.then, later, read)
    permitted = [replace(one, where=(*one.where, _test(one, earlier, pointing.nouns, known))) for one in allowed]
    denied = frozenset(replace(one, unless=(test,)) for one, test in tests.items())
    return Meaning(allow=frozenset(permitted), excepted=denied)


def _of_unseen(acts: OrderedActs, restricted: Meaning, then: str, read: Read) -> Meaning:
    """Return what a sentence means if the earlier tool is not one of those that are shown."""
    unseen = Limit(after=EarlierTools(tools=(UNSEEN,)))
    denied = frozenset(replace(one, unless=(unseen,)) for one in restricted.never if not one.unless)
    if not acts.permits or not denied:
        return Meaning(never=denied)
    allowed = _allowed(then, sorted(restricted.never, key=lambda one: one.tool), read)
    return Meaning(allow=frozenset(replace(one, where=(*one.where, unseen)) for one in allowed), excepted=denied)


def _permission(first: str, read: Read) -> Meaning:
    """Return what a permission of the earlier action allows. Of files it needs a place."""
    try:
        return read(f"You may {first}.")
    except Unclear:
        if not _FILES.isdisjoint(map(singular, first.split())):
            return read(f"You may {first} anywhere.")
        raise


def _allowed(then: str, later: Sequence[ToolPart], read: Read) -> frozenset[ToolPart]:
    """Return what a permission of the later action allows. If only one tool can do it, it is this one."""
    alone = len(later) == 1 and bool(later[0].where) and all(one.among for one in later[0].where)
    try:
        found = read(f"You may {then}.")
    except Unclear:
        if alone:
            return frozenset(later)
        raise
    if alone and not found.parts:  # there are other tools, which this may be about
        return frozenset(later)
    whole = found.allow and not (found.ask or found.never or found.excepted)
    if not whole or any(part.unless or any(one.is_of_state for one in part.where) for part in found.allow):
        raise Unclear("what comes after has a time, a limit or an exception of its own; write two sentences")
    return found.allow


def _earlier_parts(meaning: Meaning) -> list[ToolPart]:
    parts = sorted(meaning.allow, key=lambda one: (one.server, one.tool))
    if not parts or meaning.ask or meaning.never or meaning.excepted:
        raise Unclear("no tool here does what comes before")
    if any(part.unless or any(one.is_of_state for one in part.where) for part in parts):
        raise Unclear("what comes before has a time, a limit or an exception of its own")
    if len({part.where for part in parts}) > 1:
        raise Unclear("the tools for what comes before cannot be tested together; write one sentence for each")
    return parts


def _expect_same_tests(earlier: Sequence[ToolPart], later: Sequence[ToolPart]) -> None:
    """Refuse "it" for a thing that no test names."""
    known = set(earlier[0].where)
    if not known or not all(known <= set(part.where) for part in later):
        raise Unclear("it points to a thing that no argument of both tools names")


def _refuse_unsaid_thing(pointing: _Pointing, earlier: Sequence[KnownTool], later: Sequence[KnownTool]) -> None:
    """Refuse "the ticket" if a tool takes one, and "a ticket" in both halves if both take one: it may be the same."""
    first, then = ([one.lower() for one in half.split()] for half in (pointing.first, pointing.then))
    definite = [singular(noun) for half in (first, then) for one, noun in pairwise(half) if one == "the"]
    named = [noun for noun in definite if any(_takes(one, noun) for one in (*earlier, *later))]
    both = sorted({*map(singular, first)} & {*map(singular, then)})
    named += [
        noun for noun in both if any(_takes(one, noun) for one in earlier) and any(_takes(one, noun) for one in later)
    ]
    if named:
        raise Unclear(f"it is not clear which {named[0]} it is; write 'a {named[0]}' first, and then 'it'")


def _takes(one: KnownTool, noun: str) -> bool:
    return any(_names(one, arg, noun) for arg in one.tool.args)


def _test(
    part: ToolPart, earlier: Sequence[ToolPart], nouns: Sequence[str], known: dict[tuple[str, str], KnownTool]
) -> Limit:
    """Return the test that one of the earlier tools was called before a call of a part.

    Raises:
        Unclear: none can be compared with it.
    """
    own = known[part.server, part.tool]
    found: dict[tuple[tuple[str, str], ...], list[str]] = {}
    whys: list[str] = []
    for one in earlier:
        if one.server != part.server:
            raise Unclear("the two actions are of different servers, and a rule only knows the calls of one")
        if one.tool == part.tool and not _are_apart(one, part):
            raise Unclear(f"{part.tool} does both, and a rule cannot tell the two apart")
        try:
            same = dict(pair for noun in nouns for pair in _same_arguments(own, known[one.server, one.tool], noun))
        except Unclear as error:
            whys.append(error.why)
            continue
        found.setdefault(tuple(sorted(same.items())), []).append(one.tool)
    if len(found) != 1:
        raise Unclear(
            whys[0] if whys else "the earlier calls are compared in different ways; write one sentence for each"
        )
    ((same, tools),) = found.items()
    return Limit(after=EarlierTools(tools=tuple(tools), where=earlier[0].where, same=same))


def _are_apart(one: ToolPart, other: ToolPart) -> bool:
    """Return whether no call can be for both of two parts of one tool: cordoning and draining."""
    values = {limit.arg: set(limit.among) for limit in one.where if limit.arg and limit.among}
    return any(
        limit.arg in values and limit.among and values[limit.arg].isdisjoint(limit.among) for limit in other.where
    )


def _for_code(one: KnownTool, part: ToolPart, tests: dict[ToolPart, Limit]) -> ToolPart:
    """Return the rule for a tool that runs code: it may do what comes after, if it can be compared at all."""
    limits = set(tests.values())
    limit = next(iter(limits))
    own = {arg for arg, _ in limit.after.same} if limit.after is not None else set[str]()
    return replace(part, unless=(limit,)) if len(limits) == 1 and own <= one.tool.args.keys() else part


def _same_arguments(own: KnownTool, other: KnownTool, noun: str) -> Iterator[tuple[str, str]]:
    """Yield the arguments that a thing has in two tools: its id, and what it is in.

    Raises:
        Unclear: one has no such argument, or it may be left out.
    """
    mine, its = _naming_argument(own, noun), _naming_argument(other, noun)
    yield mine, its
    scopes = {arg for one in (own, other) for arg in one.tool.args if arg not in {mine, its} and _is_scope(arg)}
    for arg in sorted(scopes):
        if not all(arg in one.required for one in (own, other)):
            raise Unclear(
                f"{arg!r} is not an argument of both {own.tool.name} and {other.tool.name} that must be given"
            )
        yield arg, arg


def _is_scope(arg: str) -> bool:
    first, *more = split_name(arg)
    return singular(first) in _SCOPES and all(one in _NAMING for one in more)


def _naming_argument(one: KnownTool, noun: str) -> str:
    """Return the argument that names a thing: `ticket_id` for a ticket."""
    found = [arg for arg in one.tool.args if _names(one, arg, noun)]
    if len(found) != 1:
        raise Unclear(f"{'no' if not found else 'more than one'} argument of {one.tool.name} says which {noun} it is")
    (arg,) = found
    single = one.takes_one_text(arg) or arg in one.numbers
    if not single or arg not in one.required:
        raise Unclear(f"{arg!r} of {one.tool.name} is not one value that must be given")
    return arg


def _names(one: KnownTool, arg: str, noun: str) -> bool:
    words = split_name(arg)
    if noun in _FILES and not PATH_ROLES.isdisjoint(one.tool.args[arg].all_roles):
        return True
    if len(words) == 1 and words[0] in _NAMING:
        return one.head == noun
    naming = all(word in _NAMING for word in words[1:])
    return singular(words[0]) == noun and naming if words else noun in nouns_of_argument(one, arg)
