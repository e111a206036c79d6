"""Secrets of the environment: what a recipe, a model or an error says of them reaches neither disk nor result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.types import Issue, Tier
from retouch.errors import TransportError
from retouch.testing import scripted
from tests.engine.conftest import always, honest, tree_of
from tests.engine.glossary import Glossary, answer

if TYPE_CHECKING:
    import pytest

    from tests.engine.conftest import Scene

TOKEN = "canaryT0kenOfTheUser0003"
LIKE_A_KEY = "ghp_" + "c4Na" * 9


def holding(scene: Scene, text: str) -> list[str]:
    return [name for name, data in tree_of(scene.folder).items() if text.encode() in data]


def test_an_issue_of_a_check_is_kept_and_told_without_them(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    detail: dict[str, Any] = {"output": f"printed {TOKEN} {LIKE_A_KEY}", "other": LIKE_A_KEY}
    found = Issue(code="X", message=f"saw {TOKEN}", tier=Tier.SEMANTIC, unit="animals", detail=detail, fix=TOKEN)
    scene.use(check=always([found]))
    model = scripted(lambda request: answer(request.prompt))
    (issue,) = scene.generate(model).issues
    assert ("saw [redacted:MY_TOKEN]", "[redacted:MY_TOKEN]") == (issue.message, issue.fix)
    assert "printed [redacted:MY_TOKEN] [redacted:GitHub token]" == issue.detail["output"]
    assert LIKE_A_KEY == issue.detail["other"]
    assert [] == holding(scene, TOKEN)
    said = " ".join(message.text for request in model.requests for message in request.messages)
    assert (False, True) == (TOKEN in said, "saw [redacted:MY_TOKEN]" in said)


def test_an_error_of_a_model_is_kept_without_them(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    left = [TransportError(f"the key {TOKEN} is out of luck")]

    def script(request: Any) -> str:
        if left:
            raise left.pop()
        return answer(request.prompt)

    scene.generate(scripted(script))
    errors = [row.data["error"] for row in scene.rows("failure")]
    assert ["TransportError: the key [redacted:MY_TOKEN] is out of luck"] == errors
    assert [] == holding(scene, TOKEN)
    assert {"kind": "failure", "names": ["MY_TOKEN"]} in [row.data for row in scene.rows("note:redacted")]


def test_a_prompt_that_was_stored_before_the_secret_was_known_is_sent_without_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    scene.source = Glossary(units={"animals": ("cat", TOKEN)})
    scene.generate()
    assert "prompts.json" in holding(scene, TOKEN)
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    model = honest()
    scene.regenerate(model, "animals", hint=f"not {TOKEN}")
    (request,) = model.requests
    said = "".join(message.text for message in request.messages)
    assert (False, True) == (TOKEN in said + request.system, "WORDS: cat [redacted:MY_TOKEN]" in said)
