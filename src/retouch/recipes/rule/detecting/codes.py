"""Codes: of countries and languages, those of several padded numbers, and the minutes and seconds of a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.detecting.columns import Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.rule.detecting.columns import Piece


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTRIES: Final = _codes(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
    BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
    ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
    HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
    LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
    NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
    SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
    UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """
)
"""The two-letter codes of ISO 3166-1."""
COUNTRIES_OF_THREE: Final = _codes(
    """
    ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR
    BHS BIH BLM BLR BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL
    COM CPV CRI CUB CUW CXR CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK
    FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV
    HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO
    LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG
    MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN
    PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE
    SLV SMR SOM SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO
    TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE
    """
)
"""The three-letter codes of ISO 3166-1."""
LANGUAGES: Final = _codes(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv
    dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie
    ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv
    mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm
    rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr
    ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """
)
"""The two-letter codes of ISO 639-1."""
LEAST_CAPITALS = 2  # different codes in capitals; fewer may be another abbreviation
LEAST_SMALL = 3  # different codes in small letters, of which many are words too


def are_countries(values: Iterable[str]) -> bool:
    """Return whether all values are codes of countries, in one case, and not all of them codes of languages too.

    Codes in capitals are countries, because languages are written in small letters.
    """
    found = set(values)
    if all(map(str.isupper, found)):
        return len(found) >= LEAST_CAPITALS and (found <= COUNTRIES or found <= COUNTRIES_OF_THREE)
    if not all(map(str.islower, found)) or len(found) < LEAST_SMALL:
        return False
    return {one.upper() for one in found} <= COUNTRIES and not found <= LANGUAGES


def are_both(values: Iterable[str]) -> bool:
    """Return whether all values are codes of countries and codes of languages, such as de, fr and it."""
    found = set(values)
    return bool(found) and found <= LANGUAGES and {one.upper() for one in found} <= COUNTRIES


_SIXTIETH = re.compile("[0-5][0-9]")
_MANY_SIXTIETHS = 6  # different ones; of fewer, numbers are below 60 by chance, or the months of releases


def are_sixtieths(values: Sequence[str]) -> bool:
    """Return whether numbers are minutes or seconds: two digits each, from 00 to 59, some of them padded."""
    found = {*values}
    padded = any(one.startswith("0") for one in found) and max(found, default="") > "31"  # no days
    return padded and len(found) >= _MANY_SIXTIETHS and all(map(_SIXTIETH.fullmatch, found))


_LONG_NUMBERS = re.compile("[0-9]{5,}(?:-[0-9]+)+-[0-9]{5,}")
_MANY_CODES = 6  # different ones; fewer have padded numbers by chance


def by_long_numbers(values: tuple[str, ...], apart: str, _finely: bool) -> list[Piece] | None:
    """Keep numbers as one code that has at least three, of one width each, and long padded ones at both ends, as in
    `0001628280-20-028587`.
    """
    if len({*values}) < _MANY_CODES or not all(map(_LONG_NUMBERS.fullmatch, values)):
        return None
    rows = [value.split("-") for value in values]
    widths = {tuple(map(len, row)) for row in rows}
    padded = all(any(row[end].startswith("0") for row in rows) for end in (0, -1))
    return [Slot(values=values, apart=apart, form=_numbers_of(min(widths)))] if padded and len(widths) == 1 else None


def _numbers_of(widths: Sequence[int]) -> str:
    return "-".join(f"[0-9]{{{width}}}" for width in widths)
