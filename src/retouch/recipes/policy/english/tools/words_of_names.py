"""The words of a tool's name: those of its server, its verbs and its nouns."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.name_parts import (
    ALL_VERBS,
    is_thing,
    is_verb_between,
    parts_after_things,
    split_name,
    verbs_and_nouns,
)
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, word_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.policy.language.values import Tool

_METHODS: Mapping[str, str] = {"get": "get", "post": "create", "patch": "update", "put": "update"}
_PROGRAMS = word_set("kubectl oc gcloud hass")  # whose commands are tools
_SERVERS: Mapping[str, tuple[str, ...]] = {
    "gdrive": ("google", "drive"),
    "gcal": ("google", "calendar"),
    "gsheets": ("google", "sheet"),
    "gdocs": ("google", "doc"),
    "hass": ("home", "assistant"),
}  # servers that are called by a short name
_MANNERS = word_set("batch bulk multi force")
_LAST_VERBS = word_set("read write trigger")
_FIRST_VERBS = word_set("get set mark create update delete remove add list enable disable allow can fire test and or")


def base_verb(word: str) -> str:
    """Return the verb of "Uploads an object"."""
    return word if word in VERBS or not word.endswith("s") or word.endswith("ss") else word.removesuffix("s")


def prefix_of_server(server: str, names: Sequence[list[str]]) -> int:
    """Return how many words of every name only name the server: 1 for `notion_create_page`, `notion_search`, ..."""
    own = split_name(server)
    named = len(names) > 1 and all(words[: len(own)] == own and len(words) > len(own) for words in names)
    return len(own) if named else 0


def words_of_name(
    tool: Tool, words: list[str], names: Sequence[list[str]]
) -> tuple[list[str], frozenset[str], list[str]]:
    """Return the words of a tool's server, and the verbs and nouns of its name.

    `words` are those of its name, and `names` those of all tools of its server.
    """
    program = words[0] in _PROGRAMS
    server, words = _without_server(tool, words, names)
    said = re.match(r"[a-z]+(?= )", tool.comment.lower())
    if "api" in server and words[0] in _METHODS and len(words) > 1:
        words = _by_method(words, base_verb(said[0]) if said is not None else "")
    spoken = len(words) > 1 and said is not None and base_verb(said[0]) == words[0]  # "Boost a post" for `boost_post`
    things = {each[-1] for each in names if len(each) > 1 and each[0] in ALL_VERBS}
    spoken = spoken and words[0] not in {"turn", "switch"} and words[1] not in {"or", "and"}
    if not spoken and is_verb_between(words, tool.comment):  # `conversations_add_message`
        spoken, words = True, [words[1], words[0], *words[2:]]
    bare = len(words) == 1 or (words[0].endswith("s") and ALL_VERBS.isdisjoint(words))
    if not spoken and bare and said is not None and base_verb(said[0]) in READ and is_thing(words[0]):
        spoken, words = True, [base_verb(said[0]), *words]  # `kubectl_logs`: "Get the logs of a pod"
    if not spoken and said is not None and base_verb(said[0]) in words[1:] and program:
        spoken, words = (
            True,
            [base_verb(said[0]), *(word for word in words if word != base_verb(said[0]))],
        )
    verbs, nouns = (frozenset(words[:1]), words[1:]) if spoken else verbs_and_nouns(words, things=things)
    verbs, nouns = (None if spoken else parts_after_things(words, names, comment=tool.comment)) or (verbs, nouns)
    return server, verbs, nouns


def _without_server(tool: Tool, words: list[str], names: Sequence[list[str]]) -> tuple[list[str], list[str]]:
    """Return the words of the server, and those of the name without them, a verb at its end first."""
    server = split_name(tool.server)
    server += [word for name in server for word in _SERVERS.get(name, ())]
    words = [word for word in words if word not in {"a", "an", "the"}] or words  # `retrieve-a-page`
    words = _without_manner(words)
    if len(words) > 1 and words[-1] in _LAST_VERBS and words[0] not in _FIRST_VERBS:
        words = [words[-1], *words[:-1]]  # `pull_request_review_write`
    server += [words[0]] if words[0] in _prefix(names) | _PROGRAMS else []
    while len(words) > 1 and words[0] in server:
        words = words[1:]
    return server, _without_manner(words)


def _without_manner(words: list[str]) -> list[str]:
    """Return a name without how it is done: `batch_delete_emails`, `force_terminate`."""
    return words[1:] if words[0] in _MANNERS and words[1:2] and words[1] in ALL_VERBS else words


def _prefix(names: Sequence[list[str]]) -> frozenset[str]:
    """Return the words that names of three or more tools begin with, if one of them goes on with a verb and a noun."""
    first = Counter(words[0] for words in names if len(words) > 1)
    going_on = Counter(words[0] for words in names if len(words) > 2 and words[1] in ALL_VERBS)
    return frozenset(
        word
        for word, number in first.items()
        if number > 2 and going_on[word] and word not in ALL_VERBS | lexicon.KNOWN_NOUNS and not word.endswith("s")
    )


def _by_method(words: list[str], said: str) -> list[str]:
    """Return the words of a name that begins with a method of HTTP, with the verb that is meant: `post-search`."""
    verb = said if said in ALL_VERBS else _METHODS[words[0]]
    return [verb, *(word for word in words[1:] if word != verb)]
