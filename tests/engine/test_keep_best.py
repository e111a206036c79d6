"""An answer replaces the one before it only when it is no worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.engine.conftest import asked, states, wrong_first

if TYPE_CHECKING:
    from tests.engine.conftest import Scene

CLASH = "axe=CAT\nsaw=SAW"


def test_an_answer_that_repeats_itself_after_a_failure_in_tier_3_is_disputed_and_never_called_clean(
    scene: Scene,
) -> None:
    result = scene.generate(wrong_first({("tools", 1): [CLASH, CLASH, CLASH]}))
    assert "issues" == result.status
    assert "disputed" == states(result)["tools"]
