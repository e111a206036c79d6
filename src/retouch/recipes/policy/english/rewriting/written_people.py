"""Replaces ways to name people by their addresses: "my staff at acme.example" are people at acme.example.

Who somebody is says nothing to a rule if the address follows: "my deputy, ines@acme.example," is the address.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_DOMAIN = r"(?P<domain>@?(?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w@/-]|\.\w)"
_EMAIL = r"(?P<email>[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,})"
_ADDRESS = r"(?:(?:e-?mail )?address(?:es)?)"
_MANY = (
    r"(?:colleagues|co-?workers|staff|team ?mates|employees|team members|members of staff|staff members|addresses|"
    r"mailboxes|people|persons|accounts)"
)
_ONE = (
    r"(?:(?:an?|any|one of (?:my|our)) )?(?:colleague|co-?worker|team ?mate|employee|team member|member of staff|"
    r"staff member|person|someone|somebody|anyone|anybody)"
)
_WHO = rf"(?:(?:(?:any|all|any of|all of|one of) )?(?:(?:my|our|the|other|own) )*{_MANY}|{_ONE})"
_ALL = re.compile(r"\b(?:all|every)\b")
_AT = (
    rf"(?:at|from|of|with (?:an? )?{_ADDRESS} (?:at|in|ending (?:in|with))|who (?:are|is) (?:at|from)|"
    rf"(?:who have|who has|having) (?:an? )?{_ADDRESS} (?:at|in|ending (?:in|with))|"
    rf"whose {_ADDRESS} (?:ends? (?:in|with)|(?:is|are) (?:at|in)))"
)
_NOT_AT = (
    rf"(?:outside(?: of)?|from outside(?: of)?|with (?:an? )?{_ADDRESS} outside(?: of)?|who (?:are|is) not (?:at|from)|"
    rf"who do(?:es)? not have (?:an? )?{_ADDRESS} (?:at|in|ending (?:in|with))|"
    rf"without (?:an? )?{_ADDRESS} (?:at|in|ending (?:in|with))|"
    rf"whose {_ADDRESS} (?:do(?:es)? not end (?:in|with)|(?:is|are) not (?:at|in)|(?:is|are) outside(?: of)?))"
)
_PEOPLE_AT = re.compile(rf"\b{_WHO} {_AT} {_DOMAIN}", re.IGNORECASE)
_PEOPLE_WITH = re.compile(rf"\b{_WHO} with (?:an? )?{_DOMAIN} {_ADDRESS}\b", re.IGNORECASE)
_PEOPLE_WITHOUT = re.compile(
    rf"\b{_WHO} (?:(?:without|lacking|who (?:do(?:es)? not|do(?:es)?n't) have) (?:an? )?|who ha(?:s|ve) no )"
    rf"{_DOMAIN} {_ADDRESS}\b",
    re.IGNORECASE,
)
_PEOPLE_OUTSIDE = re.compile(rf"\b{_WHO} {_NOT_AT} {_DOMAIN}", re.IGNORECASE)
# "To our tax adviser, steuer@vogt.example", "with my sister at clara@lovelace.example", "whose address is ..."
_PERSON = re.compile(
    r"\b(?P<to>to|with|for|from|and|or|(?:e-?)?mail(?:ing)?|inviting|invite|message|messaging) (?:my|our|"
    r"the) (?:(?!and |or |at |not )[a-z-]+ ){0,2}(?!and\b|or\b|at\b)[a-z-]+"
    rf"(?:, (?:who is |that is |namely )?| (?:at|under) |,? whose {_ADDRESS} is ){_EMAIL}"
    r"(?:,(?= (?:and|but|or|without|who|as|if|with|only|under|unless|except|ever|in any|no|not even|at "
    r"all)\b))?(?![\w@])"
)


def with_plain_people(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "people at acme.example" for "our staff at acme.example", if the tools take addresses."""
    if not any("email-address" in one.roles for one in toolbox.tools) or "`" in text:
        return text
    text = _PERSON.sub(lambda found: f"{found['to']} {found['email']}", text)
    for pattern, joint in (
        (_PEOPLE_WITHOUT, "outside"),
        (_PEOPLE_OUTSIDE, "outside"),
        (_PEOPLE_WITH, "at"),
        (_PEOPLE_AT, "at"),
    ):
        text = pattern.sub(lambda found, joint=joint: _people(found, joint), text)
    return text


def _people(found: re.Match[str], joint: str) -> str:
    """Return "people at acme.example". "All people" stays, as one call may be about all at once."""
    if _ALL.search(found[0]) or found[0].lower().startswith("addresses "):
        return found[0]
    return f"people {joint} {found['domain'].removeprefix('@')}"
