"""Ways in which a rule can be wrong although every sample passes: none of them may end as verified."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.models.offline import offline
from retouch.recipes.rule import RuleJob, apply_rule, rounds
from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.source import checked
from retouch.recipes.rule.detecting.candidates import detect

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DAYS = [f"{year}-{month:02}-{day:02}" for year in (2022, 2023) for month in (1, 5, 9) for day in (3, 11, 17, 28)]
PLAIN = [f"warehouse/dt={day}/country={country}/data.parquet" for day in DAYS for country in ("de", "fr")]


def outcome(folder: Path, paths: Sequence[str], **more: Any) -> dict[str, Any]:
    """What `retouch generate rule` finds without a model, as its JSON."""
    job = checked(RuleJob(paths=tuple(paths), **more))
    return asyncio.run(rounds.begin(job, folder, offline(answer))).as_json()


def shuffled(paths: Sequence[str]) -> list[str]:
    return random.Random(7).sample(list(paths), len(paths))


def test_a_rule_of_keys_and_dates_on_many_random_samples_can_be_verified(tmp_path: Path) -> None:
    found = outcome(tmp_path / "run", shuffled(PLAIN))
    assert ("verified", []) == (found["status"], found["questions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (shuffled(PLAIN)[:1], "few"),
        (shuffled(PLAIN)[:12], "few"),
        (sorted(PLAIN)[:30], "head"),
        ([*shuffled(PLAIN), *(f"raw/notes/page {n}.txt" for n in range(6))], "shape:2"),
        ([f"in/{day}/G16.csv" for day in shuffled(DAYS)], "fixed:G16"),
        ([f"in/{day}/{code}.csv" for day in shuffled(DAYS) for code in ("01067", "36061")], "zeros"),
        ([f"in/{n + 13}012023/a.csv" for n in range(16)] * 2, "date:"),
        ([f"in/r_2{n % 3}{n % 9 + 1:02}{n + 10}/a.csv" for n in range(19)] * 2, "date:"),
        ([f"in/{n % 11 + 1:02}/{n % 12 + 1:02}/{2018 + n % 5}/a.csv" for n in range(40)], "date:"),
        ([f"in/{2018 + n % 5}/{n % 28 + 1:02}/{n % 12 + 1:02}/a.csv" for n in range(40)], "join:date"),
        (shuffled([f"in/{1_700_000_000 + n * 91_234}/a.csv" for n in range(30)]), "date:"),
        ([f"in/{day}/{code}.csv" for day in shuffled(DAYS) for code in ("IT", "HR", "PR")], "codes:"),
        ([f"in/{day}/{code}.csv" for day in shuffled(DAYS) for code in ("de", "fr", "it")], "codes:"),
        ([f"in/{day}/{name}.csv" for day in shuffled(DAYS) for name in ("a-b", "cde-f", "gh-i-j")], "whole"),
        ([f"in/{name}.hdf" for name in shuffled([f"MOD{n}.x{n * 7}.{day}" for n, day in enumerate(DAYS)])], "loose"),
    ],
    ids=[
        "one path",
        "few paths",
        "first lines",
        "two shapes",
        "a code",
        "zeros",
        "days first",
        "short dates",
        "day or month first",
        "a day before its month",
        "numbers that may be times",
        "codes that may be countries",
        "languages or countries",
        "a joined value",
        "not specific",
    ],
)
def test_what_the_samples_cannot_show_is_a_question(tmp_path: Path, paths: list[str], asked: str) -> None:
    found = outcome(tmp_path / "run", paths)
    assert "verified" != found["status"]
    keys = [one["key"] for one in found["assumptions"] if one["open"]]
    assert any(key.startswith(asked) for key in keys) or "loose" == asked, keys


def test_no_acceptance_makes_one_path_or_an_unspecific_rule_verified(tmp_path: Path) -> None:
    for number, paths in enumerate((PLAIN[:1], ["a", "b/c.txt", "d-e-f", "2024", "x/y/z/1", "w"])):
        found = outcome(tmp_path / f"run{number}", paths, accepted=("all",))
        assert "verified" != found["status"]


def test_accepted_assumptions_are_told_with_the_status(tmp_path: Path) -> None:
    paths = [f"in/{day}/G16.csv" for day in shuffled(DAYS)]
    found = outcome(tmp_path / "run", paths, accepted=("fixed:G16",))
    accepted = [one["key"] for one in found["assumptions"] if one["accepted"]]
    assert ("verified", ["fixed:G16"]) == (found["status"], accepted)


def test_a_labelled_path_whose_value_the_rule_does_not_give_is_not_verified(tmp_path: Path) -> None:
    labelled = (PLAIN[0], (("country", "germany"),))
    assert "verified" != outcome(tmp_path / "run", shuffled(PLAIN), examples=(labelled,), accepted=("all",))["status"]


def test_a_hint_names_fields_and_the_rest_of_it_is_a_question(tmp_path: Path) -> None:
    hint = "the second part is the day, day is text. add one to the day"
    found = outcome(tmp_path / "run", shuffled(PLAIN), hint=hint)
    assert "type: date" not in found["rule"]
    assert ("unverified", ["hint"]) == (found["status"], [one["key"] for one in found["assumptions"] if one["open"]])
    clear = outcome(tmp_path / "run2", shuffled(PLAIN), hint="the directory below warehouse is the day")
    assert "verified" == clear["status"]
    assert "\n  day:\n    from: segment(-3)" in clear["rule"]


def test_noise_by_name_is_named_and_needs_no_rule(tmp_path: Path) -> None:
    noise = [f"warehouse/dt={day}/_SUCCESS" for day in DAYS[:3]]
    found = outcome(tmp_path / "run", [*shuffled(PLAIN), *noise])
    assert ("verified", noise) == (found["status"], found["noise"])


def test_a_number_of_fewer_digits_than_all_samples_have_does_not_lose_the_other_fields() -> None:
    ids = range(10_007, 99_000, 4_441)
    paths = [f"records/id={n}/location-{n}-2024{n % 12 + 1:02}{n % 27 + 1:02}.csv" for n in ids]
    result = apply_rule(detect(paths)[0].rule, "records/id=318/location-318-20240203.csv")
    wanted = {"id": 318, "date": "2024-02-03", "digits": "20240203"}
    assert ("COMPLETE", wanted) == (result.status, dict(result.values))


def test_a_short_value_that_parts_make_by_chance_is_asked_about(tmp_path: Path) -> None:
    paths = shuffled([f"in/{n % 12 + 1:02}/{n % 27 + 1:02}/{day}.csv" for n, day in enumerate(DAYS)])
    chance = next(path for path in paths if path.startswith("in/12/"))
    wanted = "".join(chance.split("/")[1:3])
    found = outcome(tmp_path / "run", paths, examples=((chance, (("order", wanted),)),))
    assert "unverified" == found["status"]
    assert ["apart:order"] == [
        one["key"] for one in found["assumptions"] if one["key"] == "apart:order" and one["open"]
    ]


def test_a_labelled_value_that_goes_on_after_its_separator_in_other_paths_is_asked_about(tmp_path: Path) -> None:
    paths = [f"s/2024010{n % 9}_{n:06}_c{n % 4}_u{n:02}_{('raw', 'map_SR')[n % 2]}.tif" for n in range(30)]
    found = outcome(tmp_path / "run", paths, examples=((f"/{paths[0]}", (("craft", "c0"), ("strip", "00"))),))
    assert "unverified" == found["status"]
    assert "apart:craft" in {one["key"] for one in found["assumptions"] if one["open"]}


@pytest.mark.parametrize(("key", "width"), [("zip", 5), ("shop", 4), ("fips", 5)])
def test_padded_values_of_a_key_stay_text_and_are_asked_about(key: str, width: int) -> None:
    numbers = random.Random(7).sample(range(1, 9_000), 30)
    found = detect([f"in/{key}={number:0{width}}/month={number % 12 + 1:02}/part.parquet" for number in numbers])[0]
    assert {key: "string", "month": "integer"} == {one.name: one.type for one in found.columns}
    assert [f"zeros:{key}"] == [one.key for one in found.assumptions if one.kind == "zeros"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_the_mark_in_front_of_a_list_is_no_part_of_its_first_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\r\n".join(shuffled(PLAIN))
    (tmp_path / "plain.txt").write_bytes(lines.encode())
    (tmp_path / "marked.txt").write_bytes(lines.encode(encoding))
    for name in ("plain", "marked"):
        assert 0 == CliRunner().invoke(command, ["generate", "rule", f"@{name}.txt", "-o", name]).exit_code
    assert (tmp_path / "plain/rule.yaml").read_text() == (tmp_path / "marked/rule.yaml").read_text()
    piped = CliRunner().invoke(command, ["rule", "apply", "plain/rule.yaml", "-"], input=lines.encode(encoding))
    assert (0, len(PLAIN)) == (piped.exit_code, len(piped.stdout.splitlines()))


@pytest.mark.parametrize("encoded", [DAYS[0].encode("utf-16-le"), b"\xff\xfea", b"a\0b\0", b"a\n" * 50 + b"b\0c\n"])
def test_a_list_of_another_encoding_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoded: bytes) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.yaml").write_text("name: r\nglob: '*'\nextract: {x: {from: filename}}", encoding="utf-8")
    done = CliRunner().invoke(command, ["rule", "apply", "r.yaml", "-"], input=encoded)
    assert (2, True) == (done.exit_code, "the list of paths" in done.stderr)


def open_keys(found: dict[str, Any]) -> set[str]:
    """The keys of what is still asked."""
    return {one["key"] for one in found["assumptions"] if one["open"]}


def test_files_that_are_left_out_because_of_a_labelled_path_are_asked_about(tmp_path: Path) -> None:
    sites = ("KABR", "TJUA", "PHKI", "RKSG")
    plain = [f"radar/{sites[n % 4]}/{sites[n % 4]}2024{n % 12 + 1:02}11_{n:06}_V0{3 + n % 4}" for n in range(24)]
    others = [f"{path}_MDM" for path in plain[7:11]]
    label = (plain[0], (("site", "KABR"), ("time", "000000"), ("version", "V03")))
    found = outcome(tmp_path / "run", [*plain, *others], examples=(label,))
    assert ("unverified", True) == (found["status"], "left" in open_keys(found))
    rule = detect([*plain, *others], examples={plain[0]: dict(label[1])})[0].rule
    assert {"UNMATCHED"} == {apply_rule(rule, path).status for path in others}


def test_files_with_one_word_more_than_the_labelled_one_that_are_taken_are_asked_about(tmp_path: Path) -> None:
    tiles = [f"lake/{day}/tile_{n * 37:04}_v{n % 4}.tif" for n, day in enumerate(shuffled([*DAYS, *DAYS]))]
    masks = [path.replace(".tif", "_mask.tif") for path in tiles[3:9]]
    label = (tiles[0], (("tile", "0000"), ("version", 0)))
    found = outcome(tmp_path / "run", [*tiles, *masks], examples=(label,))
    assert ("unverified", True) == (found["status"], "endings" in open_keys(found))


def test_a_label_of_several_directories_is_not_verified_where_paths_lack_it(tmp_path: Path) -> None:
    groups = ("org/apache/maven", "com/acme", "junit")
    jars = [f"repo/{groups[n % 3]}/lib{n % 5}/1.{n}/lib{n % 5}-1.{n}.jar" for n in range(30)]
    loose = [f"repo/lib{n}-1.{n}.jar" for n in range(3)]
    label = (jars[0], (("group", groups[0]), ("artifact", "lib0"), ("version", "1.0")))
    found = outcome(tmp_path / "run", shuffled([*jars, *loose]), examples=(label,))
    assert "verified" != found["status"]


def test_directories_that_are_no_day_in_some_samples_give_no_date(tmp_path: Path) -> None:
    days = [f"{2019 + n % 5}/{n % 12 + 1:02}/{n % 28 + 1:02}" for n in range(40)]
    good = outcome(tmp_path / "good", shuffled([f"logs/{day}/{n:05}.gz" for n, day in enumerate(days)]))
    assert "parts:" in good["rule"]
    days[7] = "2021/02/30"
    bad = outcome(tmp_path / "bad", shuffled([f"logs/{day}/{n:05}.gz" for n, day in enumerate(days)]))
    assert "verified" != bad["status"] or "parts:" not in bad["rule"]


@pytest.mark.parametrize("stem", ["t{n:02}.f{n:03}", "run{n}.csv"])
def test_files_called_like_others_with_a_further_extension_are_asked_about(tmp_path: Path, stem: str) -> None:
    data = [f"in/{day}/{stem.format(n=n)}" for n, day in enumerate(shuffled([*DAYS, *DAYS]))]
    found = outcome(tmp_path / "run", [*data, *(f"{path}.idx" for path in data[3:7])])
    assert ("unverified", True) == (found["status"], bool({"left", "endings"} & open_keys(found)))
