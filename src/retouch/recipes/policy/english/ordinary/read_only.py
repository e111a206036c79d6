"""Reads "events are read-only", "Notion is read-only" and "everything is read-only".

No tool may change such things, or anything on the server. "Project k3x9 is read-only" is about the calls that name it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.rewriting.looking_only import has_only_files
from retouch.recipes.policy.english.rewriting.written_access import with_plain_access
from retouch.recipes.policy.english.tools.act_facts import may_change
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.on_files import FILES
from retouch.recipes.policy.english.tools.products import tools_of_product
from retouch.recipes.policy.english.tools.sql_tools import CHANGING, sql_argument, statements
from retouch.recipes.policy.english.tools.toolbox import COLLECTIONS
from retouch.recipes.policy.english.words.lexicon import singular
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_FEWEST = 2  # tools that take the id of a thing
_WITH_PARTS = frozenset({"page", "document"})
_MINE = r"(?:(?:the|my|our|this|your) )?"
_PLACES = r"(?:disk|drive|hard (?:drive|disk)|computer|laptop|machine|pc|mac|file ?system|files(?: and folders)?)"
# "Everything", "all my files", "my whole computer"
_ALL_FILES = (
    rf"(?:(?:all|everything|anything|all of) (?:in |on |of )?)?{_MINE}(?:(?:whole|entire|complete|local) )?{_PLACES}"
)
_WHOLE = re.compile(
    rf"(?:(?P<all>everything(?: here)?|all of (?:it|this)|it all|anything)|(?P<files>{_ALL_FILES})) (?:is|are) "
    r"(?:strictly |all )?read[- ]only[.!]*",
    re.IGNORECASE,
)
_READ_ONLY = re.compile(
    r"(?:(?:the|my|our|all|any|every|everything in|all of my|all my|anything in) )*(?P<what>[a-z]+(?: [a-z]+){0,2}) "
    r"(?:is|are) read[- ]only[.!]*",
    re.IGNORECASE,
)
_ASKING = r"(?:always )?ask (?:me |us )?(?:first )?before (?:you )?"
_NEVER = r"(?:never|do not|don['\u2019]t|you (?:must|may|should|can) ?(?:not|never)) (?:ever )?"
_CHANGED = r"(?:chang|modify|alter|writ)(?:e|ing)? (?:(?:anything|something) )?(?:(?:to|in|into|on|at) )?"
_NO_CHANGES = r"no (?:changes|writes|modifications) (?:to|in|on|at) "
_CHANGES = re.compile(
    rf"(?:please )?(?:(?:{_NEVER}|(?P<ask>{_ASKING})){_CHANGED}|{_NO_CHANGES})(?:the |my |our )?"
    r"(?P<what>[a-z]+(?: [a-z]+)??)(?: (?:server|account|workspace|instance))?"
    r"(?P<unless> without (?:asking|my approval|my ok|approval)(?: me| us)?(?: first)?)?[.!]*",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"(?:the )?(?P<noun>[a-z]+) [`\"']?(?P<id>(?=[a-z0-9_-]*(?:\d|"
    r"[b-df-hj-np-tv-xz]{5}))[a-z0-9_-]{4,})[`\"']? (?:is|are) "
    r"read[- ]only[.!]*",
    re.IGNORECASE,
)
_ALL = frozenset({"everything", "all", "anything"})


def meaning_of_read_only(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "events are read-only" forbids: whatever changes them. None if the sentence is about something else.

    A tool that runs code may read them, so that no rule can forbid only the changes.
    """
    plain = with_plain_access(text, toolbox).strip()
    if (everything := _of_everything(plain, toolbox)) is not None:
        return everything
    if (one := _ONE.fullmatch(plain)) is not None and (meaning := _of_one(one["noun"], one["id"], toolbox)) is not None:
        return meaning
    found = _READ_ONLY.fullmatch(plain)
    if found is None:
        return None
    nouns = tuple(singular(word) for word in found["what"].split())
    if not FILES.isdisjoint(nouns):
        return None
    whole = _of_server(found["what"].lower().split(), toolbox)
    tools = whole or [one for one in toolbox.tools if _is_of(one, nouns, toolbox) and may_change(one)]
    servers = {one.tool.server for one in tools}
    left = [one for one in toolbox.tools if one not in tools and may_change(one)]
    if not whole and any(_has_parts_of(one, nouns[-1]) for one in left):
        return None  # `update_block` changes what is on a page
    code = [one for one in toolbox.tools if one.code and one.tool.server in servers] if tools or whole else []
    if whole and all(map(sql_argument, code)):
        return Meaning(never=frozenset((*map(part_of, tools), *map(_changing_sql, code))))
    return None if code or not tools else Meaning(never=frozenset(part_of(one) for one in tools))


