"""Replaces kinds and names of files by what their paths end in: "Markdown files" are .md or .markdown files.

"My .bashrc" is files ending in /.bashrc, and "wherever they are" limits nothing. Only where tools take paths of a disk.
Moving a file to the trash is to delete it, where a tool is described so and no other one deletes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ENDINGS = {
    "markdown": (".md", ".markdown"),
    "pdf": (".pdf",),
    "json": (".json",),
    "yaml": (".yaml", ".yml"),
    "csv": (".csv",),
    "python": (".py",),
    "javascript": (".js",),
    "typescript": (".ts",),
    "html": (".html", ".htm"),
    "log": (".log",),
    "text": (".txt",),
    "excel": (".xlsx", ".xls"),
    "word": (".docx", ".doc"),
}
_KIND = re.compile(rf"(?<![.\w/-])(?P<kind>{'|'.join(_ENDINGS)}) (?P<noun>files?|documents?)\b", re.IGNORECASE)
_PDFS = re.compile(r"(?<![.\w/-])PDFs\b")
_WHEREVER = re.compile(
    r",? (?:wherever|no matter where|anywhere) (?:they|it) (?:are|is|may be|might be|lives?)"
    r"(?: stored| located| saved)?(?=[.!]?$)",
    re.IGNORECASE,
)
_VERB = (
    r"read|reading|open|opening|edit|editing|change|changing|write to|overwrite|overwriting|modify|modifying|touch|"
    r"touching|view|viewing|delete|deleting"
)
_NAMED = re.compile(
    rf"\b(?P<verb>{_VERB}) (?:(?:my|the|any|our|a) )?(?P<name>\.[a-z][\w-]*rc|\.[a-z][\w-]*_[\w-]*|"
    r"[\w-]+\.(?:json|toml|ya?ml|lock|md|txt|cfg|ini|conf|env|py|js|ts|xml|html|csv))(?: files?)?"
    r"(?=[.!]?$|,| (?:without|unless|in any|anywhere)\b)",
    re.IGNORECASE,
)
_NO_DOING = re.compile(r"^(?P<no>(?:please,? )?no [a-z]+ing) of(?= )", re.IGNORECASE)
_TRASH = re.compile(
    r"\b(?P<verb>mov(?:e|ing)|put(?:ting)?|send(?:ing)?|throw(?:ing)?) (?P<what>[^,;.]+?) (?:in|into|to) (?:the )?"
    r"(?:trash|bin|recycle bin)\b",
    re.IGNORECASE,
)
_DELETING = word_set("delete remove trash")


def with_kinds_of_files(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with ".md or .markdown files" for "Markdown files". One with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    text = _NO_DOING.sub(lambda found: found["no"], _with_deletion(text, toolbox))
    if not any(one.paths and not one.code for one in toolbox.tools):
        return text
    text = _PDFS.sub(".pdf files", _WHEREVER.sub("", text))
    text = _KIND.sub(lambda found: f"{' or '.join(_ENDINGS[found['kind'].lower()])} files", text)
    return _NAMED.sub(lambda found: f"{found['verb']} files ending in /{found['name']}", text)


def _with_deletion(text: str, toolbox: Toolbox) -> str:
    """Return "delete files" for "move files to the trash", and "delete items" for "anything" if an item is deleted."""
    deleting = [one for one in toolbox.tools if not one.verbs.isdisjoint(_DELETING) and one.head in {"item", "file"}]
    if len(deleting) != 1 or deleting[0].told_verb != "trash":
        return text

    def deleted(found: re.Match[str]) -> str:
        what = f"{deleting[0].head}s" if found["what"] in {"anything", "things", "something"} else found["what"]
        return f"{'deleting' if found['verb'].lower().endswith('ing') else 'delete'} {what}"

    return _TRASH.sub(deleted, text)
