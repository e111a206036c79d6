"""Compiles controlled English to rules, and verifies them with a second, independent reading of the sentences."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.errors import BadInput, RecipeBug
from retouch.recipes.policy.analysing.execution import executes_code
from retouch.recipes.policy.analysing.idle_rules import analyse, decided_regions
from retouch.recipes.policy.deciding.decision import SANDBOX
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.checking.kept_things import may_mean, of_kept_files
from retouch.recipes.policy.english.checking.of_other_servers import is_about_others, verb_by_verb
from retouch.recipes.policy.english.checking.unreached import refuse_both_sides
from retouch.recipes.policy.english.checking.unread import why_unread
from retouch.recipes.policy.english.checking.within_reach import forbidden_wholly, within_reach
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.exact import Inexact, exact_sentence
from retouch.recipes.policy.english.grammar import sentence_of
from retouch.recipes.policy.english.ordinary.alone import NOT_FOUND
from retouch.recipes.policy.english.ordinary.code_apart import calls_others, meaning_of_code, with_code_apart
from retouch.recipes.policy.english.ordinary.in_parts import meant_in_parts
from retouch.recipes.policy.english.ordinary.second_ways import deleted_by_value
from retouch.recipes.policy.english.ordinary.understanding import NOT_UNDERSTOOD, sentences_in, sentences_of
from retouch.recipes.policy.english.reach import NO_ROLES, kinds_of
from retouch.recipes.policy.english.reading import Reading
from retouch.recipes.policy.english.rewriting.daily_services import with_plain_services
from retouch.recipes.policy.english.rewriting.joined_clauses import with_whole_clauses
from retouch.recipes.policy.english.rewriting.named_tools import may_name_tools
from retouch.recipes.policy.english.rewriting.reasons import without_reason
from retouch.recipes.policy.english.rewriting.spoken_forms import in_plain_rules
from retouch.recipes.policy.english.rules import reached, rules_of
from retouch.recipes.policy.english.standing import decided_instead, reason_for_no_rule, standing_rules
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import (
    ANYWHERE,
    CallAction,
    FetchAction,
    GitAction,
    PathAction,
    UseAction,
)
from retouch.recipes.policy.language.semantics import LATEST, STRICT
from retouch.recipes.policy.language.values import ListDef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.reach import Roles
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Rule

FORMS = "docs/reference/policy.md has the grammar. Examples: " + " ".join(
    (
        "'Allow reading files inside ~/Documents.'",
        "'Ask before pushing to any git remote.'",
        "'Never delete anything outside the sandbox.'",
        "'Allow using the tools git_status and git_log of git.'",
    )
)
_NO_FOLDER = re.compile(r"'[\w-]+' is not a directory")  # "in the database production"


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """The rules of a text, in order, and the lists they use.

    `silent` maps sentences without a rule to the reason, `notes` are the same as text. `refused` maps clauses that are
    not understood or cannot be enforced to the reason. No rule is made from them. `standing` maps quotes of sentences
    without a rule to the rules of others that do what they say.
    """

    sentences: tuple[Sentence, ...]
    rules: tuple[Rule, ...]
    list_defs: tuple[ListDef, ...]
    silent: Mapping[Sentence, str]
    standing: Mapping[str, tuple[str, ...]]
    refused: Mapping[Clause, str] = field(default_factory=dict["Clause", str])

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences without a rule, each with its line and the reason."""
        return tuple(f"line {one.line}: {one.quote!r} {why}" for one, why in self.silent.items())


