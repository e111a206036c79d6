"""The environment of a command: the user's, without secrets. And a hash of the variables that can change a result."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|_PAT$|_PWD$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|xox[abprs]-[\w-]{10,}|npm_\w{30,}|hf_\w{20,}|pypi-\w{30,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\b[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@"
)
# Variables of providers and agents that match no pattern, but lead to keys or hold keys under another name.
_PROVIDERS = frozenset({
    "ANTHROPIC_AUTH", "ANTHROPIC_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT", "AWS_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_CLIENT_ID", "DOCKER_AUTH_CONFIG", "NETRC", "PGPASSFILE", "SSH_AUTH_SOCK",
    "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "KUBECONFIG",
})  # fmt: skip
_NO_DIFFERENCE = re.compile(
    r"_|PWD|OLDPWD|SHLVL|TERM.*|COLUMNS|LINES|COLORTERM|LS_COLORS|DISPLAY|WAYLAND_DISPLAY|WINDOWID|XDG_SESSION.*"
    r"|XDG_RUNTIME_DIR|PYTEST_.*|HIST.*|LOGNAME|MAIL|SSH_.*|INVOCATION_ID|JOURNAL_STREAM|TRACEPARENT|TRACESTATE"
)


def without_secrets(variables: Mapping[str, str], *, given_back: Collection[str] = ()) -> dict[str, str]:
    """Return `variables` without secrets. A variable named in `given_back` is always preserved.

    For example, OPENAI_API_KEY, DB_PASSWORD and a proxy URL with a password are removed.
    """
    return {name: value for name, value in variables.items() if name in given_back or not is_secret(name, value)}


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable looks like a secret."""
    return name.upper() in _PROVIDERS or bool(_SECRET_NAME.search(name)) or bool(_SECRET_VALUE.search(value))


def for_command(
    variables: Mapping[str, str], *, confined: bool, given_back: Collection[str] = (), secrets: bool = False
) -> dict[str, str]:
    """Return the environment of a command. With `secrets`, secret variables are preserved.

    Python output is unbuffered, so that a timeout loses nothing. A confined command uses the private /tmp.
    """
    kept = dict(variables) if secrets else without_secrets(variables, given_back=given_back)
    kept.setdefault("PYTHONUNBUFFERED", "1")
    if confined:
        kept |= {name: "/tmp" for name in ("TMPDIR", "TEMP", "TMP") if name in kept}  # noqa: S108 - it is private
        kept.pop("XDG_RUNTIME_DIR", None)
    return kept


def pointing_into(variables: Mapping[str, str], workspace: str, copy: str) -> dict[str, str]:
    """Return `variables` with every path inside `workspace` replaced by the same path in `copy`.

    PYTHONPATH begins with the copy's `src` directory, and with the copy itself if it is a Python project: both precede
    the directories of editable installs.
    """
    inside = re.compile(rf"(?<![^:=]){re.escape(workspace)}(?=[/:]|$)")
    moved = {name: inside.sub(lambda _: copy, value) for name, value in variables.items()}
    roots = [f"{copy}/src"] if Path(copy, "src").is_dir() else []
    if any(Path(copy, name).exists() for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        roots.append(copy)
    path = [*roots, *(word for word in [moved.get("PYTHONPATH", "")] if word)]
    return moved | ({"PYTHONPATH": ":".join(path)} if path else {})


def environment_key(variables: Mapping[str, str]) -> str:
    """Return a hash of the variables that may change a result. Terminal variables are ignored."""
    kept = sorted((name, value) for name, value in variables.items() if not _NO_DIFFERENCE.fullmatch(name))
    return sha256(repr(kept).encode("utf-8", "surrogateescape")).hexdigest()


def named_files(command: str, variables: Mapping[str, str], workspace: Path) -> list[Path]:
    """Return the files outside the workspace that a command names, its programs included."""
    found: list[Path] = []
    for word in sorted(set(_shell_words(command))):
        place = shutil.which(word, path=variables.get("PATH")) or (word if os.sep in word else "")
        with suppress(OSError, ValueError):
            real = (workspace / place).resolve(strict=True)
            if place and not real.is_relative_to(workspace) and real.is_file():
                found.append(real)
    return found


def _shell_words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return command.split()
