"""Each screen of the wizard at 80 by 24: its content, and the effect of the keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from retouch.errors import TransportError
from retouch.recipes.rule import load_rule
from retouch.recipes.rule.drafts.store import Drafts
from tests.recipes.rule.rounds_scene import BROKEN, NO_MATCH, PATHS, RIGHT, job, other
from tests.recipes.rule.wizard.walk import Typist, read
from tests.tui.scene import on_screen, played
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

DATES = tuple(f"/x/{day:02}-0{month}-2024.csv" for day, month in ((1, 2), (3, 4), (5, 6), (7, 8)))


def test_a_result_shows_typed_columns_rows_coverage_cost_and_keys(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.settle("YAML_RESULT")
            await shown.sees(
                "12 paths",
                "1 call, $0",
                "✓ YAML rule x",
                "12 of 12 paths complete",
                "100%",
                "mission",
                "string",
            )
            await shown.sees("mission_001")
            await shown.sees("⏎ approve  h hint  e edit  r regenerate  c change  s sent  esc cancel")

    played(scene())


def test_approval_asks_for_a_name_says_where_it_goes_and_writes_there(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.press("enter", until="NAME_INPUT")
            await shown.sees("✓ writes")
            await shown.press("A")
            await shown.sees("✗ a-z, 0-9 and _")
            await shown.press("enter", until="NAME_INPUT")
            await shown.press("backspace", "y", "enter", until="APPROVED")
        assert "name: xy" in read(tmp_path / "rules" / "xy.yaml")

    played(scene())


def test_while_it_waits_the_retry_and_the_error_before_are_shown_and_esc_cancels(tmp_path: Path):
    async def scene() -> None:
        asked_again = asyncio.Event()

        async def slow(request: Request) -> str:
            if len(request.messages) > 1:
                asked_again.set()
                await asyncio.sleep(3600)
            return BROKEN

        async with on_screen(tmp_path, slow, settled=False) as shown:
            await asyncio.wait_for(asked_again.wait(), MOST_S)
            await shown.sees("(retry 1 of 3)")
            await shown.sees("Previous: syntax error (line 6)")
            await shown.sees("Found in 12 paths without a model")
            await shown.sees("mission")
            await shown.press("h", "e", until="ANALYZING")
            await shown.press("escape", until="CANCELED")

    played(scene())


@pytest.mark.slow
def test_fields_are_changed_by_keys_that_are_shown_with_the_path_in_sight(tmp_path: Path):
    async def scene() -> None:
        names = [f"field_number_{number}" for number in range(8)]
        fields = "".join(f"  {name}: {{from: segment(-3)}}\n" for name in names)
        wide = f"```yaml\nname: x\nglob: '**/mission_*/*/*.csv'\nextract:\n{fields}```"
        async with on_screen(tmp_path, wide) as shown:
            await shown.press(*["right"] * 9)
            await shown.sees("field_number_7")
            await shown.until(lambda text: "mission_003" in text.partition("Notes")[2].partition("below")[2])
            await shown.press("c", until="CHANGE_MENU")
            await shown.sees("rename", "merge", "split", "drop", "retype", "select a piece", "noise", "another shape")
            await shown.press("x", until="CHANGE_INPUT")
            await shown.press("enter", until="YAML_RESULT")
            assert ["field_number_7"] == [one for one in names if one not in shown.app.session.data.text]
            await shown.sees(" u undo")
            await shown.until(lambda text: "esc" in text.splitlines()[-1])
            await shown.press("u", until="YAML_RESULT")
            assert "field_number_7" in shown.app.session.data.text

    played(scene())


def piece_in(text: str) -> str:
    """Return the marked piece that the screen shows."""
    return text.partition("piece: '")[2].partition("'")[0]


@pytest.mark.slow
def test_a_piece_of_the_path_is_marked_and_named(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            before = {field.name for field in shown.app.session.data.fields}
            await shown.press("c", until="CHANGE_MENU")
            await shown.press("c", until="CHANGE_INPUT")
            path = shown.app.session.data.at_path
            await shown.sees(path)
            marked = [""]
            for keys in ((), ("tab",), ("shift+tab",), ("shift+tab",), ("shift+left",)):
                await shown.press(*keys)
                await shown.until(lambda text: piece_in(text) not in ("", marked[-1]))
                marked.append(piece_in(shown.text))
            del marked[0]
            *above, name = path.split("/")
            assert ["r", "1", "r"] == marked[:3]
            assert name.startswith("r1")
            assert above[-1].endswith(marked[3])
            assert marked[3][:-1] == marked[4]
            await shown.press("tab", "enter", "enter")
            await shown.sees("Enter a name.")
            await shown.press(*"stem", "enter", until="YAML_RESULT")
            assert before | {"stem"} == {field.name for field in shown.app.session.data.fields}
            await shown.press("c", "c", "enter", "escape", "escape", until="YAML_RESULT")

    played(scene())


def test_an_error_lists_the_failures_and_the_next_steps(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, NO_MATCH, other(NO_MATCH, 1), RIGHT) as shown:
            await shown.settle("ANALYSIS_ERROR")
            await shown.sees(
                "✗ No answer passed the checks",
                "after 2 attempts",
                "1. ",
                "2. ",
                "[h]",
                "[e]",
                "[r]",
                "[Esc]",
            )
            await shown.press("y", "enter")
            assert "ANALYSIS_ERROR" == shown.state
            await shown.press("r", until="YAML_RESULT")

    played(scene())


def test_a_model_that_is_down_is_reported_with_the_next_step(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, TransportError("no key [x] was given", hint="Set a key.")) as shown:
            await shown.settle("ANALYSIS_ERROR")
            await shown.sees("no key [x] was given")
            await shown.sees("Set a key.")
            await shown.sees("1 call (1 without an answer)")
            assert "[h]" not in shown.text
            await shown.press("h")
            assert "ANALYSIS_ERROR" == shown.state

    played(scene())


def test_a_hint_is_counted_kept_when_left_and_given_with_enter(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT, other(RIGHT, 2)) as shown:
            await shown.press("h", until="HINT_INPUT")
            await shown.press("s", "r", "y")
            await shown.sees("3 / 500")
            await shown.press("escape", until="YAML_RESULT")
            await shown.press("h", until="HINT_INPUT")
            await shown.press("!")
            await shown.sees("4 / 500")
            await shown.press("enter", until="YAML_RESULT")
            assert "sry!" in shown.app.session.data.setup.model.requests[-1].messages[-1].text  # type: ignore[attr-defined]

    played(scene())


def test_a_hint_that_is_too_long_is_refused_and_still_there(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.press("h", until="HINT_INPUT")
            shown.app.screen.query_one("#hint").text = "x" * 501  # type: ignore[attr-defined]
            await shown.press("enter", until="HINT_INPUT")
            await shown.sees("✗ 501 / 500, too long")
            await shown.sees("A hint has at most 500 characters")

    played(scene())


def test_a_failing_edit_shows_line_and_snippet_and_can_be_corrected(tmp_path: Path):
    async def scene() -> None:
        typist = Typist(lambda text: text.replace("segment", "folder"), lambda text: text.replace("folder", "segment"))
        async with on_screen(tmp_path, RIGHT, editor=typist) as shown:
            await shown.press("e", until="VALIDATION_ERROR")
            await shown.sees("line 6, column 11", "from: folder(-3)", "^", "edit again", "discard")
            await shown.press("e", until="YAML_RESULT")
            await shown.sees("✓ YAML rule x")

    played(scene())


@pytest.mark.slow
def test_without_an_editor_the_text_is_edited_on_the_screen(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.press("e", until="EDITING")
            await shown.sees("ctrl+s check it")
            await shown.press("escape", until="YAML_RESULT")
            await shown.sees("The edit was cancelled.")
            assert [] == list((tmp_path / "run" / "edits").iterdir())
            await shown.press("e", until="EDITING")
            await shown.sees("ctrl+s check it")
            area = shown.app.screen.query_one("#editor")
            area.text = area.text.replace("mission:", "flight:")  # type: ignore[attr-defined]
            await shown.press("ctrl+s", until="YAML_RESULT")
            await shown.sees("flight")
            await shown.sees("edited by you")

    played(scene())


def test_what_is_typed_on_the_screen_is_kept_when_the_wizard_is_left(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.press("e", until="EDITING")
            await shown.sees("ctrl+s check it")
            await shown.press("Q")
            await shown.sees("Q")
            await shown.pilot.press("ctrl+c")
            await shown.until(lambda _text: not shown.app.is_running)
        texts = [read(file) for file in (tmp_path / "run" / "edits").iterdir()]
        assert ["Q"] == [text[:1] for text in texts]
        assert ["PENDING"] == [draft.state for draft in Drafts().every()]

    played(scene())


@pytest.mark.slow
def test_paths_that_are_left_out_and_conflicts_are_a_key_away(tmp_path: Path):
    async def scene() -> None:
        paths, rules = (*PATHS, "/srv/[b]other[/b]/notes.txt"), (load_rule("name: a\nglob: '**/*.csv'"),)
        async with on_screen(tmp_path, RIGHT, of=job(*paths), rules=rules, size=(100, 30)) as shown:
            await shown.press("3")
            await shown.sees("[b]other[/b]/notes.txt")
            await shown.sees("does not fit")
            await shown.press("4")
            await shown.sees("! a wins over x only by its name")
            await shown.press("2")
            await shown.sees("glob:")
            await shown.press("5")
            await shown.sees("Automatic fix")
            await shown.press("1")
            await shown.sees("mission_001")

    played(scene())


def test_a_narrow_screen_says_that_a_rule_is_unverified(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT, of=job(*PATHS[:3]), size=(40, 12)) as shown:
            await shown.settle("YAML_RESULT")
            await shown.sees("unverified: ", " open (5)")
            await shown.press("4")
            await shown.sees("There are no rules yet in the")

    played(scene())


def test_a_failed_cell_shows_its_reason_under_the_cursor(tmp_path: Path):
    async def scene() -> None:
        answer = RIGHT.replace("segment(-3)", "segment(-3)\n    pattern: '^mission_(00.)$'")
        async with on_screen(tmp_path, answer, of=job(min_coverage=0.5)) as shown:
            await shown.settle("YAML_RESULT")
            await shown.sees("✗ pattern no match")
            await shown.press(*["down"] * 9, "right")
            await shown.sees("✗ pattern no match  mission: ")

    played(scene())


def test_every_word_that_is_sent_can_be_read_before_and_after(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT, preview=True) as shown:
            await shown.settle("PREVIEW")
            await shown.sees("--- system")
            assert [] == shown.app.session.data.setup.model.requests  # type: ignore[attr-defined]
            await shown.press("enter", until="YAML_RESULT")
            await shown.press("s")
            await shown.sees("This is everything that is sent")
            await shown.press("escape")
            await shown.sees("✓ YAML rule x")

    played(scene())


def test_dates_are_a_question_with_an_answer_by_key(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT, of=job(*DATES)) as shown:
            await shown.settle("QUESTION")
            await shown.sees("? How should these dates be read?", "[d]", "[m]", "[t]")
            await shown.press("escape", until="CLOSED")

    played(scene())


def test_a_draft_that_waits_is_offered(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.press("escape", until="CANCELED")
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.settle("DRAFT_FOUND")
            await shown.sees("There is a draft for the same paths")
            await shown.press("enter", until="YAML_RESULT")
            await shown.sees("0 calls")

    played(scene())


def test_a_click_presses_the_key(tmp_path: Path):
    async def scene() -> None:
        async with on_screen(tmp_path, RIGHT) as shown:
            await shown.settle("YAML_RESULT")
            await shown.pilot.click("#keys", offset=(13, 0))
            await shown.settle("HINT_INPUT")

    played(scene())
