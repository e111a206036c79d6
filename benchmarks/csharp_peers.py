"""The same documents through Retouch and three other generators: what is written, whether it compiles and runs.

`--fetch DIRECTORY` installs the others there: NSwag and quicktype from npm, datamodel-code-generator from PyPI. NSwag
runs under mono (Debian: `mono-devel`). `--tools DIRECTORY` uses them. Retouch runs with the offline model.

The C# of every tool is compiled by Roslyn against the base library of mono and the assemblies of System.Text.Json and
Newtonsoft.Json in NSwag's npm package, and all errors count. mono has no `DateOnly` and no `TimeOnly`:
`csharp_peers.cs` declares both for every tool.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from documents import chosen
from retouch.recipes.csharp import runtime
from retouch.recipes.csharp.compilers.roslyn import find_roslyn
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.contradictions import Reader
from retouch.recipes.csharp.runtime.comparing import differences
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON

LIMIT_S = 600
SHOWN = {"limit": 0}  # how many examples that were not kept are printed for each tool
TOOLS = ("retouch", "NSwag", "quicktype", "datamodel")
_CSHARP_TYPE = re.compile(
    r"^\s*public (?:partial |readonly |record |abstract |sealed )*(?:class|enum|struct) (\w+)", re.MULTILINE
)
_CSHARP_MEMBER = re.compile(r"^\s*public (?!.*\b(?:class|enum|struct|static)\b)[^(=;]+\{ get;", re.MULTILINE)
_NUMBERED = re.compile(r"(?i)(?:anonymous|response|body|item|model|class|enum|type|schema)s?\d*$|\w*[A-Za-z]\d+$")
_SUPPORT = frozenset({
    "IOpenEnum", "OpenEnumConverter", "ModelJson", "IJsonUnion", "JsonUnion", "JsonUnionConverter",
    "JsonUnionConverterFactory",
})  # fmt: skip
_UNKNOWN = "a value that no document names"
_HERE = Path(__file__).resolve().parent
_RUNTIME = Path(runtime.__file__).parent
_BASE = ("mscorlib", "System", "System.Core", "System.Runtime.Serialization", "System.ComponentModel.DataAnnotations")
_REAL = ("System.Text.Json", "System.Memory", "Microsoft.Bcl.AsyncInterfaces", "Newtonsoft.Json")
_MODEL_JSON = 'type.Namespace + ".ModelJson")'
_OPTIONS = 'holder?.GetProperty("Options")?.GetValue(null)'
_SETTINGS = 'holder?.GetField("Settings")?.GetValue(null)'
_MEASURE = """
import pathlib, resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode  # in a small process: a child begins with the peak of its parent
pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""
_PYDANTIC = """
import importlib.util, json, sys
from pydantic import BaseModel, TypeAdapter
spec = importlib.util.spec_from_file_location("out", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["out"] = module
spec.loader.exec_module(module)
results = []
for payload in json.load(open(sys.argv[2])):
    try:
        adapter = TypeAdapter(getattr(module, payload["type"]))
        value = adapter.validate_json(payload["json"])
        results.append({"json": adapter.dump_json(value, by_alias=True).decode()})
    except Exception as error:
        results.append({"error": repr(error)[:300]})
json.dump(results, open(sys.argv[3], "w"))
"""
_HEAD = [
    "tool", "types", "compile errors", "examples without loss", "unnamed or numbered types", "described members",
    "unknown enum values", "breaking-change report", "s", "MB",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a tool: its output, "" if there is none, the problem, the seconds, and the peak of memory in MB."""

    text: str
    problem: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Payload:
    """An example of the document that is valid by its schema, which is `#/components/schemas/{name}`."""

    name: str
    value: JSON
    is_unknown: bool = False  # one value of an enum was replaced by a value that the document does not name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--tools", type=Path, default=Path("peers"))
    parser.add_argument("--fetch", action="store_true", help="install the other tools into --tools")
    parser.add_argument("--file", type=Path, action="append", default=[], help="a document of your own")
    parser.add_argument("--show", type=int, default=0, help="print so many of the examples that were not kept")
    parser.add_argument("--only", choices=TOOLS, action="append", help="run this tool only")
    arguments = parser.parse_args()
    SHOWN["limit"] = arguments.show
    if arguments.fetch:
        fetch(arguments.tools)
    announce("The same documents through four generators")
    listed = arguments.documents or not arguments.file
    paths = [source.path for source in (chosen(arguments.documents) if listed else []) if not source.request]
    for path in [*paths, *arguments.file]:
        payloads = [*payloads_of(path)]
        unknown = sum(one.is_unknown for one in payloads)
        print(f"\n{path.name}: {len(payloads) - unknown} examples, {unknown} with an unknown enum value\n", flush=True)
        rows = [row(tool, path, arguments.tools.resolve(), payloads) for tool in arguments.only or TOOLS]
        print(table(_HEAD, rows), flush=True)


def fetch(tools: Path) -> None:
    """Install the other tools."""
    subprocess.run(["npm", "install", "--prefix", str(tools), "nswag@14.7.1", "quicktype@26"], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(tools / "python")], check=True)
    pip = [str(tools / "python" / "bin" / "pip"), "install", "datamodel-code-generator", "pydantic[email]"]
    subprocess.run(pip, check=True)


def payloads_of(path: Path) -> Iterator[Payload]:
    """Yield the valid objects among the examples of named schemas, each once, and again with an unknown enum value."""
    root = cast("dict[str, JSON]", load_document(path).root.value)
    reader = Reader(document=root, described=False, rfc_3339=True)
    prefix = "#/definitions/" if "definitions" in root else "#/components/schemas/"
    seen: set[str] = set()
    for name, value in _examples(root, reader, prefix):
        key = json.dumps([name, value])
        schema: JSON = {"$ref": prefix + name}
        if not isinstance(value, dict) or key in seen or reader.contradictions(schema, value):
            continue
        seen.add(key)
        yield Payload(name=name, value=value)
        changed, is_changed = _with_unknown(reader, schema, value, 0)
        if is_changed:
            yield Payload(name=name, value=changed, is_unknown=True)


def _examples(root: dict[str, JSON], reader: Reader, prefix: str) -> Iterator[tuple[str, JSON]]:
    schemas = reader.resolved({"$ref": prefix.rstrip("/")})
    for name, schema in schemas.items() if isinstance(schemas, dict) else ():
        if isinstance(schema, dict):
            named = schema.get("examples")
            given = [schema["example"]] if "example" in schema else []
            for value in [*given, *(named if isinstance(named, list) else [])]:
                yield name, value
    waiting: list[JSON] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            schema = node.get("schema")
            ref = schema.get("$ref") if isinstance(schema, dict) else None
            if isinstance(ref, str) and ref.startswith(prefix):
                yield from ((ref.removeprefix(prefix), value) for value in _given(node, reader))


def _given(node: Mapping[str, JSON], reader: Reader) -> Iterator[JSON]:
    if "example" in node:
        yield node["example"]
    named = node.get("examples")
    for each in named.values() if isinstance(named, dict) else ():
        example = reader.resolved(each)
        if isinstance(example, dict) and "value" in example:
            yield example["value"]


def _with_unknown(reader: Reader, schema: JSON, value: JSON, depth: int) -> tuple[JSON, bool]:
    """Return the value with its first enum value replaced, and whether there is one."""
    found = reader.resolved(schema)
    if not isinstance(found, dict) or depth > 20:
        return value, False
    if isinstance(value, str) and isinstance(found.get("enum"), list):
        return _UNKNOWN, True
    members = found.get("properties")
    if isinstance(value, dict) and isinstance(members, dict):
        for name, inner in value.items():
            changed, is_changed = _with_unknown(reader, members.get(name), inner, depth + 1)
            if is_changed:
                return {**value, name: changed}, True
    if isinstance(value, list):
        for index, inner in enumerate(value):
            changed, is_changed = _with_unknown(reader, found.get("items"), inner, depth + 1)
            if is_changed:
                return [*value[:index], changed, *value[index + 1 :]], True
    return value, False


def row(tool: str, path: Path, tools: Path, payloads: Sequence[Payload]) -> list[object]:
    """Return the row of one tool for one document."""
    with tempfile.TemporaryDirectory(prefix="retouch-") as name:
        found = executed(tool, path, tools, Path(name))
    breaking = "yes" if tool == "retouch" else "no"
    if not found.text:
        return [tool, 0, found.problem[:90], *["not measured: no output"] * 4, breaking, found.seconds, found.megabytes]
    is_python = tool == "datamodel"
    types = python_types(found.text) if is_python else _CSHARP_TYPE.findall(found.text)
    types = [one for one in types if one not in _SUPPORT]
    unnamed = sum(_NUMBERED.fullmatch(one) is not None for one in types)
    errors, kept, unknown = (python_outcome if is_python else csharp_outcome)(found.text, types, tools, payloads)
    members = python_described(found.text) if is_python else described(found.text)
    return [tool, len(types), errors, kept, unnamed, members, unknown, breaking, found.seconds, found.megabytes]


def described(text: str) -> str:
    """Return how many properties have a documentation comment."""
    lines = text.splitlines()
    members = commented = 0
    for index, line in enumerate(lines):
        if _CSHARP_MEMBER.match(line) is None:
            continue
        above = index - 1
        while above >= 0 and lines[above].strip().startswith("["):
            above -= 1
        members += 1
        commented += lines[above].strip().startswith("///")
    return f"{commented:,} of {members:,}"


def python_types(text: str) -> list[str]:
    """Return the names of the classes in a Python file."""
    return re.findall(r"^class (\w+)\(", text, re.MULTILINE)


def python_described(text: str) -> str:
    """Return how many fields of Python classes have a description."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return "not measured: no valid Python"
    fields = [one for cls in ast.walk(tree) if isinstance(cls, ast.ClassDef) for one in cls.body]
    fields = [one for one in fields if isinstance(one, ast.AnnAssign)]
    found = sum(any(isinstance(one, ast.keyword) and one.arg == "description" for one in ast.walk(f)) for f in fields)
    return f"{found:,} of {len(fields):,}"


def executed(tool: str, path: Path, tools: Path, directory: Path) -> Run:
    """Run one tool and return its outcome."""
    out = directory / ("out.py" if tool == "datamodel" else "out.cs")
    if tool == "retouch":
        retouch = str(Path(sys.executable).parent / "retouch")
        program = [retouch, "generate", "csharp", str(path), "--all", "--style", "plain"]
        command = [*program, "-q", "--compiler", "none", "--model", "offline", "-o", str(directory / "run")]
    elif tool == "NSwag":
        options = ["/GenerateClientClasses:false", "/JsonLibrary:SystemTextJson", "/GenerateDataAnnotations:false"]
        nullable = ["/GenerateNullableReferenceTypes:true", "/namespace:N"]
        nswag = str(assemblies(tools) / "NSwag.exe")
        command = ["mono", nswag, "openapi2csclient", f"/input:{path}", f"/output:{out}", *options, *nullable]
    elif tool == "quicktype":
        schema = directory / "schema.json"
        root = load_document(path).root.value
        schema.write_text(json.dumps(root), encoding="utf-8")
        where = "definitions" if isinstance(root, dict) and "definitions" in root else "components/schemas"
        quicktype = [str(tools / "node_modules" / ".bin" / "quicktype"), "--framework", "SystemTextJson"]
        command = [*quicktype, "--lang", "cs", "--src-lang", "schema", "-o", str(out), f"{schema}#/{where}/"]
    else:
        program = str(tools / "python" / "bin" / "datamodel-codegen")
        options = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
        command = [program, "--input", str(path), "--output", str(out), *options]
    return timed(command, directory, out)


def assemblies(tools: Path) -> Path:
    """Return the directory of the .NET Framework build in NSwag's package."""
    return tools / "node_modules" / "nswag" / "bin" / "binaries" / "Win"


def timed(command: Sequence[str], directory: Path, out: Path) -> Run:
    """Return the outcome of a command with its time and its peak of memory."""
    log = directory / "log"
    start = time.perf_counter()
    with log.open("w", encoding="utf-8") as file:
        limited = [sys.executable, "-c", _MEASURE, str(directory / "peak"), "timeout", str(LIMIT_S), *command]
        status = subprocess.run(limited, stdout=file, stderr=file, cwd=directory, check=False).returncode
    seconds = time.perf_counter() - start
    run = sorted((directory / "run").glob("*.cs")) if (directory / "run").is_dir() else []
    written = out if out.is_file() else run[0] if run else None
    text = written.read_text(encoding="utf-8-sig", errors="replace") if written is not None else ""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if "rror" in line]
    problem = "" if text else (lines or [f"status {status}"])[0]
    return Run(text=text, problem=problem, seconds=seconds, megabytes=float((directory / "peak").read_text()) / 1024)


