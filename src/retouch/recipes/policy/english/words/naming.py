"""The words of a sentence: names, verbs and objects at a position. Every reading is returned."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.words import lexicon, marks
from retouch.recipes.policy.english.words.acts import ANYTHING, Thing
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.words.places import SUBFOLDERS, is_host, plain_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from retouch.recipes.policy.english.words.tokens import Token

Form: TypeAlias = Literal["base", "ing", "ed", "s"]
Names: TypeAlias = "Callable[[int], Iterator[tuple[str, int]]]"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_BRANCH = re.compile(r"[A-Za-z0-9][\w./-]*")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_MARKED = re.compile(r"#[A-Za-z0-9][\w-]*")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_URL = re.compile(r"https?://([^/?#@:\\]+)/?")
PREPOSITIONS = word_set(
    "in inside into within under below from to at on of with for by over above about through onto outside against "
    "beyond as"
)
OWNERS = word_set("my your our his her")
DETERMINERS = word_set("the a an any all every each my your our their its")
STOP = PREPOSITIONS | word_set(
    "and or but except unless before after when if while without not never only no than that who which is are be "
    "may can must should shall will need needs require requires other else nor anywhere nowhere until during , ; "
    "worth costing exceeding owned belonging "
    "almost mostly usually sometimes more less most least some few many several first also too then as"
)
_PEOPLE = word_set("anyone anybody someone everyone everybody people others somebody nobody mine yours customers")
_PRONOUNS = word_set("it them one ones they these those this that")
_EVERYTHING = frozenset({"anything", "everything", "nothing", "whatever"})
_NO_NAMES = STOP | DETERMINERS | _PRONOUNS | _EVERYTHING | _PEOPLE
_TABLES = word_set("table tables collection collections schema schemas sheet sheets bucket buckets")
_WHATEVER = ("whatever you like", "whatever you want", "whatever you need", "anything you like", "anything you want")
_BEFORE_OTHERS = frozenset({"reply to", "respond to"})  # "replying to and forwarding messages"
_SITES = ("site", "sites", "website", "websites", "domain", "domains", "address", "addresses")
_VALUES_WITH_NOUNS = {("email", "address"), ("phone", "number")}
MOST_WORDS = 14  # of one idiom


@dataclass(frozen=True, kw_only=True)
class KnownWords:
    """The words of the tools at hand.

    `verbs` are those of their names, `nouns` the names of the user's own roles, `units` arguments with numbers, `rated`
    what such a number is given for each of, as in `price_per_night`, `arguments` other arguments, `values` what schemas
    list, `kinds` what the names and descriptions of arguments with such values end with, `choices` the nouns of
    arguments that choose a thing by its name, `given` those that name an argument, `common` those of the tools' names,
    `flags` the arguments that are true or false, `objects` the words of the tools and their arguments without those of
    the servers, `examples` the values that descriptions of arguments name as examples, `sized` what a call can have
    several of, `prefixes` what ids begin with, `left_out` the nouns of arguments that a call may leave out.
    `has_repositories`: all paths are those of files in a repository.
    """

    verbs: frozenset[str]
    servers: frozenset[str]
    nouns: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    rated: frozenset[str] = frozenset()
    arguments: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    choices: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    examples: frozenset[str] = frozenset()
    sized: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    has_repositories: bool = False


@cache
def _words_of(phrases: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """Return the words of phrases, by their first word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases:
        parts = tuple(phrase.split())
        found.setdefault(parts[0], []).append(parts)
    return found


