"""Runs Python's garbage collector less often during a run, and not while stored data is read.

Concurrent replies create bursts of short-lived objects. The collector takes each burst for growth and repeatedly scans
all objects of the process, including imported libraries. But calls create almost no cycles. What is read from disk has
none, and stays.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


_SELDOM = 50_000  # net allocations before a young collection
_MANY = 20_000  # net allocations since the last one
_CHANGING = Lock()
_usual: list[int] = []  # the threshold before, once per active block


@contextmanager
def relaxed_gc() -> Generator[None]:
    """Raise the collector's threshold for the whole process during the block, unless it is higher already.

    The last block that ends restores the earlier threshold, unless other code has changed it since.
    """
    with _CHANGING:
        _usual.append(_usual[0] if _usual else gc.get_threshold()[0])
        if 0 < _usual[0] < _SELDOM:
            gc.set_threshold(_SELDOM)
    try:
        yield
    finally:
        with _CHANGING:
            usual = _usual.pop()
            if not _usual and gc.get_threshold()[0] == _SELDOM:
                _keep_all()
                gc.set_threshold(usual)


@contextmanager
def no_gc() -> Generator[None]:
    """Collect nothing during a block that creates many objects which stay, and none in cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _keep_all()
        if was_on:
            gc.enable()


def _keep_all() -> None:
    """Take all objects for old ones, without a scan, if many are new. The next full collection scans them."""
    is_worth_it = gc.get_count()[0] > _MANY  # frozen objects are counted one by one
    if is_worth_it and not gc.get_freeze_count():  # else other code has frozen objects, which should stay so
        gc.freeze()
        gc.unfreeze()
