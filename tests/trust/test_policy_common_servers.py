"""Sentences about the servers that most people have: a coding agent, a browser, mail, calendars, a house."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import FLAG, TEXT, told

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
WEB = listed_frame(
    "browser",
    {
        "browser_navigate": ("Navigate to a URL", {"url": told("The URL to navigate to")}),
        "browser_snapshot": ("Capture accessibility snapshot of the current page", {}),
        "browser_click": (
            "Perform click on a web page",
            {"element": told("Human-readable element description"), "ref": told("Exact target element reference")},
        ),
        "browser_evaluate": (
            "Evaluate JavaScript expression on page or element",
            {"function": told("() => { /* code */ }")},
        ),
        "browser_file_upload": ("Upload one or multiple files", {"paths?": told("The absolute paths", TEXTS)}),
        "browser_take_screenshot": (
            "Take a screenshot of the current page",
            {
                "filename?": told(
                    "File name to save the screenshot to. Defaults to `page-{timestamp}.png` if not specified. Prefer "
                    "relative file names to stay within the output directory."
                )
            },
        ),
        "browser_console_messages": ("Returns all console messages", {"onlyErrors?": FLAG}),
    },
)
CODE = listed_frame(
    "code",
    {
        "Bash": ("Executes a given bash command.", {"command": told("The command to execute")}),
        "BashOutput": (
            "Retrieves output from a running or completed background bash shell.",
            {"bash_id": told("The ID of the background shell"), "filter?": told("Regular expression")},
        ),
        "KillShell": ("Kills a running background bash shell by its ID.", {"shell_id": told("The ID of the shell")}),
        "Read": ("Reads a file from the local filesystem.", {"file_path": told("The absolute path to the file")}),
        "Write": (
            "Writes a file to the local filesystem.",
            {"file_path": told("The absolute path to the file to write"), "content": TEXT},
        ),
        "Glob": (
            "Fast file pattern matching tool. Returns matching file paths.",
            {"pattern": told("The glob pattern to match files against"), "path?": told("The directory to search in")},
        ),
        "Grep": (
            "A powerful search tool built on ripgrep. Searches file contents.",
            {"pattern": told("The regular expression"), "path?": told("File or directory to search in")},
        ),
    },
)
SHOP = "/home/ada/shop"
SEARCHING = "You may read and search files under ~/shop."
NOT_SSH = "Never search files in ~/.ssh."
GOV = "Only go to websites that end in .gov."
DECIDED: tuple[tuple[Policy, str, str, dict[str, Any], str], ...] = (
    # The end of a site is the end of its host.
    (WEB, GOV, "browser_navigate", {"url": "https://www.irs.gov/refunds"}, "allow"),
    (WEB, GOV, "browser_navigate", {"url": "https://example.com/page.gov"}, "deny"),
    (WEB, GOV, "browser_navigate", {"url": "https://irs.gov.refund-help.com/"}, "deny"),
    (WEB, GOV, "browser_navigate", {"url": "https://evil.com/?x=.gov"}, "deny"),
    (WEB, "Never visit sites ending in .ru.", "browser_navigate", {"url": "https://a.ru/index.html"}, "deny"),
    (WEB, "Never visit sites ending in .ru.", "browser_navigate", {"url": "https://a.com/b.ru"}, "allow"),
    (WEB, "Never open sites other than acme.example.", "browser_navigate", {"url": "https://b.example"}, "deny"),
    (WEB, "Only open pages that end in .pdf.", "browser_navigate", {"url": "https://a.com/b.pdf"}, "refused"),
    (WEB, "Never open pages that end in .zip.", "browser_navigate", {"url": "https://a.com/b.zip"}, "refused"),
    # Messages of a console are no code, and the name of a screenshot is no path.
    (WEB, "No running JavaScript without my okay.", "browser_console_messages", {}, "allow"),
    (WEB, "No running JavaScript without my okay.", "browser_evaluate", {"function": "() => 1"}, "escalate"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "page.png"}, "allow"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "/home/ada/.bashrc"}, "deny"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "../x"}, "deny"),
    # Who may search in a directory may do so with each tool, and not by a pattern for another directory.
    (CODE, SEARCHING, "Grep", {"pattern": "TODO", "path": SHOP}, "allow"),
    (CODE, SEARCHING, "Grep", {"pattern": "TODO", "path": "/home/ada"}, "deny"),
    (CODE, SEARCHING, "Grep", {"pattern": "TODO"}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "**/*.ts", "path": f"{SHOP}/src"}, "allow"),
    (CODE, SEARCHING, "Glob", {"pattern": "/etc/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "~/.ssh/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "../bank/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Write", {"file_path": f"{SHOP}/a", "content": "x"}, "deny"),
    (CODE, SEARCHING, "Bash", {"command": "cat ~/shop/a"}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "/home/ada/.ssh/*", "path": SHOP}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "~/.ssh/*", "path": SHOP}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": ".ssh/*", "path": "/home/ada"}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "*.py", "path": SHOP}, "allow"),
    (CODE, NOT_SSH, "BashOutput", {"bash_id": "1"}, "allow"),
    (CODE, NOT_SSH, "KillShell", {"shell_id": "1"}, "allow"),
    (CODE, NOT_SSH, "Bash", {"command": "ls"}, "deny"),
)


def _decided(frame: Policy, text: str, tool: str, arguments: dict[str, Any]) -> str:
    """Return the decision about a call by a sentence: next to a permission of all tools, if it permits nothing."""
    (server,) = {one.server for one in frame.tools.values()}
    made = compile_clauses(text, frame)
    if not made.refused and not any(one.then == "allow" for one in made.rules):
        made = compile_clauses(f"{text}\n\nAllow using any tool of {server}.", frame)
    if made.refused:
        return "refused"
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(("frame", "text", "tool", "arguments", "wanted"), DECIDED)
def test_a_sentence_decides_calls_of_common_servers(
    frame: Policy, text: str, tool: str, arguments: dict[str, Any], wanted: str
) -> None:
    assert wanted == _decided(frame, text, tool, arguments)
