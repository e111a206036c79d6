"""Tools that run command lines of a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_ARGUMENTS = word_set("command cmd command_line commandline shell_command bash_command input script line")
_TYPED = word_set("input line")
_SHELL = re.compile(r"\b(?:shell|bash|zsh|terminal|command[- ]?line|console|unix|linux|process|commands?|ssh)\b")
_OTHER = re.compile(
    r"\bsql\b|python|javascript|\bnode\b|powershell|kubectl|kubernetes|\bpods?\b|containers?\b|docker|redis|\bvim\b|browser|"
    r"matlab|\br code\b|jupyter|player|\brobot|minecraft|blender|godot|unity|slash command|windows|cmd\.exe|"
    r"applescript|"
    r"hass|home assistant|device|vacuum|voice|\bgdb\b|database|figma|game"
)
CHOOSING = word_set("shell interpreter executable shell_path shell_type")
_ARGUMENTS_BESIDE = word_set(
    "timeout timeout_ms timeout_s timeout_seconds timeout_sec description run_in_background background "
    "wait_for_prompt pid session session_id shell_id process_id terminal_id id name cwd directory dir workdir "
    "working_dir working_directory workingdirectory path verbose_timing explanation reason requires_approval "
    "is_background require_user_approval blocking host server user username connection connection_id "
    "capture_output max_output max_output_tokens purpose restart title login yield_time_ms "
    "dangerouslydisablesandbox sandbox_permissions justification"
)


def shell_argument(one: KnownTool) -> str:
    """Return the argument of a tool that is a command line of a shell. "" if there is none, or it is in doubt.

    A tool with other arguments that may change what runs, such as `env`, has none.
    """
    code = [arg for arg in one.tool.args if arg.lower() in _ARGUMENTS and one.takes_one_text(arg)]
    if len(code) != 1 or not one.code:
        return ""
    first = re.split(r"\.\s|\n", one.tool.comment, maxsplit=1)[0]  # the rest may name programs, as examples
    told = f"{one.tool.server} {one.tool.name} {first} {' '.join(map(one.described, code))} {' '.join(code)}"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"[_-]", " ", told)).lower()
    known = {*code, *(arg for arg in one.tool.args if arg.lower() in _ARGUMENTS_BESIDE | CHOOSING)}
    if set(one.tool.args) - known or one.has_free_fields:
        return ""
    return code[0] if _SHELL.search(words) and not _OTHER.search(words) else ""


def is_typed(arg: str) -> bool:
    """Return whether a command line is typed into a process, which may be no shell."""
    return arg.lower() in _TYPED
