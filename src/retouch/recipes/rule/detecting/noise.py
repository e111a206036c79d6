"""Files that listings hold besides the data: markers, checksums, indexes, and the files of tools."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.endings import MEDIA, PACKINGS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_NAMES = re.compile(
    r"_SUCCESS|_FAILURE|_COMMITTED_.*|_STARTED_.*|_metadata|_common_metadata|_delta_log|"
    r"\.?DS_Store|Thumbs\.db|desktop\.ini|\.git(?:ignore|keep|attributes)|\.keep|\.editorconfig|"
    r"(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|COPYING|NOTICE|AUTHORS|MANIFEST)(?:\.[a-z]{1,8})?|"
    r"(?:index|robots)\.(?:html?|txt|json|xml)|ls-lR.*|MD5SUMS|SHA(?:1|256|512)SUMS"
)
_ENDINGS = re.compile(
    r"(?i)\.(?:crc|md5|sha1|sha256|sha512|md5sum|checksum|sig|asc|tmp|temp|part|partial|crdownload|swp|swo|lock|xmp|aae|"
    r"done|ok|ready|trg|flag|complete)|~"
)
_COPY = re.compile(r"(?i).+\.[a-z][a-z0-9]{0,4}\.bak")  # of a file with its extension; others are backups of databases
_HIDDEN = re.compile(r"\.(?:_.+|lock|.+\.(?:crc|swp|tmp))|#.*#|~\$.*")


def noise_kind(name: str) -> str:
    """Return the kind of noise that a file of this name is by convention, or "": "marker", "companion" or "hidden".

    A companion belongs to another file: a checksum, a signature, an unfinished download, a copy of an editor.
    """
    if _NAMES.fullmatch(name):
        return "marker"
    if _HIDDEN.fullmatch(name):
        return "hidden"
    at = name.rfind(".")
    ending = name[at:] if at > 0 else name[-1:]
    return "companion" if _ENDINGS.fullmatch(ending) or _COPY.fullmatch(name) else ""


COMPANION = "likely companion"  # the kind of noise that is only likely
_OF_MEDIA = frozenset({"srt", "sub", "ass", "ssa", "vtt", "nfo", "cue", "m3u", "m3u8", "lrc"})
_DOCUMENTS = re.compile(r"(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|NOTICE|MANIFEST)(?:\.[a-z]{1,8})?")
_MANY = 0.2  # the share of the samples; a document that so many directories have is a part of the layout
_DIGITS = re.compile("[0-9]+")
_USUAL = 0.75  # the share of the files whose names all have one form
_FEW = 0.2
_LEAST_ALIKE = 2
_FURTHER = re.compile(r"(.+/[^/]+\.[^/.]+)\.([A-Za-z][0-9A-Za-z]{1,7})", re.DOTALL)
_LETTERS = re.compile("[A-Za-z]+")
_UNFINISHED = re.compile(r"/(?:[+._](?:tmp|temporary)|\.hive-staging_[^/]*)/")  # a plain `tmp` may hold data
_MANY_OTHERS = 12  # files; of fewer, a word may be one of their names
_NEARLY_ALL = 0.9  # the share of the others
_ONE_WORD = re.compile(r"[A-Za-z]+(?:\.[A-Za-z][0-9A-Za-z]{1,7}){0,2}")
_ONLY_WORDS = re.compile(r"[A-Za-z]+(?:[-_ ][A-Za-z]+)*\.[A-Za-z][0-9A-Za-z]{1,7}")
_SEPARATED = re.compile("[0-9A-Za-z][-_. ]+[0-9A-Za-z]")


def _named_like_directories(places: Sequence[str]) -> list[str]:
    """Return the few files that have the name of their directory, and are longer than the numbers of nearly all others:
    `190312/190312.xml` beside `190312/0001.tif` says what is there.
    """
    parts = {place: place.split("/")[-2:] for place in places}
    stems = {place: part[-1].partition(".")[0] for place, part in parts.items()}
    found = [place for place, part in parts.items() if len(part) > 1 and stems[place] == part[0]]
    others = Counter(len(stem) for place, stem in stems.items() if place not in found and _DIGITS.fullmatch(stem))
    width, count = others.most_common(1)[0] if others else (0, 0)
    few = len(found) <= _FEW * len(places) and count >= _USUAL * len(places)
    return [place for place in found if len(stems[place]) > width] if few else []


def _companions(places: Sequence[str], but: Container[str]) -> list[str]:
    """Return the few files that are called like others, with a further extension: `t06.f012.idx` beside `t00.f003`.

    The extension is not that of a file in `but`, and not a packing, and all files that have it are such.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for place in places:
        if (hit := _FURTHER.fullmatch(place)) is not None:
            found[hit[2]].append(hit[1])
    done: list[str] = []
    for ending, stems in found.items():
        whole = [f"{stem}.{ending}" for stem in stems]
        others = Counter(map(_form, {*places} - {*whole}))
        alike = all(others[_form(stem)] >= _LEAST_ALIKE for stem in stems)
        if (
            alike
            and len(stems) <= _FEW * len(places)
            and ending not in PACKINGS
            and not any(one in but for one in whole)
        ):
            done += whole
    return done


