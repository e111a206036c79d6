"""Python that Monty does not run is named, and is told from what is wrong with the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.sandbox import Unavailable, open_sandbox
from retouch.sandbox.monty.features import missing_feature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.sandbox import Box


@pytest.fixture(scope="module")
def monty() -> Iterator[Box]:
    try:
        with open_sandbox(engine="monty") as found:
            yield found
    except Unavailable as error:
        pytest.skip(f"{error}")


@pytest.mark.parametrize(
    ("body", "feature"),
    [
        ("yield path", "yield expressions"),
        ("class A:\n        pass\n    class B(A):\n        pass", "class inheritance and metaclasses"),
        ("import uuid", "import uuid"),
        ("from pathlib import PurePosixPath", "from pathlib import PurePosixPath"),
        ("return str.maketrans('a', 'b')", "str.maketrans"),
        ("import datetime\n    return datetime.date(2021, 1, 3).isocalendar()", "datetime.date.isocalendar"),
        ("from pathlib import Path\n    return Path('a/b').parents", "PosixPath.parents"),
        ("return memoryview(b'a')", "memoryview"),
        ("import time\n    time.sleep(30)", "time.sleep"),
        ("import os\n    return os.getppid()", "os.getppid"),
    ],
)
def test_what_monty_lacks_is_named(monty: Box, body: str, feature: str):
    error = monty.run(f"def extract(path):\n    {body}\n", arguments=["a"])[0].error
    assert error is not None
    assert ("unsupported", feature) == (error.kind, error.feature)


@pytest.mark.parametrize(
    "message",
    [
        "NameError: name 'pth' is not defined",
        "AttributeError: 'str' object has no attribute 'splitt'",
        "AttributeError: module 're' has no attribute 'mtach'",
        "AttributeError: 'Thing' object has no attribute 'parents'",
        "ValueError: time data 'x' does not match format '%Y'",
    ],
)
def test_mistakes_of_the_code_are_no_missing_features(message: str):
    assert missing_feature(message) is None
