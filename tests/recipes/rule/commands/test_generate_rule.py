"""`retouch generate rule` and `retouch rule drafts`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

Retouch: TypeAlias = "Callable[..., Result]"
PATHS = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]
DATES = ["/x/01-02-2024.csv", "/x/03-04-2024.csv", "/x/05-06-2024.csv"]


@pytest.fixture(autouse=True)
def data_folder(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory for this test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(work_folder / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(work_folder / "data"))
    monkeypatch.setenv("HOME", str(work_folder / "home"))
    return work_folder / "data"


def made(retouch: Retouch, *words: str) -> dict[str, Any]:
    """Generate a rule and return the output."""
    result = retouch("generate", "rule", *words, "--json", "-o", "run")
    assert 0 == result.exit_code, result.output
    return json.loads(result.stdout)


def test_the_rule_its_rows_and_its_coverage_are_in_the_json(retouch: Retouch) -> None:
    found = made(retouch, *PATHS)
    assert ("yaml", 1.0, "passed") == (found["kind"], found["coverage"], found["ending"])
    assert "glob:" in found["rule"]
    assert [PATHS, ["COMPLETE"] * 8] == [[row[key] for row in found["paths"]] for key in ("path", "status")]
    assert {"mission": 3, "date": "2024-01-04"}.items() <= found["paths"][2]["values"].items()
    assert found["rule"] == Path("run/rule.yaml").read_text(encoding="utf-8")


def test_paths_come_from_a_list_a_pipe_and_a_directory(retouch: Retouch, work_folder: Path) -> None:
    (work_folder / "list.txt").write_text("\n".join(PATHS), encoding="utf-8")
    assert 8 == len(made(retouch, "@list.txt")["paths"])
    piped = retouch("generate", "rule", "-", "--json", "-o", "piped", input="\n".join(PATHS[:5]))
    assert 5 == len(json.loads(piped.stdout)["paths"])
    for path in PATHS[:4]:
        (work_folder / f"tree{path}").parent.mkdir(parents=True)
        (work_folder / f"tree{path}").touch()
    assert 4 == len(json.loads(retouch("generate", "rule", "tree", "--json", "-o", "walked").stdout)["paths"])


def test_a_user_sees_the_rule_a_table_and_how_to_approve_it(retouch: Retouch) -> None:
    result = retouch("generate", "rule", *PATHS)
    assert 0 == result.exit_code, result.output
    assert "glob: " in result.stdout
    assert "100% of 8 samples give every field" in result.stdout
    assert "retouch rule drafts approve" in result.stdout


def test_every_word_is_shown_before_it_is_sent_and_nothing_else_is(retouch: Retouch) -> None:
    words = [path.replace("/srv/", "/home/alicewonder/") for path in PATHS]
    result = retouch("generate", "rule", *words, "--show-sent", "-o", "run")
    prompt = json.loads(Path("run/prompts.json").read_text(encoding="utf-8"))[0]
    assert f"--- system\n{prompt['system']}\n--- user\n{prompt['user']}\n" in result.stderr
    assert 2 == result.stderr.count("\n---") + result.stderr.startswith("---")
    assert "alicewonder" not in result.stderr


def test_a_dry_run_shows_the_prompt_and_asks_nothing(retouch: Retouch) -> None:
    result = retouch("generate", "rule", *PATHS, "--dry-run", "--show-sent", "--json")
    assert (0, 1) == (result.exit_code, json.loads(result.stdout)["calls"])
    assert "SAMPLE PATHS (8):" in result.stderr
    assert not Path("output").exists()


def test_an_ambiguous_date_stays_a_question_until_it_is_answered(retouch: Retouch) -> None:
    found = made(retouch, *DATES)
    assert "day first" in found["questions"][0]
    assert "01-02-2024" == found["paths"][0]["values"]["date"] if "date" in found["paths"][0]["values"] else True
    answered = json.loads(retouch("generate", "rule", *DATES, "--date-format", "day-first", "--json", "-o", "b").stdout)
    assert not [one for one in answered["questions"] if "day first" in one]
    assert "2024-02-01" in answered["paths"][0]["values"].values()


def test_noise_is_left_out_and_unwanted_paths_are_refused(retouch: Retouch) -> None:
    found = made(retouch, *PATHS, "/srv/notes.txt", "--noise", "notes.txt")
    assert PATHS == [row["path"] for row in found["paths"]]
    result = retouch("generate", "rule", *PATHS, "--unwanted", PATHS[0], "--json", "-o", "other")
    assert "OVERBROAD_GLOB" in [issue["code"] for issue in json.loads(result.stdout)["issues"]]
    assert 1 == result.exit_code


def test_a_function_is_made_approved_and_run_in_its_engine(retouch: Retouch) -> None:
    pytest.importorskip("pydantic_monty")
    found = made(retouch, *PATHS, "--python")
    assert "python" == found["kind"]
    approved = retouch("rule", "drafts", "approve", found["draft"], "-o", "rules")
    file = approved.stdout.strip()
    assert file.endswith(".py")
    assert f"# runs in: {found['engine']}\n" in Path(file).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in retouch("rule", "apply", file, *PATHS).stdout.splitlines()]
    assert [row["values"] for row in found["paths"]] == [row["values"] for row in rows]


def test_a_function_whose_engine_is_not_here_is_not_run_in_another(retouch: Retouch, work_folder: Path) -> None:
    pytest.importorskip("pydantic_monty")
    text = "# retouch extractor: x\n# runs in: monty==0.0.1\n\ndef extract(path):\n    return {'a': path}\n"
    (work_folder / "x.py").write_text(text, encoding="utf-8")
    result = retouch("rule", "apply", "x.py", *PATHS)
    assert 2 == result.exit_code
    assert "0.0.1" in str(result.exception) + result.output


def test_drafts_are_listed_shown_approved_and_cleaned(retouch: Retouch) -> None:
    draft = made(retouch, *PATHS)["draft"]
    assert draft in retouch("rule", "drafts", "list").stdout
    assert "glob: " in retouch("rule", "drafts", "show", draft).stdout
    assert "PENDING" == json.loads(retouch("rule", "drafts", "show", draft, "--json").stdout)["state"]
    file = Path(retouch("rule", "drafts", "approve", draft, "-o", "rules").stdout.strip())
    assert 0 == retouch("rule", "apply", str(file), *PATHS).exit_code
    assert draft == retouch("rule", "drafts", "clean").stdout.strip()
    assert {"drafts": []} == json.loads(retouch("rule", "drafts", "list", "--json").stdout)


def test_a_rule_is_shown_though_no_draft_of_it_can_be_kept(
    retouch: Retouch, work_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work_folder / "a file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(work_folder / "a file"))
    found = made(retouch, *PATHS)
    assert (None, "passed") == (found["draft"], found["ending"])
    assert "the draft could not be saved" in found["notes"][-1]
    told = retouch("generate", "rule", *PATHS, "-o", "other")
    assert ("glob:" in told.stdout, "other/rule.yaml" in told.output, told.exit_code) == (True, True, 0)
    plain = retouch("wizard", *PATHS)
    assert (1, True) == (plain.exit_code, "the draft could not be saved" in plain.stdout)


def test_an_edited_text_takes_the_place_of_a_draft_when_it_passes(retouch: Retouch, work_folder: Path) -> None:
    draft = made(retouch, *PATHS)["draft"]
    (work_folder / "mine.yaml").write_text("name: mine\nglob: '**/mission_*/*/*.csv'\ntag: mine\n", encoding="utf-8")
    (work_folder / "bad.yaml").write_text("name: mine\nglob: 'x\n", encoding="utf-8")
    assert 1 == retouch("rule", "drafts", "validate", draft, "--edited", "bad.yaml").exit_code
    assert 0 == retouch("rule", "drafts", "validate", draft, "--edited", "mine.yaml").exit_code
    assert "name: mine" in retouch("rule", "drafts", "show", draft).stdout
    assert 0 == retouch("rule", "drafts", "delete", draft).exit_code
    assert 2 == retouch("rule", "drafts", "show", draft).exit_code


def test_a_hint_that_sounds_like_a_computation_is_a_proposal_and_decides_nothing(retouch: Retouch) -> None:
    result = retouch("generate", "rule", *PATHS, "--hint", "look up the month in a table", "-o", "run")
    assert 0 == result.exit_code, result.output
    assert "--python" in result.stderr
    quiet = retouch("generate", "rule", *PATHS, "--hint", "the identifier of the vendor", "-o", "other")
    assert "--python" not in quiet.stderr


def test_the_general_verbs_work_on_its_runs(retouch: Retouch) -> None:
    made(retouch, *PATHS)
    assert 0 == retouch("validate", "run").exit_code
    assert 0 == retouch("show", "run").exit_code
    assert 0 == retouch("regenerate", "run", "--correction", "the first part is the mission").exit_code
    Path("run/rule.yaml").write_text("name: mine\nglob: '**/*.csv'\ntag: mine\n", encoding="utf-8")
    assert 0 == retouch("adopt", "run").exit_code
    assert "name: mine" in Path("run/rule.yaml").read_text(encoding="utf-8")


def test_an_edited_file_that_is_not_utf_8_is_an_issue_with_its_place(retouch: Retouch) -> None:
    made(retouch, *PATHS)
    Path("run/rule.yaml").write_bytes(b"name: x\nglob: 'caf\xe9/*'\ntag: x\n")
    result = retouch("validate", "run", "--json")
    found = [(one["code"], one["line"]) for one in json.loads(result.stdout)["issues"]]
    assert [("ENCODING_ERROR", 2), ("MANUAL_EDIT", None)] == found
    assert 1 == result.exit_code


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Missing argument"),
        (["\\"], "no sample path"),
        ([*PATHS, "--hint", "x" * 501], "The limit is 500"),
        ([*PATHS, "--date-format", "month"], "cannot be used"),
        ([*PATHS, "--noise", "/elsewhere.csv"], "is not a sample"),
        ([*PATHS, "--hide", "nowhere.txt"], "does not exist"),
        ([*PATHS, "--min-coverage", "2"], "min-coverage"),
        (["@nowhere.txt"], "nowhere.txt"),
    ],
)
def test_invalid_input_is_refused_before_any_request(retouch: Retouch, words: list[str], told: str) -> None:
    result = retouch("generate", "rule", *words)
    assert result.exit_code != 0
    assert told in result.output + str(result.exception)
    assert not Path("output").exists()


def test_a_labelled_number_in_quotes_is_text(retouch: Retouch) -> None:
    codes = ("02134", "30301", "01001", "94103")
    paths = [f"shops/{codes[n % 4]}/2021-{n % 12 + 1:02}-1{n % 9}/sales.csv" for n in range(24)]
    found = made(retouch, *paths, "--example", paths[3], 'zip="94103"')
    assert {*codes} == {row["values"]["zip"] for row in found["paths"]}
