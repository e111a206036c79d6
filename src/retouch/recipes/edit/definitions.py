"""Finds what a file defines: functions, classes and constants, headings, keys, sections.

Python is parsed by `ast`, many other languages by tree-sitter if their grammar is installed, JSON and YAML by PyYAML.
All other text is searched for lines that usually start a definition or a section.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from retouch._lib.python_source import parse_python
from retouch.recipes.edit.language import syntax_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node


@dataclass(frozen=True, kw_only=True)
class DefinedName:
    """A name that a file defines. `start` and `end` are its first and last line, from 1.

    `scope` are the names around it, outermost first. `is_top` is whether its removal removes a part of the file that
    others can refer to: a top-level name, a member of a class, a heading, a key. A local variable, for example, is not.
    """

    name: str
    start: int
    end: int
    scope: tuple[str, ...] = ()
    is_top: bool = True
    is_heading: bool = False


_MARKDOWN = frozenset({".md", ".markdown", ".rst", ".adoc", ".txt"})
_DATA = frozenset({".json", ".yaml", ".yml"})
_SECTIONED = frozenset({".ini", ".cfg", ".conf", ".toml", ".properties", ".env"})
_KEY_DEPTH = 2
# Languages whose grammars name definitions alike. In other languages, lines are searched.
_NAMED_ALIKE = frozenset(
    {".cs", ".java", ".scala", ".sc", ".go", ".rs", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".c",
     ".h", ".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".rb", ".php", ".kt", ".kts", ".swift"}
)  # fmt: skip


def definitions(path: str, text: str) -> list[DefinedName]:
    """Return what the text of the file `path` defines, in order. If it does not parse, plain lines are searched."""
    suffix = PurePosixPath(path).suffix.lower()
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found: list[DefinedName] | None = None
    if suffix in {".py", ".pyi"}:
        found = _of_python(text)
    elif suffix in _DATA:
        found = _of_data(text)
    elif suffix in _MARKDOWN:
        return _of_headings(text)
    elif suffix in _SECTIONED:
        return _of_sections(text)
    elif suffix in _NAMED_ALIKE:
        found = _of_grammar(suffix, text)
    return _of_lines(text) if found is None else found


def _of_python(text: str) -> list[DefinedName] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(text.encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_in_python(tree.body, (), is_top=True))


def _in_python(body: Iterable[ast.AST], scope: tuple[str, ...], *, is_top: bool) -> Iterator[DefinedName]:
    """Yield the definitions in statements. `is_top` is whether others can refer to them: not inside of a function."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            last = node.end_lineno or first
            yield DefinedName(name=node.name, start=first, end=last, scope=scope, is_top=is_top)
            inner = is_top and isinstance(node, ast.ClassDef)
            yield from _in_python(node.body, (*scope, node.name), is_top=inner)
        else:
            first = getattr(node, "lineno", 1)
            last = getattr(node, "end_lineno", None) or first
            for name in _stored_names(node):
                yield DefinedName(name=name, start=first, end=last, scope=scope, is_top=is_top)
            yield from _in_python(ast.iter_child_nodes(node), scope, is_top=is_top)


def _stored_names(node: ast.AST) -> list[str]:
    """Return the names that one statement assigns to, attributes included. Loop variables are not definitions."""
    if isinstance(node, ast.Assign):
        targets: Sequence[ast.AST] = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        name = getattr(node, "name", None) if type(node).__name__ == "TypeAlias" else None
        return [name.id] if isinstance(name, ast.Name) else []
    stored = [inner for target in targets for inner in ast.walk(target)]
    return list(dict.fromkeys(name for one in stored if (name := _stored_name(one))))


def _stored_name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    return node.attr if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) else ""


def _of_data(text: str) -> list[DefinedName] | None:
    """Return the keys of JSON or YAML, two levels deep."""
    import yaml

    try:
        documents = list(yaml.compose_all(text, Loader=yaml.CSafeLoader))  # JSON is YAML, apart from tabs
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return [found for number, node in enumerate(documents) for found in _keys(node, (), f"{number}" if number else "")]


def _keys(node: Any, scope: tuple[str, ...], document: str) -> Iterator[DefinedName]:
    if type(node).__name__ != "MappingNode" or len(scope) >= _KEY_DEPTH:
        return
    for key, value in node.value:
        name = str(getattr(key, "value", ""))
        if isinstance(getattr(key, "value", None), str):
            first, last = key.start_mark.line + 1, max(value.end_mark.line, key.start_mark.line + 1)
            yield DefinedName(name=name, start=first, end=last, scope=(document, *scope) if document else scope)
            yield from _keys(value, (*scope, name), document)


