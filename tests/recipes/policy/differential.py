"""Compares what a policy allows with what other programs do: node, curl, git, bash, and readers of Python.

Programs run in batches, on the cases that the policy allows. `make fuzz-readers` tries many cases. curl and git get a
proxy on loopback that writes down the host they want, and never connects to it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from email import policy as email_policy
from email.utils import getaddresses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.language.strict_json import parse_json
from tests.recipes.policy.fuzzing import BOB, EVE, GOOD, Finding, hosts_by_library, policy, run
from tests.recipes.policy.hostile_pieces import (
    HOSTS,
    JOINTS,
    LOCALS,
    NAMES,
    NOISE,
    NUMBERS,
    PORTS,
    SCHEMES,
    TAILS,
    USERS,
)
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from random import Random

Cases = list[tuple[str, str]]
LIMIT = 500
NODE = r"""
const path = require("path"), fs = require("fs"), url = require("url");
const {base, cases} = JSON.parse(fs.readFileSync(0, "utf8"));
const tried = (work) => { try { return work(); } catch { return null; } };
console.log(JSON.stringify(cases.map(([kind, text]) => {
  if (kind === "url") return tried(() => new URL(text).hostname);
  if (kind === "legacy") return tried(() => url.parse(text).hostname);
  if (kind === "path") {
    let at = path.resolve(base, text), rest = [];
    for (;;) {
      const real = tried(() => fs.realpathSync(at));
      if (real !== null) return path.join(real, ...rest);
      rest.unshift(path.basename(at));
      at = path.dirname(at);
    }
  }
  if (kind === "number") {
    const value = tried(() => Number(JSON.parse(text)));
    return Number.isFinite(value) ? value : null;
  }
  return null;
})));
"""


def readers_missing() -> list[str]:
    """Return the programs that are absent here."""
    return [one for one in ("node", "curl", "git", "bash") if shutil.which(one) is None]


def _without_port(authority: str) -> str:
    host = authority.rpartition("@")[2]
    return host if host.endswith("]") else host.rpartition(":")[0] or host


class Recorder(BaseHTTPRequestHandler):
    """A proxy that refuses every request and remembers its host."""

    seen: list[str] = []  # noqa: RUF012 - one list for the one server

    def do_GET(self) -> None:
        asked = self.path if self.command == "CONNECT" else urlsplit(self.path).netloc
        self.seen.append(_without_port(asked))
        self.send_response(418)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_HEAD = do_POST = do_GET  # noqa: N815 - names of the library

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the library
        """Print nothing."""


@contextmanager
def recording() -> Generator[tuple[str, list[str]]]:
    """Run the proxy. Yield its address and the hosts that are asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    Recorder.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", Recorder.seen
    finally:
        server.shutdown()
        server.server_close()


