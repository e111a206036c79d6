"""Parses the qualifiers of ordinary sentences: places, recipients, names, amounts, limits, conditions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import (
    addresses,
    choosing,
    counting_rates,
    name_patterns,
    targets,
    written_times,
)
from retouch.recipes.policy.english.tools import given_arguments
from retouch.recipes.policy.english.tools.amounts import Amounts
from retouch.recipes.policy.english.words import clock_times, idioms, lexicon, rates
from retouch.recipes.policy.english.words.acts import ANYTHING, OUT_OF, Act, Qualifier, count_of
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.names import excepted_word
from retouch.recipes.policy.english.words.naming import DETERMINERS, OWNERS, PREPOSITIONS, STOP, whole_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_IF = re.compile(r"(?:, )?(?:if|when)")
_ONLY_IF = re.compile(r"(?:, )?(?:only (?:if|when)|as long as|so long as|provided(?: that)?)")
_THAT = re.compile(r"(?:that|which|who)(?: may| can| could| might| would)?")
_IT_IS = re.compile(
    r"(?:it|they|the files?|the target|the path) (?:is|are)(?: (?:saved|stored|located|placed|written|kept))?"
)
_IT_COSTS = re.compile(r"(?:it|they) costs?|(?:it|they) (?:is|are)(?: for)?|(?:it|they) (?:stays?|remains?)")
_STAYING = re.compile(
    rf"{_ONLY_IF.pattern} (?:it|{idioms.YOU}) (?:sticks? to|stays? (?:in|inside|within)|keeps? to|"
    r"remains? (?:in|inside|within))"
)
_STARTS = re.compile(r"(?:starts?|begins?|starting|beginning) with|(?:is|are) prefixed with")
_ANYONE = (
    "colleagues",
    "coworkers",
    "someone",
    "contacts",
    "anyone",
    "people",
    "anybody",
    "addresses",
    "an address",
    "any address",
    "an e-mail address",
    "an email address",
    "e-mail addresses",
    "email addresses",
    "recipients",
    "others",
    "everyone",
)
_AND_TO = tuple(f"{joint}{to}" for joint in (", and", ", or", "and", "or") for to in ("", " to", " with"))
_FORMATS = word_set("file files document documents format")
_BEFORE_NOUNS = word_set("in of to for from on with at as")  # "in the calendars Work and Team"
_CROWDS = word_set("anyone people anybody guests attendees participants users contacts colleagues recipients others")

_OWNED_BY = ("repositories of", "repositories owned by", "the repositories of", "repos of", "projects of")


class Qualifiers(Amounts):
    """The qualifiers of one sentence."""

    def qualifiers(self, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
        """Yield the qualifiers that follow an object: any number of places, recipients, names and amounts."""
        yield (), at
        for one, then in self.qualifier(at):
            for rest, end in self.qualifiers(then):
                yield (one, *rest), end
        for rate, then in counting_rates.rates_after(self, at):
            for rest, end in self.qualifiers(then):
                yield (*rate, *rest), end

    def qualifier(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield one qualifier, with "only" before or after it."""
        for one, end in self._plain_qualifier(at):
            yield one, end
            limiting = one.kind not in {"about", "count", "per", "time"}
            if limiting and self.word(end) == "only" and end + 1 == self.size:
                yield replace(one, only=True), end + 1
        for one, end in self._plain_qualifier(at + 1) if self.word(at) == "only" else ():
            if one.kind not in {"about", "count", "per", "time"}:
                yield replace(one, only=True), end
        for when, end in clock_times.limiting_times(self, at):
            yield Qualifier(kind="time", when=when, only=True), end

    def _plain_qualifier(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        yield from self._conditions(at)
        yield from self._patterns(at)
        yield from self._people(at)
        yield from self._currency(at)
        for end in self.after(at, "anywhere", "in any place"):
            yield Qualifier(kind="inside", word="in", names=("/",)), end
        yield from self.amount(at)
        yield from self._rate_or_time(at)
        yield from written_times.spans(self, at)
        yield from self._outside(at)
        for then in self.after(at, "owned by", "belonging to"):
            for names, end in self._names(then, self._owner_name):
                yield Qualifier(kind="named", word="owner", names=names), end
        yield from self._relative(at)
        yield from choosing.chosen_values(self, at)
        yield from choosing.bare_names(self, at)
        yield from choosing.other_values(self, at)
        yield from choosing.kinds_of_values(self, at)
        yield from name_patterns.patterns(self, at)
        yield from name_patterns.known_ids(self, at)
        yield from addresses.provided(self, at)
        yield from given_arguments.given(self, at)
        yield from given_arguments.flagged(self, at)
        yield from addresses.schemes(self, at)
        yield from choosing.in_mode(self, at)
        yield from choosing.contained(self, at)
        word = self.word(at)
        yield from self._named_object(at)
        if word not in PREPOSITIONS:
            return
        yield from self._place_or_person(word, at + 1)
        yield from self._branch_or_name(word, at + 1)
        if word in {"to", "on", "in", "of", "from", "for", "with", "into", "at", "inside", "within"}:
            for thing, end in self.thing(at + 1):
                owned = thing.is_owned or not OWNERS.isdisjoint((self.word(at + 1), self.word(at + 2)))
                limited = thing.is_limited
                anyone = self.word(at + 1) in {"anyone", "anybody"}
                about = Qualifier(kind="about", word=word, names=thing.raw, is_any=bool(thing.amount) or anyone)
                yield replace(about, is_owned=owned, is_limited=limited), end

    def _relative(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "that may cost more than 5 dollars", "that goes to anyone outside a.example" and "who is not @a.b"."""
        for start in self.matches(at, _THAT):
            for then in self.after(start, "cost", "costs"):
                yield from self.amount(then)
            for then in self.after(start, "go to", "goes to", "is sent to", "are sent to", "is for", "are for"):
                yield from self._recipients(then)
            for then in self.after(
                start, "is not", "are not", "is not at", "are not at", "is not from", "are not from"
            ):
                for names, end in self._names(then, self._domain):
                    yield Qualifier(kind="outside", word="emails", names=tuple(f"*@{one}" for one in names)), end

    def _conditions(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "if they are in ~/tmp", "as long as the price is under 50", "provided that it costs less than 50"."""
        for only, pattern in ((False, _IF), (True, _ONLY_IF)):
            for then in self.matches(at, pattern):
                for one, end in (*self._it_is(then), *self._argument_is(then), *self._done_as(then)):
                    yield replace(one, only=only, is_condition=True), end
        for then in self.matches(at, _STAYING):
            for names, end in self.folders(then):
                yield Qualifier(kind="inside", word="in", names=names, only=True, is_condition=True), end

    def _done_as(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "you squash them": a value that the schema of a tool lists, as a verb."""
        for start in self.after(at, "you", "the agent", "the assistant", "it"):
            for names, then in self._names(start, self.value_in_schema):
                yield from ((Qualifier(kind="value", names=names), end) for end in self.after(then, "it", "them"))
        for start in self.after(at, "it is", "they are"):
            for names, then in self._names(next(iter(self.after(start, "in")), start), self._currency_name):
                yield Qualifier(kind="value", word="currency", names=names), then
            for names, then in self._names(start, self.value_in_schema):
                yield Qualifier(kind="value", names=names), then

    def _file_type(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the pattern of ".txt"."""
        if re.fullmatch(r"\.[a-z0-9]{1,8}", self.word(at)):
            yield f"*{self.word(at)}", at + 1

    def _it_is(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for start in self.after(at, "it is", "they are", "it is a", "the name ends in", "they end in", "it ends in"):
            for names, then in self._names(start, self._file_type):
                for end in self.optional(then, "file", "files"):
                    yield Qualifier(kind="like", word="path", names=names), end
        for start in self.matches(at, _IT_IS):
            yield from ((targets.saved_there(self, start, one), end) for one, end in self._places(start))
            yield from self.amount(start)
            for then in self.after(start, "at", "from"):
                for names, end in self._names(then, self._domain):
                    yield Qualifier(kind="emails", names=tuple(f"*@{name}" for name in names)), end
        for start in self.matches(at, _IT_COSTS):
            yield from self.amount(start)
        for start in self.after(at, "it is", "they are"):
            yield from choosing.flags(self, start)
            for then in targets.done_again(self, start):
                kinds = {"about", "count", "per", "amount", "size"}
                yield from (pair for pair in self._plain_qualifier(then) if pair[0].kind not in kinds)

    def _argument_is(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for noun, start in self._subject(at):
            for middle in self.after(start, "is", "are", "stays", "remains"):
                yield from ((replace(one, arg=noun), end) for one, end in self.amount(middle))
                for names, end in self._names(middle, self._plain_name):
                    if all(name.isupper() or not name.isalpha() for name in names):
                        yield Qualifier(kind="value", word=noun, names=names), end
                for names, end in self._names(middle, self._environment) if noun in lexicon.ENVIRONMENT_ARGS else ():
                    yield Qualifier(kind="named", word="environment", names=names), end
            for name, end in self._starting(start) if noun in {"name", "branch"} else ():
                yield Qualifier(kind="like", names=(name,)), end

    def _people(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "at acme.example" and "outside acme.example" after `people` and the like."""
        if self.word(at - 1) not in _CROWDS or self.word(at - 2) in {"to", "with"}:
            return
        for then in self.after(
            at, "at", "of", "from", "in", "within", "inside", "with an address at", "with an email address at"
        ):
            for names, end in self._names(then, self._domain):
                yield Qualifier(kind="emails", names=tuple(f"*@{name}" for name in names)), end
        for then in self.after(at, "outside", "outside of", "from outside"):
            for names, end in self._names(then, self._domain):
                yield Qualifier(kind="outside", word="emails", names=tuple(f"*@{one}" for one in names)), end

    def _currency(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "in EUR": the currency of a payment."""
        for then in self.after(at, "in"):
            for names, end in self._names(then, self._currency_name):
                yield Qualifier(kind="value", word="currency", names=names), end

    def _currency_name(self, at: int) -> Iterator[tuple[str, int]]:
        start = next(iter(self.after(at, "us", "swiss", "british")), at)  # other dollars have other codes
        code = lexicon.CURRENCY_CODES.get(self.word(start))
        if code is not None:
            yield code, start + 1

    def _subject(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the argument that a condition names: `the price`, `its total`, `their names`."""
        if self.word(at) in {"the", "its", "their"} and self.word(at + 1).isalpha():
            yield singular(self.word(at + 1)), at + 2

    def _places(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        if self.word(at) in {"in", "inside", "within", "under", "below"}:
            for names, end in self.folders(at + 1):
                yield Qualifier(kind="inside", word=self.word(at), names=names), end
        yield from self._outside(at)

    def _outside(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "outside ~/work" and "out of ~/inbox"."""
        for then in self.after(at, "outside of", "outside"):
            for names, end in self.folders(then):
                yield Qualifier(kind="outside", names=names), end
        for then in self.after(at, OUT_OF):
            for names, end in self.folders(then):
                yield Qualifier(kind="inside", word=OUT_OF, names=names), end

    def _starting(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the pattern of "start with agent/"."""
        for then in self.matches(at, _STARTS):
            for name, end in self._branch_prefix(then):
                yield f"{name}*", end

    def _patterns(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "starting with agent/" and "whose names start with agent/" after branches."""
        if self.word(at - 1) in {"branch", "branches"} and self.word(at - 2) not in {"to", "into", "on"}:
            for start in self.optional(at, "that", "which", "whose names", "whose name"):
                for name, end in self._starting(start):
                    yield Qualifier(kind="like", names=(name,)), end

    def _rate_or_time(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for bound, number, end in rates.repetitions(self, at):
            bare = counting_rates.BARE if self.word(at) in {"once", "twice"} else ""
            yield replace(count_of(bound, number), word=bare), end
        yield from counting_rates.same_value(self, at)
        for period, end in rates.periods(self, at):
            yield Qualifier(kind="per", word=period), end
        for when, end in (*clock_times.times(self, at), *clock_times.at_other_times(self, at)):
            yield Qualifier(kind="time", when=when), end

    def _place_or_person(self, word: str, at: int) -> Iterator[tuple[Qualifier, int]]:
        if word in {"in", "inside", "into", "within", "under", "below", "from", "to", "at", "on", "onto"}:
            for names, end in self.folders(at):
                yield Qualifier(kind="inside", word=word, names=names), end
        if word in {"in", "inside", "into", "within", "under", "below", "to"}:
            yield from name_patterns.folders_of_repositories(self, at)
        if word in {"from", "to", "on", "at"}:
            for names, end in self._names(at, self._site):
                yield Qualifier(kind="sites", word=word, names=names), end
        if word in {"to", "with"}:
            yield from self._all_recipients(at)

    def _all_recipients(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "people at acme.example and to ann@home.example": addresses of both kinds are one list."""
        for one, end in self._recipients(at):
            yield one, end
            more = self.after(end, *_AND_TO) if one.kind == "emails" else ()
            for rest, last in (pair for then in more for pair in self._all_recipients(then)):
                if rest.kind == "emails":
                    yield replace(one, names=(*one.names, *rest.names)), last

    def _branch_or_name(self, word: str, at: int) -> Iterator[tuple[Qualifier, int]]:
        start = next(iter(self.after(at, "the")), at)
        yield from self._branches(word, start)
        yield from self._branches_like(word, start)
        if word in {"in", "to", "into", "on", "of", "for", "from", "at"}:
            yield from self._repositories(start)
            yield from self.hashed(at)
        if word in {"by", "through"}:
            yield from self._listed_value(word, start)
        if word in _BEFORE_NOUNS:
            yield from self._argument(start)
            yield from self._role_and_name(start)
            yield from self._noun_and_names(start)
            yield from self._listed_value(word, start)
        if word in {"from", "into"} and "table" in self.arguments:
            yield from self._tables(at)
        if word in {"in", "of", "for", "on", "to"}:
            yield from self._owner(at)

    def _tables(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "from customers and orders" in a sentence about rows: the names of tables."""
        if {"row", "rows"} & {one.text for one in self.tokens}:
            for names, end in self._names(at, self._plain_name):
                if all(lexicon.is_name(one) for one in names):
                    yield Qualifier(kind="named", word="table", names=names), end

    def chosen(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield the value of an argument: "#leadership", "the customer cus_1", "the hr schema"."""
        yield from self.hashed(at)
        start = next(iter(self.after(at, "the")), at)
        yield from self._noun_and_names(start)
        yield from ((one, end) for one, end in choosing.chosen_values(self, at) if one.arg)
        if start > at:
            yield from self._argument(start)

    def _named_object(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "work" and "family" after "the calendars": the names of the objects."""
        noun = singular(self.word(at - 1)) if at else ""
        said = [self.word(one) for one in range(max(0, at - 3), at - 1) if self.word(one) != "the"]
        led = not _BEFORE_NOUNS.isdisjoint(said[-1:])  # the preposition begins the qualifier
        for names, end in self._names(at, self._proper_name) if noun in self.arguments and not led else ():
            yield Qualifier(kind="named", word=noun, names=names), end

    def _preposition(self, at: int) -> str:
        """Return the preposition before a noun and its article. "" if there is none."""
        before = at - 2 if self.word(at - 1) == "the" else at - 1
        return self.word(before) if before >= 0 and self.word(before) in PREPOSITIONS else ""

    def _noun_and_names(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "payees EnBW and Vodafone": the names of values of an argument."""
        noun = singular(self.word(at))
        for names, end in self._names(at + 1, self._proper_name) if noun in self.arguments else ():
            yield Qualifier(kind="named", word=noun, names=names, arg=self._preposition(at)), end

    def _listed_value(self, word: str, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "in economy" and "with priority high": values that the schema of a tool lists."""
        at = next(iter(self.after(at, "a", "an")), at) if word in {"as", "of", "in", "for"} else at
        named = singular(self.word(at)) in self.arguments and self.word(at) not in self.values
        start = at + 1 if named else at
        for names, end in self._names(start, self.value_in_schema) if word != "from" else ():
            yield Qualifier(kind="value", names=names, arg=word), end
            kind = singular(self.word(end)) in self.kinds or (word == "as" and self.word(end) in _FORMATS)
            if self.word(end) and kind:  # "in business class", "with high priority", "as CSV files"
                yield Qualifier(kind="value", names=names, arg=word), end + 1

    def _branches(self, word: str, start: int) -> Iterator[tuple[Qualifier, int]]:
        for names, then in self._names(start, self._branch_name):
            low = {name.lower() for name in names if not name.endswith("/")}
            named = low <= lexicon.BRANCHES or bool(low & {"main", "master"} and low <= lexicon.MAYBE_BRANCHES)
            clear = named or all(not one.isalpha() for one in names)  # no adjective, as in "the protected branch"
            for end in self.optional(then, "branch", "branches"):
                if (named or (clear and end > then)) and word in {"to", "into", "on", "from", "against"}:
                    yield Qualifier(kind="branches", word=word, names=names), end
            if {name.lower() for name in names} <= lexicon.ENVIRONMENTS and word in {"in", "to", "on"}:
                yield Qualifier(kind="named", word="environment", names=names), then

    def _repositories(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for more in self.optional(at, "repository", "repo", "project"):
            for names, then in self._names(more, self._repository):
                for end in self.optional(then, "repository", "repositories", "repo", "project", "projects"):
                    yield Qualifier(kind="repositories", names=names), end

    def hashed(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "the #standup channel" and "#standup": a name with its mark."""
        start = next(iter(self.after(at, "the channels", "the channel", "the", "channels", "channel")), at)
        for names, then in self._names(start, self._marked):
            for end in self.optional(then, "channel", "channels"):
                both = tuple(one for name in names for one in (name, name[1:]))
                yield Qualifier(kind="value", word="channel", names=both), end

    def _branches_like(self, word: str, at: int) -> Iterator[tuple[Qualifier, int]]:
        for then in self.after(at, "branches", "branch"):
            for start in self.optional(then, "that", "which", "whose names", "whose name"):
                for name, end in self._starting(start):
                    yield Qualifier(kind="like", names=(name,)), end
            if word in {"to", "into", "on", "for", "of", "from", "against"}:
                for names, end in self._names(then, self._branch_name):
                    yield Qualifier(kind="branches", word=word, names=names), end

    def _argument(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield `production namespace` and `namespace production`: the value of the argument of that name."""
        for names, then in self._names(at, self._plain_name):
            noun = self.word(then)
            clear = len(names) == 1 and self.word(at - 1) == "the" and self._names_value(at)
            if noun and noun not in STOP | DETERMINERS and singular(noun) != "branch" and clear:
                whole = whole_name(names[0], self.tokens[then].raw)
                yield Qualifier(kind="named", word=singular(noun), names=(whole,)), then + 1
                more, end = self._more_values(noun, then + 1)
                if more:
                    yield Qualifier(kind="named", word=singular(noun), names=(whole, *more)), end

    def _more_values(self, noun: str, at: int) -> tuple[tuple[str, ...], int]:
        """Return the further names of "the orders table and the products table", and where they end."""
        found: list[str] = []
        while self.word(at) in {"and", "or", ","} and self.word(at + 1) == "the" and self.word(at + 3) == noun:
            if not self._names_value(at + 2):
                break
            found.append(self.tokens[at + 2].raw)
            at += 4
        return tuple(found), at

    def _role_and_name(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield `table salaries` and `account DE12`: a role of the tools, and the names of its values."""
        if self.word(at) in self.nouns and at + 1 < self.size and self._is_named_after(at):
            for names, end in self._names(at + 1, self._plain_name):
                yield Qualifier(kind="named", word=self.word(at), names=names), end

    def _owner(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for then in self.optional(at, *_OWNED_BY):
            for names, end in self._names(then, self._owner_name):
                if then > at or self.word(at - 1) == "of":
                    yield Qualifier(kind="named", word="owner", names=names), end

    def _recipients(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        for names, end in self._names(at, self._email):
            yield Qualifier(kind="emails", names=names), end
        for then in self.after(at, *_ANYONE):
            for more in self.after(
                then, "at", "of", "in", "from", "ending in", "ending with", "with", "with a", "with an"
            ):
                for names, last in self._names(more, self._domain):
                    for end in self.optional(last, "address", "addresses", "email address", "email addresses"):
                        yield Qualifier(kind="emails", names=tuple(f"*@{name}" for name in names)), end
            for more in self.after(then, "outside", "outside of"):
                for names, end in self._names(more, self._domain):
                    yield Qualifier(kind="outside", word="emails", names=tuple(f"*@{one}" for one in names)), end
            anyone = self.word(at) in {"anyone", "anybody"}
            yield Qualifier(kind="about", word="to", names=(), is_any=anyone), then

    def everywhere_but(self, act: Act, at: int) -> Iterator[tuple[Act, int]]:
        """Yield "in every environment except production": a phrase with names that it is not about."""
        if not act.things or ANYTHING in act.things or self.word(at) not in {"in", "on", "for", "to", "of", "from"}:
            return
        noun = singular(self.word(at + 2)) if self.word(at + 1) in {"every", "any", "all", "each"} else ""
        word = "environment" if noun in lexicon.ENVIRONMENT_ARGS else noun
        excepting = self.after(at + 3, "except", "except for", "but", "other than", "apart from") if noun else ()
        for then in (start for end in excepting for start in self.optional(end, "the", f"the {noun}")):
            known = self._environment if word == "environment" else self._excepted_name
            for names, end in self._names(then, known):
                yield (
                    replace(
                        act,
                        exceptions=(
                            replace(act, qualifiers=(*act.qualifiers, Qualifier(kind="named", word=word, names=names))),
                        ),
                    ),
                    end,
                )

    def _excepted_name(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield "Billing" and "sandbox": a name, or a word that nothing here knows."""
        yield from self._proper_name(at)
        yield from excepted_word(self, at)

    def _environment(self, at: int) -> Iterator[tuple[str, int]]:
        if self.word(at) in lexicon.ENVIRONMENTS:
            yield self.word(at), at + 1
