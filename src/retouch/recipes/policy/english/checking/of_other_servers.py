"""Tells whether a sentence that makes no sense for the tools of one server is about those of another one.

"Never delete my emails" is about a mailbox, and no reason to refuse it is that a calendar has no emails. A sentence is
only about other servers if nothing that it speaks of occurs among the things and choices of the tools at hand.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import SMALL_WORDS, forms_of
from retouch.recipes.policy.english.stances.search import covered
from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS
from retouch.recipes.policy.english.tools.sql_tools import sql_argument
from retouch.recipes.policy.english.words import lexicon, rates
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.words.tokens import tokens_of
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_NONE: frozenset[str] = frozenset()
_SQL, _DISK, _SITE = "SQL", "a path on the disk", "a site to visit"
# What is written in these ways is one of these things, or is found at such an argument.
_CHANNEL = (re.compile(r"#[\w-]+|@(?:channel|here|everyone)"), word_set("channel room"))
_STATEMENT = (re.compile("SELECT|INSERT|UPDATE|DELETE|DROP|ALTER|TRUNCATE|CREATE|GRANT|SQL|sql"), frozenset({_SQL}))
_ON_DISK = (re.compile(r"~?/\S*"), frozenset({_DISK}))
_PATH = (
    re.compile(r"\.[\w-]+(?:/\S*)?|\S+\.(?:md|txt|pdf|csv|json|ya?ml|env|py|js|ts|xlsx|docx)"),
    word_set("file directory path"),
)
_ADDRESS = (re.compile(r"@?[\w.+-]*@[\w.-]+"), word_set("email channel calendar attendee recipient member"))
_HOST = (re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?"), word_set("page url domain host email"))

_PLACING = word_set("in inside into from under within at on to with of for")
_DOING = word_set("order view")  # rather verbs
_LOOKING = lexicon.READ | word_set("touch access use look see search open share forward copy export send")
_ANYTHING = re.compile(
    r"(?P<lead>(?:please )?(?:never |don['\u2019]t |do not |ask (?:me )?before (?:you )?))"
    r"(?P<verbs>[a-z]+(?:, [a-z]+)*(?:,? or [a-z]+)?) anything[.!]*",
    re.IGNORECASE,
)
_PLAIN = word_set("delete remove archive rename move copy overwrite upload merge close cancel restart")
_PERMITS = re.compile(
    r"(?:please )?(?:you (?:may|can|are allowed to)|feel free to) "
    r"(?!.*(?:\b(?:only|but|except|never|not|no|nothing|nowhere|ask|unless|without)\b|n['\u2019]t\b))",
    re.IGNORECASE,
)
_DETERMINERS = word_set("the a an any my our this all every each no new")
_BEFORE_VERBS = word_set("may can to never not please before you me us always")
_DIRECT = re.compile(r"\bdirect messages?\b|\bdms?\b")
_VISITING = word_set("visit visiting browse browsing navigate navigating")
_VISITED = word_set("visit browse navigate open fetch get read load scrape crawl goto request")
_PRODUCTS = word_set("slack github gmail git kubernetes")


def is_about_others(text: str, toolbox: Toolbox) -> bool:
    """Return whether a sentence names another server and not this one, or nothing that occurs here.

    A permission for what is on the disk permits nothing on a server where it is not understood.
    """
    tokens = tokens_of(text)
    inside = covered(tokens)
    plain = [
        one.raw if one.raw.isupper() else one.text for at, one in enumerate(tokens) if not (one.quoted or at in inside)
    ]
    words = [word for one in plain for word in re.findall("[a-z]+", one.lower())]
    if any(map(toolbox.names_server, words)):
        return False
    others = toolbox.elsewhere - (lexicon.THINGS - _PRODUCTS) - SMALL_WORDS
    if any(singular(word) in others for word in words):
        return True
    things = _spoken_of(plain)
    if things == frozenset({_DISK}) and _PERMITS.match(text):
        return True
    tools = [one for one in toolbox.tools if not (one.reads and _only_changes(plain))]
    return bool(things) and things.isdisjoint(thing for one in tools for thing in _things_of(one))


def verb_by_verb(text: str) -> tuple[str, ...]:
    """Return a prohibition or question about anything once for each of its verbs, or nothing for another sentence.

    Only verbs that are the names of such tools everywhere count: who shares something may also invite somebody to it.

    >>> verb_by_verb("Never delete or archive anything.")
    ('Never delete anything.', 'Never archive anything.')
    """
    found = _ANYTHING.fullmatch(text.strip())
    verbs = re.split(r", or |, | or ", found["verbs"].lower()) if found is not None else []
    return tuple(f"{found['lead']}{one} anything." for one in verbs) if found and _PLAIN.issuperset(verbs) else ()


def _only_changes(words: Sequence[str]) -> bool:
    """Return whether a sentence is only about changes, which no tool that reads makes: "never delete events"."""
    verbs = {base for word in words for base in (word, *bases_of(word, form="ing"), *bases_of(word, form="ed"))}
    return not verbs.isdisjoint(ALL_VERBS - _LOOKING) and verbs.isdisjoint(_LOOKING)


def _spoken_of(words: Sequence[str]) -> frozenset[str]:
    """Return what a sentence speaks of: its objects, with the channels and paths, or else its places and addresses.

    Of several nouns in a row the last one says what it is: `groups` in "user groups".
    """
    nouns = [_nouns(word, words[at - 1] if at else "") for at, word in enumerate(words)]
    plain = [_NONE if _is_done(words, at) else one for at, one in enumerate(nouns)]
    nouns = plain if any(plain) else nouns
    heads = [one if after is None or not after else _NONE for one, after in zip_longest(nouns, nouns[1:])]
    place = next((at for at, word in enumerate(words) if word in _PLACING), len(words))
    if _DIRECT.search(" ".join(words).lower()):
        return frozenset({"channel", "dm", "conversation"})
    named = _NONE.union(*(_written(word, (_ON_DISK, _STATEMENT)) for word in words))
    if named:
        return named
    if not _VISITING.isdisjoint(words) and any(_written(word, (_HOST,)) for word in words):
        return frozenset({_SITE})
    written = [kinds for word in words if (kinds := _written(word, (_CHANNEL, _PATH)))]
    objects = _NONE.union(*heads[:place], *written)
    addresses = [_written(word, (_ADDRESS, _HOST)) for word in words]
    return objects or _NONE.union(*heads[place:]) or _NONE.union(*addresses)


def _is_done(words: Sequence[str], at: int) -> bool:
    """Return whether a word is rather a verb: "you may label emails", "comment on them"."""
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    return words[at] in ALL_VERBS and (before in _BEFORE_VERBS or after == "on")


def _written(word: str, forms: Iterable[tuple[re.Pattern[str], frozenset[str]]]) -> frozenset[str]:
    """Return the kinds of things that are written as a word is."""
    return next((kinds for form, kinds in forms if form.fullmatch(word.rstrip(".,"))), _NONE)


def _nouns(word: str, before: str) -> frozenset[str]:
    """Return the forms of a word if it may be a noun that says what a sentence is about, as in "emailing" too.

    `before` is the word before it: "any process" and "the vacuum" are no verbs.
    """
    if word in SMALL_WORDS | rates.NUMBER_WORDS or not re.fullmatch(r"[a-z]+(?:-[a-z]+)*", word):
        return _NONE
    verbs = {word, *bases_of(word, form="ing"), *bases_of(word, form="ed"), *bases_of(word, form="s")}
    known = not {singular(word), *verbs}.isdisjoint(lexicon.KNOWN_NOUNS - _DOING)
    is_noun = known or before in _DETERMINERS or verbs.isdisjoint(ALL_VERBS | lexicon.VERBS.keys())
    return frozenset(forms_of(word)) - lexicon.GENERIC if is_noun else _NONE


def _things_of(one: KnownTool) -> Iterator[str]:
    """Yield the nouns of a tool, and of what it chooses by an id or a path."""
    yield from one.vocabulary
    yield from one.named_arguments
    if sql_argument(one):
        yield from (_SQL, "query", "statement")
    if one.roles & PATH_ROLES:
        yield from (_DISK, "file", "directory", "path")
    if one.roles & URL_ROLES:
        if one.verbs & _VISITED:
            yield _SITE
        yield from ("page", "url", "domain", "host")
