"""Names of hosts and packages, sizes at the end of names, and files beside media, read without a label."""

from __future__ import annotations

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

SITES = ("www.acme.org", "shop.acme.com", "static-01.blog.acme.co.uk", "localhost")
APPS = ("com.acme.todo.pro", "org.ledger.wallet_lite", "de.nord.fahrplan", "com.tiles.game2048")
PLATFORMS = ("x86_64", "aarch64", "armv7")
LOGS = [f"log/{SITES[n % 4]}-{('access', 'error')[n // 4 % 2]}.log-202401{n % 28 + 1:02}.gz" for n in range(30)]
REPORTS = [
    f"r/installs_{APPS[n % 4]}_2023{n % 12 + 1:02}_{('country', 'os_version', 'device')[n % 3]}.csv" for n in range(30)
]
CLASSES = [f"t/TEST-com.acme.{'abc'[n % 3]}.v{n % 2}.Part{n * 7}IT.xml" for n in range(30)]
THUMBS = [
    f"t/{('faq', 'team-photo-2', 'x-ray')[n % 3]}-{n % 7 * 100 + 100}x{n % 5 * 90 + 90}.{('jpg', 'webp', 'png')[n % 3]}"
    for n in range(30)
]
NAMES = ("musl", "py3-numpy", "lib-x")
RELEASES = [
    f"a/{PLATFORMS[n % 3]}/{NAMES[n % 3]}-{n % 4}.{n * 7 % 20}.{n % 5}{('', '_p7')[n % 2]}-r{n % 13}.apk"
    for n in range(30)
]
INVOICES = [f"i/{('INV', 'CN')[n % 2]}-{n * 7 + 31:05}_{('Acme', 'Zoe Ltd')[n // 2 % 2]}.pdf" for n in range(30)]
SCENES = [
    f"{one}/OR_{one}-C{n % 16 + 1:02}_s{n * 104729}.nc"
    for n in range(30)
    for one in (f"AB-{('L1b', 'Lx')[n % 2]}-{'XYZ'[n % 3]}q",)
]
RECORDED = [f"w/ab{'xyz'[n % 3]}_2022{n % 12 + 1:02}{n % 28 + 1:02}_{n % 24:02}3000.wav" for n in range(30)]
EPISODES = [f"s/Show {'abc'[n % 3]} - s0{n % 3}e{n:02} - Part {n}.{('mkv', 'mp4')[n % 2]}" for n in range(28)]


@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (LOGS, "log/new-site.acme.io-error.log-20240203.gz", ["new-site.acme.io", "error", "2024-02-03", "20240203"]),
        (
            REPORTS,
            "r/installs_com.acme.todo_202305_app_version.csv",
            ["com.acme.todo", "202305", "2023-05", "app_version"],
        ),
        (CLASSES, "t/TEST-com.acme.web.ClientTest$Slow.xml", ["com.acme.web.ClientTest$Slow"]),
        (THUMBS, "t/our-new-map-4x4-1024x576.gif", ["our-new-map-4x4", 1024, 576, "gif"]),
        (RELEASES, "a/x86_64/curl-doc-8.1.3-r12.apk", ["x86_64", "curl-doc", "8.1.3", 12]),
        (INVOICES, "i/INV-00407_Acme.pdf", ["INV", "00407", 407, "Acme"]),
        (SCENES, "AB-Lx-Zq/OR_AB-Lx-Zq-C07_s55.nc", ["AB-Lx-Zq", 7, 55]),
        (
            RECORDED,
            "w/abz_20220502_053000.wav",
            ["abz", "2022-05-02T05:30:00", "20220502_053000", "2022-05-02", "20220502", "053000"],
        ),
    ],
    ids=["hosts", "packages", "classes", "sizes", "releases", "counters", "repeated directories", "recorders"],
)
def test_names_are_read_as_their_schemes_write_them(samples: list[str], path: str, values: list[object]):
    assert values == [*apply_rule(detect(samples)[0].rule, path).values.values()]


def test_names_of_languages_and_of_programs_are_no_hosts():
    paths = [f"a/{('menu', 'shop', 'core')[n % 3]}.{('de', 'fr', 'it', 'es')[n % 4]}.json" for n in range(30)]
    assert ["shop", "nl"] == [*apply_rule(detect(paths)[0].rule, "a/shop.nl.json").values.values()]


def test_subtitles_and_descriptions_beside_films_are_no_data():
    found = detect([*EPISODES, "s/Show a - s00e03 - Part 3.en.srt", "s/Show b - s01e04 - Part 4.nfo"])[0]
    assert 2 == len(found.noise)
    assert "UNMATCHED" == apply_rule(found.rule, "s/Show a - s00e06 - Part 6.de.srt").status


def test_a_log_that_still_grows_is_left_out_beside_dated_ones():
    found = detect([*LOGS, "log/www.acme.org-access.log"])[0]
    assert ("/log/www.acme.org-access.log",) == found.left


def test_a_label_of_padded_digits_says_whether_they_are_text_or_a_number():
    for wanted in (31, "00031"):
        found = detect(INVOICES, examples={INVOICES[0]: {"no": wanted}})[0]
        values = apply_rule(found.rule, INVOICES[0]).values
        assert wanted == values["no"]
        assert "as_number" not in values