class SentenceWords:
    """The words of one sentence, and all ways to read parts of them. Positions are indexes of words.

    `size` is the number of words, and `known` are those of the tools at hand. `antecedent` is the object that `them`
    and `it` stand for.
    """

    def __init__(self, tokens: Sequence[Token], *, known: KnownWords) -> None:
        self.tokens = tuple(tokens)
        self.size = len(self.tokens)
        self._texts = tuple(one.text for one in self.tokens)
        self.units = known.units
        self.sized = known.sized
        self.prefixes = known.prefixes
        self.left_out = known.left_out
        self.has_repositories = known.has_repositories
        self.rated = known.rated
        self.arguments = known.arguments
        self.choices = known.choices
        self.values = known.values
        self.kinds = known.kinds
        self.given = known.given
        self.common = known.common
        self.flags = known.flags
        self.objects = known.objects
        self.examples = known.examples
        self.nouns = known.nouns
        self.verbs = known.verbs
        self.servers = known.servers
        self.antecedent: Thing | None = None

    def word(self, at: int) -> str:
        """Return the word at a position in lower case. "" at the end and for names in quotes."""
        return self._texts[at] if 0 <= at < self.size else ""

    def after(self, at: int, *phrases: str) -> Iterator[int]:
        """Yield the position after each of `phrases` that comes next."""
        for parts in _words_of(phrases).get(self.word(at), ()):
            end = at + len(parts)
            if self._texts[at:end] == parts:
                yield end

    def matches(self, at: int, pattern: re.Pattern[str]) -> Iterator[int]:
        """Yield the positions after the words at `at` that a pattern matches. A pattern matches whole words."""
        found = [self.word(one) for one in range(at, min(at + MOST_WORDS, self.size))]
        known = found[: found.index("")] if "" in found else found
        for length in range(1, len(known) + 1):
            if pattern.fullmatch(" ".join(known[:length])):
                yield at + length

    def optional(self, at: int, *phrases: str) -> Iterator[int]:
        """Yield `at`, and the position after each of `phrases` that comes next."""
        yield at
        yield from self.after(at, *phrases)

    # Verbs

    def verb(self, at: int, form: Form) -> Iterator[tuple[str, int]]:
        """Yield the verbs that start at a position, in their base form."""
        for base in self._bases(at, form):
            for particle in ("at", "up", "for", "to", "back", "down", "through", "on", "off"):
                whole = f"{'turn' if base == 'switch' else base} {particle}"
                listed = whole not in _BEFORE_OTHERS or self.word(at + 2) in {"and", "or", ","}
                if whole in lexicon.VERBS and self.word(at + 1) == particle and listed:
                    yield whole, at + 2
            acting = _is_done_as(base, self.values) and not lexicon.is_adjective(base)  # "publish", a listed status
            if base in lexicon.VERBS or base in self.verbs or acting:
                yield base, at + 1

    def _bases(self, at: int, form: Form) -> Iterator[str]:
        """Yield the base forms of a word, also as the tools spell them: `enroll` for "enrol"."""
        for base in bases_of(self.word(at), form=form):
            yield base
            others = (f"{base}l", re.sub("(?<=[iy])se$", "ze", base))
            yield from (other for other in others if other != base and other in self.verbs)

    def verb_list(self, at: int, form: Form) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield lists of verbs: `read`, `read and write`, `insert, update or delete`, `marked as spam`."""
        marked = [pair for start in marks.marking(self, at, form) for pair in marks.marks(self, start)]
        yield from marked if form == "ed" else ()
        for verb, then in self.verb(at, form):
            yield (verb,), then
            for more in self.after(then, ", and", ", or", ",", "and", "or", "or even"):
                for rest, end in self.verb_list(more, form):
                    yield (verb, *rest), end

    # Objects

    def thing(self, at: int) -> Iterator[tuple[Thing, int]]:
        """Yield the object at a position: `anything`, a pronoun, or nouns."""
        start = at
        while self.word(at) in DETERMINERS or (at > start and self.word(at) == "single"):
            at += 1
        said = {self.word(one) for one in range(start, at)}
        amount = "all" if said & {"all", "every", "each"} else "any" if "any" in said else ""
        yield from self._pronoun(at, start=start, said=said)
        if at == start and self.word(at) in _EVERYTHING:
            if self.word(at) != "nothing":  # "delete nothing" permits nothing
                yield ANYTHING, at + 1
            return
        if at == start and self.word(at) in {"anyone", "people", "others", "everyone"}:
            yield ANYTHING, at + 1
            return
        if self.word(start) in {"its", "their"} and self.antecedent is None:
            return
        end = at
        while end < self.size and self._is_noun(end):
            end += 1
            raw = tuple(one.raw for one in self.tokens[at:end])
            named: Literal["", "before", "after"] = ""
            if end - at == 2 and said <= {"the", "my", "our"}:
                named = "before" if said and self._names_value(at) else "after" if self._is_named_after(at) else ""
            owned = not OWNERS.isdisjoint(said) and not named
            yield Thing(nouns=nouns_of(raw), raw=raw, amount=amount, named=named, is_owned=owned), end

    def _pronoun(self, at: int, *, start: int, said: set[str]) -> Iterator[tuple[Thing, int]]:
        """Yield what "it", "whatever you like", "new ones" and a final "any" stand for."""
        for end in self.after(at, *_WHATEVER) if at == start else ():
            yield ANYTHING, end
        known = self.antecedent
        if known is None:
            return
        if at == start + 1 and said == {"any"} and self._ends_phrase(at):
            yield replace(known, amount="any"), at  # "create events, but never delete any"
        if (at == start or (said == {"the"} and self.word(at) == "ones")) and self.word(at) in _PRONOUNS:
            yield (_any_such(known) if self.word(at) == "one" else known), at + 1
        kind = self.word(at) if self.word(at) in {"new", "existing", *self.values} else ""
        if kind and self.word(at + 1) in {"ones", "one"}:
            other = len(known.raw) > 1 and known.raw[0].lower() in self.values  # "large servers", and "small ones"
            raw = known.raw[1:] if other else known.raw
            nouns = tuple(noun for noun in nouns_of(raw) if noun not in {"new", "existing"})
            if kind in self.values:
                nouns = (kind, *nouns)
            yield replace(known, nouns=nouns, raw=(kind, *raw)), at + 2

    def _ends_phrase(self, at: int) -> bool:
        return at == self.size or self.word(at) in {",", ";", "of", "without", "unless"}

    def _names_value(self, at: int) -> bool:
        """Return whether two words are a name and a noun in the singular."""
        name, noun = self.tokens[at], self.word(at + 1)
        single = bool(noun) and (noun.endswith(("ss", "us")) or not noun.endswith("s"))
        known = name.text in lexicon.ENVIRONMENTS and singular(noun) in lexicon.ENVIRONMENT_ARGS
        chosen = singular(noun) in self.choices and not lexicon.is_adjective(name.text)
        return single and (name.quoted or known or chosen or lexicon.is_name(name.raw))

    def _is_named_after(self, at: int) -> bool:
        """Return whether two words are a noun in the singular, such as the name of a role, and a name."""
        name = self.tokens[at + 1]
        sure = name.quoted or any(one.isdigit() or one in "_." for one in name.raw) or lexicon.is_name(name.raw)
        return self.word(at) in self.nouns and sure

    def _is_noun(self, at: int) -> bool:
        one = self.tokens[at]
        known = one.quoted or one.text in self.servers
        return known or (
            one.text not in STOP | DETERMINERS | _PRONOUNS | _EVERYTHING
            and _NAME.fullmatch(one.text) is not None
            and "'" not in one.text
        )

    def things(self, at: int) -> Iterator[tuple[tuple[Thing, ...], int]]:
        """Yield lists of objects."""
        for one, then in self.thing(at):
            yield (one,), then
            if one == ANYTHING:
                continue
            for more in self.after(then, ", and", ", or", ",", "and", "or"):
                for rest, end in self.things(more):
                    if ANYTHING not in rest:
                        yield (self._with_noun_of(one, rest[0]), *rest), end

    def _with_noun_of(self, one: Thing, other: Thing) -> Thing:
        """Return "portrait" with the noun of "portrait and product bookings", if a tool lists both values."""
        listed = len(one.raw) == 1 and len(other.raw) == 2 == len(other.nouns)
        if listed and {one.raw[0].lower(), other.raw[0].lower()} <= self.values:
            return replace(one, nouns=(*one.nouns, other.nouns[1]), raw=(*one.raw, other.raw[1]))
        return one

    # Qualifiers

    def _names(self, at: int, one: Names) -> Iterator[tuple[tuple[str, ...], int]]:
        for name, then in one(at):
            yield (name,), then
            for more in self.after(then, ", and", ", or", ",", "and", "or"):
                for rest, end in self._names(more, one):
                    if len(rest) > 1 or self.word(more - 1) != "," or not self.word(more).isalpha():
                        yield (name, *rest), end  # "owned by acme, once" has no second name

    def folders(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield lists of directories."""
        for start in self.optional(
            at, "the", "the directory", "the folder", "the directories", "the folders", "directory"
        ):
            for names, end in self._names(start, self._folder):
                yield names, end
                yield from ((names, last) for last in self.after(end, "directory", "folder"))

    def sites(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield lists of hosts."""
        yield from self._names(at, self._site)

    def _folder(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and self.tokens[at].raw.startswith(("/", "~")):
            more = next(iter(self.after(at + 1, *SUBFOLDERS)), at + 1)
            yield plain_folder(self.tokens[at].raw, quoted=self.tokens[at].quoted), more

    def _site(self, at: int) -> Iterator[tuple[str, int]]:
        found = _URL.fullmatch(self.word(at))
        if found and is_host(found[1]):
            yield self.word(at).rstrip("/"), at + 1
        host = self.word(at)
        start = next(iter(self.after(at, "any", "all")), at)
        if re.fullmatch(r"\.[a-z]{2,}", self.word(start)):
            yield from ((f"*{self.word(start)}", end) for end in self.after(start + 1, *_SITES))
            if any(
                self.word(then).startswith(".") for then in self.after(start + 1, "or", "and", ",", ", or", ", and")
            ):
                yield f"*{self.word(start)}", start + 1  # ".gov or .edu sites"
        if is_host(host):
            more = next(iter(self.after(at + 1, "and its subdomains", "and all its subdomains")), None)
            if more is not None:
                yield f"*.{host}", more
            else:
                yield host, at + 1

    def _domain(self, at: int) -> Iterator[tuple[str, int]]:
        host = self.word(at).removeprefix("@")
        if is_host(host):
            yield host, at + 1

    def _email(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and _EMAIL.fullmatch(self.tokens[at].raw):
            yield self.tokens[at].raw, at + 1

    def _plain_name(self, at: int) -> Iterator[tuple[str, int]]:
        if at >= self.size:
            return
        one = self.tokens[at]
        held = one.text in _PEOPLE and not _TABLES.isdisjoint({self.word(at - 1), self.word(at + 1)})
        if one.quoted or (_NAME.fullmatch(one.raw) and (held or one.text not in _NO_NAMES)):  # "the customers table"
            yield one.raw, at + 1

    def _proper_name(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield a name that cannot be an ordinary word: quoted, with a capital, or with other signs than letters."""
        if at < self.size and (
            self.tokens[at].quoted or not self.tokens[at].raw.isalpha() or not self.tokens[at].raw.islower()
        ):
            end = at + 1
            while self._is_capitalized(at) and self._continues_name(end):
                end += 1
            if end == at + 1:
                yield from self._plain_name(at)
            else:  # "the playlist Road Trip"
                yield " ".join(one.raw for one in self.tokens[at:end]), end

    def _continues_name(self, at: int) -> bool:
        """Return whether a word belongs to the name before it: `Trip` in "Road Trip", `7A` in "Biology 7A"."""
        if at >= self.size or self.tokens[at].quoted:
            return False
        numbered = re.fullmatch(r"\d{1,4}[A-Z]?", self.tokens[at].raw) is not None
        return numbered or self._is_capitalized(at)

    def _is_capitalized(self, at: int) -> bool:
        one = self.tokens[at]
        return not one.quoted and one.raw.isalpha() and one.raw[0].isupper()

    def proper_names(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield lists of names that cannot be ordinary words."""
        yield from self._names(at, self._proper_name)

    def value_names(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield the names of values after their noun. An ordinary word is one at the end: "the branch develop"."""
        yield from self.proper_names(at)
        if at == self.size - 1 and not lexicon.is_adjective(self.word(at)) and self.tokens[at].raw.islower():
            yield from (((name,), end) for name, end in self._plain_name(at))

    def value_in_schema(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield a value that the schema of a tool lists: "economy", and "premium economy" for `premium_economy`."""
        known = [value for value in lexicon.FORMATS.get(self.word(at), ()) if value in self.values]
        yield from ((value, at + 1) for value in known[:1])
        for size in (1, 2, 3):
            words = [self.word(one).rstrip("'") for one in range(at, at + size)]
            for value in dict.fromkeys(joint.join(words) for joint in ("_", "-", " ")):
                if all(words) and value in self.values:
                    yield value, at + size

    def values_in_schema(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the value `billing_error` for "billing errors", and `phone` for "phone number".

        "With immediate effect" is `immediately`.
        """
        for end in self.after(at + 1, "effect"):
            if f"{self.word(at)}ly" in self.values:
                yield f"{self.word(at)}ly", end
        if self.word(at) in self.values and (self.word(at), self.word(at + 1)) in _VALUES_WITH_NOUNS:
            yield self.word(at), at + 2
        for size in (1, 2, 3):
            *words, last = (self.word(one) for one in range(at, at + size))
            for end in {last.removesuffix("s"), last.removesuffix("es")} - {last}:
                value = "_".join((*words, end))
                if value in self.values:
                    yield value, at + size

    def _owner_name(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the name of an owner. "Customers" and "others" are people, and no name."""
        if at < self.size and (self.tokens[at].quoted or not self.word(at).endswith("s")):
            yield from self._plain_name(at)

    def _branch_name(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and (self.tokens[at].quoted or _BRANCH.fullmatch(self.tokens[at].raw)):
            yield from self._plain_name(at) if "/" not in self.tokens[at].raw else [(self.tokens[at].raw, at + 1)]

    def branch_names(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield lists of branches."""
        yield from self._names(at, self._branch_name)

    def prefix(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield what a name begins with: "LED-", docs/, v."""
        one = self.tokens[at] if at < self.size else None
        if one is not None and (one.quoted or _BRANCH.fullmatch(one.raw)) and "*" not in one.raw:
            yield one.raw, at + 1

    def _branch_prefix(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and _BRANCH.fullmatch(self.tokens[at].raw):
            yield self.tokens[at].raw, at + 1

    def _repository(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and _REPOSITORY.fullmatch(self.tokens[at].raw):
            yield self.tokens[at].raw, at + 1

    def _marked(self, at: int) -> Iterator[tuple[str, int]]:
        if at < self.size and _MARKED.fullmatch(self.tokens[at].raw):
            yield self.tokens[at].raw, at + 1


def _any_such(thing: Thing) -> Thing:
    """Return what "one" stands for after "a new repository": a repository, which may be there already."""
    if len(thing.raw) < 2 or thing.nouns[:1] != ("new",):
        return thing
    return replace(thing, nouns=thing.nouns[1:], raw=thing.raw[1:])


def _is_done_as(base: str, values: Collection[str]) -> bool:
    """Return whether a verb or its participle is one of the values: `disarm` for `disarmed`."""
    done = (f"{base}d", f"{base}ed", f"{base}{base[-1:]}ed", f"{base[:-1]}ied", lexicon.DONE.get(base, ""))
    return base in values or any(one in values for one in done)


def whole_name(name: str, noun: str) -> str:
    """Return the name in "the Harbor Museum" and "the salaries table": a noun in capitals is a part of it."""
    return f"{name} {noun}" if name[:1].isupper() and re.fullmatch(r"[A-Z][a-z]+", noun) else name


def nouns_of(raw: tuple[str, ...]) -> tuple[str, ...]:
    """Return words as nouns in canonical form."""
    found: list[str] = []
    for word in raw:
        one = singular(word)
        found += ["pull", "request"] if one == "pr" else [one]
    return tuple(found)
