"""The state of one server: its rules, its scenarios after all verdicts, and the results of executing them.

Everything is computed from the stored answers only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.making.asking.pages import (
    JUDGE,
    kind_of,
    rules_unit,
    scenarios_unit,
    server_of,
    system_text,
)
from retouch.recipes.policy.making.judging.attribution import Attributed, attribute
from retouch.recipes.policy.making.judging.uncovered import uncovered
from retouch.recipes.policy.making.judging.verdicts import Verdict
from retouch.recipes.policy.making.rules.compiled import CompiledRules, policy_of, short_hash
from retouch.recipes.policy.making.session.pages import MAX_TURNS, ScenarioPages
from retouch.recipes.policy.scenarios.execution import Execution, execute
from retouch.recipes.policy.scenarios.scenario import Scenario, request_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.policy.analysing.coverage import Gap
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.session.pages import Page

MAX_ROUNDS = 3
MAX_GAPS = 10
Value = CompiledRules | ScenarioPages | Verdict


@dataclass(frozen=True, kw_only=True)
class ServerState:
    """One server with all its answers.

    `unquoted` are clauses that no rule of any server quotes. The judge of this server decides about them, and is shown
    `other_servers`.
    """

    job: PolicyJob
    server: str
    rules: CompiledRules
    pages: ScenarioPages
    verdicts: tuple[Verdict, ...]
    unquoted: tuple[Clause, ...] = ()
    other_servers: tuple[ServerState, ...] = ()

    @cached_property
    def policy(self) -> Policy:
        """The policy of this server only."""
        return policy_of(self.job, self.rules)

    @cached_property
    def attributed(self) -> Attributed:
        """The scenarios after all verdicts."""
        generated = [one for page in self.pages.pages for one in page.scenarios]
        scenarios = (*self.job.handwritten_of(self.server), *generated)
        return attribute(self.job, self.server, scenarios, self.verdicts)

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The effective scenarios: handwritten ones, then generated ones, then those that judges added."""
        return tuple(self.attributed.scenarios.values())

    @cached_property
    def executions(self) -> tuple[Execution, ...]:
        """The decisions of the rules about each scenario."""
        return execute(self.policy, self.scenarios, surroundings=LEXICAL)

    @property
    def failures(self) -> tuple[Execution, ...]:
        """The executions with an unexpected decision."""
        return tuple(one for one in self.executions if not one.passed)

    def _waits_for(self, execution: Execution) -> str | None:
        """Return the list without members that may decide a failing call. None if rules can fix the failure.

        The user fills lists. A model that repaired the rules instead would write its own guess of the members into
        them.
        """
        lists, request = self.policy.lists or {}, execution.scenario.request
        names = (
            name
            for rule in self.rules.rules
            if rule.when.is_about(request.server, request.tool)
            for name in rule.when.list_names
            if name not in lists or not lists[name].effective
        )
        return next(names, None)

    @cached_property
    def waiting(self) -> Mapping[str, str]:
        """The lists that the user has to fill, by the identifier of the failing scenario that waits for it."""
        found = ((one.scenario.id, self._waits_for(one)) for one in self.failures)
        return {scenario: name for scenario, name in found if name is not None}

    @property
    def failures_to_fix(self) -> tuple[Execution, ...]:
        """The failures that the rules must fix, without those that the user must decide, or fill a list for."""
        others = {*self.attributed.questions, *self.waiting}
        return tuple(one for one in self.failures if one.scenario.id not in others)

    @property
    def undecided(self) -> tuple[Execution, ...]:
        """The failures whose expectation no judge has confirmed with a quote."""
        return tuple(one for one in self.failures_to_fix if not self.is_confirmed(one.scenario))

    @property
    def unnamed(self) -> tuple[Execution, ...]:
        """The undecided failures that no verdict mentions."""
        named = {blame.id for verdict in self.present for blame in verdict.blames}
        return tuple(one for one in self.undecided if one.scenario.id not in named)

    def is_confirmed(self, scenario: Scenario) -> bool:
        """Return whether a judge confirmed the current expectation of a scenario."""
        found = self.attributed.confirmed.get(scenario.id)
        return found is not None and found[0] == scenario.expected

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Decisions about a tool, by a rule or by default, that no scenario shows. The smallest calls come first."""
        return uncovered(self.policy, self.executions)

    def gaps_of(self, page: int) -> tuple[Gap, ...]:
        """Return the gaps of the tools on a page (from 1) that one turn of its session requests."""
        names = {tool.name for tool in self.job.pages_of(self.server)[page - 1]}
        return tuple(gap for gap in self.gaps if gap.tool in names)[:MAX_GAPS]

    def wants_turn(self, page: int) -> bool:
        """Return whether the session about a page has open slots or gaps, and a turn left."""
        state = self.page(page)
        return state.turns < MAX_TURNS and bool(state.open or self.gaps_of(page))

    @property
    def derived(self) -> tuple[Gap, ...]:
        """The gaps that no session will fill any more. A judge determines the expected decision."""
        ended = [number for number, page in enumerate(self.pages.pages, start=1) if page.turns >= MAX_TURNS]
        return tuple(gap for number in ended for gap in self.gaps_of(number))[:MAX_GAPS]

    @cached_property
    def edition(self) -> str:
        """A short hash of the constitution and the first version of the rules, which verdicts refer to."""
        return short_hash(f"{self.rules.origin}\n{system_text(self.job)}")

    @property
    def basis(self) -> str:
        """Short hashes of the basis of a verdict: the rules, and the calls that have scenarios."""
        calls = [*sorted(self.attributed.scenarios), *(request_id(gap.example) for gap in self.derived)]
        calls += [one.text for one in self.unquoted]
        rules = "\n".join((self.rules.text, *(one.rules.text for one in self.other_servers if self.unquoted)))
        return f"{short_hash(rules)}-{short_hash(json.dumps(calls))}"

    @property
    def present(self) -> tuple[Verdict, ...]:
        """The verdicts about this edition, in order."""
        return tuple(one for one in self.verdicts if one.unit.rpartition("/")[2].startswith(self.edition))

    @property
    def withheld(self) -> tuple[str, ...]:
        """The last judge's objections other than failures."""
        return self.present[-1].withholds if self.present else ()

    @property
    def passed(self) -> bool:
        """True if every scenario passes when executed, no question is open, and the judge has no objection."""
        return bool(self.executions) and not (self.failures or self.attributed.questions or self.withheld)

    def page(self, number: int) -> Page:
        """Return one page, from 1."""
        return self.pages.pages[number - 1]


def server_state(job: PolicyJob, server: str, values: Mapping[str, Value]) -> ServerState | None:
    """Return the state of a server. None if its rules or scenarios cannot be read."""
    rules, pages = values.get(rules_unit(server)), values.get(scenarios_unit(server))
    if not isinstance(rules, CompiledRules) or not isinstance(pages, ScenarioPages):
        return None
    named = [name for name in values if kind_of(name) == JUDGE and server_of(name) == server]
    verdicts = (values[name] for name in named)
    found = tuple(one for one in verdicts if isinstance(one, Verdict))
    return ServerState(job=job, server=server, rules=rules, pages=pages, verdicts=found)


def server_states(job: PolicyJob, values: Mapping[str, Value]) -> Sequence[ServerState]:
    """Return the states of all servers that can be read."""
    found = (server_state(job, server, values) for server in job.servers)
    return [one for one in found if one is not None]
