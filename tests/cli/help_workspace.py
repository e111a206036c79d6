"""A directory in which the examples of every command's help run: what they name is there.

Nothing leaves the machine. Hosted models are replaced by the offline one. It cannot repair hardware, so those examples
get --dry-run. The id of a draft is replaced by that of a draft that is there. `npx` is a server of this file with one
tool. What is typed into a command ends at once.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from retouch.cli.root import command

if TYPE_CHECKING:
    from click.testing import Result

_PATHS = "".join(f"data/2024/s{day % 3}-p{day}/scan_{day:03}.tif\n" for day in range(1, 9))
_RULE = (
    "version: 1\nname: {name}\nglob: 'data/*.csv'\nextract:\n  {field}: {{from: filename, pattern: '^(\\w)\\.csv$'}}\n"
)
_TICKET = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
FILES = {
    "src/app.py": "def load(path):\n    return path\n",
    "src/cli.py": "from app import load\n",
    "src/test_app.py": "def test_it():\n    assert True\n",
    "task.md": "Rename load to read.\n",
    "prompt.md": "Read the ticket.\n",
    "tickets.jsonl": "".join(json.dumps({"id": n, "text": f"broken {n}"}) + "\n" for n in range(4)),
    "ticket.json": json.dumps(_TICKET),
    "extract.json": json.dumps({"schema": _TICKET}),
    "mails/one.txt": "One lamp for Ada.\n",
    "shop.py": "from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    text: str = ''\n",
    "checks.py": "def check(value, record):\n    return []\n",
    "paths.txt": _PATHS,
    "mission.txt": _PATHS.replace("data/2024", "mission"),
    "constitution.md": "# Rules\n\nNever delete anything outside the sandbox.\nBe polite.\n",
    "listing.txt": "data/a.csv\n",
    "data/a.csv": "x\n",
    "data/b.csv": "x\n",
    "rule.yaml": _RULE.format(name="one", field="code"),
    "rules/a.yaml": _RULE.format(name="a", field="code"),
    "rules/b.yaml": _RULE.format(name="b", field="code"),
    "expected.jsonl": '{"path": "data/a.csv", "fields": {"code": "a"}}\n',
    "leaked-key.txt": "not-a-real-key-1234567890\n",
    "reply.md": "src/app.py\n<<<<<<< SEARCH\n    return path\n=======\n    return str(path)\n>>>>>>> REPLACE\n",
    "failure.txt": "ImportError: cannot import name load in src/app.py\n",
    "tools.json": json.dumps({"tools": [{"name": "read_file", "inputSchema": {"properties": {"path": {}}}}]}),
}
_SERVER = f"""\
#!{sys.executable}
import json, sys
TOOL = {{"name": "read_file", "inputSchema": {{"type": "object", "properties": {{"path": {{"type": "string"}}}}}}}}
for line in sys.stdin:
    asked = json.loads(line)
    version = (asked.get("params") or {{}}).get("protocolVersion")
    start = {{"protocolVersion": version, "capabilities": {{}}, "serverInfo": {{"name": "files", "version": "1"}}}}
    results = {{"initialize": start, "tools/list": {{"tools": [TOOL]}}}}
    if "id" in asked:
        reply = {{"jsonrpc": "2.0", "id": asked["id"], "result": results.get(asked["method"], {{}})}}
        print(json.dumps(reply), flush=True)
"""
_CALL = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/x"}}
TYPED = {"policy hook": json.dumps(_CALL)}
"""What is typed into a command."""
_PET = "{content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}, description: A pet.}"
_API = f"""\
openapi: 3.0.3
info: {{title: Pets, version: "1"}}
paths:
  /pets:
    get: {{responses: {{"200": {_PET}}}}}
    post: {{responses: {{"201": {_PET}}}}}
  /pets/{{id}}:
    get: {{responses: {{"200": {_PET}}}}}
  /repos/{{owner}}:
    get: {{responses: {{"200": {_PET}}}}}
components:
  schemas:
    Pet: {{type: object, required: [name], properties: {{name: {{type: string}}, age: {{type: integer}}}}}}
