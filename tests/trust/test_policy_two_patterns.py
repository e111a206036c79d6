"""A prohibition that answers only for texts like the patterns of two rules is not left out as one that never does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_english
from tests.recipes.policy.english.meanings import TEXT, frame_of

HOME = frame_of("home", {"turn_on": ("Turn on a device", {"name": TEXT})})
ALL = "Allow using any tool of home."
PAIRS = (('"fridge*"', '"*plug"'), ('"lamp" or "fridge*"', '"bell" or "*plug"'))


@pytest.mark.parametrize(("spared", "forbidden"), PAIRS)
def test_a_prohibition_of_what_another_one_spares_is_kept(spared: str, forbidden: str) -> None:
    only = f"Never use the tool turn_on of home unless name is like {spared}."
    never = f"Never use the tool turn_on of home if name is like {forbidden}."
    policy = replace(HOME, rules=compile_english(f"{ALL}\n\n{only}\n\n{never}", HOME).rules)
    calls = (ToolCall(server="home", tool="turn_on", arguments={"name": f"fridge {one}"}) for one in ("light", "plug"))
    assert ["allow", "deny"] == [evaluate(policy, one, surroundings=LEXICAL).decision for one in calls]