def read_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the parsed sentences of a text.

    Raises:
        BadInput: some are not understood. The message names each, with its line and the word.
    """
    found, refused = understood(text)
    _raise_if_any([_refused(clause.line, clause.text, why) for clause, why in refused.items()])
    return found


def understood(
    text: str, toolbox: Toolbox | None = None, *, lenient: bool = False
) -> tuple[tuple[Sentence, ...], dict[Clause, str]]:
    """Return the parsed sentences of a text, and the clauses that are not understood with the reason.

    With `toolbox`, ordinary sentences about these tools are understood as well. `lenient`: there are other tools.
    A restriction that some tools cannot be tested for is among both, with sentences for the others. If every call of
    those tools is forbidden anyway, it is understood.
    """
    found: list[Sentence] = []
    refused: dict[Clause, str] = {}
    unreached: dict[Clause, frozenset[tuple[str, str]]] = {}
    led = False
    for number, whole in enumerate(clauses_of(text), start=1):
        plain = with_plain_services(in_plain_rules(without_reason(whole.text), toolbox), toolbox)
        clause = replace(whole, text=with_whole_clauses(plain))
        if clause.heading:
            led = True
            refused[whole] = "a heading may change the meaning of the text below it; write it as a sentence"
            continue
        led = led or clause.text.endswith(":")
        try:
            found += [
                replace(one, quote=whole.text) for one in _meant(clause, number, toolbox, lenient=lenient, led=led)
            ]
        except Unclear as error:
            part: tuple[Sentence, ...] = ()
            refused[whole] = error.why
            if toolbox is not None and not (led or is_background(whole, toolbox)):
                read = partial(_meant, clause, number, lenient=lenient, led=False)
                part, refused[whole], gone = within_reach(read, toolbox, error.why)
                unreached |= {whole: gone} if part else {}
            found += [replace(one, quote=whole.text) for one in part]
    never = forbidden_wholly(found)
    refused = {one: why for one, why in refused.items() if one not in unreached or not unreached[one] <= never}
    return tuple(_without_questions(found)), refused


def _meant(clause: Clause, number: int, toolbox: Toolbox | None, *, lenient: bool, led: bool) -> tuple[Sentence, ...]:
    """Return what a clause means, as a whole or by its parts.

    Raises:
        Unclear: it is not understood, with the reason for the whole.
    """

    def read(text: str) -> tuple[Sentence, ...]:
        return _meant_as_whole(replace(clause, text=text), number, toolbox, lenient=lenient, led=led)

    try:
        return read(clause.text)
    except Unclear:
        found = () if toolbox is None or led else meant_in_parts(clause.text, read, toolbox)
        if not found:
            raise
        return found


def _meant_as_whole(
    clause: Clause, number: int, toolbox: Toolbox | None, *, lenient: bool, led: bool
) -> tuple[Sentence, ...]:
    """Return what a clause means, as controlled English or as an ordinary sentence.

    Raises:
        Unclear: it is neither, with the better reason of the two.
    """
    try:
        refuse_both_sides(clause.text)
        exact = _exact(clause, number, toolbox, lenient=lenient)
        whole = toolbox is not None and (toolbox.other_servers or not lenient)  # all tools of its server
        if toolbox is not None and whole and not (exact or led) and (of_code := meaning_of_code(clause.text, toolbox)):
            return tuple(sentences_of(clause, number, of_code))
        sentence = exact or sentence_of(clause, number)
        if everything := _of_anything(sentence, clause, number, toolbox, lenient=lenient, led=led):
            return everything
        more = _files_by_id(sentence, clause, number, toolbox, lenient=lenient, led=led)
        more = more or of_kept_files(sentence, toolbox)
        by_value = tuple(deleted_by_value(sentence, toolbox))
        by_path = not more or toolbox is None or any(one.paths for one in toolbox.tools)
        found = (*by_value, *more, *(with_code_apart(sentence, toolbox) if by_path else ()))
        return (
            found
            if toolbox is None or _applies(found, toolbox)
            else _otherwise(found, clause, number, toolbox, lenient=lenient, led=led)
        )
    except Unclear as error:
        general = error.why.startswith("not understood")
        other_place = "is not a remote" in error.why or _NO_FOLDER.match(error.why) is not None
        relative = toolbox is not None and toolbox.words.has_repositories and "is not a directory" in error.why
        if toolbox is None or not (general or other_place or relative):
            raise
        try:
            return _of_this_server(clause, number, toolbox, lenient=lenient, led=led)
        except Unclear as other:
            raise Unclear(_better_reason(clause, error, other, toolbox)) from other


def _of_this_server(clause: Clause, number: int, toolbox: Toolbox, *, lenient: bool, led: bool) -> tuple[Sentence, ...]:
    """Return what an ordinary sentence means for the tools of one server, as if there were no others.

    It is empty if the sentence makes no sense for them and is about the tools of other servers.

    Raises:
        Unclear: it is not understood, although it may be about these tools.
    """
    try:
        return sentences_in(clause, number, toolbox, lenient=False, led=led)
    except Unclear:
        if not lenient:
            raise
        if toolbox.other_servers and (is_about_others(clause.text, toolbox) or may_name_tools(clause.text)):
            return ()
        if toolbox.other_servers and (each := verb_by_verb(clause.text)):
            return tuple(_of_each_verb(clause, each, number, toolbox, led=led))
        return sentences_in(clause, number, toolbox, lenient=True, led=led)


def _of_each_verb(
    clause: Clause, texts: Iterable[str], number: int, toolbox: Toolbox, *, led: bool
) -> Iterator[Sentence]:
    """Yield what a sentence with several verbs means for the tools that do one of them.

    Raises:
        Unclear: one is not understood for another reason than that no tool does it.
    """
    for text in texts:
        try:
            yield from _meant(replace(clause, text=text), number, toolbox, lenient=False, led=led)
        except Unclear as error:
            if not error.why.startswith(NOT_FOUND):
                raise


def _of_anything(
    sentence: Sentence, clause: Clause, number: int, toolbox: Toolbox | None, *, lenient: bool, led: bool
) -> tuple[Sentence, ...]:
    """Return what "never delete anything" means for tools without paths, by their names. Empty if all have paths.

    By the roles of its arguments nobody sees what such a tool does, so that its calls would be left open.
    """
    action = sentence.action
    whole = isinstance(action, PathAction) and action.noun == "anything" and action.place == ANYWHERE
    if toolbox is None or lenient or not whole or sentence.mood == "allow" or sentence.residual:
        return ()
    kinds = kinds_of(toolbox.frame.tools.values())
    if any(one.code for one in toolbox.tools) or all(
        found.whole is None for _, found in reached(sentence, toolbox.frame, kinds)
    ):
        return ()
    with suppress(Unclear):
        found = sentences_in(clause, number, toolbox, lenient=False, led=led)
        return (*deleted_by_value(sentence, toolbox), *found)
    return ()


def _files_by_id(
    sentence: Sentence, clause: Clause, number: int, toolbox: Toolbox | None, *, lenient: bool, led: bool
) -> tuple[Sentence, ...]:
    """Return what a restriction of files means for tools that name them by ids, and not by paths.

    Raises:
        Unclear: it is not sure what it means for them.
    """
    action = sentence.action
    plain = isinstance(action, PathAction) and action.noun == "files" and action.place == ANYWHERE
    if toolbox is None or not plain or sentence.mood == "allow" or sentence.residual:
        return ()
    by_id = (one for one in toolbox.tools if one.head == "file" and one.chooses_by_id and not one.code)
    if not any(not one.paths and "path" not in one.tool.args for one in by_id):
        return ()
    return sentences_in(clause, number, toolbox, lenient=lenient, led=led)


def _applies(sentences: Sequence[Sentence], toolbox: Toolbox) -> bool:
    """Return whether some sentence permits something, names a place, or restricts calls that run no code."""
    kinds = kinds_of(toolbox.frame.tools.values())
    plain = (one for one in sentences if isinstance(one.action, PathAction | FetchAction | GitAction))
    reaching = (not executes_code(tool) for one in plain for tool, _ in reached(one, toolbox.frame, kinds))
    free = any(
        one.mood == "allow" or one.residual or isinstance(one.action, UseAction) or calls_others(one, toolbox)
        for one in sentences
    )
    placed = any(one.place != ANYWHERE or one.members is not None for one in sentences)  # on this machine, or a host
    return free or placed or any(reaching)


def _otherwise(
    sentences: tuple[Sentence, ...], clause: Clause, number: int, toolbox: Toolbox, *, lenient: bool, led: bool
) -> tuple[Sentence, ...]:
    """Return what a restriction that reaches no tool by the roles of its arguments means by the words of the tools.

    Raises:
        Unclear: some tool may do what it says.
    """
    try:
        return sentences_in(clause, number, toolbox, lenient=lenient, led=led) or sentences
    except Unclear as error:
        if error.why.startswith(NOT_FOUND) or not may_mean(clause.text, toolbox):
            return sentences
        raise


def _exact(clause: Clause, number: int, toolbox: Toolbox | None, *, lenient: bool) -> Sentence | None:
    if toolbox is None:
        return None
    return exact_sentence(clause, number, toolbox.frame, elsewhere=toolbox.other_servers, lenient=lenient)


def _better_reason(clause: Clause, error: Unclear, other: Unclear, toolbox: Toolbox) -> str:
    """Return why a clause is neither controlled English, by `error`, nor an ordinary sentence, by `other`."""
    if isinstance(error, Inexact) or not error.why.startswith("not understood"):
        return error.why
    if other.why != NOT_UNDERSTOOD:
        return other.why
    return why_unread(clause.text, toolbox) or error.why


def _without_questions(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences. An exception of a permission loses the parts that a question is about, word for word.

    "You may send at most 3 emails per day. Ask before sending more than 3 emails per day." asks before the fourth.
    """
    asked = {part for one in sentences if one.mood == "ask" for part in _parts_of(one)}
    for one in sentences:
        left = tuple(part for part in _parts_of(one) if part not in asked)
        if not one.excepted or left == _parts_of(one):
            yield one
        elif left:
            yield replace(one, action=CallAction(parts=left))


