"""Finds the argument that a value of a sentence is given to, by its noun, its type or its preposition."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only
from retouch.recipes.policy.english.limits.pattern_tests import ID, is_pattern, pattern_limit
from retouch.recipes.policy.english.tools.known_tools import ID_OR_NAME, nouns_of_argument, split_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.countries import COUNTRIES, names_of_country
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.names import ROOM_NOUNS, room_spellings
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Qualifier
    from retouch.recipes.policy.language.values import Scalar

PERSONS = word_set(
    "to user recipient assignee member customer client payee contact person guest doctor dentist vet patient student "
    "teacher supplier vendor attendee participant colleague technician passenger traveller traveler employee driver "
    "agent representative "
    "interviewer reviewer organizer organiser manager owner author editor host trainer tutor coach lawyer nurse buyer "
    "seller tenant candidate applicant guide mechanic artist actor musician singer player speaker lecturer cook chef "
    "pilot captain photographer model translator therapist groomer stylist volunteer borrower resident child parent"
)
_PLACES = word_set(
    "channel calendar project workspace namespace board list directory room location city country region site venue "
    "course album playlist warehouse depot office department team group zone track shelf hall building hotel airport "
    "stage environment cluster server account database dataset"
)
# Bare names after "in" and the like are only read as places of the world: others may be languages or rooms.
_REGIONS = word_set("location city country region site venue place state province town zone")
_SELLERS = word_set("supplier vendor seller")
_SOURCES = word_set("from source sender supplier vendor shop store seller registry account provider")
_OF = {
    "to": PERSONS | _PLACES | word_set("destination target"),
    "with": PERSONS | word_set("airline carrier company provider brand insurer bank"),
    "for": (PERSONS - _SELLERS) | word_set("project course job team department"),
    "from": _SOURCES,
    "by": PERSONS,
    **dict.fromkeys(("in", "on", "at"), _REGIONS),
    "into": _REGIONS | _PLACES | word_set("destination target folder parent"),
    "of": _REGIONS | word_set("symbol ticker"),
}
_KINDS = word_set("type kind size class tier plan flavor flavour model")  # "t3.micro" is no host there
_SYMBOLS = word_set("symbol ticker")
_PHASES = word_set(
    "done canceled cancelled closed resolved completed finished todo backlog triage started reopened blocked duplicate"
) | {"in progress", "in review", "to do"}
_DIRECTED = {
    **dict.fromkeys(("to", "into"), word_set("to target destination dest new")),
    "from": word_set("from source src origin old"),
}
# What ends the name of somebody who acts, if the description tells of a person: `skipper`, `assignee`, `dentist`.
_ACTING = re.compile(r"[a-z]{3,}(?:er|or|ee|ist|ant|ian)")
_WHO = re.compile(r"\b(?:full name|person|people|who|whom|colleague|employee|somebody)\b")
# These are languages and departments, and no names of somebody or of a place.
_NOBODY = word_set(
    "german english french spanish italian dutch portuguese polish russian chinese japanese turkish arabic swedish "
    "danish norwegian finnish greek hebrew hindi korean czech latin marketing sales finance hr legal support it "
    "engineering management accounting operations purchasing production christmas easter"
)
_BODIES = word_set("message text body content caption")
_WITHOUT_SIGN = re.compile(r"\bwithout (?:an? |the )?(?:leading )?(?:@|at sign)")
_NO_NAMES = re.compile(
    r"\b(?:ids?|identifiers?|keys?|uuid|e-?mails?|addresses|url|uri|link|iso|date|time|timestamp|number|code|iban|"
    r"phone|cidr|query|text|body|description|comment|message|note|notes|content|contents|sql|html|markdown|json)\b"
)


def chosen_limit(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of a value: of the argument that its noun names, or else of the only one that it can be for.

    A flag is an argument that must be true.
    """
    names = qualifier.names
    if is_pattern(qualifier):
        return pattern_limit(one, qualifier)
    if qualifier.kind == "flag":
        return Limit(arg=one.flags[qualifier.word], among=(True,)) if qualifier.word in one.flags else None
    if names == ("*",):  # it must be given
        args = [arg for arg in _named(one, qualifier.arg) if one.takes_text(arg)]
        return Limit(arg=args[0], like=names) if len(args) == 1 else None
    if any(name.endswith("*") for name in names):
        own = qualifier.arg.rpartition(" ")[2]
        args = [arg for arg in _named(one, qualifier.arg) if _takes_names(one, arg) or split_name(arg)[-1:] == [own]]
        free = len(args) == 1 and args[0] not in one.listed and not _is_opposed(args[0], qualifier)
        return Limit(arg=args[0], like=names) if free else None
    if qualifier.kind == "bare":
        args = _placed(one, qualifier)
    else:
        args = _named(one, qualifier.arg) if qualifier.arg else _likely(one, qualifier)
    args = [arg for arg in args if len(args) == 1 or not _is_opposed(arg, qualifier)]
    if len(args) != 1 or _is_opposed(args[0], qualifier) or _is_body(one, args[0], names):
        return None
    (arg,) = args
    values = _countries(one, arg, names) or _values(one, arg, names)
    if (
        values == names and not qualifier.arg and arg not in one.listed and qualifier.kind != "bare"
    ):  # somebody: case does not matter
        values = tuple(dict.fromkeys(each for name in names for each in spellings(name)))
    elif values == names and qualifier.arg in ROOM_NOUNS and arg.lower() in ROOM_NOUNS and arg not in one.listed:
        values = room_spellings(each for name in names for each in _numbered(arg, name))
    elif values == names and qualifier.arg and arg not in one.listed and not arg.lower().endswith(("id", "number")):
        values = tuple(each for name in names for each in _numbered(qualifier.arg, name))
    return None if values is None else Limit(arg=arg, among=values)


