"""What listings show beside their values: repeated directories, ends that some names lack, extensions, joined parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.layout import by_a_directory
from retouch.recipes.rule.exporting.running import differences

if TYPE_CHECKING:
    from collections.abc import Sequence

HOSTS = ("db01", "mail-01", "files-a")
TIMES = [f"2022-{n % 12 + 1:02}-{n % 27 + 1:02}_{n % 24:02}{n * 7 % 60:02}" for n in range(36)]
BACKUPS = [
    f"srv/{HOSTS[n % 3]}/{HOSTS[n % 3]}-{('etc', 'mysql')[n // 2 % 2]}-{time}.{('sql.gz', 'tar.zst')[n // 3 % 2]}"
    for n, time in enumerate(TIMES)
]
READS = [
    f"fq/{code}/{code}{end}.fq.gz"
    for n in range(16)
    for code in [f"{('SRR', 'ERR')[n % 2]}{4_000_137 + n * 91_371}"]
    for end in (["_1", "_2"] if n % 4 else [""])
]
LISTS = [f"p/{name}/20{n:02}-May.txt" for n in range(7) for name in ("xml-sig", "python-dev", "numpy-talk", "list-all")]
PHOTOS = [f"pics/{('DSC', 'IMG')[n % 2]}_{n * 137:04}.{('NEF', 'JPG')[n // 2 % 2]}" for n in range(30)]
OBJECTS = [f"reg/{('blobs', 'tags')[n % 2]}/{n * 7 + 16:02x}/{n * 98_765 + 10**8:08x}/data" for n in range(30)]
RUNS = [f"p/{n * 30_000_000 + 1_000_000_000}/{('lint', 'test')[n % 2]}.txt" for n in range(30)]
FORECASTS = [f"nwp/icon_{2024}{n % 12 + 1:02}{n % 28 + 1:02}{n * 6 % 24:02}_t2m.grib" for n in range(30)]


def taken(samples: Sequence[str], path: str, **more: Any) -> list[Any]:
    found = apply_rule(detect(samples, **more)[0].rule, path)
    return ["UNMATCHED"] if found.status == "UNMATCHED" else [*found.values.values()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (
            BACKUPS,
            "srv/web-eu-3/web-eu-3-etc-2023-04-05_0607.sql.gz",
            ["web-eu-3", "etc", "2023-04-05T06:07:00", "2023-04-05_0607", "2023-04-05", "0607", "sql.gz"],
        ),
        (BACKUPS, "srv/db01/db01-etc-2023-04-05_0607.sql.gz.sha256", ["UNMATCHED"]),
        (READS, "fq/DRR77/DRR77_2.fq.gz", ["DRR77", 2]),
        (READS, "fq/DRR77/DRR77.fq.gz", ["DRR77", None]),
        (LISTS, "p/apache-users/2031-May.txt", ["apache-users", 2031]),
        (PHOTOS, "pics/IMG_0007.xmp", ["UNMATCHED"]),
        ([*PHOTOS, "pics/._IMG_0274.JPG"], "pics/._IMG_0007.JPG", ["UNMATCHED"]),
        (RUNS, "p/1365675500/build.txt", ["1365675500", "build"]),
        (FORECASTS, "nwp/icon_2025013018_t2m.grib", ["2025-01-30T18:00:00", "2025013018", "2025-01-30"]),
        ([f"q/n0{n * 91_371 + 10**6}/{n}.jpg" for n in range(20)], "q/n02123045/7.jpg", ["n02123045", 7]),
        ([f"q/com.a{n % 3}.b{n}/{n}.dmp" for n in range(20)], "q/com.shop.ios/7.dmp", ["com.shop.ios", 7]),
        ([f"s/{n:03} [{q}p].mkv" for n in range(20) for q in (720, 1080)], "s/021 [480p].mkv", [21, "480p"]),
    ],
    ids=[
        "a host with separators that the file repeats",
        "a checksum of a file with one of two packings",
        "an end that some names lack",
        "a name that lacks it",
        "words of one name",
        "another extension",
        "hidden files beside the data",
        "numbers of runs are no times",
        "a day with its hour",
        "a letter and the digits of a code",
        "a domain",
        "brackets",
    ],
)
def test_the_form_of_a_listing_says_what_its_parts_are(samples: list[str], path: str, values: list[Any]) -> None:
    assert values == taken(samples, path)


def test_the_number_of_a_file_below_an_hour_is_no_minute() -> None:
    paths = [f"t/hour={n % 24:02}/e+{n % 12}+{n * 40_081:010}.avro" for n in range(30)]
    assert {"hour": 5, "e": 3, "number": 77} == apply_rule(
        detect(paths)[0].rule, "t/hour=05/e+3+0000000077.avro"
    ).values


@pytest.mark.parametrize(
    ("wanted", "value"),
    [("10/05f5e100", "2a/00001234"), ("1005f5e100", "2a00001234")],
)
def test_a_labelled_value_can_be_joined_of_several_parts(wanted: str, value: str) -> None:
    examples = {OBJECTS[0]: {"kind": "blobs", "digest": wanted}}
    best = detect(OBJECTS, examples=examples)[0]
    assert value == apply_rule(best.rule, "reg/tags/2a/00001234/data").values["digest"]
    assert [] == differences(best.rule, "python", OBJECTS)


def test_later_lines_of_a_sorted_list_have_other_directories_above_dates() -> None:
    paths = [f"topics/{name}/year=2022/month={m:02}/{name}+{m}.avro" for name in ("orders", "users.v2") for m in (1, 2)]
    head = sorted(f"topics/orders/year=2022/month={n % 12 + 1:02}/orders+{n}.avro" for n in range(30))
    assert all(taken(head, path) != ["UNMATCHED"] for path in paths)


@pytest.mark.slow
@pytest.mark.parametrize("samples", [BACKUPS, FORECASTS, PHOTOS], ids=["backups", "forecasts", "photos"])
def test_times_within_times_and_listed_extensions_are_exported(samples: list[str]) -> None:
    assert [] == differences(detect(samples)[0].rule, "regex", samples)


@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (
            [f"e/n{n % 3}_202401{n % 27 + 1:02}T{n % 24:02}{n * 7 % 60:02}Z.log" for n in range(30)],
            "e/n1_20230405T0607Z.log",
            {"timestamp": "2023-04-05T06:07:00"},
        ),
        (
            [f"w/W-202401{n % 27 + 1:02}{n % 24:02}0102{n * 31:03}-x.gz" for n in range(30)],
            "w/W-20230405060708900-x.gz",
            {"timestamp": "2023-04-05T06:07:08.900"},
        ),
        (
            [f"l/{n % 5}.log" + (f".202401{n % 27 + 1:02}-{n % 24:02}0102.gz" if n % 3 else "") for n in range(30)],
            "l/2.log.20230405-060708.gz",
            {"name": "2023-04-05T06:07:08"},
        ),
        ([f"t/pep-{n * 7:04}.txt" for n in range(30)], "t/pep-0007.txt", {"pep": 7}),
        (
            [f"i/{('ab', 'cd')[n % 2]}_{n * 731 % 97}.{n * 37 % 100:02}_EUR.pdf" for n in range(30)],
            "i/ab_82.60_EUR.pdf",
            {"name_2": 82.6},
        ),
        (
            [f"b/db-{('prod', 'test')[n % 2]}-{n % 3:02}/{n}.sql" for n in range(30)],
            "b/db-prod-01/5.sql",
            {"b": "db-prod-01"},
        ),
    ],
    ids=["UTC", "milliseconds", "an end", "numbers", "amounts", "hosts"],
)
def test_values_have_the_types_that_their_form_shows(samples: list[str], path: str, values: dict[str, Any]) -> None:
    rule = detect(samples)[0].rule
    found = apply_rule(rule, path).values
    assert values == {name: found.get(name) for name in values}, found
    assert [] == differences(rule, "python", samples)


def test_a_labelled_value_can_continue_letters_that_all_paths_share() -> None:
    days = [f"2024{n % 12 + 1:02}{n % 28 + 1:02}" for n in range(30)]
    paths = [f"g/S1{'ABC'[n % 3]}_IW_7X{('DV', 'DH')[n % 2]}_{day}_{n:03X}F.zip" for n, day in enumerate(days)]
    rule = detect(paths, examples={paths[0]: {"mode": "DV", "satellite": "S1A"}})[0].rule
    assert {"mode": "DH", "satellite": "S1B"}.items() <= apply_rule(rule, paths[1]).values.items()


def test_words_joined_by_a_dash_are_no_keys_of_names_that_have_mostly_other_words() -> None:
    paths = [f"i/icon-eu_all_{('low', 'top')[n % 2]}-level_{n % 5}_{n * 7:03}_x.grb" for n in range(30)]
    assert "low" in apply_rule(detect(paths)[0].rule, "i/icon-eu_all_low-level_3_021_x.grb").values.values()


def test_a_directory_of_plain_words_is_not_taken_for_all_that_a_path_says() -> None:
    rows = [["g", f"a_{n % 3}_b{n % 5}", *["more"] * (n % 2), f"{n}.log"] for n in range(30)]
    assert by_a_directory(rows) is None


def test_words_and_numbers_that_the_first_lines_share_are_others_in_later_lines():
    rows = [(book, page) for book in (4057, 4058, 8201) for page in range(1, 41)]
    pages = [f"books/{book}/scans/{book}-page-{page:03}.tif" for book, page in rows]
    assert ["UNMATCHED"] != taken(sorted(pages)[:30], pages[-1])
    dumps = [f"dumps/{name}_2024-{day // 28 + 1:02}-{day % 28 + 1:02}.sql" for name in "ab" for day in range(60)]
    assert ["zoo", "2025-01-02"] == taken(sorted(dumps)[:30], "dumps/zoo_2025-01-02.sql")
    assert ["UNMATCHED"] == taken(sorted(dumps)[:30], "dumps/zoo_2025.sql")
    packed = sorted(f"{dump}.gz" for dump in dumps)[:30]
    assert ["zoo", "2025-01-02"] == taken(packed, "dumps/zoo_2025-01-02.sql.gz")
    assert ["UNMATCHED"] == taken(packed, "dumps/zoo_2025-01-02.log.gz")


def test_words_that_name_numbers_stay():
    epochs = [f"runs/r{run}/epoch_{number:03}.pt" for run in range(9) for number in range(30)]
    assert ["UNMATCHED"] == taken(sorted(epochs)[:30], "runs/r8/step_001.pt")


PLACES = ("web", "iot-eu", "data", "hr", "backups") * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        ([f"acme-{one}/{n * 7}.csv" for n, one in enumerate(PLACES)], "acme-mail/3.csv", ["acme-mail", 3]),
        ([f"in/{one}-prod/{n * 7}.csv" for n, one in enumerate(PLACES)], "in/mail-prod/3.csv", ["mail-prod", 3]),
        ([f"geo-json/geo-{one}/{n * 7}.csv" for n, one in enumerate(PLACES)], "geo-json/geo-sea/3.csv", ["sea", 3]),
        ([f"b/SQL0{n % 3 + 1}/SQL0{n % 3 + 1}_{n * 7}.csv" for n in range(20)], "b/SQL09/SQL09_3.csv", ["SQL09", 3]),
        (
            [
                f"f/{kind}/{n * 6}h-{kind}-{one}.grib"
                for n in range(8)
                for kind, one in (("oper", "fc"), ("enfo", "ef"))
            ],
            "f/wave/240h-wave-an.grib",
            ["wave", 240, "an"],
        ),
        (
            [f"r/lr0.{'0' * (n % 3)}1_bs{2 ** (n % 4)}_seed{n}/x.pt" for n in range(20)],
            "r/lr0.05_bs64_seed3/x.pt",
            [0.05, 64, 3],
        ),
        (
            [f"hub/2024/0{n % 9 + 1}/1{n % 9}/{n:02}/{n * 3 % 60:02}/{n * 7 % 60:02}.avro" for n in range(20)],
            "hub/2024/05/06/18/00/34.avro",
            [2024, 5, 6, 18, 0, 34, "2024-05-06", "2024-05-06T18:00:34"],
        ),
        (
            [f"l/{one}/{one}{('', '-error')[n % 3 == 0]}.2024-05-{n + 1:02}.log" for n, one in enumerate(PLACES)],
            "l/mail-in/mail-in-error.2024-07-01.log",
            ["mail-in", "error", "2024-07-01"],
        ),
        ([f"db/{one}_{n}.bak" for n, one in enumerate(PLACES)], "db/mail_77.bak", ["mail", 77]),
    ],
    ids=["a prefix", "a suffix", "a prefix of all", "a server", "a unit", "parameters", "a time", "a level", "backups"],
)
def test_directories_and_names_hold_the_values_that_a_reader_sees(
    samples: list[str], path: str, values: list[Any]
) -> None:
    assert values == taken(samples, path)
    best = detect(samples)[0]
    assert [] == differences(best.rule, "python", samples)
    assert any(one.open or one.key == "join:timestamp" for one in best.assumptions)


BALANCERS = [
    f"lb/app.{name}.{n % 4 + 1:x}{'ab0' * 5}/{n * 7}.log" for n, name in enumerate(("web", "api", "db", "q") * 5)
]


@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        ([f"v/{n}/fl-{n * 7919 + 10**6:017x}_{n * 3}.log" for n in range(20)], "v/3/fl-00000000000abcdef_8.log",
         [3, "fl-00000000000abcdef", 8]),
        (BALANCERS, "lb/app.new.9ab0ab0ab0ab0ab0/3.log", ["new", "9ab0ab0ab0ab0ab0", 3]),
        ([f"lake/heat/day={day}/heat_{day % 3:04}.csv" for day in range(20)], "lake/heat/day=3/heat_0002.csv",
         [3, "0002", 2]),
        ([f"sky/{a}_{b}/{n}.tif" for n in range(4) for a, b in (("oslo", "port"), ("nice", "field"), ("rome", "bay"))],
         "sky/lima_hill/9.tif", ["lima_hill", 9]),
        ([f"m/{n:02} - {a} {b}.mp3" for n, (a, b) in enumerate([("Slow", "Train"), ("Old", "Road")] * 10)],
         "m/33 - New Day Song.mp3", [33, "New Day Song"]),
    ],
    ids=["a resource", "a hash after a name", "a data set's name", "names of two words", "titles"],
)  # fmt: skip
def test_what_belongs_together_is_one_value(samples: list[str], path: str, values: list[Any]) -> None:
    assert values == taken(samples, path)
    assert [] == differences(detect(samples)[0].rule, "python", samples)
