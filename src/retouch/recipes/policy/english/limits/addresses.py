"""Addresses as people name them: "gmail addresses", "pages over https"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.naming import SentenceWords

# The domains of those who offer mailboxes to everybody.
_PROVIDERS = {
    "gmail": ("gmail.com", "googlemail.com"),
    "googlemail": ("gmail.com", "googlemail.com"),
    "hotmail": ("hotmail.com", "hotmail.co.uk", "hotmail.fr", "hotmail.de", "hotmail.it", "hotmail.es"),
    "outlook": ("outlook.com", "outlook.de", "outlook.fr", "outlook.es", "outlook.it"),
    "yahoo": ("yahoo.com", "yahoo.co.uk", "yahoo.de", "yahoo.fr", "yahoo.it", "yahoo.es", "yahoo.co.jp", "ymail.com"),
    "icloud": ("icloud.com", "me.com", "mac.com"),
    "gmx": ("gmx.de", "gmx.net", "gmx.com", "gmx.at", "gmx.ch"),
    "protonmail": ("protonmail.com", "proton.me", "pm.me"),
    "proton": ("protonmail.com", "proton.me", "pm.me"),
    "aol": ("aol.com",),
}
_ADDRESSES = word_set("address addresses account accounts mailbox mailboxes inbox inboxes")
_BEFORE = ("to", "with", "on", "at", "for")  # mail from an address may be read or sent
_SUCH = ("accounts such as", "addresses such as", "mailboxes such as")
_PAGES = word_set("page pages address addresses link links url urls site sites website websites connection connections")
_SCHEMES = {"https": "https://*", "https://": "https://*", "http": "http://*", "http://": "http://*"}
URL = "url"  # the `word` of a qualifier with patterns of URLs


def provided(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "with a gmail or hotmail address" and "to private accounts such as gmail.com or yahoo.com addresses".

    What is only an example is good enough for what restricts, and not for a permission.
    """
    for start in words.after(at, *_BEFORE):
        for then in words.optional(start, "a", "an", "any", "private", "personal", "a private", "a personal"):
            for names, end in _providers(words, then):
                if words.word(end) in _ADDRESSES:
                    yield _to(names), end + 1
                elif words.word(then) in _PROVIDERS and words.word(at) in {"to", "at"}:
                    yield _to(names), end
        for then in words.after(start, *_SUCH):
            for names, end in _providers(words, then):
                for last in words.optional(end, *_ADDRESSES):
                    made = _to(names)
                    yield Qualifier(kind="emails", word=made.word, names=made.names, is_limited=True), last


def _to(names: tuple[str, ...]) -> Qualifier:
    return Qualifier(kind="emails", names=tuple(dict.fromkeys(f"*@{name}" for name in names)))


def _providers(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    word = words.word(at).removeprefix("@")
    found = _PROVIDERS.get(word, ())
    if not found and re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", word):
        found = (word,)
    if found:
        yield found, at + 1
        for more in words.after(at + 1, ", and", ", or", ",", "and", "or"):
            yield from (((*found, *rest), end) for rest, end in _providers(words, more))


def schemes(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "over plain http", "over https" and, after pages, "that begin with https"."""
    found = list(words.after(at, "over", "via"))
    if words.word(at - 1) in _PAGES:
        found += words.after(
            at, "that begin with", "that start with", "that starts with", "that begins with", "starting with",
            "beginning with", "with", "whose address starts with", "whose addresses start with",
        )  # fmt: skip
    for start in dict.fromkeys(found):
        pattern = _SCHEMES.get(words.word(start))
        if pattern is not None:
            yield Qualifier(kind="like", word=URL, names=(pattern,)), start + 1


def scheme_limit(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of the beginning of the URL that a tool takes. None if it takes none, or several kinds."""
    roles = [role for role in one.roles if role in URL_ROLES]
    return Limit(role=roles[0], like=qualifier.names) if len(roles) == 1 else None
