"""Values of later lines that the first lines of a sorted list do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("access", "error")
SITES = [
    f"/srv/logs/edge1/nginx/cdn.example.net.{kind}.log-2023-12-{day:02}.gz" for kind in KINDS for day in range(9, 23)
]
VHOSTS = [
    f"/srv/logs/edge1/nginx/{site}-{kind}.log-202312{day:02}.gz"
    for site in ("api.example.org", "my-shop.example.de")
    for kind in KINDS
    for day in range(10, 17)
]
JOBS = [f"/scratch/ann/jobs/eval-{4798293 + n * 1171}_{n % 8 + 1}.{end}" for n in range(14) for end in ("err", "out")]
SONGS = [
    f"Music/{band}/{year} - {album}/{n:02} - {song}.mp3"
    for band, year, album in (("Blue Kites", 2001, "Low-Fi"), ("DJ Oslo", 2016, "Night, Vol. 2"))
    for n, song in enumerate(("Don't Go", "Blue Stone (Live)", "Golden Summer", "Slow River", "Sky - Reprise") * 3, 1)
]
LOTS = [
    f"sounds/lot03/MARSH-{'AB'[n // 14]}/Data/MARSH-{'AB'[n // 14]}_202204{n % 14 + 10}_0500.wav" for n in range(28)
]
SNAPSHOTS = [f"/tank/home/.zfs/snapshot/autosnap_2024-02-{n:02}_0{n % 9}:00:01_hourly" for n in range(1, 29)]
SHARDS = [
    f"ci/web/{8121 + n // 9}/junit/shard-{n % 9 + 1}-of-12/TEST-com.acme.web.db.Case{n}Test.xml" for n in range(28)
]
BACKUPS = [f"/b/db/daily/crm/daily_crm_2022-12-{n:02}_0{n % 2 + 3}h01m_Monday.sql.gz" for n in range(1, 31)]
WHEELS = [f"simple/acme-{one}/acme_{one}-1.{n}.0-py3-none-any.whl" for one in ("core", "web") for n in range(9)]
MATCHES = [f"atp_matches_{year}.csv" for year in range(1968, 1996)]


@pytest.mark.parametrize(
    ("lines", "later", "wanted"),
    [
        (SITES, "/srv/logs/web02/nginx/a.b.example.org.error.log-2024-01-08.gz", {"a.b.example.org", "error"}),
        (VHOSTS, "/srv/logs/gate/nginx/api.example.com-error.log-20231225.gz", {"gate", "api.example.com", "error"}),
        (JOBS, "/scratch/bo/jobs/vasp-relax_2-4843098_10.err", {"bo", "vasp-relax_2", 4843098, 10, "err"}),
        (
            SONGS,
            "Music/Lyon/1988 - Symphony No. 5/04 - Dancer.mp3",
            {"Lyon", 1988, "Symphony No. 5", "Dancer"},
        ),
        (LOTS, "sounds/lot12/creek/Data/creek_20230420_0530.wav", {12, "creek"}),
        (SNAPSHOTS, "/rpool/var_lib/.zfs/snapshot/autosnap_2023-06-01_00:00:08_yearly", {"rpool", "var_lib", "yearly"}),
        (
            SHARDS,
            "ci/api-v2/77/junit/shard-2-of-4/TEST-io.find.search.MapIT.xml",
            {"api-v2", 2, 4, "io.find.search.MapIT"},
        ),
        (
            BACKUPS,
            "/b/db/weekly/my_shop/weekly_my_shop_2023-01-09_13h58m_49.sql.gz",
            {"my_shop", 58, "2023-01-09", "49"},
        ),
        (WHEELS, "simple/numpy/numpy-2.0.1-py3-none-any.whl", {"numpy", "2.0.1"}),
        (MATCHES, "atp_matches_doubles_2012.csv", {2012}),
    ],
    ids="a site,a host,a job,a title,a lot,a pool,a shard,a database,a package,a year".split(","),  # noqa: SIM905
)
def test_a_later_line_of_other_words_is_read(lines: list[str], later: str, wanted: set[object]) -> None:
    assert wanted <= {*values_of(lines, later).values()}


def values_of(lines: list[str], path: str) -> Mapping[str, object]:
    return apply_rule(detect(sorted(lines))[0].rule, path).values


def test_a_code_that_all_first_lines_share_is_one_value() -> None:
    lines = [f"/data/fleet/TRK-0012/2023/TRK-0012_{n}.csv" for n in range(110, 140)]
    assert "VAN-7" in values_of(lines, "/data/fleet/VAN-7/2023/VAN-7_112.csv").values()


def test_a_prefix_is_not_cut_from_names_of_one_word_or_two() -> None:
    lines = [
        f"/backups/{host}/pg_{one}_2023-01-{n:02}.dump"
        for host in ("a", "b")
        for one in ("bills", "shop_prod")
        for n in range(1, 8)
    ]
    assert "shop_prod" in values_of(lines, "/backups/a/pg_shop_prod_2023-01-01.dump").values()


def test_files_of_another_form_do_not_widen_the_rule_of_the_first_lines() -> None:
    lines = [
        f"out/{4170 + n // 6}/app/apk/{('demo', 'free')[n // 3 % 2]}/{name}"
        for n in range(27)
        for name in [f"app-{('demo', 'free')[n // 3 % 2]}-{('x86', 'x86_64', 'arm64-v8a')[n % 3]}-debug.apk"]
    ]
    found = detect(sorted([*lines, "out/4170/app/apk/demo/output-metadata.json"]))[0]
    other = apply_rule(found.rule, "out/4200/wear/apk/demo/output-metadata.json")
    assert "UNMATCHED" == other.status
    assert (
        "armeabi-v7a" in apply_rule(found.rule, "out/4200/wear/apk/pro/wear-pro-armeabi-v7a-debug.apk").values.values()
    )


def test_films_beside_the_pictures_of_a_phone_are_taken_and_asked_about() -> None:
    lines = [f"Phone/Media/IMG-202301{n:02}-WA{n % 3:04}.jpg" for n in range(1, 29)]
    found = detect(lines)[0]
    assert "mp4" in apply_rule(found.rule, "Phone/Media/VID-20230214-WA0000.mp4").values.values()
    assert any("'.jpg'" in one.question for one in found.assumptions if one.key == "endings" and one.open)


def test_a_list_goes_on_where_its_last_lines_are() -> None:
    guides = [f"docs/_docs/{one}/{two}.md" for one in ("ab", "cd", "ef", "gh") for two in ("bug", "go", "top")]
    posts = [f"docs/_posts/2013-{n:02}-1{n % 9}-tool-{n}-released.markdown" for n in range(1, 12)]
    found = detect([*guides, *posts])[0]
    values = apply_rule(found.rule, "docs/_posts/2018-09-19-security-fixes.md").values
    assert all(text in values.values() for text in ("2018-09-19", "security-fixes", "md"))
    assert "UNMATCHED" == apply_rule(found.rule, guides[0]).status
