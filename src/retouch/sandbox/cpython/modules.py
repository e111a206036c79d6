"""What locked code can import: modules that compute. They are loaded before the locks, as no file opens later."""

from __future__ import annotations

MODULES = [
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "collections.abc",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "os.path",
    "pathlib",
    "random",
    "re",
    "string",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
    "uuid",
    "zlib",
    "_strptime",  # datetime.strptime asks for it when it is first used
]
ENCODINGS = ["ascii", "latin-1", "cp1252", "cp437", "idna", "utf-8-sig", "utf-16"]