def _changing_sql(one: KnownTool) -> ToolPart:
    return part_of(one, where=(statements(sql_argument(one), CHANGING),))


def _of_one(noun: str, name: str, toolbox: Toolbox) -> Meaning | None:
    """Return what is forbidden for one thing that has an id: every change by a call that names it.

    A call of a tool that takes another id may be about it, too. None if no tool takes such ids.
    """
    known = {one: arg for one in toolbox.tools if (arg := _id_of(one, singular(noun.lower())))}
    changing = [one for one in toolbox.tools if may_change(one) or one.code]
    if len(known) < _FEWEST or any(one.code and not (one in known and sql_argument(one)) for one in changing):
        return None
    parts: set[ToolPart] = set()
    for one in changing:
        named = (Limit(arg=known[one], among=(name,)),) if one in known else ()
        if not named and "create" in one.verbs and one.head == singular(noun.lower()):
            continue  # another one
        sql = (statements(sql_argument(one), CHANGING),) if one.code else ()
        parts.add(part_of(one, where=(*named, *sql)))
    return Meaning(never=frozenset(parts))


def _of_everything(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "everything is read-only" and "my whole disk is read-only" forbid. None for another sentence."""
    found = _WHOLE.fullmatch(text)
    if found is None or any(one.code for one in toolbox.tools) or not (found["all"] or has_only_files(toolbox)):
        return None
    tools = [one for one in toolbox.tools if may_change(one)]
    return Meaning(never=frozenset(part_of(one) for one in tools)) if tools else None


def meaning_of_changes(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "never write to MongoDB" restricts: whatever changes anything on the server. None for other ones.

    A server whose name is a thing of its tools, such as `tasks`, is not meant by that noun.
    """
    found = _CHANGES.fullmatch(text.strip())
    things = {head for _, head in toolbox.heads} - COLLECTIONS
    if found is None or singular(found["what"].lower()) in things:
        return None
    tools = _of_server(found["what"].lower().split(), toolbox)
    servers = {one.tool.server for one in tools}
    code = [one for one in toolbox.tools if one.code and one.tool.server in servers]
    if not tools or not all(map(sql_argument, code)):
        return None
    parts = frozenset((*map(part_of, tools), *map(_changing_sql, code)))
    return Meaning(ask=parts) if found["ask"] or found["unless"] else Meaning(never=parts)


def _id_of(one: KnownTool, noun: str) -> str:
    """Return the argument of a tool for the id of a thing. "" if there is none."""
    wanted = ([noun, "id"], [noun], [noun, "key"], *([["id"]] if one.head == noun else []))
    return next((arg for arg in one.required if split_name(arg) in wanted), "")


def _is_of(one: KnownTool, nouns: tuple[str, ...], toolbox: Toolbox) -> bool:
    """Return whether a tool is about things: by its name, as `usergroups_update` for user groups, or as mail.

    Who must not change repositories must not change what is in them.
    """
    named = set(one.subjects if nouns[-1] in COLLECTIONS else one.core)
    return set(nouns) <= named or "".join(nouns) in named or (nouns == ("email",) and toolbox.is_mail(one))


def _has_parts_of(one: KnownTool, noun: str) -> bool:
    """Return whether a tool may change what is on a page, by an id that may be that of the page."""
    told = " ".join(map(one.described, one.required)).lower()
    return noun in _WITH_PARTS and re.search(rf"\b{noun}s?\b", told) is not None


def _of_server(words: Sequence[str], toolbox: Toolbox) -> list[KnownTool]:
    """Return the tools that change anything on the server that a sentence names."""
    named = toolbox.tools if len(words) == 1 and words[0] in _ALL else tools_of_product(words, toolbox)
    return [one for one in named if may_change(one)]
