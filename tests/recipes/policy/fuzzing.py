"""Hostile arguments out of pieces, and independent readers that say what a program would do with them."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from contextlib import chdir
from dataclasses import dataclass
from email.utils import getaddresses
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from retouch.recipes.policy import Policy, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GOOD, EVIL = "good.example", "evil.example"
BOB, EVE = "bob@corp.example", "eve@evil.example"
URL_PIECES = [
    "http://", "https://", "HTTP://", "http:", "http:/", "//", "/", "\\", "@", ":", "?", "#", "%2f", "%40", "%5c",
    "%00", "\t", "\n", " ", "..", ".", "[", "]", "::1", "80", GOOD, EVIL, "127.0.0.1", "0x7f.1", "user",
    "\u3002", "\uff0f",
    "\u2100", "xn--", "a", ";", "&", "%6f", "\u00ad",
]  # fmt: skip
PATH_PIECES = [
    "/",
    "..",
    ".",
    "ok",
    "secret",
    "link",
    "~",
    "~root",
    "$HOME",
    "\\",
    " ",
    "\n",
    "*",
    "SECRET",
    "//",
    "a",
    "{ok,secret}",
    "/proc/self/cwd",
    "proc/self/cwd",
    "here",
]
MAIL_PIECES = [
    BOB,
    EVE,
    "<",
    ">",
    ",",
    ";",
    " ",
    '"',
    "Bob",
    "(",
    ")",
    ":",
    "\n",
    "\\",
    "+x",
    "EVE@evil.example",
    "=?",
    "@",
]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An argument that the policy allows, and the reader that would reach something else by it."""

    kind: str
    value: str
    reader: str
    reached: str


Findings: TypeAlias = "Callable[[Random, int, Path], Iterable[Finding]]"


def policy(root: str = "/srv") -> Policy:
    """Return a policy about one host, one remote, one directory and one recipient."""
    rules: list[dict[str, Any]] = [
        {"name": "no-eve", "then": "deny", "if": {"lists": [_mail(EVE)], "tool": ["write"]}},
        {"name": "anybody", "then": "allow", "if": {"tool": ["write"]}},
        {"name": "bob", "then": "allow", "if": {"lists": [_mail(BOB)], "tool": ["send"]}},
        {"name": "site", "then": "allow", "if": {"domains": {"roles": ["fetch-url"], "allowed": [GOOD, f"*.{GOOD}"]}}},
        {"name": "remote", "then": "allow", "if": {"domains": {"roles": ["git-remote-url"], "allowed": [GOOD]}}},
        {"name": "secret", "then": "deny", "if": {"paths": {"roles": ["delete-path"], "within": f"{root}/ok/secret"}}},
        {
            "name": "files",
            "then": "allow",
            "if": {"paths": {"roles": ["read-path", "delete-path"], "within": f"{root}/ok"}},
        },
    ]
    tools = {"fetch": "fetch-url", "push": "git-remote-url", "read": "read-path", "delete": "delete-path"}
    tools |= {"send": "email-address", "write": "email-address"}
    listed = [{"toolName": name, "args": {"value": [role]}} for name, role in tools.items()]
    annotations: Any = {"servers": {"s": {"tools": listed}}}
    value: Any = {"semantics": 2, "home": root, "rules": rules, "annotations": annotations}
    return Policy.of_json({**value, "workingDirectory": f"{root}/ok", "servers": {}})


def _mail(address: str) -> dict[str, Any]:
    return {"roles": ["email-address"], "allowed": [address], "matchType": "emails"}


def tree(root: Path) -> None:
    """Make directories and links to read in."""
    for name in ("ok/secret/a", "ok/a", "secret/a"):
        (root / name).mkdir(parents=True)
    (root / "ok/link").symlink_to(root / "secret")
    (root / "ok/a/link").symlink_to("../../secret")
    (root / "link").symlink_to(root / "ok")
    (root / "ok/here").symlink_to("/proc/self/cwd")


def findings(random: Random, cases: int, root: Path) -> Iterator[Finding]:
    """Yield what is found in that many cases of each kind."""
    known = policy(str(root))
    for _ in range(cases):
        yield from _addresses(known, _glued(random, URL_PIECES, start="http://" if random.random() < 0.7 else ""))
        yield from _paths(
            known, _glued(random, PATH_PIECES, start=f"{root}/ok/" if random.random() < 0.6 else ""), root
        )
        yield from _recipients(known, _glued(random, MAIL_PIECES))
        yield from _numbers(known, random)


def _glued(random: Random, pieces: list[str], *, start: str = "") -> str:
    return start + "".join(random.choice(pieces) for _ in range(random.randint(1, 7)))