def _parts_of(sentence: Sentence) -> tuple[ToolPart, ...]:
    return sentence.action.parts if isinstance(sentence.action, CallAction) else ()


def compile_english(text: str, frame: Policy, *, elsewhere: Iterable[str] = ()) -> Compiled:
    """Return the rules of a text in controlled English for the tools of `frame`. Rules of `frame` itself are ignored.

    Prohibitions come first. Every rule quotes its sentence in `principle`. Rules that could not change any decision are
    omitted. `elsewhere` are the names of servers whose tools are not in `frame`. Sentences about them are skipped.

    Raises:
        BadInput: a sentence is not understood, names something unknown, or cannot be enforced because calls
            are decided before any rule; or the semantics are not the latest.
    """
    found = compile_clauses(text, frame, elsewhere=elsewhere)
    _raise_if_any([_refused(clause.line, clause.text, why) for clause, why in found.refused.items()])
    return found


def compile_clauses(text: str, frame: Policy, *, elsewhere: Iterable[str] = (), lenient: bool = False) -> Compiled:
    """Return the rules of all clauses that can be enforced. The other clauses are in `refused`, so that none is lost.

    `lenient`: `frame` has only some tools of its server.

    Raises:
        BadInput: the semantics are not the latest.
    """
    if frame.semantics < STRICT:
        message = f"controlled English needs semantics {STRICT} or later, but the policy has {frame.semantics}"
        raise BadInput(message, hint=f"Set 'semantics': {LATEST}.")
    names = frozenset(elsewhere)
    sentences, refused = understood(text, Toolbox(frame, elsewhere=names), lenient=bool(names) or lenient)
    clauses = dict(enumerate(clauses_of(text), start=1))
    wrong = dict(_unknown_names(sentences, frame, names))
    while True:
        refused |= {clauses[one.number]: why for one, why in wrong.items()}
        gone = {one.number for one in wrong}
        sentences = tuple(one for one in sentences if one.number not in gone)
        pairs = rules_of(sentences, frame)
        policy = replace(frame, rules=tuple(rule for rule, _ in pairs), list_defs=_list_defs(sentences, frame))
        wrong = _find_unenforced(policy, sentences)
        if not wrong:
            break
    full, policy = policy, _pruned(policy)
    used = {one[1:] for rule in policy.rules for one in _listed(rule)}
    kept = {rule.name for rule in policy.rules}
    made = {sentence for rule, sentence in pairs if rule.name in kept}
    silent = [one for one in sentences if one not in made]
    own = {one: [rule for rule, _ in rules_of((one,), frame)] for one in silent}
    without = decided_instead(own, full, policy)
    return Compiled(
        sentences=sentences,
        rules=policy.rules,
        list_defs=tuple(one for one in policy.list_defs if one.name in used),
        silent={one: reason_for_no_rule(pairs, own[one], found) for one, found in without.items()},
        standing=standing_rules(without),
        refused=refused,
    )


