"""Adopts a user's edit of a server's own policy as the answer of its rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.engine.recipe import Block
from retouch.errors import BadInput
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.strict_json import parse_json
from retouch.recipes.policy.making.asking.pages import RULES, kind_of, rules_unit, server_of
from retouch.recipes.policy.making.rules.compiled import CompiledRules, misplaced_prohibitions, short_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.making.asking.source import PolicyJob

_OWN_POLICY = re.compile(r"servers/([^/]+)/policy\.json")


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return a server's own policy file as the block of its rules. Other files belong to several units."""
    found = _OWN_POLICY.fullmatch(file)
    return [] if found is None else [Block(unit=rules_unit(found[1]), start=0, end=len(text))]


def adopted(_job: PolicyJob, unit: str, text: str) -> str:
    """Return the rules of an edited policy as an answer. Everything else in the file is generated again from the job.

    Raises:
        BadInput: it is not a policy, or a rule that denies comes after one that does not.
    """
    if kind_of(unit) != RULES:
        return text
    policy = Policy.of_json(parse_json(text, name=unit), name=unit)
    misplaced = misplaced_prohibitions(policy.rules)
    if misplaced:
        hint = "Put it before all rules that allow or escalate."
        raise BadInput(f"{unit!r}: rule {misplaced[0].name!r} denies, but comes after other rules", hint=hint)
    server, lists = server_of(unit), policy.list_defs
    return CompiledRules(server=server, rules=policy.rules, list_defs=lists, origin=short_hash(text)).text
