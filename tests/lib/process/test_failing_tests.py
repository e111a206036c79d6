"""The failing tests in the output of the usual runners, and what of the output explains them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch._lib.process.failing_tests import compared_tests, explained, failing_tests

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import unittest

class TestSum(unittest.TestCase):
    def test_small(self):
        self.assertEqual(3, 1 + 1)

    def test_fine(self):
        self.assertEqual(2, 1 + 1)

def test_alone():
    noise = "irrelevant " * 3
    assert {"a": 1} == {"a": 2}, noise
"""

JEST = """\
FAIL src/sum.test.js
  sum
    ✓ adds (2 ms)
    ✕ subtracts (3 ms)

  ● sum \u203a subtracts

    expect(received).toBe(expected) // Object.is equality

    Expected: 1
    Received: 3

      at Object.toBe (src/sum.test.js:9:20)
      at node_modules/jest-circus/build/utils.js:12:1

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
"""
GO = """\
=== RUN   TestAdd
--- PASS: TestAdd (0.00s)
=== RUN   TestSub
=== RUN   TestSub/negative
    sum_test.go:14: got 3, want 1
--- FAIL: TestSub (0.00s)
    --- FAIL: TestSub/negative (0.00s)
        sum_test.go:14: got 3, want 1
FAIL
FAIL\texample.com/sum\t0.002s
FAIL
"""
CARGO = """\
running 2 tests
test tests::adds ... ok
test tests::subtracts ... FAILED

failures:

---- tests::subtracts stdout ----
thread 'tests::subtracts' panicked at src/lib.rs:12:9:
assertion `left == right` failed
  left: 3
 right: 1

failures:
    tests::subtracts

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
DOTNET = """\
  Determining projects to restore...
  Passed Sums.Tests.Adds [4 ms]
  Failed Sums.Tests.Subtracts [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 1
Actual:   3
  Stack Trace:
     at Sums.Tests.Subtracts() in /src/Tests.cs:line 9

Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 16 ms - Sums.dll (net8.0)
"""
VITEST = """\
 \u276f src/sum.test.ts  (2 tests | 1 failed) 4ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/sum.test.ts > sum > subtracts
AssertionError: expected 3 to be 1 // Object.is equality
 \u276f src/sum.test.ts:9:20
"""
XML = """\
<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="a" tests="2" failures="1">
<testcase classname="tests.a.TestSum" name="test_fine" time="0.001" />
<testcase classname="tests.a.TestSum" name="test_small" time="0.001"><failure message="3 != 2">left 3, right 2</failure>
</testcase></testsuite></testsuites>
"""


def output_of(folder: Path, *words: str) -> str:
    (folder / "test_a.py").write_text(TESTS, encoding="utf-8")
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--color=yes",), ("--tb=short",), ("-v",)])
def test_pytest_is_understood_as_it_prints(tmp_path: Path, words: tuple[str, ...]) -> None:
    output = output_of(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, "test_a.py")
    names = ["test_a.py::TestSum::test_small", "test_a.py::test_alone"]
    assert names == failing_tests(output)
    shown = explained(output, names[1:])
    assert "assert {'a': 1} == {'a': 2}" in shown
    assert "test_small" not in shown


def test_unittest_is_understood_as_it_prints(tmp_path: Path) -> None:
    output = output_of(tmp_path, "-m", "unittest", "-q", "test_a")
    assert 1 == len(failing_tests(output))
    assert failing_tests(output)[0].startswith("test_small (test_a.TestSum")
    assert "AssertionError: 3 != 2" in explained(output, failing_tests(output))
    assert "Ran 2 tests" not in explained(output, failing_tests(output))


@pytest.mark.parametrize(
    ("output", "names", "reason", "noise"),
    [
        (JEST, ["sum \u203a subtracts"], "Received: 3", "node_modules"),
        (GO, ["TestSub", "TestSub/negative"], "got 3, want 1", "TestAdd"),
        (CARGO, ["tests::subtracts"], " right: 1", "tests::adds"),
        (DOTNET, ["Sums.Tests.Subtracts"], "Actual:   3", "Determining"),
        (VITEST, ["src/sum.test.ts > sum > subtracts"], "expected 3 to be 1", "2 tests"),
        (XML, ["tests.a.TestSum::test_small"], "left 3, right 2", "test_fine"),
        (f"collected\n{XML}done\n", ["tests.a.TestSum::test_small"], "left 3", "collected"),
        ("FAIL\texample.com/sum [build failed]\n", ["example.com/sum [build failed]"], "", "x"),
    ],
)
def test_other_runners_are_understood(output: str, names: list[str], reason: str, noise: str) -> None:
    assert names == failing_tests(output)
    shown = explained(output, names)
    assert reason in shown
    assert noise not in shown


def test_old_failures_are_told_apart_from_new_ones() -> None:
    before = "FAILED a.py::test_old - assert 0\n"
    found = compared_tests(before, "FAILED a.py::test_old - assert 1\nFAILED a.py::test_new - x\n")
    assert (("a.py::test_new",), ("a.py::test_old",)) == (found.new, found.before)
    assert "new failures: a.py::test_new; failed before your change too: a.py::test_old" == found.summary()
    assert not compared_tests(before, "Segmentation fault").is_known


@pytest.mark.parametrize(
    "output", ["", "ok\n", "FAILED\n", "1 error\n", "error: cannot find symbol\n", "<testsuite>", "  1) sum\n"]
)
def test_output_without_a_failing_test_names_none(output: str) -> None:
    assert [] == failing_tests(output)
    assert "" == explained(output, ["a"])


def test_long_explanations_are_shortened_in_the_middle() -> None:
    body = "\n".join(f"line {number}" for number in range(500))
    output = "".join(f"____ test_{n} ____\n{body}\n" for n in range(9)) + "".join(
        f"FAILED a.py::test_{n}\n" for n in range(9)
    )
    shown = explained(output, failing_tests(output))
    assert "line 0" in shown
    assert len(shown) < 5_000
    assert "line 250" not in shown


def test_entities_in_xml_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]>' + XML
    assert [] == failing_tests(bomb)
