"""Finds the failing tests in the output of the usual runners, and the part of the output that explains each of them.

Known are pytest, unittest, jest, vitest, go test, cargo test, dotnet test, and JUnit XML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_SHOWN = 5  # tests whose explanation is shown
MOST_LINES = 40  # of one explanation
MOST_CHARS = 4_000  # of all explanations together
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# A line that names a failing test.
_NAMES = (
    re.compile(r"^(?:FAILED|ERROR) (?P<name>\S+\.py(?:::.+?)?)(?: - .*)?$"),  # pytest
    re.compile(r"^(?:FAIL|ERROR): (?P<name>\w+ \([\w.]+\))"),  # unittest
    re.compile(r"^\s*● (?!Console$|Validation|Deprecation)(?P<name>\S.*?)\s*$"),  # jest
    re.compile(r"^\s*(?:FAIL)  (?P<name>\S+ > .+?)\s*$"),  # vitest
    re.compile(r"^\s*--- FAIL: (?P<name>\S+)"),  # go test
    re.compile(r"^FAIL\s+(?P<name>\S+ \[(?:build|setup) failed\])$"),  # go test
    re.compile(r"^test (?P<name>.+?) \.\.\. FAILED$"),  # cargo test
    re.compile(r"^\s*(?:Failed|X) (?P<name>[\w.+]+(?:\(.*\))?) \[[^\]]*\d+ ?m?s\]$"),  # dotnet test
)
# The first line of a test's explanation, and the line that ends it.
_SECTIONS = (
    re.compile(r"^_{3,} (?:ERROR at \w+ of |ERROR collecting )?(?P<name>\S.*?) _{3,}$"),  # pytest
    re.compile(r"^(?:FAIL|ERROR): (?P<name>\w+ \([\w.]+\))"),
    re.compile(r"^\s*● (?!Console$|Validation|Deprecation)(?P<name>\S.*?)\s*$"),
    re.compile(r"^\s*(?:FAIL)  (?P<name>\S+ > .+?)\s*$"),
    re.compile(r"^\s*--- FAIL: (?P<name>\S+)"),
    re.compile(r"^---- (?P<name>.+?) stdout ----$"),  # cargo test
    re.compile(r"^\s*(?:Failed|X) (?P<name>[\w.+]+(?:\(.*\))?) \[[^\]]*\d+ ?m?s\]$"),
)
_END = re.compile(
    r"^={3,}|^-{20,}$|^(?:ok|FAIL|PASS|\?)\s|^FAIL$|^failures:$|^test result:|^Test (?:Suites|Run)|^Tests:|^⎯{3,}"
    r"|^\s*(?:Passed|Skipped) [\w.]+|^Ran \d+ tests?"
)
_XML = re.compile(r"<testsuites\b.*?</testsuites>|<testsuite\b.*?</testsuite>", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class FailureComparison:
    """The failing tests of a command: those that are `new`, and those that failed `before` too."""

    new: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the output names any failing test."""
        return bool(self.new or self.before)

    def summary(self) -> str:
        """Return the tests as a part of a sentence, or "" if none is known."""
        parts = [f"new failures: {_listed(self.new)}"] if self.new else []
        parts += [f"failed before your change too: {_listed(self.before)}"] if self.before else []
        return "; ".join(parts)


def compared_tests(before: str, after: str) -> FailureComparison:
    """Return the failing tests in the output `after` a change, apart from those in the output `before`."""
    earlier, now = set(failing_tests(before)), failing_tests(after)
    return FailureComparison(
        new=tuple(name for name in now if name not in earlier),
        before=tuple(name for name in now if name in earlier),
    )


def failing_tests(output: str) -> list[str]:
    """Return the names of the failing tests in the output of a runner, in order."""
    text = _ANSI.sub("", output)
    found = dict.fromkeys(name for line in text.splitlines() for name in _named(line))
    return list(found | dict.fromkeys(_from_xml(text)))


def explained(output: str, tests: Sequence[str]) -> str:
    """Return the parts of the output that explain the `tests`, or "" if there are none."""
    text = _ANSI.sub("", output)
    sections = {**_xml_sections(text), **_sections(text.splitlines())}
    shown: list[str] = []
    for test in tests[:MOST_SHOWN]:
        lines = next((sections[key] for key in _keys_of(test) if key in sections), ())
        shown += [*_shortened(lines), ""] if lines else []
    if not shown:
        return ""
    if len(tests) > MOST_SHOWN:
        shown.append(f"[{len(tests) - MOST_SHOWN} more tests fail: {_listed(tests[MOST_SHOWN:])}]")
    joined = "\n".join(shown).strip("\n")
    return joined if len(joined) <= MOST_CHARS else f"{joined[:MOST_CHARS]}\n[...]"


def _named(line: str) -> Iterable[str]:
    for pattern in _NAMES:
        if (found := pattern.match(line)) is not None:
            yield found["name"]
            return


def _keys_of(test: str) -> Iterable[str]:
    """Yield the names under which a runner explains a test. pytest writes `TestA.test_b` for `a.py::TestA::test_b`."""
    yield test
    file, _, inner = test.partition("::")
    yield inner.replace("::", ".") if inner else file


def _sections(lines: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        begins = next((match for pattern in _SECTIONS if (match := pattern.match(line)) is not None), None)
        if begins is not None:
            current = found.setdefault(begins["name"], [])
            if current:
                current = []  # the first explanation of a test is enough
            current.append(line)
        elif _END.match(line) and not (len(current) == 1 and line.startswith("---")):
            current = []
        elif current:
            current.append(line)
    return found


def _shortened(lines: Sequence[str]) -> list[str]:
    """Return the first and the last lines of an explanation, without the frames of libraries in between."""
    kept = [line for line in lines if "site-packages" not in line and "node_modules" not in line]
    if len(kept) <= MOST_LINES:
        return list(kept)
    half = MOST_LINES // 2
    return [*kept[:half], f"[... {len(kept) - 2 * half} lines ...]", *kept[-half:]]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def _failed_cases(text: str) -> Iterable[tuple[str, str]]:
    """Yield name and message of each failing test in JUnit XML inside the output."""
    for part in _XML.findall(text) if "<testcase" in text and "<!ENTITY" not in text else ():
        try:
            root = ET.fromstring(part)  # noqa: S314 - entities are refused above
        except ET.ParseError:
            continue
        for case in root.iter("testcase"):
            reason = case.find("failure") if case.find("failure") is not None else case.find("error")
            if reason is not None:
                name = "::".join(one for one in (case.get("classname", ""), case.get("name", "")) if one)
                yield name, reason.text or reason.get("message", "")


def _from_xml(text: str) -> Iterable[str]:
    return [name for name, _ in _failed_cases(text)]


def _xml_sections(text: str) -> Mapping[str, list[str]]:
    return {name: [name, *message.splitlines()] for name, message in _failed_cases(text)}
