"""The grammar of controlled English. What it does not cover is refused, with the sentence and the word.

    sentence  = "Allow" doing | "Ask" ["me"] "before" doing | ("Never" | "Do not") do
    do, doing = deeds things [where]                 read, write, delete (or remove), change, touch
              | "fetch" "pages" ["from" sites]
              | ("push" | "pull" | "clone") [("to" | "from") remotes]
              | "commit" [where]
              | "use" tools ["for" members] [where]
    things    = ["any"] ("files" | "folders" | "repositories") | "anything"          "other", "else": see below
    where     = "inside" folders | "outside the sandbox" | "anywhere"
    sites     = "any site" | host ["and its subdomains"] | "@list", ...
    remotes   = "any git remote" | host ["/" path] | "@list", ...
    tools     = "the tool" name "of" server | "the tools" names "of" server | "any tool of" server
    members   = "the owner" | "the email address" | "the site" | "the git remote", each with names or "@list"

"any other file", "anything else", "any other site" and the like, in a sentence with "Ask", mean what no sentence
allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import places
from retouch.recipes.policy.english.words.scanning import Unclear, Words
from retouch.recipes.policy.english.words.sentences import (
    Action,
    Deed,
    FetchAction,
    GitAction,
    GitVerb,
    Mood,
    Noun,
    PathAction,
    Sentence,
    UseAction,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.clauses import Clause

_DEEDS: Mapping[str, tuple[Deed, ...]] = {
    "read": ("read",),
    "write": ("write",),
    "delete": ("delete",),
    "remove": ("delete",),
    "change": ("write", "delete"),
    "touch": ("read", "write", "delete"),
}
_NOUNS: Mapping[str, Noun] = {
    "file": "files",
    "files": "files",
    "folder": "files",
    "folders": "files",
    "repository": "repositories",
    "repositories": "repositories",
}
_REMOTE: Mapping[str, GitVerb] = {"push": "push", "pull": "pull", "clone": "clone"}
_DOING = {
    "reading": "read",
    "writing": "write",
    "deleting": "delete",
    "removing": "remove",
    "changing": "change",
    "touching": "touch",
    "fetching": "fetch",
    "pushing": "push",
    "pulling": "pull",
    "cloning": "clone",
    "committing": "commit",
    "using": "use",
}
_DO = {word: word for word in _DOING.values()}


def sentence_of(clause: Clause, number: int) -> Sentence:
    """Return the parsed sentence of a clause.

    Raises:
        Unclear: the grammar does not cover it, or no rule can enforce it.
    """
    words = Words(clause.text)
    mood = _mood(words)
    verbs = _DO if mood == "never" else _DOING
    action, residual = _action(words, verbs, mood)
    words.end()
    found = Sentence(number=number, line=clause.line, quote=clause.text, mood=mood, action=action, residual=residual)
    _refuse_senseless(found)
    return found


def _mood(words: Words) -> Mood:
    if words.skip("allow"):
        return "allow"
    if words.skip("ask before", "ask me before"):
        return "ask"
    if words.skip("never", "do not"):
        return "never"
    raise words.unclear("'Allow', 'Ask before' or 'Never'")


def _action(words: Words, verbs: Mapping[str, str], mood: Mood) -> tuple[Action, bool]:
    first = verbs.get(words.peek())
    if first is None:
        raise words.unclear(f"one of {', '.join(verbs)}")
    if first in _DEEDS:
        return _path_action(words, verbs, mood)
    words.skip(words.peek())
    if first == "fetch":
        return _fetch_action(words, mood)
    if first == "use":
        return _use_action(words)
    return _commit_action(words, mood) if first == "commit" else _remote_action(words, _REMOTE[first], mood)


def _path_action(words: Words, verbs: Mapping[str, str], mood: Mood) -> tuple[Action, bool]:
    def deed(words: Words) -> str:
        verb = verbs.get(words.peek(), "")
        if verb not in _DEEDS:
            raise words.unclear(f"one of {', '.join(word for word, base in verbs.items() if base in _DEEDS)}")
        words.skip(words.peek())
        return verb

    deeds: dict[Deed, None] = {one: None for verb in words.several(deed) for one in _DEEDS[verb]}
    noun, residual = _noun_phrase(words)
    return PathAction(deeds=tuple(deeds), noun=noun, place=_place_phrase(words, mood)), residual


def _place_phrase(words: Words, mood: Mood) -> places.Place:
    anywhere = words.skip("anywhere")
    found = places.place(words)
    if mood == "allow" and not anywhere and found == places.ANYWHERE:
        raise words.unclear("'inside' and a directory, 'outside the sandbox' or 'anywhere'")
    return found


def _noun_phrase(words: Words) -> tuple[Noun, bool]:
    if words.skip("anything"):
        return "anything", words.skip("else")
    residual = words.skip("any other")
    if not residual:
        words.skip("any")
    noun = _NOUNS.get(words.peek())
    if noun is None:
        raise words.unclear(f"'anything' or one of {', '.join(_NOUNS)}")
    words.skip(words.peek())
    return noun, residual


def _fetch_action(words: Words, mood: Mood) -> tuple[Action, bool]:
    residual = words.skip("any other")
    if not residual:
        words.skip("any")
    words.need("pages", "page")
    if words.skip("from any site", "anywhere"):
        return FetchAction(), residual
    if words.skip("from any other site"):
        return FetchAction(), True
    if words.skip("from"):
        return FetchAction(sites=places.sites(words, role="fetch-url")), residual
    if mood == "allow":
        raise words.unclear("'from any site', or 'from' and hosts")
    return FetchAction(), residual


def _commit_action(words: Words, mood: Mood) -> tuple[Action, bool]:
    words.skip("anything", "changes")
    return GitAction(verb="commit", place=_place_phrase(words, mood)), False


def _remote_action(words: Words, verb: GitVerb, mood: Mood) -> tuple[Action, bool]:
    words.skip("anything", "changes")
    word = "to" if verb == "push" else "from"
    if words.skip(f"{word} any git remote", f"{word} any remote"):
        return GitAction(verb=verb), False
    if words.skip(f"{word} any other git remote", f"{word} any other remote"):
        return GitAction(verb=verb), True
    if words.skip(word):
        return GitAction(verb=verb, remotes=places.remotes(words)), False
    if mood == "allow":
        raise words.unclear(f"'{word} any git remote', or {word!r} and remotes")
    return GitAction(verb=verb), False


def _use_action(words: Words) -> tuple[Action, bool]:
    names: tuple[str, ...] | None = None
    residual = False
    if words.skip("the tool"):
        names = (words.take("the name of a tool"),)
    elif words.skip("the tools"):
        names = words.several(lambda one: one.take("the name of a tool"))
    else:
        residual = words.skip("any other tool")
        if not residual:
            words.need("any tool")
    words.need("of the server", "of")
    server = words.take("the name of a server")
    members = places.members(words)
    where = places.place(words)
    if members is not None and where != places.ANYWHERE:
        raise Unclear("a sentence about tools can have members or a place, not both")
    return UseAction(server=server, tools=names, members=members, place=where), residual


def _refuse_senseless(sentence: Sentence) -> None:
    if sentence.residual and sentence.mood != "ask":
        raise Unclear(
            "use 'other' and 'else' only in a sentence with 'Ask': anything that no sentence allows is denied anyway"
        )
    named = sentence.members
    if sentence.mood != "never" or named is None:
        return
    if any(one.startswith("@") for one in named.names):
        raise Unclear("a prohibition would not cover members that the list lacks; name them in the sentence")
    if named.role == "git-remote-url":
        raise Unclear("a remote can be hidden behind a name such as 'origin'; write which remotes are allowed instead")
