"""The status of every clause of the text: enforced, with the rules, or not enforced, with the reason."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch.recipes.policy.analysing.echo import echo_of
from retouch.recipes.policy.analysing.execution import free_to_execute
from retouch.recipes.policy.deciding.matching import hosts_without_subdomains, misfits
from retouch.recipes.policy.english.background import may_scope
from retouch.recipes.policy.english.clauses import bare, quoted_clauses
from retouch.recipes.policy.english.exact import Inexact, exact_sentence
from retouch.recipes.policy.english.rules import THEN, conditions_of
from retouch.recipes.policy.english.suggesting.suggestions import MOST, words_left_out
from retouch.recipes.policy.english.words.sentences import CallAction
from retouch.recipes.policy.making.asking.source import waiver_of
from retouch.recipes.policy.making.judging.clause_state import missing_state
from retouch.recipes.policy.making.judging.permissions import needs_no_rule, needs_rule
from retouch.recipes.policy.making.judging.server_state import server_states
from retouch.recipes.policy.making.judging.ways_round import no_ways_round

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.language.values import Outcome, Rule, When
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.server_state import ServerState, Value
    from retouch.recipes.policy.making.rules.compiled import ClauseWord, Unenforceable

ClauseStatus: TypeAlias = Literal["enforced", "partly", "not_expressible", "not_a_rule", "waived"]
_RULES = re.compile(
    r"\b(?:never|not|cannot|no one|nobody|nothing|none|no more|without|except|unless|only|must|should|avoid|refuse|"
    r"forbid\w*|prohibit\w*|den(?:y|ies|ied)|ban(?:s|ned)?|off[- ]limits|keep out|stay away|read-only|at most|"
    r"always|allow(?:ed|s)?|ask (?:me|us|before|first)|approv\w+|confirm\w*|permission|escalate\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:never|not|cannot|no one|nobody|nothing|no more|forbid\w*|prohibit\w*|den(?:y|ies|ied)|ban(?:s|ned)?|"
    r"off[- ]limits|keep out|stay away|avoid|refuse)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_PERMITS = re.compile(
    r"^(?:please )?(?:allow|permit|let|you (?:may|can)|feel free)\b"
    r"|\b(?:may|can|is|are) (?:be )?(?:allowed|permitted|fine)\b",
    re.IGNORECASE,
)

_ONLY_FORBIDS = re.compile(
    r"^(?:please )?(?:never|do not|don['\u2019]t|no\b|nobody|under no circumstances|"
    r"(?:\w+ ){1,4}(?:must|may|should|shall|can) ?(?:not|never)|.*\b(?:forbidden|prohibited|off[- ]limits|banned)\W*$)",
    re.IGNORECASE,
)
_ONLY_ASKS = re.compile(
    r"^(?:please )?(?:always )?(?:ask|check with|confirm with|consult|warn) ?(?:me|us|first|before)\b", re.IGNORECASE
)
_CONSENT = re.compile(
    r"\b(?:ask|approv|permi|confirm|consent|consult|agree|ok|okay|check|sign|before|first|me|us)", re.IGNORECASE
)
_MAY_ALLOW = re.compile(r"\b(?:except|unless|other than|outside|only|without|but|apart from|until)\b|;", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ClauseEntry:
    """One clause and its status. `rules` are named `server/rule`, `scenarios` are ids of passing scenarios for it.

    `means` describes what the rules do, `nearest` are sentences that can be enforced and may be meant instead.
    """

    clause: Clause
    status: ClauseStatus
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    why: str = ""
    means: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        """True if the clause does not prevent a verified policy."""
        return self.status in {"enforced", "not_a_rule", "waived"}

    def as_json(self) -> dict[str, JSON]:
        """Return the entry as `--json` shows it."""
        return {
            "text": self.clause.text,
            "line": self.clause.line,
            "status": self.status,
            "rules": cast("JSON", list(self.rules)),
            "scenarios": cast("JSON", list(self.scenarios)),
            "why": self.why,
            "means": cast("JSON", list(self.means)),
            "nearest": cast("JSON", list(self.nearest)),
        }


def clause_ledger(
    job: PolicyJob, states: Sequence[ServerState], *, denied: Collection[str] = ()
) -> tuple[ClauseEntry, ...]:
    """Return the status of each clause, in the order of the text.

    `states` are the servers that can be read. All calls of the servers in `denied` are denied.
    """
    free = tuple(name for state in states if state.server not in denied for name in free_to_execute(state.policy))
    words = _last_clause_verdicts(states)
    entries = (_entry(job, states, clause, words, free) for clause in job.clauses)
    return tuple(_with_means(states, _with_waiver(job, _unless_denied(one, denied))) for one in entries)


def _with_means(states: Sequence[ServerState], entry: ClauseEntry) -> ClauseEntry:
    """Return the entry with a description of its rules."""
    names = {state.server: {one.partition("/")[2] for one in entry.rules} for state in states}
    owned = {
        state.server: {name for name in names[state.server] if f"{state.server}/{name}" in entry.rules}
        for state in states
    }
    return replace(entry, means=tuple(line for state in states for line in echo_of(state.policy, owned[state.server])))


def _unless_denied(entry: ClauseEntry, denied: Collection[str]) -> ClauseEntry:
    servers = {name.partition("/")[0] for name in entry.rules}
    if entry.status != "partly" or entry.scenarios or not servers or not servers <= set(denied):
        return entry
    return replace(entry, status="enforced", why=f"all calls of {', '.join(sorted(servers))} are denied")


def with_unquoted(job: PolicyJob, values: Mapping[str, Value]) -> Sequence[ServerState]:
    """Return the states of the servers. The first one has the unquoted clauses, once all servers can be read."""
    states = server_states(job, values)
    if len(states) < len(job.servers) or not states:
        return states
    settled = {place for state in states for quote in _quotes_of(state) for place in quoted_clauses(quote, job.clauses)}
    known = {bare(word.clause) for state in states for word in state.rules.words}
    left = [one for place, one in enumerate(job.clauses) if place not in settled and bare(one.text) not in known]
    unquoted = tuple(one for one in left if waiver_of(job, one) is None)
    first = replace(states[0], unquoted=unquoted, other_servers=tuple(states[1:])) if unquoted else states[0]
    return [first, *states[1:]]


def _quotes_of(state: ServerState) -> Iterator[str]:
    yield from (rule.principle for rule in state.rules.rules)
    yield from (one.clause for one in state.rules.unenforceable)


def _last_clause_verdicts(states: Sequence[ServerState]) -> dict[str, ClauseWord]:
    """Return the last verdict on each clause that no rule quotes."""
    found: dict[str, ClauseWord] = {}
    for state in states:
        found |= {bare(word.clause): word for word in state.rules.words}
        found |= {bare(word.clause): word for verdict in state.present for word in verdict.clauses}
    return found


def _entry(
    job: PolicyJob,
    states: Sequence[ServerState],
    clause: Clause,
    words: Mapping[str, ClauseWord],
    free: tuple[str, ...],
) -> ClauseEntry:
    place = job.clauses.index(clause)
    quoting = {
        (state.server, rule.name): rule
        for state in states
        for rule in state.rules.rules
        if place in quoted_clauses(rule.principle, job.clauses)
    }
    unable = [
        one for state in states for one in state.rules.unenforceable if place in quoted_clauses(one.clause, job.clauses)
    ]
    shown = _passing_scenarios(states, set(quoting))
    entry = ClauseEntry(clause=clause, status="enforced", rules=_rule_names(quoting), scenarios=shown)
    if unable:
        status: ClauseStatus = "partly" if quoting else "not_expressible"
        return replace(entry, status=status, why=unable[0].why, nearest=_nearest(unable))
    if not quoting:
        return _entry_by_verdict(job, states, clause, words.get(bare(clause.text)), free)
    if not shown:
        return replace(entry, status="partly", why="no passing scenario shows it")
    missing = _missing(states, clause, quoting) or _too_lenient(clause, list(quoting.values()))
    if missing:
        return replace(entry, status="partly", why=missing)
    restricts = any(rule.then != "allow" for rule in quoting.values())
    known = {key: tool for state in states for key, tool in state.policy.tools.items()} if free else {}
    left = tuple(name for name in free if name not in no_ways_round(quoting, known, clause.text))
    return _unless_circumvented(entry, left) if restricts or _FORBIDS.search(clause.text) else entry


def _nearest(unable: Sequence[Unenforceable]) -> tuple[str, ...]:
    """Return the nearest forms of a clause on all servers, first those that omit the fewest words."""
    found = dict.fromkeys(line for one in unable for line in one.nearest.splitlines() if line.strip())
    return tuple(sorted(found, key=lambda line: len(words_left_out(line)))[:MOST])


def _missing(states: Sequence[ServerState], clause: Clause, quoting: Mapping[tuple[str, str], Rule]) -> str:
    """Return what the rules that quote a clause do not enforce of it, or ""."""
    own = [(state, rule) for state in states for rule in state.rules.rules if (state.server, rule.name) in quoting]
    for state, rule in own:
        if rule.then != "allow" and (problem := _useless_list(state, rule)):  # a permission for no value allows nothing
            return problem
    if len({state.server for state, rule in own if any(one.is_total for one in rule.when.where)}) > 1:
        return "its limit would count the calls of each server by itself; write a sentence for each, with its name"
    exact = _exact_rules(states, clause)
    if exact is not None:
        return "" if exact == _rules_of_tools(own) else "the rules that quote it do not say exactly this"
    tools = [tool for state in states for tool in state.policy.tools.values()]
    return missing_state(clause.text, list(quoting.values()), tools=tools)


def _exact_rules(states: Sequence[ServerState], clause: Clause) -> set[tuple[Outcome, When]] | None:
    """Return the outcome and condition for each tool of an exact sentence. None if the clause is of another kind."""
    for state in states:
        with suppress(Inexact):
            sentence = exact_sentence(clause, 1, state.policy)
            if sentence is not None and isinstance(sentence.action, CallAction):
                whens = conditions_of(sentence.action)
                return {(THEN[sentence.mood], one) for when in whens for one in _for_each_tool(when)}
    return None


def _rules_of_tools(own: Iterable[tuple[ServerState, Rule]]) -> set[tuple[Outcome, When]]:
    return {(rule.then, one) for _, rule in own for one in _for_each_tool(rule.when)}


def _for_each_tool(when: When) -> Iterator[When]:
    """Yield the condition for each single tool that it names. Of a condition that names none, itself."""
    for server, tool in product(when.server or (), when.tool or ()):
        yield replace(when, server=(server,), tool=(tool,))
    if not when.server or not when.tool:
        yield when


def _useless_list(state: ServerState, rule: Rule) -> str:
    """Return why a list of a rule misses what it is about: it has no members, or one that nothing equals. "" if not."""
    lists = state.policy.lists or {}
    for name in rule.when.list_names:
        if name not in lists or not lists[name].effective:
            return f"the list {name!r} has no members, so a rule about it matches nothing"
    for member, expected in misfits(rule, lists):
        return f"its member {member!r} never matches: {expected}"
    bare_hosts = hosts_without_subdomains(rule, lists)
    return f"subdomains of {bare_hosts[0]!r} are left out; write '*.{bare_hosts[0]}'" if bare_hosts else ""


def _entry_by_verdict(
    job: PolicyJob,
    states: Sequence[ServerState],
    clause: Clause,
    word: ClauseWord | None,
    free: tuple[str, ...],
) -> ClauseEntry:
    """Return the status of a clause that no rule quotes: a judge's verdict, as far as the rules support it."""
    entry = ClauseEntry(
        clause=clause, status="not_expressible", why="no rule quotes it, and no judge has given a reason"
    )
    if word is None:
        return entry
    if word.status == "not_a_rule":
        if _RULES.search(clause.text) or (clause.heading and may_scope(clause.text)):
            return replace(entry, why=f"a judge says that it is not a rule ({word.why}), but it reads like one")
        return replace(entry, status="not_a_rule", why=word.why)
    if word.status == "not_enforced":
        return replace(entry, why=word.why or "a judge says that it is not enforced")
    known = {f"{state.server}/{rule.name}": (state.server, rule.name) for state in states for rule in state.rules.rules}
    known |= {rule: key for (_, rule), key in zip(known.values(), list(known.values()), strict=True)}
    unknown = [name for name in word.rules if name not in known]
    if unknown:
        return replace(entry, why=f"a judge says that {unknown[0]!r} covers it, but there is no such rule")
    rules = {known[name] for name in word.rules}
    permits = _PERMITS.search(clause.text) and not _FORBIDS.search(clause.text)
    if word.status == "no_tool" and not rules and permits and not needs_no_rule(job, clause):
        return replace(entry, why=f"it permits something, and no rule allows it: {word.why or 'no tool does this'}")
    if word.status == "no_tool" and not rules and needs_rule(job, clause):
        return replace(entry, why="a judge says that no tool does this, but some tool does")
    named = [rule for state in states for rule in state.rules.rules if (state.server, rule.name) in rules]
    missing = missing_state(clause.text, named, quoted=False) if named or word.status == "covered" else ""
    if missing := missing or _too_lenient(clause, named):
        return replace(entry, status="partly", rules=_rule_names(rules), why=missing)
    if word.status == "covered" and not rules and not (_FORBIDS.search(clause.text) and needs_no_rule(job, clause)):
        return replace(entry, why=f"no rule enforces it: {word.why}")
    found = replace(
        entry, status="enforced", rules=_rule_names(rules), scenarios=_passing_scenarios(states, rules), why=word.why
    )
    return _unless_circumvented(found, free) if _FORBIDS.search(clause.text) else found