def _beside_media(places: Sequence[str], but: Container[str]) -> list[str]:
    """Return the subtitles, descriptions and lists of tracks beside films or music, if these are most files."""
    endings = {place: place.rpartition(".")[2].lower() for place in places}
    found = [place for place in places if endings[place] in _OF_MEDIA and place not in but]
    media = sum(endings[place] in family for family in MEDIA[1:] for place in places)
    return found if media * 2 > len(places) else []


def _form(place: str) -> str:
    """Return a path with one letter for each word and each number, but for the letters of its extension."""
    stem, point, ending = place.rpartition(".")
    return f"{_DIGITS.sub('n', _LETTERS.sub('a', stem))}{point}{_DIGITS.sub('n', ending)}"


def _sidecars(places: Sequence[str], but: Container[str]) -> list[str]:
    """Return the few files whose names are words without the digits that all others have, or one word without their
    separators, and whose extensions no other has, as `album.nfo` beside `05 - Silent Road.mp3`.

    Several words are the same name in several directories.
    """
    names = {place: place.rpartition("/")[2] for place in places}
    counts = Counter(names.values())
    alone = {name for name in counts if _ONE_WORD.fullmatch(name)}
    again = {name for name, count in counts.items() if count > 1 and _ONLY_WORDS.fullmatch(name)}
    words = [place for place, name in names.items() if name in alone | again and place not in but]
    rest = [names[place].lower() for place in places if place not in words]
    found = [place for place in words if not any(_own(names[place]) in name for name in rest)]
    others = [names[place].rpartition(".")[0] or names[place] for place in places if place not in found]
    separated = _nearly_all(_SEPARATED, others) and all(names[place] in alone for place in found)
    alike = separated or _nearly_all(_DIGITS, others)
    return found if alike and len(others) >= _MANY_OTHERS and len(found) <= _FEW * len(places) else []


def _nearly_all(form: re.Pattern[str], names: Sequence[str]) -> bool:
    return sum(form.search(name) is not None for name in names) >= _NEARLY_ALL * len(names)


def _own(name: str) -> str:
    """Return the extension of a name with its point, or the name if it has none. `access.log-1` has that of a log."""
    _, point, ending = name.lower().rpartition(".")
    return f"{point}{ending}"


def noise_among(places: Sequence[str], *, but: Container[str] = ()) -> dict[str, str]:
    """Return the paths that are no data by their names, with the kind of noise; none if most are.

    Files that are unfinished are in a directory that programs write to before they move them to their place.
    """
    kinds = {place: noise_kind(place.replace("\\", "/").rpartition("/")[2]) for place in places if place not in but}
    documents = Counter(name for place in places if _DOCUMENTS.fullmatch(name := place.rpartition("/")[2]))
    usual = {name for name, count in documents.items() if count >= _MANY * len(places)}
    noise = {place: kind for place, kind in kinds.items() if kind and place.rpartition("/")[2] not in usual}
    rest = [place for place in places if place not in noise]
    noise |= {place: "unfinished" for place in rest if _UNFINISHED.search(place) and place not in but}
    noise |= {place: "index" for place in _named_like_directories(rest) if place not in but}
    noise |= dict.fromkeys((*_companions(rest, but), *_sidecars(rest, but), *_beside_media(rest, but)), COMPANION)
    return noise if len(noise) * 2 <= len(places) else {}
