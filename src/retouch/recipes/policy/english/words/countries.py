"""The names of countries, and their codes of two and of three letters (ISO 3166-1)."""

from __future__ import annotations

import re

_TABLE = """
argentina AR ARG, australia AU AUS, austria AT AUT, belgium BE BEL, brazil BR BRA, bulgaria BG BGR, canada CA CAN,
chile CL CHL, china CN CHN, croatia HR HRV, cyprus CY CYP, czech republic CZ CZE, denmark DK DNK, egypt EG EGY,
estonia EE EST, finland FI FIN, france FR FRA, germany DE DEU, great britain GB GBR, greece GR GRC, hungary HU HUN,
iceland IS ISL, india IN IND, indonesia ID IDN, ireland IE IRL, israel IL ISR, italy IT ITA, japan JP JPN,
kenya KE KEN, latvia LV LVA, liechtenstein LI LIE, lithuania LT LTU, luxembourg LU LUX, malta MT MLT, mexico MX MEX,
monaco MC MCO, morocco MA MAR, netherlands NL NLD, new zealand NZ NZL, nigeria NG NGA, norway NO NOR, poland PL POL,
portugal PT PRT, romania RO ROU, russia RU RUS, serbia RS SRB, singapore SG SGP, slovakia SK SVK, slovenia SI SVN,
south africa ZA ZAF, south korea KR KOR, spain ES ESP, sweden SE SWE, switzerland CH CHE, thailand TH THA,
turkey TR TUR, ukraine UA UKR, united kingdom GB GBR, united states US USA, vietnam VN VNM
"""
COUNTRIES = {
    found["name"]: (found["two"], found["three"])
    for found in re.finditer(r"(?P<name>[a-z]+(?: [a-z]+)?) (?P<two>[A-Z]{2}) (?P<three>[A-Z]{3})", _TABLE)
}


def names_of_country(name: str) -> tuple[str, ...]:
    """Return the ways to write a country: `Norway`, `norway`, `NO`, `no` and `NOR`. Only the name if it is none."""
    two, three = COUNTRIES.get(name.lower(), ("", ""))
    return (name, name.lower(), two, two.lower(), three) if two else (name,)
