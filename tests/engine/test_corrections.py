"""How a page is asked again: what was wrong is said at call time, to that page, and is stored nowhere."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.repair import Correction, FollowUp, Instead
from retouch.engine.types import Message, RetryBudget
from retouch.errors import Invalid, TransportError
from retouch.models.named import NamedModel
from retouch.testing import scripted
from tests.engine.conftest import always, cut, one_at_a_time, states, wrong_first
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from retouch.engine.types import Model, OnEvent, Reply, Request
    from retouch.testing import Scripted
    from tests.engine.conftest import Scene

THIN = "saw=SAW"


def last(model: Scripted) -> str:
    return model.requests[-1].messages[-1].text


def test_a_correction_stands_in_front_of_the_clean_prompt(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["nonsense"]})
    scene.generate(model)
    text = last(model)
    assert text.startswith("CORRECTION REQUIRED:")
    assert "[BROKEN_LINE] line 'nonsense' has no '=' (line 1)" in text
    assert text.endswith(scene.json("prompts.json")[2]["user"])


def test_a_retry_repeats_the_clean_prompt_unchanged_if_the_provider_caches_it(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["nonsense", "more nonsense", THIN]})
    scene.generate(NamedModel(name="cached", answer=partial(_call, model), caches_prefixes=True))
    scene.regenerate(NamedModel(name="cached", answer=partial(_call, model), caches_prefixes=True), hint="Loud!")
    prompts = {prompt["user"] for prompt in scene.json("prompts.json")}
    retries = [one for one in model.requests if one.messages[0].text not in prompts]
    assert 3 < len(retries)
    assert all(one.messages[0].text.startswith(f"{one.prompt.user}\n\nCORRECTION REQUIRED:") for one in retries)


def test_a_retry_that_was_killed_is_found_again_although_its_correction_follows_the_prompt(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["nonsense", TransportError("reset")]})
    cached = NamedModel(name="cached", answer=partial(_call, model), caches_prefixes=True)
    assert ["issues", "verified"] == [scene.generate(cached).status, scene.generate(cached).status]
    assert model.requests[-1] == model.requests[-2]


async def _call(model: Model, request: Request, on_event: OnEvent | None) -> Reply:
    return await model(request, on_event=on_event)


def test_a_correction_is_never_stored_in_the_files(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["nonsense", THIN]}))
    assert not any("CORRECTION" in scene.text(name) for name in ("prompts.json", "pages.json", "ir.json"))


def test_a_page_is_told_its_own_errors_only(scene: Scene) -> None:
    model = wrong_first({("animals", 1): ["cat=CAT"], ("animals", 2): ["ale=ALE"]})
    scene.generate(model)
    told = {r.prompt.page: r.messages[0].text for r in model.requests if "CORRECTION" in r.messages[0].text}
    assert "'dog'" in told[1]
    assert "'eel'" not in told[1]
    assert "'eel'" in told[2]


def test_a_transport_failure_is_never_in_a_correction(scene: Scene) -> None:
    lost = TransportError("HTTP 503 from the far end")
    model = wrong_first({("tools", 1): [lost, "nonsense", lost, THIN]})
    for _ in range(4):
        scene.generate(model)
    assert not any("503" in message.text for request in model.requests for message in request.messages)
    assert "verified" == scene.validate().status


def test_a_transport_failure_leaves_the_page_unanswered_and_the_rest_goes_on(scene: Scene) -> None:
    result = scene.generate(wrong_first({("animals", 1): [TransportError("reset")] * 9}))
    assert ("incomplete", {"animals": "unanswered", "tools": "answered"}) == (result.status, states(result))
    assert ["got no reply: TransportError: reset" in issue.message for issue in result.issues] == [True]


def test_earlier_attempts_are_told_when_there_were_several(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["nonsense", THIN]})
    scene.generate(model)
    assert "attempt 1: [BROKEN_LINE] line 'nonsense' has no '='" in last(model)
    assert "[MISSING] no 'axe'" in last(model)


def test_what_tier_3_found_is_told_of_earlier_attempts_too(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["axe=CAT\nsaw=SAW", "axe=DOG\nsaw=SAW"]})
    scene.generate(model, budget=RetryBudget(tier3_remaining=2))
    told = last(model).partition("Earlier attempts")[2]
    assert "attempt 1: [TAKEN] 'CAT' of 'axe'\n  attempt 2: [TAKEN] 'DOG' of 'axe'" in told
    assert "nothing was found wrong" not in told


def test_what_tier_3_found_is_on_the_record_of_each_attempt_also_after_going_back(scene: Scene) -> None:
    scene.generate()
    scene.regenerate(scripted(lambda _request: "axe=CAT\nsaw=SAW"), "tools")
    judged = [
        (a.readable, a.taken, [issue.code for issue in a.issues]) for a in scene.history.checked_attempts(("tools", 1))
    ]
    assert (True, False, ["TAKEN"]) == judged[0]


def test_a_follow_up_extends_the_earlier_messages_byte_for_byte(scene: Scene) -> None:
    scene.use(repair=always(FollowUp()))
    model = wrong_first({("tools", 1): [THIN, "saw=SAWS"]})
    scene.generate(model, options=one_at_a_time())
    first, second, third = (r for r in model.requests if r.prompt.unit == "tools")
    assert (*first.messages, Message(role="assistant", text=THIN)) == second.messages[:-1]
    assert (*second.messages, Message(role="assistant", text="saw=SAWS")) == third.messages[:-1]
    assert first.system == second.system == third.system


def test_an_exchange_that_could_not_be_read_is_not_committed(scene: Scene) -> None:
    scene.use(repair=always(FollowUp()))
    model = wrong_first({("tools", 1): [THIN, "nonsense"]})
    scene.generate(model, options=one_at_a_time())
    first, second, third = (r for r in model.requests if r.prompt.unit == "tools")
    assert (*first.messages, Message(role="assistant", text=THIN)) == third.messages[:-1] == second.messages[:-1]
    assert "nonsense" not in "".join(message.text for message in third.messages[:-1])


def test_a_follow_up_goes_on_in_the_same_words_after_an_interruption(scene: Scene) -> None:
    scene.use(repair=always(FollowUp()))
    model = wrong_first({("tools", 1): [THIN, TransportError("reset")]})
    scene.generate(model)
    asked = model.requests[-1]
    later = scripted(lambda request: answer(request.prompt))
    scene.generate(later)
    assert [asked] == later.requests


def test_a_follow_up_merges_replacements(scene: Scene) -> None:
    scene.use(repair=always(FollowUp(merge=lambda standing, reply: f"{standing}\n{reply}")))
    scene.generate(wrong_first({("tools", 1): [THIN, "axe=AXE"]}))
    assert "saw=SAW\naxe=AXE" == scene.json("pages.json")["pages"][2]["output"]


def test_a_reply_that_does_not_fit_leaves_what_stands_and_is_paid_for(scene: Scene) -> None:
    def merge(_standing: str | None, reply: str) -> str:
        raise Invalid("NO_MATCH", f"{reply!r} is nowhere", fix="Quote it exactly.")

    scene.use(repair=always(FollowUp(merge=merge)))
    result = scene.generate(wrong_first({("tools", 1): [THIN, "one", "two", "three"]}))
    assert ("exhausted", THIN) == (result.status, scene.json("pages.json")["pages"][2]["output"])
    judged = [a.issues[0].code for a in scene.history.attempts.values() if a.unit == "tools"]
    assert ["MISSING", "NO_MATCH", "NO_MATCH"] == judged


def test_instead_asks_another_way_after_a_truncation(scene: Scene) -> None:
    def repair(_source: Any, _unit: str, issues: Any, attempts: Any) -> Any:
        small = replace(attempts[-1].request.prompt, user="Just the first: WORDS: axe saw")
        return Instead(prompt=small) if issues[0].detail.get("finish") == "length" else Correction()

    scene.use(repair=repair)
    model = wrong_first({("tools", 1): [cut()]})
    assert "verified" == scene.generate(model).status
    assert ("Just the first: WORDS: axe saw", "instead") == (last(model), [*scene.history.attempts.values()][-1].why)
    assert scene.json("prompts.json")[2]["user"].startswith("UNIT: tools")


def test_a_truncated_alternative_is_asked_again_with_a_larger_cap(scene: Scene) -> None:
    def repair(_source: Any, _unit: str, _issues: Any, attempts: Any) -> Any:
        return Instead(prompt=replace(attempts[0].request.prompt, user="Another way. WORDS: axe saw"))

    scene.use(repair=repair)
    model = wrong_first({("tools", 1): [cut(), cut()]})
    scene.generate(model)
    assert [8192, 8192, 16384] == [r.max_output_tokens for r in model.requests if r.prompt.unit == "tools"]


def test_an_alternative_for_another_page_is_a_bug_of_the_recipe(scene: Scene) -> None:
    from retouch.errors import RecipeBug

    def repair(_source: Any, _unit: str, _issues: Any, attempts: Any) -> Any:
        return Instead(prompt=replace(attempts[0].request.prompt, unit="nobody"))

    scene.use(repair=repair)
    with pytest.raises(RecipeBug, match="'tools' by a prompt for page 1 of 'nobody'"):
        scene.generate(wrong_first({("tools", 1): ["nonsense"]}))


def test_a_recipe_that_gives_up_exhausts_its_unit_and_pays_nothing(scene: Scene) -> None:
    scene.use(repair=always(None))
    result = scene.generate(wrong_first({("tools", 1): ["nonsense"]}))
    assert ("exhausted", 3) == (result.status, scene.history.remaining_budget("tools").total_remaining)


def test_a_model_is_asked_with_the_settings_of_the_run(scene: Scene) -> None:
    model = scripted(lambda request: answer(request.prompt))
    scene.generate(model, options=RunOptions(max_output_tokens=77, temperature=0.5))
    assert {(77, 0.5)} == {(r.max_output_tokens, r.temperature) for r in model.requests}


def test_replies_are_judged_in_the_order_of_pages_however_they_come(scene: Scene) -> None:
    async def script(request: Request) -> str:
        await asyncio.sleep(0.02 if request.prompt.page == 1 else 0)
        return answer(request.prompt)

    scene.generate(scripted(script), options=RunOptions(warm_up_s=0.001))
    assert "cat=CAT\ndog=DOG\neel=EEL" in scene.text()
