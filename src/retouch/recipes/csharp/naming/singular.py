"""The English singular of a word in a path or property name."""

from __future__ import annotations

import re
from posixpath import commonprefix

_SAME = frozenset({
    "series", "species", "news", "means", "headquarters", "analytics", "physics", "mathematics", "economics",
    "politics", "statistics", "status", "bus", "bonus", "campus", "virus", "census", "corpus",
    "lens", "gas", "alias", "atlas", "canvas", "bias", "access", "address", "business", "process", "progress",
    "success", "class", "glass", "pass", "less", "always", "sms", "dns", "https", "aws", "ios", "os", "gps",
    "pos", "goods", "media", "data", "criteria", "this", "his", "is", "was", "has", "as", "us",
    "plus", "minus", "thanks", "logistics", "diagnostics", "basics", "premises", "savings", "earnings",
    "proceeds", "christmas", "chaos", "cosmos", "pancreas", "tennis",
})  # fmt: skip
_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "geese": "goose",
    "feet": "foot", "teeth": "tooth", "oxen": "ox", "indices": "index", "matrices": "matrix", "vertices": "vertex",
    "appendices": "appendix", "movies": "movie", "cookies": "cookie", "zombies": "zombie", "calories": "calorie",
    "selfies": "selfie", "ties": "tie", "pies": "pie", "lies": "lie", "dies": "die", "genies": "genie",
    "caches": "cache", "axes": "axis", "aches": "ache", "shoes": "shoe", "toes": "toe", "foes": "foe",
    "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "echoes": "echo", "vetoes": "veto",
    "leaves": "leaf", "lives": "life", "wives": "wife", "knives": "knife", "halves": "half", "shelves": "shelf",
    "selves": "self", "wolves": "wolf", "loaves": "loaf", "thieves": "thief", "calves": "calf", "quizzes": "quiz",
    "buses": "bus", "gases": "gas", "lenses": "lens", "aliases": "alias", "statuses": "status", "viruses": "virus",
    "campuses": "campus", "bonuses": "bonus", "censuses": "census", "biases": "bias", "canvases": "canvas",
    "atlases": "atlas", "taxes": "tax", "phases": "phase", "databases": "database", "leases": "lease",
    "menus": "menu", "cpus": "cpu", "gpus": "gpu", "skus": "sku", "apis": "api", "kpis": "kpi", "emojis": "emoji",
}  # fmt: skip
_RULES = (
    (re.compile(r"(ss|us|is)$"), r"\1"),
    (re.compile(r"(analy|cri|the|hypothe|paraly|diagno|synthe|parenthe|synop|ellip|oa|empha)ses$"), r"\1sis"),
    (re.compile(r"([^aeiou])ies$"), r"\1y"),
    (re.compile(r"(ss|sh|ch|x|zz)es$"), r"\1"),
    (re.compile(r"s$"), ""),
)
_LAST_WORD = re.compile(r"[A-Z]?[a-z]+$|[A-Z]+s?$")


def singular(name: str) -> str:
    """Return the name with its last word in the singular. The case is preserved: `PullRequests` -> `PullRequest`.

    Words without another singular stay: series, news, status, address.
    """
    found = _LAST_WORD.search(name)
    if found is None:
        return name
    word = found.group()
    lower = word.lower()
    if lower in _SAME or len(lower) < 3:
        return name
    if lower in _IRREGULAR:
        single = _IRREGULAR[lower]
    else:
        pattern, into = next(((p, i) for p, i in _RULES if p.search(lower)), (None, ""))
        single = pattern.sub(into, lower) if pattern else lower
    head = name[: found.start()]
    if word.isupper():
        return head + single.upper()
    same = len(commonprefix([lower, single]))
    return head + word[:same] + single[same:]
