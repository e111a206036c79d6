"""Tools that do what a sentence restricts in another way: by another name, by a value, or as a part of what they do.

`browser_tabs` opens pages as `browser_navigate` does, a reply is a message, and `browser_type` may press a key. The
sentence is refused then, because nobody can say whether they are meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.limits.argument_tests import chosen_verb
from retouch.recipes.policy.english.limits.demanding import CHANGERS, MAKERS
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.language.values import Limit

_OPENING = word_set("navigate visit browse open load goto browser tab tabs")
_SENDING = word_set("schedule send post reply respond forward publish write comment message email answer")
_TAKING_IN = word_set("drop attach send import submit post share put paste drag")
_DATABASES = word_set("database table schema")
_PAYING = word_set("pay spend move transfer send wire")
_SPENDING = word_set("pay spend")
_MAKING_PAYMENTS = word_set("pay make send do create")
_BETWEEN = re.compile(r"\bbetween (?:[a-z']+ ){0,3}accounts\b")
_REPOSITORY = frozenset({"github-owner", "github-repo"})
_BESIDE_REPOSITORIES = word_set("fork star unstar watch unwatch")  # they change nothing in it
_WRITING = CHANGING | word_set("write touch")
_MAKING_FILES = _WRITING | word_set("create make add save")
_COMMITTING = word_set("push commit")
HELD = tuple(
    (word_set(holders), word_set(held))
    for holders, held in (
        ("thread conversation mailbox inbox", "email mail message"),
        ("channel chat conversation thread", "message post"),
        ("folder directory drive", "file document folder directory"),
        ("calendar", "event meeting appointment"),
        ("repository", "branch file tag release issue"),
        ("project board list", "task card issue ticket"),
        ("database schema", "table"),
        ("album playlist library", "photo picture song track"),
        ("notebook", "note page"),
        ("bucket container", "object file"),
        ("workspace", "page document project"),
    )
)  # who deletes one of the first deletes what it holds
_ENDING = frozenset({"delete", "erase", "destroy", "drop", "purge", "wipe"})
_OWNED = re.compile(r"(owner|member|leader|author)ships?")


def has_same_effect(said: Said, strict: Sequence[tuple[KnownTool, ToolPart]], one: KnownTool) -> bool:
    """Return whether a tool may do what a sentence restricts for the tools in `strict`."""
    if not one.reads and (_deletes_holder(said, strict, one) or _changes_who_has_it(said, one)):
        return True
    others = [other for other, _ in strict if other.tool.server == one.tool.server]
    limits = list(_limits(strict))
    if not others:
        return False
    return (
        _opens_pages(limits, others, one)
        or (not one.reads and _does_so_too(said, limits, others, one))
        or _is_told_of_value(said, limits, one)
    )


def _deletes_holder(said: Said, strict: Sequence[tuple[KnownTool, ToolPart]], one: KnownTool) -> bool:
    """Return whether a tool deletes the holder of what must not be deleted: `delete_thread` for e-mails."""
    if not said.verbs & _ENDING or not (one.verbs | one.done) & _ENDING:
        return False
    heads = {other.head for other, _ in strict} & said.forms
    return any(one.head in holders and heads & held for holders, held in HELD)


def _changes_who_has_it(said: Said, one: KnownTool) -> bool:
    """Return whether "change the owner" may be about a tool: `transfer_ownership`."""
    named = _OWNED.fullmatch(one.head or "")
    return named is not None and named[1] in said.forms and bool(said.verbs & (CHANGING | {"transfer"}))


def _limits(strict: Sequence[tuple[KnownTool, ToolPart]]) -> Iterator[Limit]:
    yield from (limit for _, part in strict for limit in (*part.where, *part.unless))


def _opens_pages(limits: Sequence[Limit], others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether pages of some hosts must not be opened, and a tool opens pages."""
    tested = any(limit.role == "fetch-url" for limit in limits)
    return tested and _opens(one) and any(map(_opens, others))


def _opens(one: KnownTool) -> bool:
    return "fetch-url" in one.roles and not _OPENING.isdisjoint(one.verbs | one.described_words | {*one.words})


def _does_so_too(said: Said, limits: Sequence[Limit], others: Sequence[KnownTool], one: KnownTool) -> bool:
    return (
        _sends_as_well(said, others, one)
        or (not said.verbs.isdisjoint(_PAYING) and not _moves_within(said, one) and _pays_as_well(others, one))
        or (_is_of_payments(said) and not _moves_within(said, one) and _is_paid_like(others, one))
        or _does_by_name(said, others, one)
        or _takes_files_in(said, others, one)
        or _changes_repository(said, limits, one)
        or _writes_as_well(said, limits, one)
        or ("push" in said.verbs and one.commits and "branch-name" in one.roles)  # a host pushes what it commits
    )


