"""Values of the sizes and times that tests distinguish: strings of each length, lists of each number of items, moments.

A list repeats one value, so that every other test has the same result for the list as for the value. A text is filled
up where another test lets it be anything. So a combination of a size with another test of the same argument is found if
one such value shows it. Other values, such as a length together with two overlapping patterns, may be missed.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from retouch._lib.json_text import JSON
from retouch.recipes.policy.deciding.sizes import Passes, judge_sizes
from retouch.recipes.policy.language.clock import hours_of
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from retouch.recipes.policy.language.values import Scalar, Size

FILLED = "example"
_DAY_MINUTES = 24 * 60


def sizes_around(limits: Iterable[Limit], size: Size, *, together: int) -> list[int]:
    """Return the sizes on both sides of every bound, 0 and 1.

    `together` is the number of arguments whose items are added up. Then smaller sizes count too: 14 and 1 are 15.
    """
    bounds = {int(bound) for limit in limits if limit.size == size for bound in limit.bounds}
    steps = range(-max(together - 1, 1), 2)
    found = {0, 1, *(bound + step for bound in bounds for step in steps)} if bounds else set[int]()
    return sorted(one for one in found if one >= 0)


def filled(text: str, length: int) -> str | None:
    """Return a text of this length that other tests take for the same. None if it cannot be that short.

    Example:
        >>> filled("agent/example", 10), filled("https://a.example/", 20), filled("main", 10)
        ('agent/xxxx', 'https://a.example/xx', None)
    """
    if text.startswith("https://"):
        return text.ljust(length, "x") if text.endswith("/") and length >= len(text) else None
    before, found, after = text.partition(FILLED)
    more = length - len(before) - len(after)
    return f"{before}{'x' * more}{after}" if found and more >= 0 else None


def sized_values(
    values: Iterable[JSON], lengths: Iterable[int], counts: Iterable[int], *, joined: bool
) -> Iterator[JSON]:
    """Yield each value in each size: a text with that many characters, a list with that many items.

    `joined`: the argument takes only text, so that its items are separated by commas.
    """
    scalars: list[Scalar] = [one for one in values if one is not None and not isinstance(one, (list, dict))]
    texts = [one for one in scalars if isinstance(one, str)]
    for length in lengths:
        yield from (one for text in texts for one in [filled(text, length)] if one is not None)
        yield from [""] if length == 0 else []
    for count in counts:
        if joined:
            yield from (", ".join([text] * count) for text in texts)
        else:
            yield from (list[JSON]([one] * count) for one in scalars or [FILLED])


def days_and_times(limits: Iterable[Limit]) -> Iterator[str]:
    """Yield a moment on both sides of every boundary of tests of a written time, and each day of a week.

    Also such a time without a day, and a day without a time.
    """
    tests = [one for one in limits if one.is_written_time]
    ends = {end % _DAY_MINUTES for one in tests for span in one.hours for end in hours_of(span)}
    for day, minute in product(range(8, 15) if tests else (), sorted({0, *ends})):  # 2024-01-08 is a Monday
        yield f"2024-01-{day:02}T{minute // 60:02}:{minute % 60:02}:00"
    yield from (f"{minute // 60:02}:{minute % 60:02}" for minute in (sorted({0, *ends}) if tests else ()))
    yield from (f"2024-01-{day:02}" for day in (range(8, 15) if tests else ()))


def thresholds(counts: Iterable[int], role: str) -> Iterator[Callable[[JSON], Passes]]:
    """Yield tests that tell these numbers of items apart, for arguments whose items are added up to one number."""
    for count in counts:
        yield lambda value, c=count: judge_sizes(Limit(size="items", at_least=c), [(value, role)])
