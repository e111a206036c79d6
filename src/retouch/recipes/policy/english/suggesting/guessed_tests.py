"""Guesses the tests of a tool for the limits, names and listed values of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.ordinary.meaning import Resolver
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments
from retouch.recipes.policy.english.words.lexicon import singular
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.suggesting.recognising import Name, SeenPart
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Qualifier, Stance

_ID = re.compile(r"(?=.*\d)[\w-]{7,}")
_CODE = re.compile(r"([A-Z][A-Z0-9]+)(-\d+)?")
_KIND = re.compile(r"\.[A-Za-z]\w*")
_FILE = re.compile(r"[\w-]+\.[A-Za-z]{1,5}")
_FOLDER = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
_IN = frozenset({"folder", "directory", "under", "inside", "in", "into", "within"})
_HOST = re.compile(r"(?:https?://)?(?P<host>(?:[\w-]+\.)+[a-z]{2,})(?:[:/].*)?")
_OF_PEOPLE = re.compile(r"mail|user|assign|people|person|member|recipient|\bto\b|calendar", re.IGNORECASE)
_IDS = frozenset({"id", "ids", "key", "number"})


@dataclass(frozen=True, kw_only=True)
class Tests:
    """The tests of a tool: what must hold, and what is spared."""

    where: tuple[Limit, ...] = ()
    unless: tuple[Limit, ...] = ()

    def __len__(self) -> int:
        return len(self.where) + len(self.unless)

    @property
    def alternatives(self) -> tuple[tuple[Limit, ...], ...]:
        """The tests that must hold. Several of the values of one argument or role are alternatives."""
        groups: dict[object, list[Limit]] = {}
        for limit in self.where:
            subject = limit.like or (limit.arg, limit.role)  # the same patterns are for each path of a call
            groups.setdefault((subject, bool(limit.values)), []).append(limit)
        choices = [[(one,) for one in found] if found[0].values else [tuple(found)] for found in groups.values()]
        return tuple(tuple(chain(*one)) for one in product(*choices))


def guessed_tests(one: KnownTool, part: SeenPart, toolbox: Toolbox) -> Tests:
    """Return the tests of a tool for what was recognised in a part of a sentence."""
    where = [*_listed_values(one, part.words), *_qualified(one, part.limits, part.stance, toolbox)]
    tested = {limit.arg for limit in where if limit.arg}
    where += (limit for limit in _named(one, part.names) if limit.arg not in tested)
    where += _files(one, part.names) if part.stance != "permit" else ()
    unless = [*_qualified(one, part.spared, part.stance, toolbox), *_named(one, part.spared_names)]
    return Tests(where=tuple(dict.fromkeys(where)), unless=tuple(dict.fromkeys(unless)))


@lru_cache(maxsize=1_000)
def listed_words(one: KnownTool) -> frozenset[str]:
    """Return the words of the values that the schema of a tool lists."""
    return frozenset(singular(word) for values in one.listed.values() for text in values for word in split_name(text))


def _listed_values(one: KnownTool, words: Iterable[str]) -> Iterator[Limit]:
    """Yield the tests for values that the schema lists and the sentence says."""
    forms = {form for word in words for form in forms_of(word)}
    for arg, values in one.listed.items():
        plain = [text for text in values if text not in one.coded.get(arg, ())]
        said = [text for text in plain if _is_said(text, forms)]
        own = {singular(word) for word in one.words}
        named = [text for text in said if own.isdisjoint(map(singular, split_name(text)))]
        said = named or (said if len(said) > 1 else [])  # "merge" alone is the action, and not a method
        if said and len(said) < len(plain):
            yield Limit(arg=arg, among=tuple(said))


def _is_said(text: str, forms: set[str]) -> bool:
    """Return whether all words of a listed value are said, or a word that it begins or ends with: "won"."""
    words = [singular(word) for word in split_name(text)]
    ends = [form for form in forms if len(form) >= 3 and len(words) == 1]
    if any(words[0].startswith(form) or words[0].endswith(form) for form in ends):
        return True
    return bool(words) and forms.issuperset(words)


def _qualified(one: KnownTool, limits: Iterable[Qualifier], stance: Stance, toolbox: Toolbox) -> list[Limit]:
    found: list[Limit] = []
    for limit in limits:
        found += tests_of_limit(one, limit, stance, toolbox) or _written_times(one, limit) or _sized(one, limit)
    return found


def tests_of_limit(one: KnownTool, limit: Qualifier, stance: Stance, toolbox: Toolbox) -> list[Limit]:
    """Return the tests of a limit as the readers make them, if all must hold."""
    resolver = Resolver(toolbox, lenient=True, asking=stance == "ask")
    for exact in (True, False):
        try:
            parts = resolver.tests(one, "", (limit,), "restrict", exact=exact)
        except Unclear:
            continue
        if parts and len(parts) == 1 and not parts[0].unless:
            return list(parts[0].where)
    return []


def _written_times(one: KnownTool, limit: Qualifier) -> list[Limit]:
    """Return the test of a time for the first argument that names one, or else for the time of the call."""
    when = limit.when
    if when is None or when.outside:
        return []
    found = next(iter(timed_arguments(one)), None)
    return [Limit(arg=None if found is None else found.name, hours=when.hours, days=when.days)]


def _sized(one: KnownTool, limit: Qualifier) -> list[Limit]:
    """Return the test of an amount for the argument that its unit names, or for the only number that a call has."""
    if limit.kind not in {"amount", "size"}:
        return []
    told = {arg: {singular(word) for word in split_name(f"{arg} {one.described(arg)}")} for arg in one.numbers}
    args = [arg for arg, words in told.items() if limit.word in words]
    is_own = not limit.word or limit.word in one.vocabulary
    args = args or (list(one.numbers) if is_own else [])
    if len(args) != 1:
        return []
    low, high = limit.at_least, limit.at_most
    return [Limit(arg=args[0], at_least=low, at_most=high, above=limit.above, below=limit.below)]


# Names


def _named(one: KnownTool, names: Iterable[Name]) -> Iterator[Limit]:
    """Yield the tests for names that no limit has: several of one argument are alternatives."""
    found: dict[str, list[str]] = {}
    for name in names:
        if "@" in name.text and "email-address" in one.roles:
            yield Limit(role="email-address", emails=(name.text.lower(),))
        elif (host := _host_test(one, name.text)) is not None:
            yield host
        elif arg := _argument_for(one, name):
            found.setdefault(arg, []).append(name.text)
    for arg, texts in found.items():
        yield Limit(arg=arg, among=tuple(texts))


def _host_test(one: KnownTool, text: str) -> Limit | None:
    """Return the test of a host name, or of the addresses there. None if the tool has neither."""
    found = _HOST.fullmatch(text)
    if found is None:
        return None
    if "email-address" in one.roles and "://" not in text:
        return Limit(role="email-address", emails=(f"*@{found['host']}",))
    role = next(iter(sorted(one.roles & URL_ROLES)), None)
    return None if role is None else Limit(role=role, domains=(found["host"],))


def _files(one: KnownTool, names: Iterable[Name]) -> Iterator[Limit]:
    """Yield the tests for kinds of files, and for files and directories of which only the name is said."""
    patterns: list[str] = []
    for name in names:
        text = name.text.strip("()'\"")
        if _KIND.fullmatch(text):
            patterns.append(f"*{text}")
        elif _FILE.fullmatch(text):
            patterns += [f"*/{text}", text]
        elif not _IN.isdisjoint(name.near[:4]) and _FOLDER.fullmatch(text):
            patterns += [f"*/{text}", f"*/{text}/*", text, f"{text}/*"]
    for arg, spec in one.tool.args.items() if patterns else ():
        if not PATH_ROLES.isdisjoint(spec.all_roles) or split_name(arg)[-1] in {"path", "filename", "file"}:
            yield Limit(arg=arg, like=tuple(dict.fromkeys(patterns)))


def _argument_for(one: KnownTool, name: Name) -> str:
    """Return the argument that a name is for: by the words near it, or by its form. "" if none fits."""
    texts = [arg for arg in one.tool.args if one.takes_text(arg) and arg not in one.listed]
    if not re.search(r"\d", name.text):
        texts = [arg for arg in texts if split_name(arg)[-1] not in _IDS]  # a word is no id
    if "@" in name.text:
        texts = [arg for arg in texts if _OF_PEOPLE.search(f"{arg} {one.described(arg)}")]
    for word in name.near:
        for arg in texts:
            if singular(word) in nouns_of_argument(one, arg) | {singular(each) for each in split_name(arg)}:
                return arg
    if name.text.startswith("#"):
        return next((arg for arg in texts if "channel" in split_name(arg)), "")
    ids = [arg for arg in texts if split_name(arg)[-1] in _IDS]
    if _ID.fullmatch(name.text) and len(ids) == 1:
        return ids[0]
    code = _CODE.fullmatch(name.text)
    return ids[0] if code and code[2] and len(ids) == 1 else ""