"""
_MISSION = """\
version: 1
name: mission
glob: 'data/2024/*/*.tif'
extract:
  name: {from: filename, pattern: '^([a-z]+)_[0-9]+\\.tif$'}
  number: {from: filename, pattern: '^[a-z]+_([0-9]+)\\.tif$', type: integer}
"""
_R = """\
version: 1
name: r
glob: 'data/2024/*/*.tif'
extract:
  year: {from: 'segment(-3)', pattern: '^(\\d{4})$'}
  number: {from: filename, pattern: '_(\\d+)\\.tif$'}
  code: {from: 'segment(-2)', pattern: '^(.+)$'}
"""
PREPARED = (
    "generate csharp api.yaml 'GET /pets' -o output/GET_pets --compiler none",
    "generate csharp api.yaml 'GET /pets' -o second --compiler none",
    "generate edit src/app.py --request 'rename load to read' -o output/edit-app.py --apply",
    "generate policy constitution.md --tools annotations.json --lists lists.json --base base.json -o policy",
    "generate rule @mission.txt --accept all -o output/mission",
    "generate rule @paths.txt --accept all -o output/other",
    "eval csharp api.yaml --all --models offline,faulty:offline --trials 3 --sample 40",
    "fleet run extract tickets.jsonl -o tickets-fleet --shared extract.json --shard-size 1 --quiet",
    "demo policy chisel --to made-here --no-open",
)


def retouch(words: list[str], typed: str = "") -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(command, words, input=typed)


def prepare(place: Path, project: Path) -> None:
    """Write the files into an empty directory, and make the runs that examples name."""
    for name, text in {
        **FILES,
        "api.yaml": _API,
        "openapi.yaml": _API,
        "rules/mission.yaml": _MISSION,
        "r.yaml": _R,
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    for name in ("annotations.json", "lists.json", "base.json", "call.json", "scenarios.json"):
        shutil.copy(project / "examples" / "policy" / name, place)
    shutil.copytree(project / "examples" / "chisel" / "alu" / "src", place / "src" / "main" / "scala")
    shutil.copy(project / "examples" / "chisel" / "alu" / "wanted.diff", place / "fix.diff")
    (place / "bugs.jsonl").write_text('{"id": "alu", "diff": "fix.diff"}\n', encoding="utf-8")
    (place / "diffs").mkdir()
    (place / "bin").mkdir()
    (place / "bin" / "npx").write_text(_SERVER, encoding="utf-8")
    (place / "bin" / "npx").chmod(0o755)
    shutil.copy(place / "fix.diff", place / "diffs")
    with chdir(place):
        for line in PREPARED:
            done = retouch(shlex.split(line))
            assert done.exit_code in (0, 1), f"{line}\n{done.output}"
        shutil.copytree("second", "first")
        shutil.copytree("made-here/chisel", "output/chisel")
        shutil.copytree("made-here/policy", "enforced")
        shutil.rmtree("made-here")
        for name in ("made", "before", "after"):
            shutil.copytree("policy", name)


def ready(words: list[str]) -> list[str]:
    """Return the words of an example as they are run here, after what its place needs."""
    if words[0] == "adopt":
        edited = next(Path("output/GET_pets").glob("*.cs"))
        edited.write_text(edited.read_text(encoding="utf-8").replace("class Pet", "sealed class Pet"), encoding="utf-8")
    if words[:2] in (["generate", "chisel"], ["chisel", "batch"]):
        return [*words, "--dry-run"]
    if words[:2] in (["policy", "guard"], ["policy", "hook"]):  # the policy of the other examples has an open clause
        return [
            "enforced" if word == "policy" and words[place - 1] == "--policy" else word
            for place, word in enumerate(words)
        ]
    is_draft = words[:2] == ["rule", "drafts"] and words[2:3] != ["list"]
    drafts: list[Any] = json.loads(retouch(["rule", "drafts", "list", "--json"]).stdout)["drafts"] if is_draft else []
    found = [drafts[0]["id"] if word in ("1a1d0370", "5e8a559b") else word for word in words]
    models = {"anthropic:NAME,openai:NAME": "offline,faulty:offline"}
    return [models.get(word, "offline" if word.startswith(("anthropic:", "openai:")) else word) for word in found]
