"""Writes the hours of working days and nights, and the names of days, in full: "office hours (9 to 5)", "Mon-Fri"."""

from __future__ import annotations

import re

from retouch.recipes.policy.language.values import DAY_NAMES

_SHORT = ("mon", "tue", "tues", "wed", "weds", "thu", "thur", "thurs", "fri", "sat", "sun")
_SHORT_DAYS = {short: next(name for name in DAY_NAMES if name.startswith(short[:3])) for short in _SHORT}
_DAY = rf"(?:{'|'.join((*DAY_NAMES, *sorted(_SHORT, key=len, reverse=True)))})"
_DAYS = re.compile(
    rf"\b(?P<first>{_DAY})(?P<gap>s?\.?(?: to | through | until | till | ?[-\u2013] ?))(?P<last>{_DAY})\b(?!-)",
    re.IGNORECASE,
)
_DAY_PAIR = re.compile(rf"\b(?P<first>{_DAY})\.?(?P<joint> and | or |/|, )(?P<last>{_DAY})\b(?!-)", re.IGNORECASE)
_WORKING = re.compile(
    r"\b(?P<when>during|in|within|outside(?: of)?) (?:the |our |my |normal |usual |regular )*"
    r"(?:(?:office|business|working|work|opening|school|core) hours|hours of)(?:, (?:which|that) (?:are|is|"
    r"means?)|, meaning)?,?"
    r"(?: \((?P<inner>[^()]*\d[^()]*)\)|,? (?P<plain>(?:\w+day (?:to|through) \w+day,? |weekdays,? "
    r")?(?:from )?\d[^(),.;]*))",
    re.IGNORECASE,
)
_NIGHT = re.compile(
    r"\b(?:at night|overnight|during the night|at nights|in the (?:evenings?|mornings?)(?: and at night)?),? "
    r"\((?:i\.e\. |that is,? )?(?P<inner>(?:from |between |after |before )?\d[^()]*)\)",
    re.IGNORECASE,
)
_TO = r"(?P<joint> to | until | and | ?[-\u2013] ?)"
_OFFICE = re.compile(rf"(?P<first>[6-9]|1[01]){_TO}(?P<last>[1-8])(?![\w:.]|,\d)", re.IGNORECASE)
_OFFICE_24 = re.compile(rf"(?<![\w:.])(?P<first>[1-9]|1[0-2]){_TO}(?P<last>1[3-9]|2[0-4])(?![\w:.]|,\d)", re.IGNORECASE)
_HOURS_FIRST = re.compile(
    r"(?:from |between )?(?P<hours>\d[^,]*?)(?:,| on|,? from)? (?P<days>weekdays|\w+day to \w+day)"
)
_HELD = "meeting|appointment|interview|visit|pickup|viewing|lesson|session|class|classe|deliverie|delivery|consultation"
# "On weekdays between 9 and 5", "Monday to Friday, 9 to 5", "interviews only between 9 and 5"
_AT_WORK = re.compile(
    r"(?P<before>(?:\bweekdays?|\w+day (?:to|through) \w+day|"
    rf"\b(?:{_HELD})s?(?: (?!between|from|and|or|but|to)[a-z-]+){{0,6}}),? (?:(?:only )?(?:between|from) )?)"
    rf"(?P<first>[7-9]|1[01]){_TO}(?P<last>[1-7])"
    r"(?![\w:%]|[.,]\d| (?:am|pm|a\.m|p\.m|in the|at night|o['\u2019]clock|[a-z]*(?:s|minutes?|people|guests?)\b))",
    re.IGNORECASE,
)


def with_work_hours(text: str) -> str:
    """Return a sentence with "from 9 am to 5 pm" for "during office hours (9 to 5)", and "Monday to Friday" in full."""
    text = _WORKING.sub(_working, text)
    text = _NIGHT.sub(lambda found: _opened(found["inner"]), text)
    text = _DAYS.sub(lambda found: _days(found, in_range=True), text)
    text = _DAY_PAIR.sub(lambda found: _days(found, in_range=False), text)
    return _AT_WORK.sub(_at_work, text)


def _at_work(found: re.Match[str]) -> str:
    """Return "between 9 am and 5 pm" for "between 9 and 5" of a working day. "Between 10 and 6" may be at night."""
    first, last = int(found["first"]), int(found["last"])
    if first >= 10 and last >= 5:
        return found[0]
    opening = found["before"]
    if found["joint"].strip() == "and" and not re.search(r"\bbetween $", opening, re.IGNORECASE):
        return found[0]
    joint = " to " if found["joint"].strip() in {"-", "\u2013"} else found["joint"]
    return f"{opening}{first} am{joint}{last} pm"


def _working(found: re.Match[str]) -> str:
    """Return "between 9 am to 5 pm" for "during office hours (9 to 5)", with "outside" if it says so."""
    inner = found["inner"] or found["plain"]
    hours = _OFFICE.sub(lambda one: f"{one['first']} am{one['joint']}{one['last']} pm", inner)
    hours = _OFFICE_24.sub(lambda one: f"{one['first']}:00{one['joint']}{one['last']}:00", hours)
    if found["when"].lower().startswith("outside"):
        return f"outside {_days_first(hours)}"
    return _opened(hours)


def _days_first(hours: str) -> str:
    """Return "Monday to Friday 9:00 to 17:00": "outside 9:00 to 17:00 on weekdays" is something else."""
    found = _HOURS_FIRST.fullmatch(hours)
    if found is not None:
        return f"{found['days']} {found['hours']}"
    return re.sub(r"^(?:from|between) ", "", hours)


def _opened(hours: str) -> str:
    return hours if re.match(r"(?:from|between|after|before|on|\D)", hours) else f"from {hours}"


def _days(found: re.Match[str], *, in_range: bool) -> str:
    """Return the names of two days in full. Two singular ones that are joined stay as they are written."""
    said = [found["first"], found["last"]]
    names = [_SHORT_DAYS.get(one.lower(), one) for one in said]
    if names == said and not in_range:
        return found[0]
    first, last = (name if name[0].isupper() else name.capitalize() for name in names)
    if in_range:
        word = found["gap"].strip(" .s") or "to"
        return f"{first} {'to' if word in {'-', chr(0x2013)} else word} {last}"
    return f"{first}{' and ' if found['joint'] == '/' else found['joint']}{last}"