def draft_rules(sentences: Sequence[Sentence], frame: Policy, *, roles: Roles = NO_ROLES) -> tuple[Rule, ...]:
    """Return the rules of sentences for some tools, without verification or pruning. Used for examples.

    `roles` are all roles of the servers, if `frame` has only some of their tools.
    """
    return tuple(rule for rule, _ in rules_of(sentences, frame, roles=roles))


def _refused(line: int, text: str, why: str) -> str:
    return f"  line {line}: {text!r}: {why}"


def _raise_if_any(wrong: Sequence[str]) -> None:
    if wrong:
        sentences = "1 sentence" if len(wrong) == 1 else f"{len(wrong)} sentences"
        raise BadInput("\n".join((f"{sentences} of the text cannot be compiled:", *wrong)), hint=FORMS)


def _unknown_names(
    sentences: Sequence[Sentence], frame: Policy, elsewhere: frozenset[str]
) -> Iterator[tuple[Sentence, str]]:
    kinds = kinds_of(frame.tools.values())
    for sentence in sentences:
        members = sentence.members
        for name in () if members is None else members.names:
            known = frame.lists or {}
            if name.startswith("@") and not (name[1:] in known and known[name[1:]].effective):
                way = "list its members in a file (--lists FILE)"
                yield sentence, f"there is no list {name!r} with members; known lists: {_sorted_names(known)}; {way}"
        action = sentence.action
        if not isinstance(action, UseAction) or action.server in elsewhere:
            continue
        tools = [name for server, name in frame.tools if server == action.server]
        strange = [name for name in action.tools or () if name not in tools]
        if not tools:
            yield (
                sentence,
                f"there is no server {action.server!r}; known servers: {_sorted_names({*kinds, *elsewhere})}",
            )
        elif strange:
            yield sentence, f"{action.server!r} has no tool {strange[0]!r}; its tools are {_sorted_names(tools)}"
        elif not any(reached(sentence, frame, kinds)):
            yield sentence, "none of these tools has such arguments"


