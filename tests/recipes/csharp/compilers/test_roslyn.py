"""The real compiler, if it is installed, finds errors and survives being killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import MissingTool
from retouch.recipes.csharp.compilers.check import check
from retouch.recipes.csharp.compilers.roslyn import compiler_pid, find_roslyn, stop_compiler
from tests.waiting import wait_until

from .compiler_stand_in import BAY, ENDPOINT, ROOT_PAGE_2, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.writing.code import CsCode

OPTIONS = RunOptions(compiler="roslyn")


@pytest.fixture(scope="module", autouse=True)
def installed() -> Iterator[None]:
    try:
        find_roslyn()
    except MissingTool as missing:
        pytest.skip(f"needs a C# compiler: {missing}")
    yield
    stop_compiler()


def checked(made: Mapping[str, CsCode] | None = None) -> Sequence[Issue]:
    return asyncio.run(check(ENDPOINT, made or values(), OPTIONS))


@pytest.mark.slow
def test_a_good_file_compiles_without_error_or_warning():
    assert [] == checked()


TYPES = [
    *("string", "int", "long", "short", "uint", "decimal", "double", "float", "bool", "byte[]", "object", "Uri"),
    *("Guid", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan", "JsonElement", "string?[]"),
    *("List<Guid>", "Dictionary<string, object>", "Dictionary<string, Dictionary<string, long?[]>>"),
]


def properties(declared: Iterable[tuple[str, str]]) -> str:
    """Return a page with a property for each attribute and type."""
    lines = (
        f'    [JsonPropertyName("p{number}")]\n    [{attribute}]\n    public {kind}? P{number} {{ get; init; }}\n'
        for number, (attribute, kind) in enumerate(declared)
    )
    return "".join(lines) + "}"


@pytest.mark.slow
def test_every_type_of_the_reference_compiles_without_error_or_warning():
    probes = [("Nullable(true)", one) for one in TYPES]
    assert [] == checked(values(page_2=properties(probes)))
    wrong = checked(values(page_2=properties([*probes, ("Nullable(true)", "Rack")])))
    assert {"CS0246"} == {issue.code for issue in wrong}


ATTRIBUTES = (
    "Required",
    "WriteOnly",
    "ReadOnly",
    "MinLength(1)",
    "MaxLength(40)",
    'Pattern("^a\\\\d$")',
    "Minimum(-1.5)",
    "Maximum(10)",
    "ExclusiveMinimum(0)",
    "ExclusiveMaximum(1)",
    "MultipleOf(0.01)",
    "MinItems(1)",
    "MaxItems(2)",
    "UniqueItems(true)",
    "Const(1)",
    'Default("x")',
    "Obsolete",
    'Description("a \\"b\\"")',
    'Title("t")',
    "JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)",
    "JsonNumberHandling(JsonNumberHandling.AllowReadingFromString)",
    "JsonExclude",
    "System.ComponentModel.DataAnnotations.StringLength(80)",
)


@pytest.mark.slow
def test_every_attribute_of_the_reference_is_known():
    probes = [(one, "string") for one in ATTRIBUTES]
    assert [] == checked(values(page_2=properties(probes)))
    wrong = checked(values(page_2=properties([*probes, ("Unknown", "string")])))
    assert {"CS0246"} == {issue.code for issue in wrong}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page_2", "code", "line"),
    [
        (ROOT_PAGE_2.replace("Bay? Bay", "Rack? Bay"), "CS0246", 4),
        (ROOT_PAGE_2.replace("Bay? Bay", "Bay Bay"), "CS8618", 4),
        (ROOT_PAGE_2.replace("Bay? Bay", "Bay? Id"), "CS0102", 4),
        (ROOT_PAGE_2.replace("Bay? Bay", "Bay? PalletsDataObject"), "CS0542", 4),
        (ROOT_PAGE_2.replace("[Nullable(true)]", '[Nullable("yes")]'), "CS1503", 3),
        (ROOT_PAGE_2.replace("[Nullable(true)]", "[Nullable(true)] [Nullable(true)]"), "CS0579", 3),
        (ROOT_PAGE_2.replace("[Nullable(true)]", "[PrimaryKey]"), "CS7036", 3),
    ],
)
def test_a_defect_is_blamed_on_the_line_of_its_page(page_2: str, code: str, line: int):
    (issue,) = [issue for issue in checked(values(page_2=page_2)) if issue.code == code]
    assert ("PalletsDataObject", 2, line) == (issue.unit, issue.page, issue.line)
    assert issue.fix


def test_a_file_does_not_see_the_one_before():
    assert [] == checked(values(bay=BAY.replace("class Bay", "class Bay { }\npublic class Rack")))
    assert {"CS0246"} == {issue.code for issue in checked(values(page_2=ROOT_PAGE_2.replace("Bay?", "Rack?")))}


def test_text_of_any_script_keeps_its_line():
    page_2 = '    // \u2028\n    [Description("\U0001f9f1 é 日本")]\n' + ROOT_PAGE_2.replace("Bay?", "Rack?")
    (issue,) = checked(values(page_2=page_2))
    assert 6 == issue.line


@pytest.mark.slow
def test_a_compiler_that_is_killed_in_the_middle_of_a_file_is_started_again():
    checked()
    first = compiler_pid()
    assert first is not None
    threading.Timer(0.4, os.kill, (first, signal.SIGKILL)).start()
    fields = "".join(f'[JsonPropertyName("f{n}")]\npublic string? F{n} {{ get; init; }}\n' for n in range(1_500))
    assert [] == checked(values(page_2=fields + "}"))
    assert compiler_pid() not in {None, first}


@pytest.mark.slow
def test_a_compiler_that_was_killed_between_files_is_started_again():
    checked()
    first = compiler_pid()
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert [] == checked()
    assert first != compiler_pid()


@pytest.mark.slow
def test_the_compiler_ends_with_a_program_that_is_killed():
    program = (
        "import asyncio, os, signal\n"
        "from retouch.recipes.csharp.compilers.roslyn import *\n"
        "check = lambda: compile_with_roslyn(find_roslyn(), 'class A { }', limit_s=300)\n"
        "assert compiler_thread().submit(check).result() == []\n"
        "print(compiler_pid(), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    wait_until(lambda: not _exists(pid))
    assert not _exists(pid)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
