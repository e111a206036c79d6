"""Replaces folders of the home directory as people describe them: "Projects, which is in my home directory"."""

from __future__ import annotations

import re

from retouch.recipes.policy.english.words.lexicon import is_adjective, singular, word_set

_DIR = r"(?:folders?|director(?:y|ies))"
_HOME = r"(?:my|the) (?:own )?home (?:folder|directory)"
# "In ~/Documents except what is in Taxes"
_WHAT_IS_IN = re.compile(
    r"(?P<home>~/[\w.-]+)(?P<except>,? (?:with the exception of|except for|except|apart from|other than|but not) )"
    r"(?:what|anything|everything|all|whatever)(?: that)?(?: is| lies)? in (?:the |my |its )?(?P<name>[A-Z][\w-]*)"
    r"(?: (?:sub-?)?(?:folder|directory))?(?![\w/]| [A-Z])"
)
_NAME = r"(?:[A-Z][\w-]*|\.[\w-]+)"
_IN = r"(?:of|in|inside|within|under|below)"
# "The Documents folder of my home directory", "the folder called Private in my home directory"
_OF_HOME = re.compile(
    rf"\b(?:(?:the|my) )?(?:(?P<before>{_NAME}) {_DIR}|{_DIR} (?:called |named )?(?P<after>{_NAME})) {_IN} {_HOME}\b"
)
# "The contracts folder in my home": a name in small letters, if it does not describe the folder
_SMALL_OF_HOME = re.compile(
    rf"\b(?P<the>[Tt]he|[Mm]y) (?:(?P<before>[a-z][\w-]*\w) {_DIR}|{_DIR} (?:called |named )?(?P<after>[a-z][\w-]*\w)) "
    rf"{_IN} (?:{_HOME}|my home)\b"
)
# "Projects, which is in my home directory"
_WHICH = re.compile(
    rf"(?<![\w/])(?:the |my )?(?P<name>{_NAME})(?: {_DIR})?,? (?:which|that) (?:is|lies|sits) (?:directly )?in {_HOME}"
    r"(?:,|(?=[.;]?$))"
)
# "Anywhere in my home directory, with the exception of the folder called Private"
_EXCEPTED = re.compile(
    rf"(?P<home>{_HOME})(?P<except>,? (?:with the exception of|except for|except|apart from|other than|but not) )"
    rf"(?:the )?(?:{_DIR} (?:called |named )?(?P<after>{_NAME})|(?P<before>{_NAME}) {_DIR})(?![\w/]| in)"
)
# "My .ssh and .gnupg directories"
_HIDDEN = re.compile(rf"\b[Mm]y (?P<names>\.[\w-]+(?:(?:, and |, or |, | and | or )(?:my )?\.[\w-]+)*) {_DIR}\b")
# "The Downloads folder itself or a folder below it", "/Inbox or any folder within it"
_BELOW = re.compile(
    r"(?P<path>[~/][\w./-]*\w)(?: itself)?,? (?:or|and) (?:in )?(?:an?y?|its|the|all) (?:sub-?)?(?:folders?|directory|"
    r"directories)(?: (?:below|within|in|inside|under|beneath) it)?(?![\w/])"
)
_CONTENTS = re.compile(
    r"(?P<path>[~/][\w./-]*\w) (?:or|and) (?:anything|everything) (?:below|within|in|inside|under) it"
)


# "The src and tests folders of ~/shop"
_PLAIN = r"(?!(?:and|or|same|other|whole|entire|first|last|only|sub|two|three|all|any|these|those|its)\b)[\w.-]*\w"
_PARTS = re.compile(
    rf"\b(?:the|my) (?P<names>{_PLAIN}(?:(?:, and |, or |, | and | or ){_PLAIN})*) (?:sub-?)?{_DIR} {_IN} "
    r"(?P<path>[~/][\w./-]*\w)(?![\w/])"
)

# "My keys in ~/.ssh", "the photos in ~/Photos": the folder is called after what is in it
_HELD = re.compile(
    r"\b(?P<my>[Mm]y|[Tt]he|[Oo]ur) (?P<what>[a-z]+) (?:(?:that|which) are )?(?:in|inside|within|under) "
    r"(?P<path>[~/][\w./-]*?(?P<name>[\w.-]*\w))(?![\w/])"
)
_HIDDEN_THINGS = {".ssh": word_set("key keys"), ".gnupg": word_set("key keys"), ".aws": word_set("credentials keys")}
_NO_FOLDERS = word_set(
    "first second third last next one each every top home root user parent current and or sub entire"
)
_CLOSES = re.compile(r"\b(?:off[- ]limits|never|not|forbidden|taboo|alone|nothing)\b|n't\b")


def with_held_things(text: str) -> str:
    """Return a sentence with "files in ~/Photos" for "the photos in ~/Photos".

    Not all that is in ~/.ssh is a key, so that only what restricts may be about all of it.
    """
    closes = _CLOSES.search(text.lower()) is not None

    def files(found: re.Match[str]) -> str:
        said = found["what"] in _HIDDEN_THINGS.get(found["name"], frozenset()) and closes
        if not said and (
            singular(found["what"]) == found["what"] or singular(found["name"]) != singular(found["what"])
        ):
            return found[0]
        return f"{'Files' if found['my'][0].isupper() else 'files'} in {found['path']}"

    return _HELD.sub(files, text)


# "My taxes folder ~/taxes", "my ~/taxes folder"
WITH_PATH = re.compile(
    rf"\b(?:[Tt]he|[Mm]y|[Oo]ur) (?:(?:[a-z-]+ )?{_DIR},? (?P<after>[~/][\w./-]*\w)|(?P<before>[~/][\w./-]*\w) {_DIR})"
    r"(?![\w/])"
)


def _named_in_home(found: re.Match[str]) -> str:
    name = found["before"] or found["after"]
    return found[0] if is_adjective(name) or name in _NO_FOLDERS else f"~/{name}"


def with_described_folders(text: str) -> str:
    """Return a sentence with "~/Documents" for "the Documents folder of my home directory"."""
    text = _OF_HOME.sub(lambda found: f"~/{found['before'] or found['after']}", text)
    text = _SMALL_OF_HOME.sub(_named_in_home, text)
    text = _PARTS.sub(_parts, text)
    text = _WHICH.sub(lambda found: f"~/{found['name']}", text)
    text = _EXCEPTED.sub(lambda found: f"~{found['except']}~/{found['before'] or found['after']}", text)
    return _HIDDEN.sub(lambda found: re.sub(r"(?:my )?(?<!\w)(\.[\w-]+)", r"~/\1", found["names"]), text)


def _parts(found: re.Match[str]) -> str:
    """Return "~/shop/src and ~/shop/tests" for "the src and tests folders of ~/shop"."""
    names = re.split(r"(,? and |,? or |, )", found["names"])
    if any(is_adjective(one) for one in names[::2]):
        return found[0]  # "the old folders of ~/shop"
    return "".join(one if at % 2 else f"{found['path']}/{one}" for at, one in enumerate(names))


def with_parts_of_folders(text: str) -> str:
    """Return "~/Documents except ~/Documents/Taxes" for "~/Documents except what is in Taxes"."""
    return _WHAT_IS_IN.sub(lambda found: f"{found['home']}{found['except']}{found['home']}/{found['name']}", text)


def without_parts(text: str) -> str:
    """Return a sentence without "or any folder below it" after a directory, which includes them anyway."""
    return _CONTENTS.sub(lambda found: found["path"], _BELOW.sub(lambda found: found["path"], text))