def _too_lenient(clause: Clause, rules: Sequence[Rule]) -> str:
    """Return why rules do not enforce a pure prohibition or question: none of them is as strict. "" for other clauses.

    If the clause has an exception, permissions may be all that it needs. A prohibition that mentions consent may be a
    question.
    """
    if not rules or _MAY_ALLOW.search(clause.text) is not None:
        return ""
    done = {rule.then for rule in rules}
    if _ONLY_FORBIDS.search(clause.text) is not None:
        if done == {"allow"}:
            return "it forbids something, and the rules for it only allow"
        if "deny" not in done and _CONSENT.search(clause.text) is None:
            return "it forbids something, and no rule for it denies"
    asks = _ONLY_ASKS.search(clause.text) is not None and done == {"allow"}
    return "it demands a question, and the rules for it only allow" if asks else ""


def _unless_circumvented(entry: ClauseEntry, free: tuple[str, ...]) -> ClauseEntry:
    if not free:
        return entry
    why = f"tools that run code are allowed and can do what it forbids: {', '.join(free)}"
    return replace(entry, status="partly", why=why)


def _rule_names(rules: Mapping[tuple[str, str], object] | set[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{server}/{name}" for server, name in sorted(rules))


def _passing_scenarios(states: Sequence[ServerState], rules: set[tuple[str, str]]) -> tuple[str, ...]:
    """Return the passing scenarios in which one of the rules answers."""
    return tuple(
        one.scenario.id
        for state in states
        for one in state.executions
        if one.passed and any((state.server, name) in rules for name in (one.rule, *one.discharging))
    )


def _with_waiver(job: PolicyJob, entry: ClauseEntry) -> ClauseEntry:
    waiver = None if entry.is_settled else waiver_of(job, entry.clause)
    if waiver is None:
        return entry
    who = f" by {waiver['who']}" if waiver["who"] else ""
    when = f" on {waiver['when']}" if waiver["when"] else ""
    return replace(entry, status="waived", why=f"waived{who}{when}: {waiver['reason']} ({entry.why})")
