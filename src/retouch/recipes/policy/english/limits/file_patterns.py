"""Tests the names of files, as in "files ending in .pem": by the paths that a tool takes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of, path_roles_of
from retouch.recipes.policy.english.limits.name_patterns import IN_REPOSITORY
from retouch.recipes.policy.english.tools.act_facts import has_place
from retouch.recipes.policy.english.tools.given_arguments import gives_none
from retouch.recipes.policy.english.tools.known_tools import split_name, takes_paths
from retouch.recipes.policy.english.tools.on_files import MOVING
from retouch.recipes.policy.english.tools.project_paths import paths_inside
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import VERBS, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.amount_tests import Side
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Act
    from retouch.recipes.policy.english.words.sentences import ToolPart

_TREES = re.compile(
    r"(?<!allowed )\b(?:director(?:y|ies)|dirs?|folders?|trees?|recursive(?:ly)?|subdirectories|globs?|everything)\b"
)
_IN_TREES = word_set("grep search find list scan archive zip")
_FOLDERS = word_set("directory folder tree")
_LISTING = word_set("list tree directory get show")
_REPOSITORIES = word_set("repo repository")
_FACTS = word_set("info metadata stat")
# A search that returns paths shows nothing of what is in the files.
_FOUND_BY_NAME = re.compile(
    r"\bfiles? (?:and|or) (?:director(?:y|ies)|folders?)(?: that)? match(?:es|ing)? (?:a|the) (?:glob )?patterns?\b|"
    r"\bwhose names? match(?:es)?\b|\bby (?:their )?(?:file ?)?names?\b|"
    r"\breturns? (?:the |a list of |all |only )*(?:full |absolute |relative |matching )*(?:file )?(?:paths?|names?)\b"
)
_LOOKED_INTO = word_set("content line text grep regex snippet context excerpt keyword")
HIDDEN = ("*/.*",)  # whoever deletes a directory does not mean what is hidden in it
_FETCHING = word_set("download fetch save")
_MOVES = word_set("move rename mv")
_EDITING = word_set("edit update")
_NAMES_FILES = word_set("file files")
_DOTS = "*./*"  # a path in a repository that may lead into any folder of it
_WHATEVER = MOVING | word_set("touch use")


def anywhere(act: Act) -> Act:
    """Return an act with any place, if it names none and the names of its files limit it.

    What moves or deletes files has to name a place.
    """
    kept = all(verb in VERBS and "delete" not in VERBS[verb].deeds and verb not in MOVING for verb in act.verbs)
    if has_place(act) or not kept or not any(map(is_of_files, act.qualifiers)):
        return act
    return replace(act, qualifiers=(*act.qualifiers, Qualifier(kind="inside", word="in", names=("/",))))


def is_of_files(qualifier: Qualifier) -> bool:
    """Return whether a qualifier has patterns of the names of files."""
    return qualifier.kind == "like" and qualifier.word == "path"


def file_tests(one: KnownTool, verb: str, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of the names of files, as alternatives. None if the tool shows none.

    What a moved directory has in it is neither read nor edited.

    Raises:
        Unclear: what restricts is about files in a directory, whose names no call shows.
    """
    if qualifier.arg == IN_REPOSITORY:
        return _in_repository(one, qualifier, restricts=side == "restrict" and not exact)
    args = [arg for arg in one.tool.args if takes_paths(one, arg)]
    args = args or [arg for arg in one.tool.args if "".join(re.findall("[a-z]+", arg.lower())) == "filename"]
    tests = [part_of(one, where=(Limit(arg=arg, like=qualifier.names),)) for arg in args]
    if takes_none_of(one, qualifier) and (side == "permit" or not exact):
        return None
    if side == "restrict" and not exact:
        urls = [arg for arg, spec in one.tool.args.items() if URL_ROLES & set(spec.all_roles)]
        if urls and one.verbs <= _FETCHING:  # the name of what is downloaded stands in its URL, or is given anew
            like = tuple(each for name in qualifier.names for each in (name, f"{name}?*", f"{name}#*"))
            named = [test for arg, test in zip(args, tests, strict=True) if _FOLDERS.isdisjoint(split_name(arg))]
            return [*named, *(part_of(one, where=(Limit(arg=arg, like=like),)) for arg in urls)]
        moves = one.verbs <= MOVING and verb not in _WHATEVER
        if not moves and qualifier.names != HIDDEN and any(_takes_trees(one, arg) for arg in args):
            raise Unclear(f"{one.tool.server}/{one.tool.name} may take a directory, and no call shows what is in it")
        return _restricting(one, verb, dict(zip(args, tests, strict=True))) or None
    if one.verbs <= MOVING and len(tests) > 1:
        done = [test for arg, test in zip(args, tests, strict=True) if _is_done_at(one, arg, verb)]
        if side == "restrict":
            return done if len(done) == 1 else None
        return [part_of(one, where=tuple(limit for test in tests for limit in test.where))]
    return tests if len(args) == 1 else None