def _sends_as_well(said: Said, others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether a tool sends what another one sends, and more: `reply(channel, thread, text)`.

    Who answers a comment or writes to somebody publishes no post, if a sentence names posts.
    """
    named = {other.head for other in others} == {"post"} <= said.forms
    if one.verbs.isdisjoint(_SENDING) or _only_stores(one) or (named and one.head in {"comment", "message"}):
        return False
    sending = (other for other in others if not (other.verbs | other.done).isdisjoint(_SENDING))
    return any(other.required and other.required <= one.tool.args.keys() for other in sending)


def _only_stores(one: KnownTool) -> bool:
    """Return whether a tool is called after writing, and creates or updates things: `issue_write(method)`."""
    return one.verbs == frozenset({"write"}) and one.told_verb in MAKERS | CHANGERS


def _writes_as_well(said: Said, limits: Sequence[Limit], one: KnownTool) -> bool:
    """Return whether nothing may be written to a database or table, and a tool changes what it is called for."""
    tested = {limit.arg for limit in limits if limit.arg}
    return "write" in said.verbs and bool(_DATABASES & said.forms) and bool(tested) and tested <= one.tool.args.keys()


def _pays_as_well(others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether a tool moves money as another one does: a standing order from an account to a payee.

    Arguments with listed values, such as the currency, may be missing.
    """
    paying = (other for other in others if any(map(_is_amount, other.required & {*other.numbers})))
    return any(other.required - other.listed.keys() <= one.tool.args.keys() for other in paying)


def _is_of_payments(said: Said) -> bool:
    """Return whether a sentence is about any payment, in whatever way it is made: "no payments", "never make any"."""
    return "payment" in said.forms and said.verbs <= _MAKING_PAYMENTS | lexicon.READ


def _is_paid_like(others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether a tool moves money with what a payment takes, but its date: `create_transfer(to, amount)`."""
    amounts = any(map(_is_amount, one.required & {*one.numbers}))
    paid = [other for other in others if "payment" in {other.head, *other.told_words}]
    return amounts and any(one.required <= other.tool.args.keys() for other in paid)


def _moves_within(said: Said, one: KnownTool) -> bool:
    """Return whether a tool moves money between accounts of one owner, and a sentence is about paying somebody."""
    return said.verbs <= _SPENDING and _BETWEEN.search(one.tool.comment.lower()) is not None


def _is_amount(number: str) -> bool:
    """Return whether an argument that is a number names no thing, as `ticket_id` and `issue_number` do."""
    return not is_id(number) and split_name(number)[-1:] != ["number"]


def _does_by_name(said: Said, others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether a tool is named after what the others only do by a value: `add_comment`, and the event COMMENT."""
    head = one.head or ""
    named = {head, lexicon.NOMINAL.get(head), lexicon.ACTIONS.get(head)} | one.verbs | one.done
    for verb in said.acts & named:
        by_value = any(chosen_verb(other, verb) is not None for other in others)
        if by_value and all(verb not in other.verbs | other.done for other in others):
            return True
    return False


def _takes_files_in(said: Said, others: Sequence[KnownTool], one: KnownTool) -> bool:
    """Return whether files must not be uploaded, and a tool takes files of this machine in another way."""
    uploads = "upload" in said.verbs and any("read-path" in other.roles for other in others)
    return uploads and "read-path" in one.roles and not one.verbs.isdisjoint(_TAKING_IN)


def _changes_repository(said: Said, limits: Sequence[Limit], one: KnownTool) -> bool:
    """Return whether a tool changes a repository that must not be changed, or its files."""
    tested = {limit.role for limit in limits} & _REPOSITORY
    if not tested <= one.roles:
        return False
    whole = bool(said.verbs & _WRITING) and one.roles >= _REPOSITORY and said.objects <= {"repository", "repo"}
    files = one.head == "file" and "file" in said.forms and bool(said.verbs & _MAKING_FILES)
    return (whole and one.verbs.isdisjoint(_BESIDE_REPOSITORIES)) or (files and not one.verbs.isdisjoint(_COMMITTING))


def _is_told_of_value(said: Said, limits: Sequence[Limit], one: KnownTool) -> bool:
    """Return whether an argument is described with the verb and the value: "press Enter after"."""
    told = [one.described(arg) for arg in one.tool.args]
    values = {value for limit in limits if limit.arg for value in limit.among if isinstance(value, str) and value}
    return any(
        re.search(rf"\b{verb}(?:s|es|ed|ing)? (?:the )?{re.escape(value)}(?!\w)", text, re.IGNORECASE)
        for text in told
        for verb in said.verbs
        for value in values
    )
