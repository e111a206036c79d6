"""What a labelled path says about the kind of its files: others are left out and asked about."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect

TOPICS = ("orders", "shop.public.items", "click-stream")
SITES = ("KABR", "TJUA", "PHKI", "RKSG")
SHOWS = ("Slow Harbour", "Polar Station 7", "The Map")
TITLES = ("Pilot", "Part 1 (1)", "Who Goes There!", "What the River Knew")


def fitted(paths: list[str], label: dict[str, Any]) -> RuleCandidate:
    return detect(paths, examples={paths[0]: label})[0]


def values(found: RuleCandidate, path: str, *names: str) -> list[Any]:
    result = apply_rule(found.rule, path)
    return [result.values.get(name) for name in names]


def is_left_out(found: RuleCandidate, path: str) -> bool:
    asked = {one.key for one in found.assumptions if one.open}
    return apply_rule(found.rule, path).status == "UNMATCHED" and "left" in asked


def offsets() -> list[str]:
    days = [f"year=2024/month={n % 12 + 1:02}/day={n % 28 + 1:02}" for n in range(26)]
    return [f"topics/{TOPICS[n % 3]}/{day}/{TOPICS[n % 3]}+{n % 8}+{n * 977:010}.avro" for n, day in enumerate(days)]


def test_files_with_a_word_before_their_extension_are_of_another_kind():
    label = {"topic": "orders", "date": "2024-01-01", "partition": 0, "offset": 0}
    others = [path.replace(".avro", ".keys.avro") for path in offsets()[3:6]]
    found = fitted([*offsets(), *others], label)
    assert is_left_out(found, others[0])
    path = "topics/new/year=2025/month=11/day=30/new+11+0000000042.avro"
    assert ["new", "2025-11-30", 11, 42] == values(found, path, *label)


def test_files_with_words_before_a_repeated_directory_are_of_another_kind():
    accounts = [f"{718204466120 + 7919 * (n % 3)}" for n in range(24)]
    paths = [
        f"logs/{one}/2024/{n % 12 + 1:02}/{one}_lb_app.shop-{n % 4}.{n * 7919:016x}.log"
        for n, one in enumerate(accounts)
    ]
    others = [path.replace(f"/{one}_", f"/conn_log_{one}_") for path, one in zip(paths[:4], accounts, strict=False)]
    found = fitted([*paths, *others], {"account": accounts[0], "name": "shop-0", "id": f"{0:016x}"})
    assert is_left_out(found, others[0])
    path = "logs/555/2025/01/555_lb_app.shop-9.00000000deadbeef.log"
    assert ["555", "shop-9", "00000000deadbeef"] == values(found, path, "account", "name", "id")


def test_a_word_after_a_code_is_of_another_kind_and_a_packing_is_not():
    paths = [f"radar/{SITES[n % 4]}/{SITES[n % 4]}2024{n % 12 + 1:02}11_{n:06}_V0{3 + n % 4}" for n in range(24)]
    packed = [f"{path}.gz" for path in paths[4:7]]
    others = [f"{path}_MDM" for path in paths[7:11]]
    found = fitted([*paths, *packed, *others], {"site": "KABR", "time": "000000", "version": "V03"})
    assert is_left_out(found, others[0])
    path = "radar/TJUA/TJUA20250203_010203_V08.gz"
    assert ["TJUA", "010203", "V08"] == values(found, path, "site", "time", "version")


def test_a_longer_extension_is_of_another_kind_and_a_longer_title_is_not():
    names = [f"{SHOWS[n % 3]} - S01E{n + 1:02} - {TITLES[n % 4]} [{('WEB', 'HDTV')[n % 2]}-1080p]" for n in range(24)]
    paths = [f"tv/{SHOWS[n % 3]}/{name}.{('mkv', 'mp4')[n % 2]}" for n, name in enumerate(names)]
    others = [f"tv/{SHOWS[n % 3]}/{name}.en.srt" for n, name in enumerate(names[:5])]
    label = {"show": "Slow Harbour", "episode": 1, "title": "Pilot", "quality": "WEB-1080p", "ext": "mkv"}
    found = fitted([*paths, *others], label)
    assert is_left_out(found, others[0])
    path = "tv/New/New - S01E30 - A Night (and a Day) [WEB-1080p].mkv"
    assert ["New", 30, "A Night (and a Day)", "WEB-1080p", "mkv"] == values(found, path, *label)


def test_text_that_varies_is_a_value_and_no_other_kind():
    ends = ["", "", "", "_echo-1", "", "_echo-2"]
    paths = [
        f"ds/sub-{n % 9 + 1:02}/sub-{n % 9 + 1:02}_task-rest_run-{n % 3 + 1}{ends[n % 6]}_bold.nii" for n in range(24)
    ]
    found = fitted(paths, {"subject": "01", "task": "rest", "run": 1})
    assert ["04", "rest", 1] == values(found, paths[3], "subject", "task", "run")


def test_files_of_another_extension_that_lack_a_value_are_of_another_kind():
    names = ("hstore", "cube", "pg_trgm", "uuid-ossp", "lo", "seg")
    paths = [f"ext/{names[n % 6]}--{n % 4}.{n % 7}.sql" for n in range(20)]
    others = [f"ext/{name}.control" for name in names]
    found = fitted([*paths, *others], {"name": "hstore", "version": "0.0"})
    assert is_left_out(found, others[0])
    assert ["uuid-ossp", "9.1"] == values(found, "ext/uuid-ossp--9.1.sql", "name", "version")


def test_a_few_files_below_a_further_directory_are_of_another_kind():
    studies = [f"st{n % 5}_lab_20{10 + n % 9}" for n in range(26)]
    kinds = ("data_cna", "meta_cna", "data_mutations", "meta_study")
    paths = [f"public/{study}/{kinds[n % 4]}.txt" for n, study in enumerate(studies)]
    others = [f"public/{study}/case_lists/cases_all.txt" for study in studies[:4]]
    found = fitted([*paths, *others], {"study": "st0_lab_2010", "kind": "data", "profile": "cna"})
    assert is_left_out(found, others[0])
    path = "public/st9_lab_2031/meta_rna_seq.txt"
    assert ["st9_lab_2031", "meta", "rna_seq"] == values(found, path, "study", "kind", "profile")


@pytest.mark.parametrize("top", ["", "/srv/"])
def test_a_label_of_several_directories_is_read_at_any_depth(top: str):
    groups = ("org/apache/maven", "com/acme", "javax/inject/api/core", "junit")
    names = [("lib-a", "lib-b-core", "lib-c")[n % 3] for n in range(30)]
    files = [f"{name}/{n % 3}.{n % 4}/{name}-{n % 3}.{n % 4}.{('jar', 'pom')[n % 2]}" for n, name in enumerate(names)]
    paths = [f"{top}repo/{groups[n % 4]}/{file}" for n, file in enumerate(files)]
    found = fitted(paths, {"group": "org/apache/maven", "artifact": "lib-a", "version": "0.0", "ext": "jar"})
    path = f"{top}repo/a/b/c/d/e/f/lib-z/2.1/lib-z-2.1.pom"
    assert ["a/b/c/d/e/f", "lib-z", "2.1", "pom"] == values(found, path, "group", "artifact", "version", "ext")
    assert ["junit", "lib-x"] == values(found, f"{top}repo/junit/lib-x/1.0/lib-x-1.0.jar", "group", "artifact")
    assert () == found.left


def test_a_value_is_missing_together_with_the_words_beside_it():
    books = ("emma", "dracula", "moby_dick")
    paths = [f"{books[n % 3]}/{books[n % 3]}_{n:02}_author_{(64, 128)[n % 2]}kb.mp3" for n in range(20)]
    paths += [f"{books[n % 3]}/{books[n % 3]}_{n:02}_author.ogg" for n in range(8)]
    found = fitted(paths, {"book": "emma", "section": 0, "bitrate": 64, "format": "mp3"})
    assert ["emma", 3, None, "ogg"] == values(found, "emma/emma_03_author.ogg", "book", "section", "bitrate", "format")
    assert [4, 128] == values(found, "emma/emma_04_author_128kb.mp3", "section", "bitrate")


def test_a_part_of_a_directory_may_be_missing_but_not_its_number():
    owners = ("face", "", "goo-gle", "micro")
    paths = [
        f"hub/models--{owners[n % 4]}{'--' if owners[n % 4] else ''}net-{'abc'[n % 3]}/{n:04x}/config.json"
        for n in range(24)
    ]
    found = fitted(paths, {"kind": "models", "owner": "face", "name": "net-a"})
    assert ["models", None, "t5"] == values(found, "hub/models--t5/0001/config.json", "kind", "owner", "name")
    assert ["models", "open", "t5-x"] == values(
        found, "hub/models--open--t5-x/0001/config.json", "kind", "owner", "name"
    )
    numbered = [f"k/sig-{'abc'[n % 3]}/{n + 100}-some-{'xyz'[n % 3]}/README.md" for n in range(24)]
    plain = ["k/sig-a/notes/README.md", "k/sig-b/notes/README.md"]
    found = fitted([*numbered, *plain], {"sig": "sig-a", "number": 100, "name": "some-x"})
    assert is_left_out(found, plain[0])


def test_letters_after_digits_may_be_missing():
    paths = [f"d/{'RD'[n % 2]}690{n % 4}247_{n:03}{'D' if n % 4 == 0 else ''}.nc" for n in range(24)]
    found = fitted(paths, {"mode": "R", "cycle": 0, "direction": "D"})
    assert ["D", 63, None] == values(found, "d/D2901623_063.nc", "mode", "cycle", "direction")
    assert ["R", 64, "D"] == values(found, "d/R2901623_064D.nc", "mode", "cycle", "direction")


def test_a_number_is_placed_by_the_letters_before_it():
    paths = [f"p/r{n % 4 + 1:02}c{n % 6 + 1:02}f{n % 9 + 1:02}-ch{n % 3 + 1}.tif" for n in range(24)]
    label = {"channel": 1, "field": 1, "column": 1, "row": 1}
    assert [9, 7, 5, 3] == values(fitted(paths, label), "p/r03c05f07-ch9.tif", *label)


def test_a_name_that_repeats_its_directory_is_read_by_the_pattern_of_that():
    scenes = [f"LC0{8 + n % 2}_{120 + n % 5:03}_2022{n % 9 + 1:02}14_T{n % 2 + 1}" for n in range(24)]
    bands = ("SR_B2", "B4", "QA_PIXEL", "ST_B10")
    paths = [f"c/{scene}/{scene}_{bands[n % 4]}.TIF" for n, scene in enumerate(scenes)]
    found = fitted(paths, {"sensor": "LC08", "date": "2022-01-14", "tier": "T1", "band": "SR_B2"})
    path = "c/LE07_001_20230304_T2/LE07_001_20230304_T2_QA_X_Y.TIF"
    assert ["LE07", "2023-03-04", "T2", "QA_X_Y"] == values(found, path, "sensor", "date", "tier", "band")


def test_a_label_that_is_the_whole_file_name_takes_any():
    names = ("build-log.txt", "started.json", "podinfo.json", "clone-records.json", "junit_1.xml")
    paths = [f"logs/job-{'abc'[n % 3]}/{1700 + n}/{names[n % 5]}" for n in range(25)]
    found = fitted(paths, {"job": "job-a", "build": "1700", "file": "build-log.txt"})
    assert ["job-z", "2", "Other_File-2.tar.gz"] == values(
        found, "logs/job-z/2/Other_File-2.tar.gz", "job", "build", "file"
    )


def test_a_joined_date_is_the_value_of_its_own_label_only():
    days = [f"y=2024/m={n % 12 + 1:02}/d={n % 28 + 1:02}" for n in range(24)]
    paths = [f"logs/{'abc'[n % 3]}/{day}/h={n % 24:02}/file.json" for n, day in enumerate(days)]
    found = fitted(paths, {"app": "a", "owner": None, "day": "2024-01-01"})
    assert ["b", None, "2025-06-07"] == values(found, "logs/b/y=2025/m=06/d=07/h=01/file.json", "app", "owner", "day")


def test_a_label_above_one_of_several_directories_is_not_lost():
    paths = [f"store/{'xy'[n % 2]}/{('a/b', 'c/d')[n % 2]}/{n}/file-{n}.txt" for n in range(24)]
    found = fitted(paths, {"zone": "x", "group": "a/b", "number": 0})
    lost = {one.rpartition(": ")[2] for one in found.unlabelled}
    got = apply_rule(found.rule, paths[0]).values
    assert all(name in lost or got.get(name) == value for name, value in {"zone": "x", "group": "a/b"}.items())


def test_a_label_that_an_earlier_directory_repeats_is_read():
    paths = [f"L{n % 2 + 1}TP/m{n}/LC08_L{n % 2 + 1}TP_{n:03}.tif" for n in range(24)]
    found = fitted(paths, {"sensor": "LC08", "level": "L1TP", "tier": None, "row": "000"})
    assert ["LC08", "L2TP", "777"] == values(found, "L2TP/m9/LC08_L2TP_777.tif", "sensor", "level", "row")


def test_paths_that_lack_two_values_are_no_other_kind():
    years = ["" if n % 7 == 3 else f"_{1900 + n}" if n % 7 == 6 else f"_{1900 + n}-{1910 + n}" for n in range(28)]
    paths = [f"sea/a{n % 5}/{('temp', 'wind', 'ice')[n % 3]}_{SITES[n % 4]}{year}.nc" for n, year in enumerate(years)]
    label = {"name": "temp", "site": "KABR", "first": 1900, "last": 1910}
    found = fitted(paths, label)
    assert ["salt", "TJUA", None, None] == values(found, "sea/a9/salt_TJUA.nc", *label)


def test_paths_that_lack_a_value_are_of_another_kind_if_a_directory_has_another_word():
    paths = [f"aud/{SITES[n % 4]}/trail/{SITES[n % 4]}_trail_{20240101 + n}_{n * 977:06}.json" for n in range(22)]
    others = [f"aud/{SITES[n % 4]}/digest/{SITES[n % 4]}_digest_{20240101 + n}.json" for n in range(8)]
    label = {"site": "KABR", "day": "20240101", "id": "000000"}
    found = fitted([*paths, *others], label)
    assert is_left_out(found, others[0])
    assert ["PHKI", "20250101", "000042"] == values(found, "aud/PHKI/trail/PHKI_trail_20250101_000042.json", *label)


def test_files_of_one_name_without_the_labelled_number_are_of_another_kind():
    paths = [f"shop/{40063810000 + n // 2 * 7919}/{40063810000 + n // 2 * 7919}_{n % 7 + 1:02}.jpg" for n in range(26)]
    others = [f"{path.rpartition('/')[0]}/thumb.jpg" for path in paths[2:8:4]]
    found = fitted([*paths, *others], {"item": "40063810000", "position": 1})
    assert is_left_out(found, others[0])
    assert ["40063999999", 9] == values(found, "shop/40063999999/40063999999_09.jpg", "item", "position")