def _allowed(known: Policy, tool: str, value: Any) -> Any:
    """Return the argument that the tool would get, None for a call that is not allowed."""
    found = evaluate(known, {"serverName": "s", "toolName": tool, "arguments": {"value": value}})
    return (found.arguments or {}).get("value") if found.decision == "allow" else None


def _addresses(known: Policy, text: str) -> Iterator[Finding]:
    for tool in ("fetch", "push"):
        sent = _allowed(known, tool, text)
        if sent is None:
            continue
        for written in (text, sent):
            for reader, host in hosts_by_library(written):
                if host not in {None, GOOD, f"{GOOD}."} and not str(host).endswith((f".{GOOD}", f".{GOOD}.")):
                    yield Finding(kind=tool, value=text, reader=reader, reached=str(host))


def hosts_by_library(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the host that each reader takes out of an address; None where it takes none and would go nowhere."""
    if "://" not in text and ":" in text:
        yield "ssh", text.partition(":")[0].rpartition("@")[2].lower()
        return
    try:
        yield "urllib", urlsplit(text).hostname
    except ValueError:
        yield "urllib", None
    try:
        import httpx

        yield "httpx", httpx.URL(text).host.lower()
    except Exception:  # noqa: BLE001 - a reader that refuses goes nowhere
        yield "httpx", None
    rest = text.partition("://")[2]
    for stop in "/?#":
        rest = rest.partition(stop)[0]
    yield "rfc3986", rest.rpartition("@")[2].partition(":")[0].lower() if not rest.startswith("[") else rest


def _paths(known: Policy, text: str, root: Path) -> Iterator[Finding]:
    for tool in ("read", "delete"):
        with chdir(root / "ok"):
            sent = _allowed(known, tool, text)
        if sent is None:
            continue
        for reader, place in _places(text, str(sent), root):
            secret, folded = f"{root}/ok/secret/", f"{place.lower().rstrip('/')}/"
            inside = f"{place}/".startswith(f"{root}/ok/")
            # Deleting what holds the forbidden directory deletes it too.
            touches = tool == "delete" and (secret.lower().startswith(folded) or folded.startswith(secret.lower()))
            if not inside or touches:
                yield Finding(kind=tool, value=text, reader=reader, reached=place)


def _places(text: str, sent: str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield where each reader ends, from the working directory of the policy on; `~` is the root of the tree."""
    for name, one in (("as written", text), ("as sent", sent)):
        home = one.replace("~", str(root), 1) if one == "~" or one.startswith("~/") else one
        absolute = os.path.join(f"{root}/ok", home)  # noqa: PTH118 - the reader under test
        yield f"kernel, {name}", os.path.realpath(absolute)
        with chdir(root / "secret"):
            yield f"kernel, elsewhere, {name}", os.path.realpath(absolute)
        yield f"tidied, {name}", os.path.realpath(os.path.normpath(absolute))
        yield f"shell, {name}", os.path.realpath(os.path.expandvars(os.path.expanduser(absolute)))  # noqa: PTH111
        yield f"trimmed, {name}", os.path.realpath(os.path.join(f"{root}/ok", home.strip()))  # noqa: PTH118
        slashes = os.path.join(f"{root}/ok", home.replace("\\", "/"))  # noqa: PTH118
        yield f"backslashes, {name}", os.path.realpath(slashes)


def _recipients(known: Policy, text: str) -> Iterator[Finding]:
    for tool in ("send", "write"):
        sent = _allowed(known, tool, text)
        for written in () if sent is None else (text, str(sent)):
            for _, address in getaddresses([written.replace(";", ",")]):
                reached = address.lower()
                wrong = reached != BOB if tool == "send" else re.sub(r"(?<=.)\+[^@]*", "", reached) == EVE
                if reached and wrong:
                    yield Finding(kind=tool, value=text, reader="email.utils", reached=address)


def _numbers(known: Policy, random: Random) -> Iterator[Finding]:
    number = random.choice([1, -1]) * random.getrandbits(random.randint(1, 80))
    if _allowed(known, "write", [number]) is not None and int(float(number)) != number:
        yield Finding(kind="number", value=str(number), reader="double", reached=str(int(float(number))))


def run(doc: str | None, findings_of: Findings, *, cases: int) -> int:
    """Try as many random cases as the command line asks for, and print what was found. Return 1 if anything was."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else Random().getrandbits(32)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        tree(root)
        found = list(findings_of(Random(seed), given.cases, root))
    for one in found[:50]:
        print(f"{one.kind} {one.value!r}: {one.reader} reaches {one.reached!r}")
    print(f"seed {seed}: {len(found)} findings in {given.cases} cases of each kind")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run(__doc__, findings, cases=200_000))
