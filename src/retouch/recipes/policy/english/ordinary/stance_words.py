"""Patterns of how people forbid something, or want to be asked before it is done."""

from __future__ import annotations

AGREE = (
    r"(?:(?:my|our|an?|explicit|prior|express|clear|written|direct) )*(?:ok|okay|approval|permission|consent|"
    r"say-so|go-ahead|"
    r"confirmation|sign-off|agreement|clearance|green light)(?: from me)?(?: first| beforehand| every time| each time)?"
)
ASKED = rf"(?:(?:first )?(?:asking|checking with|consulting|confirming with)(?: me)?(?: first| beforehand)?|{AGREE})"
SAID = (
    r"(?:i|you) (?:(?:have|'ve) )?(?:explicitly |first |specifically )?(?:approved?|agreed?(?: to it)?|say so|said so|"
    r"ok(?:ay)? it|confirm(?:ed)?(?: it)?|tell you(?: to)?|ask(?:ed)?(?: me| you to| for it)?|allow(?:ed)?(?: it)?|"
    r"get my (?:ok|okay|approval|permission))(?: first)?"
)
BEFORE = (
    r"(?:(?:please |always )*(?:ask|check with|consult|warn|confirm with|come to|get (?:back to )?|get (?:my "
    r"|an? |explicit |"
    r"prior )*(?:ok|okay|approval|permission|consent|go-ahead|confirmation)(?: from)?|request (?:my "
    r")?(?:approval|permission)|"
    r"wait for my (?:ok|okay|approval|permission|go-ahead))(?: me)?(?: for (?:my )?(?:permission|approval|"
    r"confirmation|an ok))?"
    r"(?: first| every time| each time)?,? before (?:you )?(?:ever )?)"
)
NEVER = (
    r"(?:please )?(?:(?:you|the agent) (?:must|may|can|should|are|shall) )?(?:never|don't|do not|not|mustn't|"
    r"can't|cannot|may not)"
    r"(?: ever| allowed to| under any circumstances| even)?"
)
