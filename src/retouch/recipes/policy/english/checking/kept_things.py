"""Takes in the tools of a general verb that a reading leaves out: "create files", "create anything", "any change".

The readers find tools by the roles of their arguments, or by the verbs of their names. Who must not create files must
not upload one either, and before any change one that only creates something is a change as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.said_words import said_in
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.act_facts import may_change
from retouch.recipes.policy.english.tools.kept_files import CREATING, VERBS, does_to_files
from retouch.recipes.policy.english.words.lexicon import VERBS as KNOWN
from retouch.recipes.policy.english.words.lexicon import bases_of, word_set
from retouch.recipes.policy.english.words.sentences import ANYWHERE, CallAction, PathAction
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, Sentence, ToolPart

_FILES = word_set("file files document documents")
_FOLDERS = word_set("folder folders directory directories")
_SMALL = word_set("any a an the my our your all new existing other more than at most least up to of single one or and")
_ALL_CHANGES = re.compile(r"\b(?:any|no|every|all|making|make) changes?(?: at all)?(?=$|[,;.]| without| unless| first)")
_CREATED = re.compile(r"\b(?:creat|mak|add)(?:e|ing) (?:anything|something)(?: new)?(?=$|[,;.]| without| unless| in\b)")
_ANY_DEED = word_set("touch use")
_WRITTEN_TO = re.compile(r"\bwrit(?:e|es|ing) (?:anything )?to\b")
_UNNAMED = word_set("anything remote git")


def of_kept_files(sentence: Sentence, toolbox: Toolbox | None) -> tuple[Sentence, ...]:
    """Return a restriction of files anywhere for the files that servers keep. Empty if there are none."""
    action = sentence.action
    plain = isinstance(action, PathAction) and action.noun == "files" and action.place == ANYWHERE
    if toolbox is None or not isinstance(action, PathAction) or not plain:
        return ()
    if sentence.mood == "allow" or sentence.residual:
        return ()
    folders = re.search(r"\b(?:folders?|director(?:y|ies))\b", sentence.quote.lower()) is not None
    found = (one for one in toolbox.tools if any(does_to_files(one, deed, folders=folders) for deed in action.deeds))
    parts = tuple(map(part_of, sorted(found, key=lambda one: one.key)))
    return (replace(sentence, action=CallAction(parts=parts)),) if parts else ()


def may_mean(text: str, toolbox: Toolbox) -> bool:
    """Return whether some tool shares a verb and, if a sentence names one, a thing with it."""
    said = said_in(tokens_of(text), toolbox, ())
    verbs = {each for verb in said.verbs for each in (verb, *(KNOWN[verb].perhaps if verb in KNOWN else ()))}
    things = {noun for noun in said.objects if noun not in _UNNAMED}
    return any(
        (verbs <= _ANY_DEED or not verbs.isdisjoint(one.verbs | one.done) or ("commit" in verbs and one.commits))
        and (not things or not things.isdisjoint(one.subjects))
        for one in toolbox.tools
    )


def with_kept_things(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose plain restrictions reach all tools of a general verb. `low`: the text in lower case."""
    whole = _General(text=low, meaning=meaning, said=said, tools=tools)
    if not whole.rules:
        return meaning
    return meaning.with_added(whole.added)


@dataclass(frozen=True, kw_only=True, eq=False)
class _General(Restriction):
    said: Said

    @cached_property
    def file_verbs(self) -> frozenset[str]:
        """The verbs of which files, or folders, are the object: "create or edit files"."""
        return _verbs_before(self.said.words, _FILES)

    @cached_property
    def rules(self) -> frozenset[str]:
        """What is general in the sentence: files, anything that is created, or any change."""
        found = {"files"} if self.file_verbs else set[str]()
        found |= {"created"} if _CREATED.search(self.text) else set()
        found |= {"written"} if _WRITTEN_TO.search(self.text) else set()
        return frozenset(found | ({"changes"} if _ALL_CHANGES.search(self.text) else set()))

    def added(self, parts: frozenset[ToolPart]) -> Iterator[ToolPart]:
        """Yield the parts of the tools that parts leave out, with the limit of one that has no other test."""
        known = {one.key: one for one in self.tools if not one.code}
        plain = [part for part in sorted(parts, key=str) if (part.server, part.tool) in known and _is_plain(part)]
        said = {(part.server, part.tool) for part in self.meaning.parts}
        tested = [part for part in sorted(parts, key=str) if (part.server, part.tool) in known]
        for one in self.tools if self.rules else ():
            like = next((part for part in plain if part.server == one.tool.server), None)
            if one.key in said:
                continue
            if like is not None and self._is_meant(one):
                yield replace(like, tool=one.tool.name)
            elif "written" in self.rules and may_change(one):
                same = (part for part in tested if part.server == one.tool.server and _takes_tests(one, part))
                yield from (replace(part, tool=one.tool.name) for part in islice(same, 1))

    def _is_meant(self, one: KnownTool) -> bool:
        if one.code or one.computes:
            return False
        own = one.verbs | one.done
        changes = "changes" in self.rules and may_change(one)
        created = "created" in self.rules and not one.reads and not own.isdisjoint(CREATING)
        return changes or created or any(does_to_files(one, verb) for verb in self.file_verbs)


def _is_plain(part: ToolPart) -> bool:
    return all(each.is_clock or each.is_total for each in (*part.where, *part.unless))


def _takes_tests(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a tool has all arguments that a part tests, and there are some: "to any base but X"."""
    tested = [limit for limit in (*part.where, *part.unless) if not (limit.is_clock or limit.is_total)]
    return bool(tested) and all(limit.arg in one.tool.args for limit in tested)


def _verbs_before(words: tuple[str, ...], nouns: frozenset[str]) -> frozenset[str]:
    """Return the verbs that come right before a noun, but for small words and numbers between them."""
    found: set[str] = set()
    for at, word in enumerate(words):
        before = at - 1
        while word in nouns and before >= 0:
            bases = {words[before], *bases_of(words[before], form="ing")} & VERBS
            if not bases and words[before] not in _SMALL and not words[before].isdigit():
                break
            found |= bases
            before -= 1
    return frozenset(found)
