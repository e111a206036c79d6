"""The offline model repairs the current answer with blocks if they are requested."""

from __future__ import annotations

import asyncio

from retouch.engine.repair import Patch, RepairContext
from retouch.engine.types import Issue, Prompt, Request, Tier
from retouch.models.offline import offline

RIGHT = "".join(f"line {number}\n" for number in range(60))
PROMPT = Prompt(unit="poem", system="Write.", user="Write sixty lines.")


def test_a_patch_by_the_offline_model_leads_to_its_own_answer_in_fewer_tokens() -> None:
    standing = RIGHT.replace("line 30\n", "line thirty\n")
    issue = Issue(code="WRONG_LINE", message="line 31 is in words", tier=Tier.SCHEMA, unit="poem", page=1)
    repair = Patch()
    system, messages = repair.conversation(RepairContext(prompt=PROMPT, answer=standing, issues=[issue]))
    request = Request(prompt=PROMPT, system=system, messages=messages, max_output_tokens=8_000)
    reply = asyncio.run(offline(lambda _prompt: RIGHT)(request))
    assert RIGHT == repair.fold(standing, reply.text)
    assert len(reply.text) < len(RIGHT) / 2


def test_a_patch_that_would_change_nothing_is_the_whole_answer() -> None:
    _, messages = Patch().conversation(RepairContext(prompt=PROMPT, answer=RIGHT))
    request = Request(prompt=PROMPT, system="", messages=messages, max_output_tokens=8_000)
    assert RIGHT == asyncio.run(offline(lambda _prompt: RIGHT)(request)).text
