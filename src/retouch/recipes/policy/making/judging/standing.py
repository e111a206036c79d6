"""How one server stands: its rules, its scenarios after all verdicts, and what executing them gives.

Everything here is computed from the stored answers, and from nothing else.
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
class Standing:
    """One server, with everything that has been answered about it.

    `unquoted` are clauses that nothing settles on any server: the judge of this one is asked about them. `beside` are
    the other servers then.
    """

    job: PolicyJob
    server: str
    rules: CompiledRules
    pages: ScenarioPages
    verdicts: tuple[Verdict, ...]
    unquoted: tuple[Clause, ...] = ()
    beside: tuple[Standing, ...] = ()

    @cached_property
    def policy(self) -> Policy:
        """The policy of this server alone."""
        return policy_of(self.job, self.rules)

    @cached_property
    def attributed(self) -> Attributed:
        """The scenarios after all verdicts."""
        generated = [one for page in self.pages.pages for one in page.scenarios]
        scenarios = (*self.job.handwritten_of(self.server), *generated)
        return attribute(self.job, self.server, scenarios, self.verdicts)

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios that count: handwritten ones, then generated ones, then those that judges added."""
        return tuple(self.attributed.scenarios.values())

    @cached_property
    def executions(self) -> tuple[Execution, ...]:
        """What the rules decide about each scenario."""
        return execute(self.policy, self.scenarios, surroundings=LEXICAL)

    @property
    def failures(self) -> tuple[Execution, ...]:
        """The executions that did not give what is expected."""
        return tuple(one for one in self.executions if not one.passed)

    @property
    def to_mend(self) -> tuple[Execution, ...]:
        """The failures that are for the rules to mend: all but those that a person must decide."""
        return tuple(one for one in self.failures if one.scenario.id not in self.attributed.questions)

    @property
    def undecided(self) -> tuple[Execution, ...]:
        """The failures about which no judge has said, with a quote, that the expectation is right as it is."""
        return tuple(one for one in self.to_mend if not self.is_confirmed(one.scenario))

    @property
    def unnamed(self) -> tuple[Execution, ...]:
        """The undecided failures that no verdict has named at all."""
        named = {blame.id for verdict in self.present for blame in verdict.blames}
        return tuple(one for one in self.undecided if one.scenario.id not in named)

    def is_confirmed(self, scenario: Scenario) -> bool:
        """Return whether a judge found the present expectation of a scenario right."""
        found = self.attributed.confirmed.get(scenario.id)
        return found is not None and found[0] == scenario.expected

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """What rules or the default decide about a tool and no scenario shows, the smallest calls first."""
        return uncovered(self.policy, self.executions)

    def gaps_of(self, page: int) -> tuple[Gap, ...]:
        """Return the gaps of the tools on a page (from 1) that its session is told of at once."""
        names = {tool.name for tool in self.job.pages_of(self.server)[page - 1]}
        return tuple(gap for gap in self.gaps if gap.tool in names)[:MAX_GAPS]

    def wants_turn(self, page: int) -> bool:
        """Return whether the session about a page has something to fill, and a turn left."""
        state = self.page(page)
        return state.turns < MAX_TURNS and bool(state.open or self.gaps_of(page))

    @property
    def derived(self) -> tuple[Gap, ...]:
        """The gaps that no session will fill any more: a judge is asked what is expected there."""
        ended = [number for number, page in enumerate(self.pages.pages, start=1) if page.turns >= MAX_TURNS]
        return tuple(gap for number in ended for gap in self.gaps_of(number))[:MAX_GAPS]

    @cached_property
    def edition(self) -> str:
        """A short hash of what verdicts are about besides calls: the constitution, and the rules as first written."""
        return short_hash(f"{self.rules.origin}\n{system_text(self.job)}")

    @property
    def basis(self) -> str:
        """Short hashes of what a verdict rests on: the rules, then which calls there are scenarios of."""
        calls = [*sorted(self.attributed.scenarios), *(request_id(gap.example) for gap in self.derived)]
        calls += [one.text for one in self.unquoted]
        rules = "\n".join((self.rules.text, *(one.rules.text for one in self.beside if self.unquoted)))
        return f"{short_hash(rules)}-{short_hash(json.dumps(calls))}"

    @property
    def present(self) -> tuple[Verdict, ...]:
        """The verdicts about this edition, in order."""
        return tuple(one for one in self.verdicts if one.unit.rpartition("/")[2].startswith(self.edition))

    @property
    def withheld(self) -> tuple[str, ...]:
        """What the last judge found wrong beside failures."""
        return self.present[-1].withholds if self.present else ()

    @property
    def passed(self) -> bool:
        """Whether every scenario passes, no question is open, and no judge withholds: by execution, never by word."""
        return bool(self.executions) and not (self.failures or self.attributed.questions or self.withheld)

    def page(self, number: int) -> Page:
        """Return one page, from 1."""
        return self.pages.pages[number - 1]


def standing(job: PolicyJob, server: str, values: Mapping[str, Value]) -> Standing | None:
    """Return how a server stands, None while its rules or scenarios cannot be read."""
    rules, pages = values.get(rules_unit(server)), values.get(scenarios_unit(server))
    if not isinstance(rules, CompiledRules) or not isinstance(pages, ScenarioPages):
        return None
    named = [name for name in values if kind_of(name) == JUDGE and server_of(name) == server]
    verdicts = (values[name] for name in named)
    found = tuple(one for one in verdicts if isinstance(one, Verdict))
    return Standing(job=job, server=server, rules=rules, pages=pages, verdicts=found)


def standings(job: PolicyJob, values: Mapping[str, Value]) -> Sequence[Standing]:
    """Return how all servers stand that can be read."""
    found = (standing(job, server, values) for server in job.servers)
    return [one for one in found if one is not None]