def _is_body(one: KnownTool, arg: str, names: tuple[str, ...]) -> bool:
    """Return whether names are those of somebody, and no text: "message Priya" is no message with the text "Priya"."""
    return arg.lower() in _BODIES and arg not in one.listed and not re.search(r"[^\w@+.-]", "".join(names))


def other_values(one: KnownTool, qualifier: Qualifier, *, exact: bool) -> Limit | None:
    """Return the test of the values that a qualifier leaves out. None if the tool has no argument for them.

    Raises:
        Unclear: the tool may be called without the argument, or the limit is one of a limit.
    """
    limit = chosen_limit(one, replace(qualifier, is_negated=False))
    if limit is not None and qualifier.kind == "flag" and not exact and not one.has_default(limit.arg or ""):
        return limit  # what is left out is not true
    if limit is not None and (exact or limit.arg not in one.required):
        raise Unclear(f"{one.tool.name} cannot be tested for all other values of {qualifier.arg!r}")
    return limit


def values_named(values: Iterable[str], names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the listed values that names mean: `Trade Fair`, and `xlsx` for "Excel". None if a name means none."""
    found = [[value for value in values if plain_value(value) in _other_spellings(name)] for name in names]
    return tuple(value for each in found for value in each) if all(found) else None


def plain_value(value: str) -> str:
    """Return a value in lower case with blanks between its words."""
    return re.sub(r"[\s_-]+", " ", value.lower())


def _other_spellings(name: str) -> frozenset[str]:
    return frozenset({plain_value(name), *lexicon.FORMATS.get(name.lower(), ())})


def _is_opposed(arg: str, qualifier: Qualifier) -> bool:
    """Return whether an argument is for the other direction: "to the account Savings" is no `from_account`."""
    others = _DIRECTED["from"] if qualifier.word in {"to", "into"} else _DIRECTED["to"]
    words = set(split_name(arg)) - {qualifier.arg}
    return qualifier.word in _DIRECTED and len(words) > 0 and not words.isdisjoint(others)


def several_arguments(one: KnownTool, qualifier: Qualifier) -> tuple[Limit, ...]:
    """Return the tests of a value that its noun gives to several arguments: a bucket for the source and the target.

    The number of a ticket is one for all arguments that are numbers of tickets.

    "to" is about the target and "from" about the source. Empty if only one argument has the noun.
    """
    noun = qualifier.arg or (qualifier.word if qualifier.kind == "named" else "")
    args = _named(one, noun) if qualifier.kind in {"chosen", "named"} and noun else []
    exact = any(split_name(arg) in ([noun], [noun, "name"], [noun, "id"]) for arg in args)
    numbered = all(name.isdigit() for name in qualifier.names)
    if (
        len(args) < 2
        or exact
        or not all(_takes_names(one, arg) or (numbered and _takes_number(one, arg)) for arg in args)
    ):
        return ()
    word = qualifier.word if qualifier.kind == "chosen" else qualifier.arg
    values = [(arg, _values(one, arg, qualifier.names)) for arg in aimed_at(args, word) or args]
    starred = any(name.endswith("*") for name in qualifier.names)
    return () if starred else tuple(Limit(arg=arg, among=each) for arg, each in values if each is not None)


def aimed_at(args: Iterable[str], word: str) -> list[str]:
    """Return the arguments for the direction of a preposition: `to_warehouse` for "to"."""
    return [arg for arg in args if not _DIRECTED.get(word, frozenset()).isdisjoint(split_name(arg))]


def _countries(one: KnownTool, arg: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return countries as an argument may take them: by their names and codes. Empty if it is not about countries."""
    if not {"country", "countries"} & {*split_name(arg)} or not _low(names) <= COUNTRIES.keys():
        return ()
    return (
        _coded(one.listed[arg], names)
        if arg in one.listed
        else tuple(dict.fromkeys(each for name in names for each in names_of_country(name)))
    )


def _coded(values: Iterable[str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the listed values that are codes of countries. Empty if one of them has none."""
    found = [[value for value in values if value in names_of_country(name)] for name in names]
    return tuple(value for each in found for value in each) if all(found) else ()


def _values(one: KnownTool, arg: str, names: tuple[str, ...]) -> tuple[Scalar, ...] | None:
    """Return names as an argument takes them. None if it cannot take them, or if a path or address is no plain name."""
    if set(one.tool.args[arg].all_roles) & (PATH_ROLES | URL_ROLES | {"email-address"}):
        return None
    if _WITHOUT_SIGN.search(one.described(arg).lower()) is not None:
        names = tuple(name.removeprefix("@") for name in names)
    if arg in one.listed:
        return values_named(one.listed[arg], names)
    if arg in one.numbers:
        return tuple(map(int, names)) if all(name.isdigit() for name in names) else None
    if any(re.fullmatch(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", name) for name in names) and not (
        _takes_hosts(one, arg) or _KINDS & {*split_name(arg)}
    ):
        return None
    plain = _takes_names(one, arg) or all(re.search(r"\d", name) for name in names)  # a number plate is "HH-CS 101"
    if not one.takes_text(arg) or (not plain and any(" " in name for name in names)):
        return None
    return names


def _takes_number(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is a number or a list of numbers by the tool's schema."""
    return arg in one.numbers or has_only(one.schema_of(arg).get("items"), "number", "integer")


def _takes_hosts(one: KnownTool, arg: str) -> bool:
    return (
        re.search(r"\b(?:hosts?|domains?|servers?|zones?|sites?|names?|files?|records?)\b", _told(one, arg)) is not None
    )


def spellings(name: str) -> tuple[str, ...]:
    """Return a name in words, and the same in lower case."""
    return (name, name.lower()) if name.replace(" ", "").isalpha() and not name.isupper() else (name,)


def _numbered(noun: str, name: str) -> tuple[str, ...]:
    """Return the ways to write a thing with a number or a letter: `3`, `room 3` and `Room 3`."""
    short = re.fullmatch(r"[0-9]{1,4}|[A-Z]", name) is not None
    return (name, f"{noun} {name}", f"{noun.capitalize()} {name}") if short else (name,)


def _named(one: KnownTool, noun: str) -> list[str]:
    named = [arg for arg in one.tool.args if noun in nouns_of_argument(one, arg)]
    named = [arg for arg in named if "parent" in noun or "parent" not in split_name(arg)]
    named = named or [arg for arg in one.tool.args if split_name(arg) in ([noun, "title"], [noun, "titles"])]
    if named or noun not in lexicon.ACCESS:
        return named
    return [arg for arg in one.listed if not lexicon.ACCESS.isdisjoint(nouns_of_argument(one, arg))]


def _told(one: KnownTool, arg: str) -> str:
    """Return the words of an argument's name and description in lower case."""
    return f"{' '.join(split_name(arg))} {one.described(arg)}".lower()


def _takes_names(one: KnownTool, arg: str) -> bool:
    """Return whether an argument takes a name: no id, date, address or longer text."""
    told = re.sub(r"^.*\bnames? of\b", "name of", ID_OR_NAME.sub("name of", _told(one, arg)))
    return one.takes_text(arg) and _NO_NAMES.search(told) is None


def _states(one: KnownTool, qualifier: Qualifier) -> list[str]:
    """Return the arguments for the state of "set an issue to Done", of a tool that changes what is there."""
    becomes = qualifier.word in {"to", "as", "into"} and _low(qualifier.names) <= _PHASES
    if not becomes or not one.verbs.isdisjoint({"create", "add", "open"}):
        return []
    return [arg for arg in one.tool.args if split_name(arg)[-1:] in (["state"], ["status"])]


def _likely(one: KnownTool, qualifier: Qualifier) -> list[str]:
    """Return the arguments that names without a noun can be for. Values that a schema lists show where they belong."""
    names = qualifier.names
    if all(name.startswith("@") for name in names):
        return [arg for arg in one.tool.args if re.search(r"@|\b(?:handle|username)\b", one.described(arg).lower())]
    begun = [arg for arg, prefix in one.prefixes.items() if all(name.lower().startswith(prefix) for name in names)]
    if begun or qualifier.word == ID:
        return begun
    listed = [arg for arg, values in one.listed.items() if values_named(values, names) is not None]
    coded = [arg for arg, values in one.listed.items() if _low(names) <= COUNTRIES.keys() and _coded(values, names)]
    told = coded or _states(one, qualifier)
    if told and not listed:
        return told
    if not qualifier.word and all(re.fullmatch(r"[a-z0-9]+(?:[-_][a-z0-9]+)+", name) for name in names):
        return [arg for arg in one.tool.args if split_name(arg) in ([one.head, "name"], [one.head], ["name"])]
    symbols = [arg for arg in one.tool.args if _SYMBOLS & {*split_name(arg)}]
    if symbols and not listed and all(re.fullmatch(r"[A-Z]{2,6}", name) for name in names):
        return symbols
    shown = [arg for arg, texts in one.examples.items() if not {text.lower() for text in texts}.isdisjoint(_low(names))]
    if shown and not listed:
        return shown
    wanted = _OF.get(qualifier.word)
    if _low(names) <= COUNTRIES.keys() and not listed:
        free = (arg for arg in one.tool.args if arg not in one.listed and one.takes_text(arg))
        return [arg for arg in free if {"country", "countries"} & {*split_name(arg)}]
    if (
        listed
        or wanted is None
        or any(name.isdigit() for name in names)
        or not _NOBODY.isdisjoint(name.lower() for name in names)
    ):
        return listed
    free = [arg for arg in one.tool.args if arg not in one.listed and _takes_names(one, arg)]
    fitting = [arg for arg in free if _fits(one, arg, qualifier.word, wanted) and not _is_opposed(arg, qualifier)]
    rivals = (arg for arg in free if arg not in fitting and _could_be(one, arg) and not _is_opposed(arg, qualifier))
    return (
        []
        if qualifier.word in {"from", "with", "for", "by"} and any(True for _ in rivals)
        else [arg for arg in fitting if all(_can_be(arg, name) for name in names)]
    )


def _could_be(one: KnownTool, arg: str) -> bool:
    """Return whether "bills from Acme" may be about an argument: `payee`, and not only the account that is debited.

    "Viewings with Bob" may be about the client or the agent.
    """
    nouns = {singular(each) for each in (*split_name(arg), *nouns_of_argument(one, arg))}
    return not nouns.isdisjoint((PERSONS | _SOURCES) - {"to"}) or _ACTING.fullmatch(split_name(arg)[-1]) is not None


def _can_be(arg: str, name: str) -> bool:
    """Return whether a name can be a value: no country has digits, and the symbol of a share is in capitals."""
    words = set(split_name(arg))
    if words & {"country", "city", "language", "currency"}:
        return not any(one.isdigit() for one in name)
    return not words & {"symbol", "ticker"} or re.fullmatch(r"[A-Z][A-Z.]{0,6}", name) is not None


def _placed(one: KnownTool, qualifier: Qualifier) -> list[str]:
    """Return the arguments that a name in small letters can be for: the place that every call of a tool gives.

    "To" can also be about the person whom every call gives, if the name has a point or a hyphen.
    """
    free = [arg for arg in one.tool.args if arg in one.required and arg not in one.listed and _takes_names(one, arg)]
    nouns = {arg: {singular(each) for each in (*split_name(arg), *nouns_of_argument(one, arg))} for arg in free}
    places = [arg for arg in free if not nouns[arg].isdisjoint(_PLACES)]
    joined = all(not name.isalpha() for name in qualifier.names)
    persons = [arg for arg in free if joined and not nouns[arg].isdisjoint(PERSONS)] if qualifier.word == "to" else []
    return places or persons


def _low(names: tuple[str, ...]) -> set[str]:
    return {name.lower() for name in names}


def _fits(one: KnownTool, arg: str, word: str, wanted: frozenset[str]) -> bool:
    words = (*split_name(arg), *nouns_of_argument(one, arg))
    nouns = {*words, *map(singular, words)}
    acting = wanted >= PERSONS and _WHO.search(one.described(arg).lower()) is not None
    acting = acting and any(_ACTING.fullmatch(each) for each in split_name(arg))
    told = any(re.search(rf"\b{word} (?:an?|the|another) {each}\b", one.tool.comment.lower()) for each in nouns)
    other = re.search(rf"\b{word} (?:an?|the|another) ([a-z]+)\b", one.tool.comment.lower())
    if not told and other is not None and singular(other[1]) in PERSONS:
        return False  # "send an offer to the seller" has no argument for the seller
    return acting or told or not nouns.isdisjoint(wanted) or one.described(arg).lower().split()[-1:] == [word]
