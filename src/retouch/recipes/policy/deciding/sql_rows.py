"""Finds statements that change or delete every row, and those about the users of a database, in one statement of SQL.

A statement is a list of tokens, each with its kind and its text in lower case. An `UPDATE` or `DELETE` has a condition
if `WHERE` follows it in the same brackets, before another statement, with a name behind it: `WHERE 1 = 1` is none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.language.values import SqlKind

Token = tuple[str, str]
# `FOR UPDATE`, `ON DELETE CASCADE`, `DO UPDATE SET` and `WHEN MATCHED THEN DELETE` change the rows that they are about.
_NO_STATEMENT_AFTER = frozenset({"for", "key", "on", "do", "then", "before", "after", "of", "or", "grant", "revoke"})
_STARTING = frozenset({"select", "insert", "update", "delete", "merge", "create", "alter", "drop", "truncate", "with"})
_NO_NAMES = frozenset(
    [
        "and",
        "or",
        "not",
        "true",
        "false",
        "null",
        "is",
        "like",
        "between",
        "in",
        "exists",
        "case",
        "when",
        "then",
        "else",
        "end",
        "limit",
        "order",
        "by",
        "asc",
        "desc",
        "returning",
        "offset",
        "fetch",
        "first",
        "rows",
        "only",
    ]
)
_ABOUT_USERS = frozenset({"create", "alter", "drop", "rename"})
_USERS = frozenset({"user", "role", "login", "group"})
_BETWEEN = frozenset({"or", "replace", "if", "not", "exists", "server", "database", "application"})


def aspects_of(tokens: Sequence[Token]) -> frozenset[SqlKind]:
    """Return what one statement does beyond its kinds: `update all`, `delete all` and `user`.

    Example:
        >>> sorted(aspects_of([("word", "delete"), ("word", "from"), ("word", "t")]))
        ['delete all']
    """
    found: set[SqlKind] = set()
    for level in _levels(tokens):
        found.update("update all" if verb == "update" else "delete all" for verb in _without_condition(level))
    words = [text for kind, text in tokens if kind == "word" and text not in _BETWEEN]
    if any(first in _ABOUT_USERS and then in _USERS for first, then in pairwise(words)):
        found.add("user")
    return frozenset(found)


def _levels(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each pair of brackets, without those of brackets in it, and those outside of all."""
    open_levels: list[list[Token]] = [[]]
    for kind, text in tokens:
        if kind == "open":
            open_levels[-1].append(("inner", text))
            open_levels.append([])
        elif text == ")" and len(open_levels) > 1:
            yield open_levels.pop()
        else:
            open_levels[-1].append((kind, text))
    yield from open_levels


def _without_condition(level: Sequence[Token]) -> Iterator[str]:
    """Yield the verbs of statements at one level of brackets that have no condition."""
    verb, before = "", ""
    for at, (kind, text) in enumerate(level):
        word = text if kind == "word" else ""
        if word == "where" and _has_name(level[at + 1 :]):
            verb = ""
        elif word in _STARTING and before not in _NO_STATEMENT_AFTER:
            yield from (verb,) if verb else ()
            verb = word if word in {"update", "delete"} else ""
        before = word
    if verb:
        yield verb


def _has_name(tokens: Sequence[Token]) -> bool:
    """Return whether a condition has a name, or brackets, so that it may depend on the row."""
    return any(kind in {"name", "inner"} or (kind == "word" and text not in _NO_NAMES) for kind, text in tokens)
