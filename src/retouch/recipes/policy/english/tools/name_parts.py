"""The name of a tool as words: which of them is the verb, and which are its nouns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# Verbs of tools that are never what another verb means. All other verbs may be: `zap_user` may delete a user.
OTHER_VERBS = word_set(
    "mark acknowledge follow unfollow like turn play hide snooze track calculate compute estimate compare analyze "
    "summarize scroll hover zoom quote simulate admit refer prescribe diagnose freeze unfreeze arm disarm dim brighten "
    "print scan pause translate verify validate extend subscribe rate vote pin bookmark ring greet deposit fill click "
    "press clean wash vacuum mow feed brew discharge finalize "
    "uncomplete unassign uncheck unstar unsnooze unresolve unpause unmute"
)
ALL_VERBS = frozenset(
    (
        *READ,
        *OTHER_VERBS,
        *(one for verb in VERBS.values() for one in verb.perhaps),
        *(name for name in VERBS if " " not in name),
    )
) - {"file", "money", "phone"}
_BETWEEN = word_set("add create delete remove get list search send post edit update")
_RELATING = word_set("in of by for from on")


def split_name(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def verbs_and_nouns(words: list[str], *, things: Collection[str] = ()) -> tuple[frozenset[str], list[str]]:
    """Return the verbs and the nouns of a name. `things` are the last words of other names of its server."""
    if words[0] == "check" and words[1:2] in (["in"], ["out"]):
        return frozenset({"_".join(words[:2])}), words[2:]
    if words[0] in {"turn", "switch"} and words[1:2] in (["on"], ["off"]):
        return frozenset({f"turn {words[1]}"}), words[2:]
    if words[0] in ALL_VERBS and not (words[0] == "issue" and words[-1] in ALL_VERBS and len(words) > 1):
        found, rest = {words[0]}, words[1:]
        while len(rest) > 1 and rest[0] in {"or", "and"} and rest[1] in ALL_VERBS:
            found.add(rest[1])
            rest = rest[2:]
        return frozenset(found), rest
    acted_on = len(words) == 2 and words[-1] in things and not is_thing(words[0])
    if (words[-1] in ALL_VERBS or words[-1] == "log") and not acted_on:
        verb, nouns = ("show", words) if words[-1] == "log" else (words[-1], words[:-1])
        if verb in READ and len(words) > 1 and not is_thing(words[0]):
            return frozenset({words[0], verb}), nouns[1:]  # `mark_read` and `truncate_log` do more than to read
        return frozenset({verb}), nouns
    return frozenset({words[0]}), words if len(words) == 1 else words[1:]


def is_verb_between(words: list[str], comment: str) -> bool:
    """Return whether the second word of a name is the verb: `conversations_add_message`, which posts a message."""
    if len(words) != 3 or not is_thing(words[0]) or words[1] not in _BETWEEN:
        return False
    part = words[0] in lexicon.KNOWN_NOUNS - ALL_VERBS and words[2] in lexicon.ATTRIBUTES  # `attachment_get_data`
    if not words[0].endswith("s"):
        return part
    return (
        words[2] not in ALL_VERBS or re.search(rf"\b{re.escape(singular(words[2]))}s?\b", comment.lower()) is not None
    )


def parts_after_things(
    words: list[str], names: Sequence[list[str]], *, comment: str
) -> tuple[frozenset[str], list[str]] | None:
    """Return the verbs and the noun of a name that begins with things, which are no verb. None for other names.

    They are `pods_list_in_namespace`, `resources_create_or_update` and `pods_evict`, and `helm_list` beside
    `helm_install` and `helm_uninstall`.
    """
    if len(words) == 2 and _is_followed_by_verbs(words[0], names) and words[1] in ALL_VERBS:
        return frozenset(words[1:]), words[:1]
    if len(words) < 2 or not words[0].endswith("s") or not is_thing(words[0]) or words[0] in ALL_VERBS:
        return None
    if len(words) == 2:
        said = comment.lower().startswith(words[1]) and words[1] not in {"control", *ALL_VERBS}  # "Evict a pod"
        return (frozenset(words[1:]), words[:1]) if said else None
    joined = len(words) == 4 and words[2] in {"or", "and"} and words[3] in ALL_VERBS
    if words[1] not in ALL_VERBS or not (joined or words[2] in _RELATING):
        return None
    return frozenset({words[1], words[3]} if joined else {words[1]}), words[:1]


def _is_followed_by_verbs(word: str, names: Sequence[list[str]]) -> bool:
    """Return whether three names or more are a word with a verb after it, so that the word is none."""
    found = {name[1] for name in names if len(name) == 2 and name[0] == word and name[1] in ALL_VERBS}
    return len(found) > 2 and word not in ALL_VERBS


def is_thing(word: str) -> bool:
    """Return whether the first word of a name like `pods_list` is a noun. An unknown word may be a verb."""
    one = singular(word)
    known = one in lexicon.KNOWN_NOUNS | lexicon.THINGS | lexicon.ATTRIBUTES
    return known or (word.endswith("s") and not word.endswith(("ss", "us")))
