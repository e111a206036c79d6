"""Sentences that no rule quotes: whether the grammar confirms that they need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.policy.english.clauses import bare
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.standing import APPLIES_TO_NONE

if TYPE_CHECKING:
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.making.asking.source import PolicyJob


def needs_no_rule(job: PolicyJob, clause: Clause) -> bool:
    """Return whether a sentence is about calls of some server's tools that are decided without a rule for it.

    Those calls are decided before any rule, for example inside the sandbox, or a stricter sentence is about them.
    False if no tool does what the sentence is about, if it needs a rule, or if the grammar cannot read it.
    """
    try:
        compiled = compile_clauses(job.constitution, job.base)
    except BadInput:
        return False
    read = bare(clause.text) not in {bare(one.text) for one in compiled.refused}  # not only for some of the tools
    if not read or any(bare(rule.principle) == bare(clause.text) for rule in compiled.rules):
        return False
    return any(
        bare(sentence.quote) == bare(clause.text) and why != APPLIES_TO_NONE
        for sentence, why in compiled.silent.items()
    )


def needs_rule(job: PolicyJob, clause: Clause) -> bool:
    """Return whether the grammar reads a sentence and makes a rule of it: some tool does what it is about."""
    try:
        compiled = compile_clauses(job.constitution, job.base)
    except BadInput:
        return False
    return any(bare(rule.principle) == bare(clause.text) for rule in compiled.rules)