_ATX = re.compile(r"^ {0,3}(#{1,6}|={1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def _of_headings(text: str) -> list[DefinedName]:
    """Return the headings of Markdown, reStructuredText or AsciiDoc. A section ends before the next heading."""
    lines = text.split("\n")
    heads: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (found := _ATX.match(line)) is not None:
            heads.append((number, found[2]))
        elif not fence and number and _UNDERLINE.match(line) and _is_title(lines, number):
            heads.append((number - 1, lines[number - 1].strip()))
    return _until_the_next(heads, len(lines), are_headings=True)


def _until_the_next(heads: Sequence[tuple[int, str]], count: int, *, are_headings: bool) -> list[DefinedName]:
    """Return a definition per line number and name. It ends before the next one, the last one at line `count`."""
    ends = [*(number for number, _ in heads), count][1:]
    return [
        DefinedName(name=name, start=number + 1, end=end, is_heading=are_headings)
        for (number, name), end in zip(heads, ends, strict=True)
    ]


def _is_title(lines: Sequence[str], underline: int) -> bool:
    title = lines[underline - 1]
    is_text = bool(title.strip()) and title[:1] not in " \t|>-*+" and not _UNDERLINE.match(title)
    begins = underline < 2 or not lines[underline - 2].strip() or bool(_UNDERLINE.match(lines[underline - 2]))
    return is_text and begins and len(lines[underline].strip()) >= 3


_SECTION = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]]+?)[ \t]*\]\]?[ \t]*(?:[#;].*)?$")
_ENTRY = re.compile(r"""^(?:export[ \t]+)?([\w.$-]+|"[^"]+"|'[^']+')[ \t]*[=:]""")


def _of_sections(text: str) -> list[DefinedName]:
    """Return the sections of an INI or TOML file, and their keys."""
    found: list[DefinedName] = []
    section = ""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if _SECTION.match(line)]
    for number, line in enumerate(lines, 1):
        if (head := _SECTION.match(line)) is not None:
            section = head[1].replace('"', "").replace("'", "")
            end = next((one - 1 for one in starts if one > number), len(lines))
            found.append(DefinedName(name=section, start=number, end=end))
        elif (entry := _ENTRY.match(line)) is not None:
            scope = (section,) if section else ()
            found.append(DefinedName(name=entry[1].strip("\"'"), start=number, end=number, scope=scope))
    return found


_DEFINES = re.compile(r"(?:definition|declaration|declarator|_item|_spec|_signature|^class|^module|^method|_element)")
_DEFINES_NOT = re.compile(r"param|import|using|package|export|require|abstract_.*declarator|extern_crate")
_TRANSPARENT = re.compile(r"namespace|^module|^mod_item|internal_module|package_|object_def")
_TYPES = re.compile(r"class|interface|struct|record|enum|trait|object|^type_spec")
_LOCAL_TO = re.compile(r"block|body|statement|^function_definition$|method|lambda|arrow")


def _of_grammar(suffix: str, text: str) -> list[DefinedName] | None:
    root = syntax_tree(suffix, text)
    if root is None or root.has_error:
        return None
    return list(_in_tree(root, (), is_top=True))


def _in_tree(node: Node, scope: tuple[str, ...], *, is_top: bool) -> Iterator[DefinedName]:
    """Yield the definitions below `node`. `is_top` is whether a definition here is visible from outside."""
    for child in node.children:
        name = _name_of(child) if _DEFINES.search(child.type) and not _DEFINES_NOT.search(child.type) else ""
        if not name:
            yield from _in_tree(child, scope, is_top=is_top)
            continue
        transparent = bool(_TRANSPARENT.search(child.type))
        first, last = child.start_point[0] + 1, child.end_point[0] + 1
        if not (scope and scope[-1] == name and _is_part(node)):  # a declaration and its declarator are one
            yield DefinedName(name=name, start=first, end=last, scope=scope, is_top=is_top)
        inner = is_top and (transparent or bool(_TYPES.search(child.type)))
        yield from _in_tree(child, (*scope, name), is_top=inner)


def _is_part(node: Node) -> bool:
    return "declarat" in node.type or "definition" in node.type


def _name_of(node: Node) -> str:
    """Return the name that a node defines, or "". In C, the name is inside of declarators."""
    for field in ("name", "declarator", "pattern", "property", "left"):
        inner = node.child_by_field_name(field)
        while inner is not None:
            if not inner.named_children and inner.is_named:
                return (inner.text or b"").decode("utf-8", "replace")
            inner = inner.child_by_field_name("declarator") or inner.child_by_field_name("name")
    return ""


_WORDS = (
    r"class|interface|struct|enum|trait|union|record|type|func|fun|fn|function|def|defn|defmodule|defp|module|namespace|"
    r"object|mod|sub|proc|procedure|impl|protocol|extension|let|const|var|val|macro_rules!|resource|table|view|message|"
    r"local function|"
    r"service|contract|variable|local"
)
_MODIFIERS = (
    r"export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|unsafe|extern|open|"
    r"sealed|data|inline|override|virtual|partial|declare|create(?: or replace)?|inline|constexpr|readonly"
)
_LINE = re.compile(
    rf"^(?:(?:{_MODIFIERS})\s+)*(?:{_WORDS})\*?\s+(?:\([^)]*\)\s*)?(?:if not exists\s+)?[\"'`]?([A-Za-z_$][\w$.-]*)",
    re.IGNORECASE,
)
_TARGET = re.compile(r"^([A-Za-z_][\w.$-]*)[ \t]*(?::(?!=)|\(\)[ \t]*\{|[?:+]?=(?!=))")
_C_LIKE = re.compile(r"^[A-Za-z_][\w\s*&:<>,\[\]]*?[\s*&](~?[A-Za-z_]\w*)\s*\([^;]*$")


def _of_lines(text: str) -> list[DefinedName]:
    """Return the names in lines without indentation that start a definition, such as `func load(`, `load() {`, `all:`.

    A definition ends before the next one.
    """
    lines = text.split("\n")
    heads: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        found = _LINE.match(line) or _TARGET.match(line) or _C_LIKE.match(line)
        if found is not None and found[1].lower() not in {"if", "for", "while", "switch", "return", "else"}:
            heads.append((number, found[1]))
    return _until_the_next(heads, len(lines), are_headings=False)