def csharp_outcome(
    text: str, types: Sequence[str], tools: Path, payloads: Sequence[Payload]
) -> tuple[object, object, object]:
    """Return the compile errors by code, the examples that were kept, and the outcome of unknown enum values."""
    with tempfile.TemporaryDirectory(prefix="retouch-") as name:
        directory = Path(name)
        (directory / "Model.cs").write_text(text, encoding="utf-8")
        harness = (_RUNTIME / "harness.cs").read_text(encoding="utf-8")
        if "class Converter" in text:  # quicktype's own settings
            harness = harness.replace(_MODEL_JSON, 'type.Namespace + ".Converter")').replace(_OPTIONS, _SETTINGS)
        (directory / "Harness.cs").write_text(harness, encoding="utf-8")
        errors = compiled(directory, tools)
        if errors:
            codes = Counter(found[0] if (found := re.search(r"CS\d+", one)) else one[:60] for one in errors)
            why = "not measured: no program"
            return f"{len(errors):,} ({', '.join(sorted(codes)[:4])})", why, why
        space = re.search(r"^namespace ([\w.]+)", text, re.MULTILINE)
        prefix = f"{space[1]}." if space else ""
        command = ["mono", str(directory / "check.exe")]
        environment = {"MONO_PATH": str(assemblies(tools)), "TZ": "Asia/Kathmandu"}
        return (0, *outcome(directory, command, types, prefix, payloads, environment))


