"""Well-known names of directories and files, as data. One is used only if every sample has it.

At most five: these names have parts that only an expert can tell apart, such as fields of fixed width without a
separator. Everything else is inferred.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.language.values import FieldType


@dataclass(frozen=True, kw_only=True)
class NamedPart:
    """A value of a well-known name. If it is `optional`, it can be missing together with the text `lead` before it."""

    name: str
    form: str
    type: FieldType = "string"
    format: str | None = None
    optional: bool = False
    lead: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownName:
    """A published form of names of directories, or of files without their extensions. `source` describes it."""

    title: str
    source: str
    parts: tuple[str | NamedPart, ...]


_DAY: Final = "[0-9]{8}"
_STAMP: Final = "[0-9]{8}T[0-9]{6}"
_TENTHS: Final = "[0-9]{14}"

KNOWN_NAMES: Final = (
    KnownName(
        title="Sentinel-2 products",
        source="https://sentiwiki.copernicus.eu/web/s2-products",
        parts=(
            NamedPart(name="mission", form="S2[A-D]"),
            "_MSI",
            NamedPart(name="level", form="L[12][ABC]"),
            "_",
            NamedPart(name="sensed", form=_DAY, type="date"),
            "T",
            NamedPart(name="time", form="[0-9]{6}"),
            "_N",
            NamedPart(name="baseline", form="[0-9]{4}"),
            "_R",
            NamedPart(name="orbit", form="[0-9]{3}", type="integer"),
            "_T",
            NamedPart(name="tile", form="[0-9]{2}[A-Z]{3}"),
            "_",
            NamedPart(name="discriminator", form=_STAMP),
            NamedPart(name="ending", form="SAFE|zip", optional=True, lead="."),
        ),
    ),
    KnownName(
        title="Landsat Collection 2 products",
        source="https://www.usgs.gov/faqs/what-naming-convention-landsat-collections-level-1-scenes",
        parts=(
            "L",
            NamedPart(name="sensor", form="[COTEM]"),
            NamedPart(name="satellite", form="0[1-9]"),
            "_",
            NamedPart(name="level", form="L[12][A-Z0-9]{2}"),
            "_",
            NamedPart(name="path", form="[0-9]{3}", type="integer"),
            NamedPart(name="row", form="[0-9]{3}", type="integer"),
            "_",
            NamedPart(name="acquired", form=_DAY, type="date"),
            "_",
            NamedPart(name="processed", form=_DAY, type="date"),
            "_",
            NamedPart(name="collection", form="[0-9]{2}"),
            "_",
            NamedPart(name="tier", form="RT|T[12]"),
            NamedPart(name="band", form="[A-Za-z0-9_]+", optional=True, lead="_"),
        ),
    ),
    KnownName(
        title="GOES-R ABI files",
        source="https://www.goes-r.gov/products/docs/PUG-L2+-vol5.pdf",
        parts=(
            "OR_ABI-",
            NamedPart(name="level", form="L[0-9][a-z]?"),
            "-",
            NamedPart(name="product", form="[A-Za-z0-9]+"),
            "-M",
            NamedPart(name="mode", form="[0-9]", type="integer"),
            NamedPart(name="channel", form="[0-9]{2}", type="integer", optional=True, lead="C"),
            "_",
            NamedPart(name="satellite", form="G[0-9]{2}"),
            "_s",
            NamedPart(name="start", form=_TENTHS),
            "_e",
            NamedPart(name="end", form=_TENTHS),
            "_c",
            NamedPart(name="created", form=_TENTHS),
            NamedPart(name="suffix", form="[-_].+", optional=True),
        ),
    ),
    KnownName(
        title="MODIS tiles",
        source="https://landweb.nascom.nasa.gov/cgi-bin/QA_WWW/newPage.cgi?fileName=hdf_filename",
        parts=(
            NamedPart(name="product", form="(?:MOD|MYD|MCD)[0-9A-Z]+"),
            ".A",
            NamedPart(name="year", form="(?:19|20)[0-9]{2}", type="integer"),
            NamedPart(name="day_of_year", form="[0-3][0-9]{2}", type="integer"),
            ".h",
            NamedPart(name="h", form="[0-9]{2}", type="integer"),
            "v",
            NamedPart(name="v", form="[0-9]{2}", type="integer"),
            ".",
            NamedPart(name="collection", form="[0-9]{3}"),
            ".",
            NamedPart(name="produced", form="[0-9]{13}"),
        ),
    ),
    KnownName(
        title="AWS CloudTrail log files",
        source="https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-log-file-examples.html",
        parts=(
            NamedPart(name="account", form="[0-9]{12}"),
            "_CloudTrail_",
            NamedPart(name="region", form="[a-z]{2,3}(?:-[a-z]+)+-[0-9]"),
            "_",
            NamedPart(name="timestamp", form=f"{_DAY}T[0-9]{{4}}Z", type="timestamp", format="%Y%m%dT%H%MZ"),
            "_",
            NamedPart(name="token", form="[A-Za-z0-9]{16}"),
        ),
    ),
)


def known_pieces(values: tuple[str, ...]) -> list[Piece] | None:
    """Return the pieces of values that all have one well-known form, or None."""
    known = known_name_of(values)
    if known is None:
        return None
    rows = [found.groups(default="") for value in values if (found := _regex(known).fullmatch(value)) is not None]
    columns = list(zip(*rows, strict=True))
    pieces: list[Piece] = []
    for part in known.parts:
        if isinstance(part, str):
            pieces.append(Fixed(text=part))
            continue
        texts = columns.pop(0)
        pieces.append(Slot(values=texts, kind="known", part=part, optional=part.optional, lead=part.lead))
    return pieces


def without_unused_ending(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a name without the extension that some of its well-known form have, if none has it: it was
    cut off before.
    """
    last = pieces[-1] if pieces else None
    unused = isinstance(last, Slot) and last.kind == "known" and last.lead == "." and not any(last.values)
    return [*pieces[:-1]] if unused else [*pieces]


def known_name_of(values: tuple[str, ...]) -> KnownName | None:
    """Return the well-known form that all values have, or None."""
    return next((one for one in KNOWN_NAMES if values and all(map(_regex(one).fullmatch, values))), None)


@lru_cache(maxsize=len(KNOWN_NAMES))
def _regex(known: KnownName) -> re.Pattern[str]:
    return re.compile("".join(re.escape(one) if isinstance(one, str) else _form(one) for one in known.parts))


def _form(part: NamedPart) -> str:
    return f"(?:{re.escape(part.lead)}({part.form}))?" if part.optional else f"({part.form})"