def by_node(base: str, cases: Cases) -> list[Any]:
    """Return what node reads of each case."""
    text = json.dumps({"base": base, "cases": cases})
    done = subprocess.run(
        ["node", "--no-deprecation", "-e", NODE], input=text, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def by_curl(texts: list[str], proxy: str, seen: list[str]) -> list[str | None]:
    """Return the host that curl requests for each URL. None if it requests nothing."""
    found: list[str | None] = []
    for text in texts:
        if "\x00" in text:
            found.append(None)
            continue
        before = len(seen)
        words = ["curl", "-q", "-s", "-g", "-m", "5", "--path-as-is", "-x", proxy, "-o", os.devnull, "--", text]
        subprocess.run(words, capture_output=True, check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        found.append(seen[before] if len(seen) > before else None)
    return found


def by_git(texts: list[str], proxy: str, seen: list[str], room: Path) -> list[str | None]:
    """Return the host that git connects to for each remote: by its proxy, or by the arguments of its ssh."""
    log = room / "ssh.txt"
    script = room / "ssh"
    script.write_text(f'#!/bin/sh\nfor one; do printf "%s\\n" "$one" >> {log}; done\nexit 1\n', encoding="utf-8")
    script.chmod(0o755)
    more = {
        "GIT_SSH": str(script),
        "GIT_SSH_VARIANT": "simple",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PROXY_COMMAND": str(script),
    }
    environment = {"PATH": os.environ["PATH"], "HOME": str(room), "LC_ALL": "C.UTF-8", **more}
    environment |= {"http_proxy": proxy, "https_proxy": proxy, "ALL_PROXY": proxy}
    found: list[str | None] = []
    for text in texts:
        log.unlink(missing_ok=True)
        before = len(seen)
        if "\x00" not in text:
            words = ["git", "ls-remote", "--", text]
            subprocess.run(words, cwd=room, capture_output=True, check=False, env=environment, timeout=MOST_S)
        if len(seen) > before:
            found.append(seen[before])
        elif log.exists():
            found.append(_without_port(log.read_text(encoding="utf-8").splitlines()[0]))
        else:
            found.append(None)
    return found


def by_bash(texts: list[str], base: str, home: str) -> list[list[str]]:
    """Return the paths that a shell makes of each text, if a tool does not quote it."""
    found: list[list[str]] = []
    for text in texts:
        words = [
            "bash",
            "--norc",
            "-c",
            f'shopt -s nullglob; cd {base} && for f in {text}; do realpath -m -- "$f"; done',
        ]
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        found.append(done.stdout.splitlines() if done.returncode == 0 else [])
    return found


def money_policy() -> Policy:
    """Return a policy that allows small amounts, in two ways: a permission for them, and a prohibition of others."""
    tools = [{"toolName": name, "args": {"amount": ["none"]}} for name in ("pay", "refund")]
    rules: list[Any] = [
        {
            "name": "small",
            "if": {"tool": ["pay"], "where": [{"arg": "amount", "atLeast": 0, "below": LIMIT}]},
            "then": "allow",
        },
        {"name": "large", "if": {"tool": ["refund"], "where": [{"arg": "amount", "atLeast": LIMIT}]}, "then": "deny"},
        {"name": "other", "if": {"tool": ["refund"]}, "then": "allow"},
    ]
    value: Any = {
        "semantics": 3,
        "home": "/h",
        "rules": rules,
        "servers": {},
        "annotations": {"servers": {"s": {"tools": tools}}},
    }
    return Policy.of_json(value)


def _changed(random: Random, text: str, noise: list[str]) -> str:
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        at = random.randint(0, len(text))
        text = text[:at] + random.choice(noise) + text[at + random.choice([0, 0, 1]) :]
    return text


def _url(random: Random) -> str:
    parts = [random.choice(one) for one in (SCHEMES, USERS, HOSTS, PORTS, TAILS)]
    if random.random() < 0.6:
        parts[2] = GOOD
    if random.random() < 0.2:
        parts = [
            "",
            random.choice(["", "git@", "-x@"]),
            parts[2],
            ":",
            random.choice(["a/b", "/a", "-a", "~/a", "../a"]),
        ]
    return _changed(random, "".join(parts), NOISE)


def _path(random: Random, root: str) -> str:
    start = random.choice([f"{root}/ok/", f"{root}/ok/", f"{root}/", "", "~/ok/", "./", "//"])
    text = start + "/".join(random.choice(NAMES) for _ in range(random.randint(1, 5)))
    return _changed(random, text, ["/", ".", " ", "\t", "~", "\u2024", "\ufe52", "\u200b", "*", "?"])


def _recipients(random: Random) -> str:
    return _changed(
        random,
        random.choice(JOINTS).join(random.choice(LOCALS) for _ in range(random.randint(1, 3))),
        [*JOINTS, "@", "\x00"],
    )


def _number(random: Random) -> str:
    text = random.choice(NUMBERS)
    if random.random() < 0.3:
        text = str(random.choice([1, -1]) * random.getrandbits(random.randint(1, 70)) / random.choice([1, 10, 3]))
    return _changed(random, text, ["0", "1", "e", ".", "-", " ", '"'])


def _sent(known: Policy, tool: str, name: str, value: Any) -> Any:
    found = evaluate(known, {"serverName": "s", "toolName": tool, "arguments": {name: value}})
    return (found.arguments or {}).get(name) if found.decision == "allow" else None


def findings(random: Random, cases: int, root: Path) -> Iterator[Finding]:
    """Yield what is found in that many cases of each kind."""
    known = policy(str(root))
    with recording() as (proxy, seen), tempfile.TemporaryDirectory() as room:
        urls = _allowed(known, ("fetch", "push"), "value", (_url(random) for _ in range(cases)))
        paths = _allowed(known, ("read", "delete"), "value", (_path(random, str(root)) for _ in range(cases)))
        mails = _allowed(known, ("send", "write"), "value", (_recipients(random) for _ in range(cases)))
        yield from _hosts(urls, proxy, seen, Path(room))
        yield from _places(paths, str(root))
        yield from _mailboxes(mails)
        yield from _amounts(money_policy(), {_number(random) for _ in range(cases)})


def _allowed(known: Policy, tools: tuple[str, ...], name: str, texts: Iterable[str]) -> Cases:
    """Return the tools with the values that the policy allows: as written, and as handed on."""
    found: dict[tuple[str, str], None] = {}
    for text in texts:
        for tool in tools:
            sent = _sent(known, tool, name, text)
            if sent is not None:
                found[tool, text] = found[tool, str(sent)] = None
    return list(found)


def _is_good(host: str | None) -> bool:
    plain = (host or GOOD).lower().removesuffix(".")
    return plain == GOOD or plain.endswith(f".{GOOD}")


def _hosts(urls: Cases, proxy: str, seen: list[str], room: Path) -> Iterator[Finding]:
    texts = list(dict.fromkeys(text for _, text in urls))
    remotes = list(dict.fromkeys(text for tool, text in urls if tool == "push"))
    pages = [text for text in texts if "://" in text]
    read: dict[str, Iterable[tuple[str, str | None]]] = {
        "node": zip(pages, by_node("/", [("url", one) for one in pages]), strict=True),
        "node url.parse": zip(pages, by_node("/", [("legacy", one) for one in pages]), strict=True),
        "curl": zip(pages, by_curl(pages, proxy, seen), strict=True),
        "git": zip(remotes, by_git(remotes, proxy, seen, room), strict=True),
    }
    libraries = {text: list(hosts_by_library(text)) for text in pages}
    for name in ("urllib", "httpx", "rfc3986"):
        read[name] = [(text, host) for text, hosts in libraries.items() for reader, host in hosts if reader == name]
    for reader, pairs in read.items():
        for text, host in pairs:
            if not _is_good(host):
                yield Finding(kind="host", value=text, reader=reader, reached=str(host))


def _places(paths: Cases, root: str) -> Iterator[Finding]:
    base = f"{root}/ok"
    texts = [text for _, text in paths]
    # A shell only gets what cannot be a command.
    shells = [text if not set(text) & set("$`;&|<>()'\"\\\n\r#! ") else "ok" for text in texts]
    homes = [text.replace("~", root, 1) if text == "~" or text.startswith("~/") else text for text in texts]
    found = zip(paths, by_node(base, [("path", one) for one in homes]), by_bash(shells, base, root), strict=True)
    for (tool, text), place, more in found:
        for reader, one in (("node", place), *(("bash", each) for each in more)):
            secret, folded = f"{root}/ok/secret/", f"{os.path.realpath(one).rstrip('/')}/"
            touches = tool == "delete" and (secret.startswith(folded.lower()) or folded.lower().startswith(secret))
            if not folded.startswith(f"{root}/ok/") or touches:
                yield Finding(kind=tool, value=text, reader=reader, reached=one)


def _mailboxes(mails: Cases) -> Iterator[Finding]:
    for tool, text in mails:
        for reader, parse in MAIL_READERS.items():
            for address in parse(text):
                low = address.lower().removesuffix(".")
                plain = f"{low.partition('@')[0].partition('+')[0]}@{low.partition('@')[2]}".replace('"', "")
                if address and (low != BOB if tool == "send" else plain == EVE):
                    yield Finding(kind=tool, value=text, reader=reader, reached=address)


def _by_header(text: str) -> list[str]:
    try:
        header: Any = email_policy.default.header_factory("to", text)
        return [str(one.addr_spec) for one in header.addresses]
    except Exception:  # noqa: BLE001 - a reader that refuses sends nothing
        return []


MAIL_READERS: dict[str, Callable[[str], list[str]]] = {
    "getaddresses": lambda text: [one for _, one in getaddresses([text])],
    "getaddresses, semicolons": lambda text: [one for _, one in getaddresses([text.replace(";", ",")])],
    "headerregistry": _by_header,
}


def _amounts(known: Policy, texts: set[str]) -> Iterator[Finding]:
    """Compare amounts as JSON texts. Each is a number or a string, a list or an object."""
    values: list[tuple[str, str]] = []
    for text in sorted(texts):
        try:
            value = parse_json(text, name="amount")
        except Exception:  # noqa: BLE001 - what the guard does not read is not decided
            continue
        for tool in ("pay", "refund"):
            sent = _sent(known, tool, "amount", value)
            if sent is not None:
                values += [(tool, text), (tool, json.dumps(sent))]
    by_double = by_node("/", [("number", text) for _, text in values])
    for (tool, text), double in zip(values, by_double, strict=True):
        for reader, number in (("node", double), ("decimal", _decimal(text))):
            wrong = number is not None and (number >= LIMIT or (tool == "pay" and number < 0))
            if wrong:
                yield Finding(kind=tool, value=text, reader=reader, reached=str(number))


def _decimal(text: str) -> Decimal | None:
    try:
        value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        found = Decimal(value) if isinstance(value, (str, Decimal)) else None
    except (ValueError, InvalidOperation):
        return None
    return found if found is not None and found.is_finite() else None


if __name__ == "__main__":
    if missing := readers_missing():
        print(f"these programs are absent: {', '.join(missing)}", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(__doc__, findings, cases=20_000))