def _in_repository(one: KnownTool, qualifier: Qualifier, *, restricts: bool) -> list[ToolPart] | None:
    """Return the tests of the paths of files in a repository.

    Raises:
        Unclear: it permits something, and a path with dots may lead elsewhere.
    """
    if not restricts:
        raise Unclear("a permission for a folder of a repository is not read here; permit the whole repository")
    like = (*qualifier.names, *(f"/{name}" for name in qualifier.names))
    args = {arg: (*like, _DOTS) if one.takes_one_text(arg) else like for arg in paths_inside(one)}
    return [part_of(one, where=(Limit(arg=arg, like=each),)) for arg, each in args.items()] or None


def _restricting(one: KnownTool, verb: str, tests: dict[str, ToolPart]) -> list[ToolPart]:
    """Return the tests of each path that a verb is about.

    What is moved is not edited, and not read either, but by another name it could be.
    """
    moved = one.verbs <= _MOVES and len(tests) > 1
    if moved and verb in _EDITING:
        return []
    done = {arg: test for arg, test in tests.items() if _is_done_at(one, arg, verb)}
    rest = tuple(limit for arg, test in tests.items() if arg not in done for limit in test.where)
    if moved and VERBS.get(verb, VERBS["move"]).deeds == frozenset({"read"}) and len(done) == 1:
        return [part_of(one, where=test.where, unless=rest) for test in done.values()]
    return list(done.values())


def _is_done_at(one: KnownTool, arg: str, verb: str) -> bool:
    """Return whether a verb is about what an argument names: who must not edit such files may copy them."""
    roles = PATH_ROLES & set(one.tool.args[arg].all_roles)
    return not roles or not roles.isdisjoint(path_roles_of(one, verb, "", every=False))


def is_never_about(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether no call of a tool is about what a qualifier says: it takes no such files, or gives no argument."""
    named = is_of_files(qualifier) and takes_none_of(one, qualifier)
    counted = qualifier.kind == "size" and qualifier.word == "file"
    return named or gives_none(one, qualifier) or (counted and takes_one_file(one))


def takes_one_file(one: KnownTool) -> bool:
    """Return whether no call of a tool is about the content of several files: it takes one, or only directories."""
    if any(takes_paths(one, arg) or _NAMES_FILES & {*split_name(arg)} for arg in one.lists):
        return False
    paths = [arg for arg in one.tool.args if takes_paths(one, arg)]
    return takes_no_such_files(one) or (bool(paths) and not any(_takes_trees(one, arg) for arg in paths))


def takes_none_of(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether no call of a tool does something to files of a name, or to such folders if they are meant too."""
    folders = qualifier.arg == "directory" and not one.code and any(takes_paths(one, arg) for arg in one.tool.args)
    return takes_no_such_files(one) and not folders


def takes_no_such_files(one: KnownTool) -> bool:
    """Return whether no call of a tool does something to files of a name: all that it takes are directories.

    It makes or lists them, it finds files by their names, or it works on a whole repository. Code is restricted anyway.
    """
    folders = not _FOLDERS.isdisjoint(one.nouns) and "file" not in one.nouns
    found = _FOUND_BY_NAME.search(one.tool.comment.lower()) is not None and _LOOKED_INTO.isdisjoint(one.described_words)
    listed = (folders and one.verbs <= _LISTING) or (found and one.verbs <= {"search", "find", "glob"})
    made = folders and one.verbs <= {"create", "make"}
    paths = [arg for arg in one.tool.args if takes_paths(one, arg)]
    cloned = bool(paths) and all(not _REPOSITORIES.isdisjoint(split_name(arg)) for arg in paths)
    return (listed and "content" not in one.told_words) or made or cloned or one.code


def _takes_trees(one: KnownTool, arg: str) -> bool:
    """Return whether a path of a tool may be a directory, so that its end does not show what files are meant."""
    if one.reads and not _FACTS.isdisjoint(one.nouns):
        return False  # `get_file_info` of a directory shows nothing of what is in it
    told = " ".join((*one.words, one.tool.comment, one.described(arg))).lower()
    unnamed = one.head is None and "file" not in split_name(arg)  # `Write(file_path)`
    return unnamed or _TREES.search(told) is not None or not one.verbs.isdisjoint(_IN_TREES)
