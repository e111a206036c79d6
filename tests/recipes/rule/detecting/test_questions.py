"""What is asked about a rule: the words and columns of all shapes, and samples that it takes without reading them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate

WORDS = ("oslo", "bergen", "trondheim", "tromso", "molde", "bodo")
SOUNDS = [f"q/wav/{WORDS[n % 6]}/take-{n * 37 + 11}.wav" for n in range(16)]
SHEETS = [f"q/sheets/{WORDS[n % 6]}/2024-0{n % 9 + 1}-1{n % 10}_{n * 13 + 100}_ab{n % 4}c.xls" for n in range(16)]
CUPS = [f"2{n % 9 + 100}/{('at', 'de', 'fr')[n % 3]}.{n % 2 + 1}.json" for n in range(27)]


def shuffled(paths: Sequence[str], **more: Any) -> RuleCandidate:
    return detect(random.Random(3).sample(paths, len(paths)), **more)[0]


def asked(found: RuleCandidate) -> dict[str, str]:
    return {one.key: one.question for one in found.assumptions if one.open}


def test_words_and_columns_of_every_shape_are_asked_about():
    found = shuffled([*SOUNDS, *SHEETS])
    questions = asked(found)
    assert 1 == len(found.rule.others)
    assert "'take'" in questions["words"]
    assert "'xls'" in questions["words"]
    assert any("ab0c" in one or "ab1c" in one or "ab2c" in one or "ab3c" in one for one in questions.values())


def test_few_texts_among_numbers_are_asked_about():
    found = shuffled([*CUPS, "2105/at.cup.json", "2107/de.cup.json"])
    assert ["'cup' is none"] == [
        "'cup' is none" for one in asked(found).values() if "is a number, and 'cup' is none" in one
    ]


def test_a_directory_that_only_one_shape_fixes_is_a_field_of_both():
    scans = [f"d{n % 5}/sub-{n:02}/anat/sub-{n:02}_run-{n % 3}_T1w.nii" for n in range(1, 14)]
    signals = [
        f"set_{WORDS[n % 6]}/sub-{n:02}/{('eeg', 'meg')[n % 2]}/sub-{n:02}_task-{WORDS[n % 4]}_events.tsv"
        for n in range(1, 17)
    ]
    found = shuffled([*scans, *signals])
    taken = [apply_rule(found.rule, path) for path in (*scans, *signals)]
    kinds = [[value for value in one.values.values() if value in {"anat", "eeg", "meg"}] for one in taken]
    assert [["anat"]] * 13 + [[("eeg", "meg")[n % 2]] for n in range(1, 17)] == kinds


def test_a_shape_that_takes_samples_of_another_without_reading_them_is_tried_last():
    plain = [
        f"{WORDS[n % 3]}/K{n * 7 + 100}-{n % 3 + 1}{('', '_reviewed')[n % 4 == 0]}.{('mx', 'pdf')[n % 2]}"
        for n in range(16)
    ]
    parts = [f"{one}/K{n * 7 + 100}-{n % 3 + 1}.{one}.tsv" for n in range(14) for one in [("chords", "notes")[n % 2]]]
    found = shuffled([*plain, *parts])
    assert ["COMPLETE"] * 30 == [apply_rule(found.rule, path).status for path in (*plain, *parts)]


def test_a_field_that_a_taken_sample_lacks_is_asked_about():
    versions = [f"{WORDS[n % 6]}/p{n}/p{n}-{n % 4 + 1}.{n % 7}.{n % 5}.build" for n in range(26)]
    found = shuffled([*versions, "oslo/zed/zed-3.2.0-r1.build"])
    status = apply_rule(found.rule, "oslo/zed/zed-3.2.0-r1.build").status
    if status == "PARTIAL":
        assert any("zed-3.2.0-r1" in one for one in asked(found).values())
    else:
        assert status in {"COMPLETE", "UNMATCHED"}


def test_the_directories_above_are_named_with_the_fixed_words():
    paths = [f"base/OT/white/20{n % 5 + 17}/ab-{n * 7 % 100:02}-{n * 31 % 365:03}-0{n % 9}.json" for n in range(28)]
    found = shuffled(paths)
    assert found.rule.glob.text.startswith("**/")
    assert "'OT'" in asked(found)["words"]


def test_some_packed_files_have_the_packing_as_a_field():
    paths = [f"logs/{WORDS[n % 6]}/{n * 37 + 3}.log{('', '.gz')[n % 3 == 0]}" for n in range(28)]
    rule = shuffled(paths).rule
    assert ["gz", None] == [apply_rule(rule, path).values["compression"] for path in (paths[0], paths[1])]


@pytest.mark.parametrize(("width", "wanted"), [(4, "0017"), (3, 17)])
def test_zeros_matter_in_directories_of_four_digits_that_are_no_times(width: int, wanted: object):
    paths = [f"z/{n * 331 % 900 + 1:0{width}}/{WORDS[n % 6]}_{n * 7}.dat" for n in range(28)]
    rule = shuffled(paths).rule
    assert wanted in apply_rule(rule, f"z/{17:0{width}}/oslo_5.dat").values.values()


def test_directories_of_months_and_days_are_numbers():
    paths = [f"z/{n % 12 + 1:02}{n % 28 + 1:02}/{WORDS[n % 6]}_{n * 7}.dat" for n in range(28)]
    assert 305 in apply_rule(shuffled(paths).rule, "z/0305/oslo_5.dat").values.values()


def test_a_date_with_the_day_last_is_read_before_a_further_dash():
    paths = [f"p/{n % 12 + 1:02}-{n % 13 + 14}-20{n % 9 + 10}-NA-{WORDS[n % 6]}/{n}.dcm" for n in range(28)]
    rule = shuffled(paths).rule
    assert "2013-05-17" in apply_rule(rule, "p/05-17-2013-NA-oslo/3.dcm").values.values()


def test_a_label_of_a_shape_with_fewer_directories_is_taken():
    deep = [f"r{n % 3}/data/{WORDS[n % 6]}_v{n % 2}/S{n:02}_L00{n % 4 + 1}.fastq.gz" for n in range(20)]
    flat = [f"r{n % 3}/data/Undetermined_S0_L00{n + 1}.fastq.gz" for n in range(6)]
    for path, wanted in ((flat[0], {"sample": "Undetermined"}), (deep[0], {"sample": "S00"})):
        found = shuffled([*deep, *flat], examples={path: wanted})
        assert found.unlabelled or "sample" in {one.name for rule in found.shapes for one in rule.fields}


@pytest.mark.parametrize(
    ("paths", "later"),
    [
        (
            [
                f"ip-10-0-1{n // 10}-4{n // 10}.eu-west-1.compute.internal/var/log/{n + 10}/{WORDS[n % 6]}.log"
                for n in range(30)
            ],
            "worker-03/var/log/44/oslo.log",
        ),
        (
            [f"d/cm/{WORDS[n // 6]}/QX{'ABC'[n // 10]}_{240 + n // 6}/b-{n + 10}.zip" for n in range(30)],
            "d/cm/oslo/QXPERP/b-77.zip",
        ),
    ],
    ids=["a host in a region", "a directory of one part"],
)
def test_directories_of_later_lines_may_have_another_form(paths: list[str], later: str):
    assert "UNMATCHED" != apply_rule(detect(sorted(paths))[0].rule, later).status


def test_brackets_are_cut_as_pairs_of_which_some_names_have_more():
    titles = ("Kena - The Path", "Mono, the 2nd", "Zoo! Tycoon", "Rex")
    paths = [f"c/{titles[n % 4]} ({('USA', 'Japan, Asia')[n % 2]}){(' (Rev 1)', '')[n % 3 > 0]}.cht" for n in range(28)]
    found = shuffled(paths)
    values = [[*apply_rule(found.rule, path).values.values()] for path in (paths[0], paths[1])]
    assert [["Kena - The Path", "USA", "Rev 1"], ["Mono, the 2nd", "Japan, Asia", None]] == values
    assert "UNMATCHED" == apply_rule(found.rule, "c/Rex.cht").status