def _sorted_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _list_defs(sentences: Sequence[Sentence], frame: Policy) -> tuple[ListDef, ...]:
    found = {one.name: one for one in frame.list_defs}
    for sentence in sentences:
        members = sentence.members
        for name in () if members is None else members.names:
            if name.startswith("@"):
                made = ListDef(name=name[1:], type=members.kind if members else "domains", principle=sentence.quote)
                found.setdefault(name[1:], made)
    return tuple(found.values())


def _listed(rule: Rule) -> Iterator[str]:
    when = rule.when
    for names in (() if when.domains is None else when.domains.allowed, *(one.allowed for one in when.lists or ())):
        yield from (one for one in names if one.startswith("@"))


def _find_unenforced(policy: Policy, sentences: Sequence[Sentence]) -> dict[Sentence, str]:
    """Decide one call of every region, and return the sentences that the decisions contradict."""
    reading = Reading(sentences, policy)
    wrong: dict[Sentence, str] = {}
    for call, was in decided_regions(policy):
        what = f"{call.server}/{call.tool} {dict(call.arguments)}"
        for sentence in reading.binding(call):
            # A call that the domain allowlist escalates is also escalated if a sentence forbids it, but never simply
            # allowed.
            held = (
                was.decision == "deny"
                if sentence.mood == "never" and not was.is_structural
                else was.decision != "allow"
            )
            if not held:
                why = f"it cannot be enforced: {what} is {was.decision} by {was.rule}"
                more = "; write 'outside the sandbox'" if was.rule == SANDBOX else ""
                wrong.setdefault(sentence, f"{why}{more}")
        if was.decision == "allow" and not was.is_structural and reading.about(call).decision in {"deny", "escalate"}:
            raise RecipeBug(f"{was.rule!r} allows {what}, which no sentence allows", hint="Please report this text.")
    return wrong


def _pruned(policy: Policy) -> Policy:
    """Remove rules that never answer, then rules that change no decision, the last first. Prohibitions that answer
    stay.
    """
    then = {rule.name: rule.then for rule in policy.rules}
    while True:
        found = analyse(policy)
        idle = set(found.dead) or set([one for one in found.ineffective if then[one] != "deny"][-1:])
        if not idle:
            return policy
        policy = replace(policy, rules=tuple(rule for rule in policy.rules if rule.name not in idle))
