"""Functions that exported programs have a copy of: each needs nothing but the standard library.

Those that read the type of a field fail with a ValueError on any other text.
"""

from __future__ import annotations

import datetime
import math
import re
import uuid


def parts_of(path: str) -> list[str]:
    """Return the directories and the name of a path. Of a URL the scheme is left out, and `\\` counts as `/`."""
    text = re.sub(r"\A[A-Za-z][0-9A-Za-z+.-]+://", "", path).replace("\\", "/")
    return [part for part in text.split("/") if part not in {"", "."}]


def read_integer(text: str) -> int:
    """Return the number of a text of ASCII digits, with or without a sign."""
    if re.fullmatch("[+-]?[0-9]+", text) is None:
        raise ValueError(f"{text!r} is no integer")
    return int(text)


def read_decimal(text: str) -> str:
    """Return the digits of a number as they are written."""
    if re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]+)?", text) is None:
        raise ValueError(f"{text!r} is no decimal")
    return text.removeprefix("+")


def read_float(text: str) -> float:
    """Return a finite number."""
    if re.fullmatch(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text) is None:
        raise ValueError(f"{text!r} is no number")
    if not math.isfinite(float(text)):
        raise ValueError(f"{text!r} is no number: it is too large")
    return float(text)


def read_uuid(text: str) -> str:
    """Return a UUID in small letters with dashes."""
    if re.fullmatch("[0-9a-fA-F]{8}(-?)[0-9a-fA-F]{4}(?:\\1[0-9a-fA-F]{4}){2}\\1[0-9a-fA-F]{12}", text) is None:
        raise ValueError(f"{text!r} is no UUID")
    return str(uuid.UUID(text))


def read_date(text: str, shape: str, form: str | None) -> str:
    """Return the day that a text of a shape and a format names, such as 2024-03-05."""
    no_date = ValueError(f"{text!r} is no date")
    if re.fullmatch(shape, text) is None:
        raise no_date
    try:
        if form is None:
            digits = [text[:4], text[4:6], text[6:]] if text.isdigit() else re.split("[-/_.]", text)
            return datetime.date(*map(int, digits)).isoformat()
        read = datetime.datetime.strptime(text, form)
    except ValueError:
        raise no_date from None
    numbers = [[int(one) for one in re.findall("[0-9]+", each)] for each in (text, read.strftime(form))]
    if "%j" in form and numbers[0] != numbers[1]:  # the day 366 of a year that has none
        raise no_date
    return read.date().isoformat()


def read_timestamp(text: str, shape: str, form: str | None) -> str:
    """Return the time that a text of a shape and a format names, such as 2024-03-05T09:30:00."""
    if re.fullmatch(shape, text) is None:
        raise ValueError(f"{text!r} is no timestamp")
    zone = "Z" if form in {"epoch", "epoch_ms"} or (form is None and text.endswith("Z")) else ""
    digits = re.sub("[^0-9]", "", text)
    tidy = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14] or '00'}"
    try:
        if form is not None and form.startswith("epoch"):
            since = datetime.timedelta(milliseconds=int(text) * (1 if "_ms" in form else 1000))
            moment = datetime.datetime(1970, 1, 1) + since
        elif form is not None:
            moment = datetime.datetime.strptime(text, form)
        else:
            moment = datetime.datetime.fromisoformat(f"{tidy}.{digits[14:].ljust(6, '0')}")
    except ValueError:
        raise ValueError(f"{text!r} is no timestamp") from None
    found = moment.isoformat()
    return (found.removesuffix("000") if "." in found else found) + zone


def without_zeros(text: str) -> str:
    """Return a text without leading zeros; of zeros alone one stays."""
    return text.lstrip("0") or text[-1:]
