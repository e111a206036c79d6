"""Values whose form says what they are, and well-known names."""

from __future__ import annotations

import random
from typing import Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.codes import COUNTRIES, COUNTRIES_OF_THREE, LANGUAGES
from retouch.recipes.rule.detecting.known import KNOWN_NAMES, NamedPart, known_name_of

DAYS = [f"2024-{month:02}-{day:02}" for month in (1, 3, 7, 12) for day in (2, 9, 14, 23, 28)]


def best(*paths: str, **examples: Any) -> RuleCandidate:
    return detect(random.Random(1).sample(paths, len(paths)), **examples)[0]


def values(found: RuleCandidate, path: str) -> dict[str, Any]:
    result = apply_rule(found.rule, path)
    assert "COMPLETE" == result.status, (found.rule, result.reasons)
    return dict(result.values)


def open_keys(found: RuleCandidate) -> set[str]:
    return {one.key for one in found.assumptions if one.open}


FORMS = {
    "epoch": ([f"{1_700_000_000 + n * 91_234}" for n in range(20)], "1720000000", "2024-07-03T09:46:40Z"),
    "epoch_ms": ([f"{17_000_000_001 + n * 912_340}23" for n in range(20)], "1720000000000", "2024-07-03T09:46:40Z"),
    "country": (["DE", "FR", "US", "JP"] * 5, "BR", "BR"),
    "country of three letters": (["DEU", "FRA", "USA", "JPN"] * 5, "BRA", "BRA"),
    "locale": (["pt_BR", "de", "zh-Hans", "en_GB"] * 5, "fr_CA", "fr_CA"),
    "week": ([f"2024-W{n + 10}" for n in range(20)], "2025-W01", "2025-W01"),
    "ordinal": ([f"2024{n * 17 + 1:03}" for n in range(20)], "2023365", 365),
    "version": ([f"{n % 3}.{n}.{n * 3}" for n in range(20)], "12.0.45", "12.0.45"),
    "sha1": ([f"{random.Random(n).getrandbits(160):040x}" for n in range(20)], "0a" * 20, "0a" * 20),
    "sha512": ([f"{random.Random(n).getrandbits(512):0128X}" for n in range(20)], "0A" * 64, "0A" * 64),
    "uuid": (
        [f"{n:08x}-1234-4abc-8def-{n * 7919:012x}" for n in range(20)],
        "0000002a-1234-4ABC-8def-00000000002a",
        "0000002a-1234-4abc-8def-00000000002a",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_found_by_its_form_between_others(form: str):
    texts, text, wanted = FORMS[form]
    found = best(*(f"lake/{day}/site_{one}_v{n % 4}.csv" for n, (day, one) in enumerate(zip(DAYS, texts, strict=True))))
    taken = values(found, f"lake/2025-01-31/site_{text}_v9.csv")
    assert wanted in taken.values()
    assert "2025-01-31" in taken.values()


def test_a_time_since_1970_is_asked_about_unless_the_path_names_it():
    numbers = FORMS["epoch"][0]
    assert "date:timestamp" in open_keys(best(*(f"in/{number}.json" for number in numbers)))
    assert "date:ts" not in open_keys(best(*(f"in/ts={number}/x.json" for number in numbers)))
    example = {f"in/{numbers[0]}.json": {"order": int(numbers[0])}}
    told = best(*(f"in/{number}.json" for number in numbers), examples=example)
    assert {"order": 1_720_000_000} == values(told, "in/1720000000.json")


def test_numbers_that_are_no_times_stay_numbers_or_text():
    found = best(*(f"in/{2_700_000_000 + n * 7}.json" for n in range(20)))
    assert ["string"] == [column.type for column in found.columns]


def test_two_letters_are_countries_only_if_all_are_and_not_all_are_languages():
    def named(*codes: str) -> RuleCandidate:
        return best(*(f"{day}/{code}.csv" for day, code in zip(DAYS, codes * 5, strict=True)))

    assert "country" == named("de", "us", "au", "be").columns[-1].name
    both = named("de", "fr", "it", "es")
    assert ("language", True) == (both.columns[-1].name, "codes:language" in open_keys(both))
    assert "country" != named("qq", "us", "au", "be").columns[-1].name


def test_a_few_codes_may_be_no_countries_although_all_are_such_codes():
    teams = best(*(f"{day}/{team}.csv" for day, team in zip(DAYS, ("IT", "HR", "PR", "ML") * 5, strict=True)))
    assert "codes:country" in open_keys(teams)
    many = ("DE", "FR", "US", "JP", "BR", "IN", "ZA", "NO", "PL", "CL") * 2
    assert "codes:country" not in open_keys(best(*(f"{day}/{one}.csv" for day, one in zip(DAYS, many, strict=True))))


def test_the_lists_of_codes_are_whole():
    assert (249, 249, 184) == (len(COUNTRIES), len(COUNTRIES_OF_THREE), len(LANGUAGES))


SCENES = [
    f"LC0{8 + n % 2}_L2SP_{n * 9 + 1:03}{n * 5 + 20:03}_202401{n + 1:02}_202402{n + 1:02}_02_T1" for n in range(20)
]
PRODUCT = "S2A_MSIL1C_20210908T042701_N0301_R133_T46RER_20210908T070248"


def test_a_well_known_name_gives_its_parts_and_says_so():
    found = best(*(f"scenes/{scene}_SR_B{n % 7 + 1}.TIF" for n, scene in enumerate(SCENES)))
    taken = values(found, "scenes/LE07_L1TP_047027_20200131_20200222_02_T2_ST_B6.TIF")
    wanted = {
        "sensor": "E",
        "satellite": "07",
        "path": 47,
        "row": 27,
        "acquired": "2020-01-31",
        "tier": "T2",
        "band": "ST_B6",
    }
    assert wanted == {name: taken[name] for name in wanted}
    stated = {one.key: one for one in found.assumptions}
    assert not stated["known:landsat_collection_2_products"].open
    assert "https://" in stated["known:landsat_collection_2_products"].question
    assert not {key for key in open_keys(found) if key.startswith(("zeros", "whole", "apart"))}


def test_a_part_that_the_published_form_has_may_be_missing_in_the_samples():
    found = best(*(f"scenes/{scene}.tar" for scene in SCENES))
    assert "047" != values(found, "scenes/LC08_L2SP_047027_20200131_20200222_02_T1.tar")["path"]


def test_a_well_known_name_is_not_used_if_one_sample_differs():
    same = tuple(SCENES)
    assert known_name_of(same) is not None
    assert known_name_of((*same, f"{SCENES[0]}_x y")) is None
    found = best(*(f"scenes/{scene}.tar" for scene in SCENES), *(f"scenes/copy {scene}.tar" for scene in SCENES))
    assert not any(one.kind == "known" for one in found.assumptions)


def test_a_directory_with_a_well_known_name_is_read_at_any_depth():
    files = ("manifest.safe", "GRANULE/a/MTD_TL.xml", "DATASTRIP/b/c/MTD_DS.xml", "MTD.xml")
    paths = [f"{PRODUCT.replace('_R133', f'_R{n:03}')}.SAFE/{files[n % 4]}" for n in range(20)]
    taken = values(best(*paths), f"{PRODUCT}.SAFE/x/y.xml")
    assert {"orbit": 133, "sensed": "2021-09-08", "tile": "46RER"}.items() <= taken.items()


PUBLISHED = (  # the examples of the sources, in the order of the forms
    ("S2A_MSIL1C_20170105T013442_N0204_R031_T53NMJ_20170105T013443.SAFE",),
    ("LC08_L1GT_029030_20151209_20160131_01_RT", "LM01_L1GS_017039_19760131_20160225_01_T2"),
    ("OR_ABI-L1b-RadC-M3C13_G16_s20170590337505_e20170590340289_c20170590340316",),
    ("MCD43B4.A2000185.h25v03.005.2006299173851", "MOD11A2.A2002241.h12v02.005.2007222102136"),
    ("111122223333_CloudTrail_us-east-2_20150801T0210Z_Mu0KsOhtH1ar15ZZ",),
)


def test_the_examples_of_the_published_sources_have_their_form():
    assert KNOWN_NAMES == tuple(known_name_of(names) for names in PUBLISHED)


def test_there_are_at_most_five_well_known_names_with_a_source_each():
    assert 1 <= len(KNOWN_NAMES) <= 5
    for known in KNOWN_NAMES:
        assert known.source.startswith("https://")
        names = [part.name for part in known.parts if isinstance(part, NamedPart)]
        assert len(names) == len(set(names))


def test_padded_numbers_and_years_keep_their_width():
    paths = [f"{2001 + n}/site{n * 397:05}_x.csv" for n in range(20)]
    globs = best(*paths).rule.glob.text
    assert "[0-9][0-9][0-9][0-9]/" in globs
    assert "UNMATCHED" == apply_rule(best(*paths).rule, "20/site00001_x.csv").status


def test_a_version_in_a_file_name_is_one_value_and_others_may_have_more_numbers():
    paths = [f"v0.{80 + n}.{n % 5}/tool_{'' if n % 3 else 'extra_'}0.{80 + n}.{n % 5}_linux.zip" for n in range(20)]
    found = values(best(*paths), "v0.99.10.1/tool_0.99.10.1_linux.zip")
    assert "0.99.10.1" in found.values()


def test_every_key_of_a_file_name_is_a_field_if_all_samples_have_it():
    paths = [f"runs/epoch={n:02}-val_loss={n * 0.137:.4f},lr=0.{n % 3}.ckpt" for n in range(1, 21)]
    found = values(best(*paths), "runs/epoch=08-val_loss=1.4892,lr=0.1.ckpt")
    assert {"epoch": 8, "val_loss": 1.4892, "lr": "0.1"} == found


def test_files_without_the_token_that_others_have_are_of_another_shape():
    draw = random.Random(7)
    ids = [f"{draw.getrandbits(32):08x}-53a7-4383-a04e-{draw.getrandbits(48):012x}" for _ in range(28)]
    paths = [
        f"{kind}/2024/07/{n + 1:02}/{n % 24:02}/{kind}-stream-{n % 2 + 1}-2024-07-{n + 1:02}-{n % 24:02}-11-12-{one}"
        for n, one in enumerate(ids)
        for kind in (("clicks", "views")[n % 2],)
    ]
    failed = "errors/2024/07/03/01/failed-2024-07-03-01-02-03"
    found = best(*paths, failed)
    assert ids[4] in values(found, paths[4]).values()
    assert (f"/{failed}",) == found.left


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("out/{day}/run_{day}_{n:03}.csv", "007"),
        ("out/{day}/{n:06}_0.orc", "000007"),
        ("sites/{n:05}/{day}.csv", "00007"),
        ("out/{day}/epoch_{n:03}.pt", 7),
        ("out/{day}/{n:04}-{word}.md", 7),
        ("out/topic+{day}+{n:010}.avro", 7),
        ("out/AB-2024-{n:04}.md", 7),
        ("tiles/{n:03}/{day}.csv", 7),
    ],
)
def test_padded_numbers_that_nothing_names_are_codes(form: str, wanted: str | int):
    words = ("begin", "add-users", "drop-it", "index") * 5
    found = best(*(form.format(day=day, n=n * n, word=words[n]) for n, day in enumerate(DAYS)))
    taken = values(found, form.format(day=DAYS[0], n=7, word="rename"))
    assert wanted in taken.values()
    assert any(key.startswith("zeros:") for key in open_keys(found))


@pytest.mark.parametrize(
    ("number", "label"), [("1700091234", "2023-11-15T23:33:54"), ("1700091234250", "2023-11-15T23:33:54.250")]
)
def test_an_example_decides_whether_numbers_since_1970_have_a_zone(number: str, label: str) -> None:
    step = 10 ** (len(number) - 5)
    paths = [f"in/{int(number) + step * count}.json" for count in range(20)]
    assert {"at": label} == values(best(*paths, examples={paths[0]: {"at": label}}), paths[0])
