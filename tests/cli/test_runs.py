"""The commands over a run directory: regenerate, validate, assemble, adopt, show."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Retouch

NEVER_HEALS = "faulty:offline?rate=1&seed=1&heal=0&kinds=missing_field"


def asked(retouch: Retouch, verb: str, folder: Path, *words: str) -> dict[str, Any]:
    done = retouch(verb, str(folder), *words, "--json")
    assert done.stdout, done.stderr
    return {**json.loads(done.stdout), "exit": done.exit_code}


def regenerated(retouch: Retouch, folder: Path, *words: str) -> dict[str, Any]:
    return asked(retouch, "regenerate", folder, "--compiler", "none", *words)


def attempts(retouch: Retouch, folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(retouch, "show", folder, "--attempts")["attempts"]
    return found


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ((), [("PetDataObject", 1), ("PetDataObject", 2), ("Kind", 1), ("Owner", 1)]),
        (("--type", "Pet"), [("PetDataObject", 1), ("PetDataObject", 2)]),
        (("--type", "Pet:2"), [("PetDataObject", 2)]),
        (("--type", "Pet", "--page", "2"), [("PetDataObject", 2)]),
        (("--type", "Pet:1-2", "--type", "kind"), [("PetDataObject", 1), ("PetDataObject", 2), ("Kind", 1)]),
        (("--from-errors",), []),
    ],
)
def test_the_pages_named_are_asked_again_and_a_dry_run_says_so_before(
    words: tuple[str, ...], pages: list[tuple[str, int]], retouch: Retouch, pets: Path
) -> None:
    planned = regenerated(retouch, pets, *words, "--dry-run")
    assert pages == [(page["unit"], page["page"]) for page in planned["pages"]]
    assert 4 == len(attempts(retouch, pets))
    done = regenerated(retouch, pets, *words)
    assert (len(pages), 0) == (done["calls"], done["exit"])
    assert sorted(pages) == sorted((one["unit"], one["page"]) for one in attempts(retouch, pets)[4:])


def test_prompts_stay_byte_for_byte(retouch: Retouch, pets: Path) -> None:
    before = (pets / "prompts.json").read_bytes()
    regenerated(retouch, pets, "--type", "Pet", "--correction", "Mind the weight.")
    assert before == (pets / "prompts.json").read_bytes()


def test_without_a_model_the_one_of_the_run_is_used(retouch: Retouch, pets: Path) -> None:
    regenerated(retouch, pets, "--type", "Kind", "--model", "faulty:offline?rate=0&seed=4")
    regenerated(retouch, pets, "--type", "Kind")
    assert ["offline"] * 4 + ["faulty:offline?rate=0&seed=4"] * 2 == [one["model"] for one in attempts(retouch, pets)]


@pytest.mark.parametrize("given", ["Prices are decimals.", "@note.txt", "@-"])
def test_a_correction_reaches_the_model(given: str, retouch: Retouch, pets: Path, work_folder: Path) -> None:
    from retouch.engine.directory import open_run

    (work_folder / "note.txt").write_text("Prices are decimals.")
    words = ("--type", "Kind", "--correction", given, "--compiler", "none")
    done = retouch("regenerate", str(pets), *words, input="Prices are decimals.")
    assert 0 == done.exit_code
    last = max(open_run(pets).history.attempts.values(), key=lambda attempt: attempt.seq)
    assert "Prices are decimals." in last.request.messages[-1].text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--type", "Pett"), "no type 'Pett'; it has PetDataObject"),
        (("--type", "Pet:3"), "'PetDataObject' has no page 3; it has 2 pages"),
        (("--page", "2"), "does not say of which type"),
        (("--type", "Pet", "--type", "Kind", "--page", "1"), "ambiguous"),
        (("--repaginate", "Pet", "--type", "Kind"), "--repaginate cannot be combined"),
        (("--repaginate", "Nothing"), "no type 'Nothing'"),
        (("--correction", "@nowhere.txt"), "nowhere.txt"),
        (("--model", "nonsense"), "no model scheme 'nonsense'"),
    ],
)
def test_misuse_of_regenerate_is_2_and_asks_nothing(
    words: tuple[str, ...], said: str, retouch: Retouch, pets: Path
) -> None:
    done = retouch("regenerate", str(pets), *words)
    assert 2 == done.exit_code
    assert said in done.stderr
    assert 4 == len(attempts(retouch, pets))


def test_a_type_is_cut_into_smaller_pages_and_only_it_is_asked(retouch: Retouch, pets: Path) -> None:
    before = json.loads((pets / "prompts.json").read_text())
    done = regenerated(retouch, pets, "--repaginate", "pet")
    after = json.loads((pets / "prompts.json").read_text())
    pages = [prompt["page"] for prompt in after if prompt["type_name"] == "PetDataObject"]
    assert ("unverified", 0, len(pages)) == (done["status"], done["exit"], done["calls"])
    assert len(pages) > 2
    assert [prompt for prompt in before if prompt["type_name"] != "PetDataObject"] == [
        prompt for prompt in after if prompt["type_name"] != "PetDataObject"
    ]


def test_a_correction_that_is_not_text_is_said(retouch: Retouch, pets: Path, work_folder: Path) -> None:
    (work_folder / "note.bin").write_bytes(b"\xff\xfe\x00")
    done = retouch("regenerate", str(pets), "--correction", "@note.bin")
    assert 2 == done.exit_code
    assert "is not text" in done.stderr


def test_errors_are_mended_by_another_model(retouch: Retouch, spec: str, work_folder: Path) -> None:
    # An answer that is worse than the one that stands does not replace it, so the errors come from a run of their own.
    done = retouch(
        "generate",
        "csharp",
        spec,
        "GET /pets",
        "--compiler",
        "none",
        "--no-offline",
        "--model",
        NEVER_HEALS,
        "-o",
        "ill",
    )
    assert 3 == done.exit_code
    folder = work_folder / "ill"
    again = regenerated(retouch, folder, "--from-errors", "--model", "offline")
    assert ("unverified", 0) == (again["status"], again["exit"])
    assert again["calls"] < 4
    assert 0 == retouch("validate", str(folder), "--compiler", "none").exit_code


def test_stale_prompts_need_leave_when_nobody_can_be_asked(
    retouch: Retouch, make_stale: Callable[[Path], None], pets: Path
) -> None:
    make_stale(pets)
    done = retouch("regenerate", str(pets), "--compiler", "none")
    assert 2 == done.exit_code
    assert "older source" in done.stderr
    assert "--ignore-stale" in done.stderr
    assert 0 == regenerated(retouch, pets, "--ignore-stale")["exit"]


def test_validate_finds_what_a_hand_broke_and_counts_no_call(retouch: Retouch, pets: Path) -> None:
    code = pets / "PetDataObject.cs"
    code.write_text(code.read_text().replace('[JsonPropertyName("weight")]', '[JsonPropertyName("wait")]'))
    done = asked(retouch, "validate", pets, "--compiler", "none")
    assert ("issues", 1, 0) == (done["status"], done["exit"], done["calls"])
    assert {"MISSING_FIELD", "PHANTOM_FIELD"} <= {issue["code"] for issue in done["issues"]}


def test_validate_by_type_puts_issues_under_their_type(retouch: Retouch, pets: Path) -> None:
    code = pets / "PetDataObject.cs"
    code.write_text(code.read_text().replace('[JsonPropertyName("weight")]', '[JsonPropertyName("wait")]'))
    lines = retouch("validate", str(pets), "--by-type", "--compiler", "none").stdout.splitlines()
    assert f"issues  {pets}" == lines[0]
    at = lines.index("PetDataObject:")
    assert all(line.startswith("  ") for line in lines[at + 1 : at + 3])


def test_validate_without_writing_changes_no_byte(retouch: Retouch, pets: Path) -> None:
    code = pets / "PetDataObject.cs"
    code.write_text(code.read_text().replace('[JsonPropertyName("weight")]', '[JsonPropertyName("wait")]'))
    before = {path.name: path.read_bytes() for path in pets.iterdir()}
    assert 1 == asked(retouch, "validate", pets, "--no-write", "--compiler", "none")["exit"]
    assert before == {name: (pets / name).read_bytes() for name in before}
    asked(retouch, "validate", pets, "--compiler", "none")
    assert before["ir.json"] != (pets / "ir.json").read_bytes()


def test_assemble_makes_a_lost_file_again_and_keeps_an_edited_one(retouch: Retouch, pets: Path) -> None:
    code = pets / "PetDataObject.cs"
    text = code.read_text()
    code.unlink()
    assert 0 == asked(retouch, "assemble", pets)["exit"]
    assert text == code.read_text()
    code.write_text(text.replace("public double? Weight", "public decimal? Weight"))
    assert 1 == retouch("assemble", str(pets)).exit_code
    assert "decimal? Weight" in code.read_text()
    assert 0 == asked(retouch, "assemble", pets, "--force")["exit"]
    assert text == code.read_text()


def test_adopt_takes_an_edit_as_the_answer(retouch: Retouch, pets: Path) -> None:
    assert 2 == retouch("adopt", str(pets)).exit_code
    code = pets / "PetDataObject.cs"
    code.write_text(code.read_text().replace("The full name.", "The whole name."))
    done = asked(retouch, "adopt", pets, "--type", "owner", "--compiler", "none")
    assert ("unverified", 0) == (done["status"], done["exit"])
    units = {unit["unit"]: unit for unit in asked(retouch, "show", pets)["units"]}
    assert ("adopted", "person") == (units["Owner"]["state"], units["Owner"]["pages"][0]["model"])
    assert "The whole name." in code.read_text()


def test_adopt_takes_only_the_type_that_was_named(retouch: Retouch, pets: Path) -> None:
    code = pets / "PetDataObject.cs"
    code.write_text(code.read_text().replace("The full name.", "The whole name.").replace("Fish", "AnyFish"))
    asked(retouch, "adopt", pets, "--type", "owner", "--compiler", "none")
    states = {unit["unit"]: unit["state"] for unit in asked(retouch, "show", pets)["units"]}
    assert {"PetDataObject": "answered", "Kind": "failing", "Owner": "adopted"} == states  # the other edit is wrong
    assert "AnyFish" in code.read_text()


def test_show_has_the_promised_keys_and_sums(retouch: Retouch, pets: Path) -> None:
    found = asked(retouch, "show", pets, "--attempts")
    tokens = ["tokens", "input_tokens", "output_tokens", "cached_tokens"]
    assert ["run", "recipe", "status", "tiers", "damage", "units", "calls", *tokens, "file_issues", "notes", "attempts",
            "exit"] == list(found)  # fmt: skip
    assert ("csharp", "unverified", 4) == (found["recipe"], found["status"], found["calls"])
    assert ["unit", "state", "pages", "issues", "tiers"] == list(found["units"][0])
    assert ["page", "model", "attempts", "input_tokens", "output_tokens", "cached_tokens"] == list(
        found["units"][0]["pages"][0]
    )
    assert found["input_tokens"] == sum(one["input_tokens"] for one in found["attempts"])
    assert found["tokens"] == found["input_tokens"] + found["output_tokens"]


def test_show_in_words_has_a_line_per_page(retouch: Retouch, pets: Path) -> None:
    lines = retouch("show", str(pets), "--attempts").stdout.splitlines()
    assert lines[0].startswith("unverified: not compiled (")
    assert ["PetDataObject", "2/2", "answered", "offline", "1"] == lines[4].split()[:5]
    assert 4 == sum(" answer " in line for line in lines)


@pytest.mark.parametrize("verb", ["show", "validate", "assemble", "adopt", "regenerate"])
def test_a_directory_that_is_no_run_names_the_runs_inside_it(verb: str, retouch: Retouch, pets: Path) -> None:
    done = retouch(verb, str(pets.parent))
    if verb in {"show", "validate"}:
        assert f"{pets}  csharp" in " ".join(done.stdout.split(" ")).replace("   ", "  ")
        alone = retouch(verb, str(pets)).stdout.partition(" ")[0].strip(":,")
        assert alone == done.stdout.partition(" ")[0].strip(":,")
    else:
        assert 2 == done.exit_code
        assert "is not a run directory" in done.stderr
        assert "GET_pets" in done.stderr
    absent, file = pets.parent / "GET_pest", pets / "ir.json"
    done = retouch(verb, str(absent))
    assert (2, True) == (done.exit_code, f"{str(absent)!r} is not a run directory: it is not there" in done.stderr)
    assert f"next: Did you mean {str(pets)!r}?" in done.stderr
    done = retouch(verb, str(file))
    assert (2, True) == (done.exit_code, f"{str(file)!r} is not a run directory: it is a file" in done.stderr)


@pytest.mark.parametrize("name", ["ir.json", "prompts.json", "pages.json", "ledger.db"])
@pytest.mark.parametrize("text", ["", "{", '{"version": 1}', "[3]", "\udcff\udcfe"])
def test_a_broken_file_is_named_and_left_as_it_is(name: str, text: str, retouch: Retouch, pets: Path) -> None:
    path = pets / name
    path.write_text(text, errors="surrogateescape")
    before = path.read_bytes()
    for verb in ("show", "validate", "regenerate"):
        done = retouch(verb, str(pets))
        if name == "ledger.db" and text == "":
            continue  # an empty database is what SQLite calls a new one
        assert (2, False) == (done.exit_code, "unexpected" in done.stderr), (verb, done.stderr)
        assert name in done.stderr
        assert before == path.read_bytes()


def test_the_sums_of_a_run_hold_its_whole_past_also_of_types_that_another_source_has_not(
    retouch: Retouch, spec: str, pets: Path
) -> None:
    before = json.loads(retouch("show", str(pets), "--json").stdout)
    done = retouch("generate", "csharp", spec, "GET /pets/{id}", "-o", str(pets), "--compiler", "none", "--json")
    more = json.loads(done.stdout)
    found = json.loads(retouch("show", str(pets), "--json").stdout)
    for key in ("calls", "tokens", "input_tokens", "output_tokens"):
        assert before[key] + more[key] == found[key], key


def test_show_names_the_model_as_it_was_opened(retouch: Retouch, spec: str) -> None:
    model = "faulty:offline?rate=0&seed=3"
    retouch("generate", "csharp", spec, "GET /pets", "-o", "run", "--compiler", "none", "--model", model)
    found = json.loads(retouch("show", "run", "--json", "--cost").stdout)
    assert {model} == {page["model"] for unit in found["units"] for page in unit["pages"]}
    assert [model] == list(found["cost"]["by_model"])


def test_show_waits_while_a_process_writes_into_a_run_or_a_run_below_it(
    retouch: Retouch, pets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = pets / ".holder.json"
    boot = Path("/proc/sys/kernel/random/boot_id")
    own = {
        "pid": os.getpid(),
        "started": "now",
        "command": "x",
        "boot": boot.read_text().strip() if boot.exists() else "",
    }

    def ends(_wait_s: float) -> None:
        holder.unlink()

    for folder, told in ((pets, "3 of 3 units have an answer"), (pets.parent, f"{pets}: at work")):
        holder.write_text(json.dumps(own))
        monkeypatch.setattr("time.sleep", ends)
        shown = retouch("show", str(folder), "--watch")
        assert told in shown.stderr
        assert 0 == shown.exit_code
        assert not holder.exists()


def test_the_address_of_a_store_is_told_from_a_directory(retouch: Retouch) -> None:
    refused = retouch("validate", "s3://bucket/fleet")
    assert (2, True) == (refused.exit_code, "'s3://bucket/fleet' is an address" in refused.stderr)