def compiled(directory: Path, tools: Path) -> list[str]:
    """Compile the C# of the directory into check.exe with Roslyn and the real assemblies, and return all errors."""
    roslyn = find_roslyn({})
    base = Path("/usr/lib/mono/4.5")
    references = [*(base / f"{one}.dll" for one in _BASE), *(assemblies(tools) / f"{one}.dll" for one in _REAL)]
    sources = [directory / "Model.cs", directory / "Harness.cs", _HERE / "csharp_peers.cs"]
    emit = [roslyn.node, _RUNTIME / "emit.mjs", roslyn.folder, _RUNTIME / "emit.cs", directory / "check.exe"]
    command = [*map(str, emit), *map(str, references), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    try:
        return cast("list[str]", json.loads(done.stdout.strip().splitlines()[-1])["errors"])
    except (IndexError, ValueError, KeyError):
        return [f"the compiler ended with status {done.returncode}: {done.stderr[-200:]}"]


def python_outcome(
    text: str, types: Sequence[str], tools: Path, payloads: Sequence[Payload]
) -> tuple[object, object, object]:
    """Return 1 if Python cannot compile the text, else 0, and what became of the examples in pydantic."""
    try:
        compile(text, "out.py", "exec", dont_inherit=True)
    except SyntaxError:
        return 1, "not measured: no program", "not measured: no program"
    with tempfile.TemporaryDirectory(prefix="retouch-") as name:
        directory = Path(name)
        (directory / "out.py").write_text(text, encoding="utf-8")
        (directory / "harness.py").write_text(_PYDANTIC, encoding="utf-8")
        python = str(tools / "python" / "bin" / "python")
        command = [python, str(directory / "harness.py"), str(directory / "out.py")]
        return (0, *outcome(directory, command, types, "", payloads, {}))


def outcome(
    directory: Path, command: Sequence[str], types: Sequence[str], prefix: str, payloads: Sequence[Payload],
    environment: Mapping[str, str],
) -> tuple[object, object]:  # fmt: skip
    """Return how many examples the program kept, and what it did with unknown enum values."""
    by_name = {_letters(one): one for one in reversed(types)}
    run = [one for one in payloads if _letters(one.name) in by_name]
    without = sum(not one.is_unknown for one in payloads) - sum(not one.is_unknown for one in run)
    asked = [{"type": prefix + by_name[_letters(one.name)], "json": json.dumps(one.value)} for one in run]
    (directory / "payloads.json").write_text(json.dumps(asked), encoding="utf-8")
    files = [str(directory / "payloads.json"), str(directory / "results.json")]
    done = subprocess.run(
        [*command, *files], env={**os.environ, **environment}, capture_output=True, text=True, timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    if done.returncode:
        why = f"not measured: {(done.stderr.strip().splitlines() or ['no message'])[-1][:80]}"
        return why, why
    results = cast("list[dict[str, str]]", json.loads((directory / "results.json").read_text(encoding="utf-8")))
    kinds = [_kind(one, result) for one, result in zip(run, results, strict=True)]
    losses = [(one, result) for one, result, kind in zip(run, results, kinds, strict=True) if kind != "kept"]
    for one, result in losses[: SHOWN["limit"]]:
        print(f"- {one.name}: {json.dumps(one.value)[:300]} -> {str(result)[:300]}", file=sys.stderr)
    kept = [kind for one, kind in zip(run, kinds, strict=True) if not one.is_unknown]
    unknown = Counter(kind for one, kind in zip(run, kinds, strict=True) if one.is_unknown)
    cell = f"{kept.count('kept'):,} of {len(kept):,}" + (
        f" ({without:,} without a type of this name)" if without else ""
    )
    return cell, ", ".join(
        f"{unknown[kind]:,} {kind}" for kind in ("kept", "lost", "thrown") if unknown[kind]
    ) or "none"


def _kind(payload: Payload, result: Mapping[str, str]) -> str:
    """Return `kept`, `lost` or `thrown`. An absent property that became null counts as kept, for every tool."""
    if "error" in result:
        return "thrown"
    before, after = (json.loads(one, parse_float=Decimal) for one in (json.dumps(payload.value), result["json"]))
    return "lost" if any(differences(before, after, _names(after))) else "kept"


def _names(value: Any) -> set[str]:
    if isinstance(value, list):
        return set[str]().union(*map(_names, cast("list[Any]", value)))
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        return {*inner}.union(*map(_names, inner.values()))
    return set()


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


if __name__ == "__main__":
    main()
