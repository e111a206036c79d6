"""The parts that phrases about permission are made of: who is asked, who agrees, how, and about what.

Somebody who agrees is the user or somebody of the house. A customer who agrees is no approval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Templates by name. See `word_templates`.
PARTS: Mapping[str, str] = {
    "me": (
        "(me|us|(the|our|my) [front|back|head|main|legal|finance|security|compliance|platform|it|hr|sales| "
        "shift|duty|night|office|store|shop|project|account|line|team|on-call] (office|desk|reception| "
        "accounting|accountant|bookkeeper|secretary|librarian|owner|team|lead|boss|chef|director|manager| "
        "counsel|lawyer|lawyers|solicitor|department|engineer|supervisor|partner|wife|husband|admin| "
        "administrator|operator)|(a|an) (human|person|supervisor|manager|administrator|admin|operator|owner| "
        "teammate|colleague|team lead)|hr|the user) [personally]"
    ),
    "i": (
        "(i|we|(the|our|my) [front|back|head|main|legal|finance|security|compliance|platform|it|hr|sales| "
        "shift|duty|night|office|store|shop|project|account|line|team|on-call] (office|desk|reception| "
        "accounting|accountant|bookkeeper|secretary|librarian|owner|team|lead|boss|chef|director|manager| "
        "counsel|lawyer|lawyers|solicitor|department|engineer|supervisor|partner|wife|husband|admin| "
        "administrator|operator)|(a|an) (human|person|supervisor|manager|administrator|admin|operator|owner| "
        "teammate|colleague|team lead)|hr|the user) [personally|myself]"
    ),
    # Somebody other than the agent.
    "people": (
        "(people|[us] humans|human beings|[(the|our|my|its|their|a|an|one of (the|our))] [human|senior|system|server| "
        "database|workspace|team|shift|site]* (administrator|administrators|admin|admins|owner|owners|manager| "
        "managers|operator|operators|moderator|moderators|maintainer|maintainers|staff|team|colleagues|editors| "
        "reviewers|employees|directors|director|accountants|accountant|supervisors|supervisor|member of staff| "
        "members of staff|person|humans|people|office|board|treasurer|secretary|librarian|developers|engineers))"
    ),
    "am": "(am|are|is)",
    "you": "(you|the agent|the assistant|the bot|the ai|claude)",
    "it": (
        "(it|that|this|those|these|them|one|any of (it|that|those|them)|each of (those|them)|it all|all of "
        "(it|that|those|them))"
    ),
    "is": "(is|are|remains|remain|stays|stay)",
    "also": (
        "[also|always|of course|still|certainly|gladly|happily|freely|just|simply|now|then| "
        "absolutely|safely|totally|definitely|naturally|obviously|basically|by all means|surely| "
        "indeed|well]*"
    ),
    "quite": (
        "[perfectly|totally|completely|absolutely|entirely|quite|really|always|also|of course| "
        "certainly|definitely|all|just|still|obviously|naturally|likewise|equally|more than]*"
    ),
    "strictly": (
        "[strictly|absolutely|totally|completely|entirely|simply|just|always|also|of course|generally| "
        "definitely|certainly|obviously|still|quite|clearly|really]*"
    ),
    "happens": (
        "before (it|they|that|this|anything|any of it|one) (goes|go|gets|get|is|are|leaves|leave|happens| "
        "happen) [out|sent|live|published|booked|paid|done|printed|posted|merged|the house|through|ahead| "
        "released|made]"
    ),
    "first": (
        "[[,] (first|beforehand|in advance|ahead of time|up front|upfront|every time|each time|every single "
        "time|always|[each and] every time|without fail|in every case|in each case|please|{happens})]*"
    ),
    "kind": (
        "(own|explicit|express|prior|written|personal|clear|verbal|direct|full|final|formal|manual|quick| advance)"
    ),
    # What is asked for, and what is asked of somebody.
    "ok": (
        "(ok|yes|approval|permission|confirmation|consent|agreement|go-ahead|go ahead|green light|sign-off| "
        "sign off|signature|nod|blessing|say-so|say so|word|authorization|authorisation|authority|thumbs up| "
        "thumbs-up|all-clear|all clear|clearance|acceptance|assent|endorsement|decision|verdict|answer|two "
        "cents)"
    ),
    "yes": (
        "(ok|yes|approval|permission|confirmation|consent|agreement|go-ahead|go ahead|green light|sign-off| "
        "sign off|signature|nod|blessing|say-so|say so|word|authorization|authorisation|authority|thumbs up| "
        "thumbs-up|all-clear|all clear|clearance|acceptance|assent|endorsement)"
    ),
    "my_ok": (
        "((my|our|the user's|a human's|human|manual|user|my boss's|the owner's|the manager's|a manager's|the "
        "office's) [{kind}]* [,] {ok} [for (it|that|this|those|them)]|(a|an|the|any|some) [{kind}]* {ok} "
        "(from|of|by) {me}|[{kind}]* {yes} (from|of|by) {me}|{kind} {yes}|(approval|confirmation|permission| "
        "authorization|authorisation|sign-off|consent))"
    ),
    "no_ok": "(any|an|a|my|our|further|extra|any further|any more|the user's|anyone's) {ok} [from {me}]",
    # What the user does before it happens, as in "I want to see it", "I have seen it", "if I see it".
    "see": (
        "(see|approve [of]|confirm|check|double-check|review|read|ok|agree to|sign off on|sign off|sign|look "
        "at|look over|look through|hear about|hear of|know about|know of|know|have a [quick|last|final] look "
        "at|have a [quick] look|take a [quick|last] look at|take a [quick] look|authorize|authorise|vet| "
        "clear|inspect|go over|go through|cast an eye over|(give|have) [my|the|a] {ok} [to|for|on]|say yes "
        "[to]|have (a|my|the final|the last) (say|word) [in|on]|have the final say [on]|decide [on|about]| "
        "proofread|examine|verify|validate|ratify|agree)"
    ),
    "asked": (
        "(asked|consulted|involved|in the loop|kept in the loop|in on|the one (to decide|who decides|who "
        "approves)|called|pinged|heard)"
    ),
    "seen": (
        "(seen|approved [of]|confirmed|checked|double-checked|reviewed|read|ok'd|oked|okayed|green-lit| "
        "greenlit|agreed [to]|signed off [on]|signed|said (yes|so|ok|it is ok) [to]|looked (at|over|through)| "
        "had a [good|quick] look [at]|taken a look [at]|told (you|it|them) (to|so|it is ok)|allowed|given "
        "[you|it] (my|the|a|an) [{kind}]* {ok} [to|for|on]|authorized|authorised|cleared|signalled ok|vetted| "
        "gone (over|through)|asked (you|it) to|asked for|ordered|requested|accepted|nodded)"
    ),
    "sees": (
        "([explicitly|expressly|specifically|personally] (say|says|said) (yes|so|ok|it is ok) [to]|agree "
        "[to]|agrees [to]|agreed [to]|approve [of]|approves [of]|approved [of]|confirm|confirms|confirmed| "
        "allow|allows|allowed|ok|oks|see|saw|sees|(tell|tells|told) (you|it) (to|so|it is ok|otherwise)|sign "
        "off [on]|signs off [on]|signed off [on]|(give|gives|gave) [you|it] (my|the|a|an|their|his|her) "
        "[{kind}]* {ok} [to|for|on]|(ask|asks|asked) ((you|it) (to|for)|for)|want|authorize|authorise| "
        "authorized|authorised|accept|am ok with|am fine with|request|requested|order|ordered)"
    ),
    "agreed": (
        "({i} (have|had|has) [already|first|explicitly|expressly|actually|specifically|personally]* {seen}|[i "
        "explicitly|we explicitly] {i} [already|explicitly|expressly|actually|specifically|first|personally]* "
        "{sees}) [{it}|so] [explicitly] {first}"
    ),
    "you_asked": (
        "you [have|had|first|already]* (ask|asked|checked with|check with|consulted|consult|cleared {it} "
        "with|clear {it} with|run {it} by|ran {it} by|spoken to|talked to|spoke to|talk to|speak to|heard "
        "from|hear from|told|confirmed with|confirmed {it} with|discussed {it} with|had an ok from|got an ok "
        "from|double-checked with) {me} [about {it}] {first}|you [have|got|get|had|received|obtained|have "
        "got|have gotten|have received|have obtained|can show] {my_ok} {first}"
    ),
    "asking": (
        "(asking {me} [about {it}|for {my_ok}]|(checking|confirming|clearing|discussing|clearing {it}| "
        "agreeing {it}|speaking|double-checking|verifying|confirming {it}|discussing {it}) with {me}| "
        "(talking|speaking|coming) to {me}|consulting {me}|(getting|obtaining|having|requesting|waiting for| "
        "asking for) {my_ok}|running {it} (by|past) {me}|hearing from {me}|showing [{it} to] {me} [{it}]| "
        "telling {me}|involving {me}|letting {me} ({see}) [{it}])"
    ),
    "ask_me": (
        "((ask|consult|ping|message|call|phone|ring|text|email|contact|involve) {me} [about {it}|for "
        "{my_ok}]|(check|double-check|confirm|verify|clear|discuss|agree|align|check in|check back|touch "
        "base|consult|confer|coordinate|get in touch|speak|talk|sort|settle|have a word) [{it}] with {me} "
        "[about {it}]|(run|get|put|pass) {it} (by|past|before) {me}|run (by|past) {me}|(come|talk|speak|turn| "
        "go|get back|reach out|come back|write|check back|report|refer {it}|escalate {it}|escalate|bring "
        "{it}|take {it}|send {it}|put {it}|pass {it} on|hand {it} over|hand {it}|show {it}|submit {it}|leave "
        "the decision|leave the last word|leave the final say|defer) to {me} [about {it}]|get hold of {me}| "
        "(loop|bring) {me} in|get {me} involved|(get|wait for|ask for|obtain|have|seek|request|await|ask {me} "
        "for) {my_ok} [for {it}]|get (a|an|the) [{kind}]* {yes} [from {me}] [for {it}]|let {me} {see} [{it}]| "
        "have {me} {see} [{it}]|show {me} [{it}]|show {it} to {me}|(tell|warn|notify|alert|inform) {me} "
        "[about {it}] (first|beforehand|in advance)|let {me} know [about {it}] (first|beforehand|in advance)| "
        "give {me} a (call|ring|shout|nudge) first|wait (until|till) {agreed}|wait for {me} [to {see} "
        "[{it}]]|make sure [that] {i} (agree|approve|confirm|{am} ok with {it}|know about {it}|have agreed| "
        "have seen {it}|have approved {it}|have said yes|{seen}) [to] [{it}]|ask for permission|ask "
        "permission|ask first|ask beforehand|stop and ask|pause and ask)"
    ),
    "ask": (
        "[please|kindly|always|just|then|so|do|first|simply|better|rather|and|[you] (must|should|have to|need "
        "to|will|ought to|had better|would better|has to) [always|first|please]|remember to|make sure to|make "
        "sure you|be sure to|make sure that you|see to it that you|you [always|just]|kindly|also|stop and| "
        "pause and|never forget to|do not forget to]* {ask_me} {first}"
    ),
    "good": (
        "(fine|ok|okay|allowed|permitted|acceptable|welcome|good|alright|all right|all good|in order|fair "
        "game|(no|not a|not any|never a|hardly a|zero) (problem|problem at all|issue|issue at all|big deal| "
        "trouble|drama|bother)|not an issue|never an issue|encouraged|authorized|authorised|fine as well|ok "
        "as well|fine too|ok too|cool with (me|us)|unproblematic|not (forbidden|prohibited|a problem at all| "
        "off limits|banned|disallowed|something you need to ask about|something you have to ask about)) [at "
        "all]"
    ),
    "with_me": (
        "[for you|with me|by me|with us|by us|as far as i am concerned|from my side|on my side|for the agent| "
        "in my book|to do|with everyone|as is|as it is|without asking]"
    ),
    "not": ("(not|never|by no means|on no account|under no circumstances|in no way|no longer) [ever|really|at all]"),
    "before_you": (
        "(before you [ever|actually|even|decide to|go and|go ahead and|start to|try to|so much as|can|may]*| "
        "(if|when|whenever|any time|anytime|every time|each time|in case|as soon as|where|wherever|should) "
        "you [ever|actually|really|still]* (want|need|have|wish|plan|intend|would like|are about|are going| "
        "feel the need|think you need|think you have|feel like you need|decide|think it is best|happen|mean| "
        "ought) to|(if|whether) you (may|can|should|are allowed to)|to be allowed to)"
    ),
    "modal": "(must|may|can|should|shall|will|could|ought to)",
    "allowed": (
        "(allowed|permitted|authorized|authorised|free|welcome|entitled|cleared|empowered|invited|trusted|at liberty)"
    ),
    "am_are": "(are|is|am)",
    "it_": "[{it}]",
    # A question that need not be asked.
    "unasked": (
        "[you] [really] (need not|(do not|never|will not) [really|even|ever]* (need|have) to|do not|are not "
        "(required|obliged|supposed|expected) to|should not|need never|no need to|there is no [real] need to| "
        "not required to|it is not necessary to|you are not (required|obliged) to|no reason to) (ask|check "
        "[in] with|consult|bother|bother asking|wait for|talk to|run {it} by|clear {it} with|tell|call|come "
        "to|trouble|confirm with) [{me}] [[for] {my_ok}|permission|with {it}] [[,] first|beforehand|about "
        "{it}|every time|each time|for {it}|again|anymore|any more]*"
    ),
    "no_asking": "do not bother [to ask|asking] [{me}] [with {it}|about {it}|first]*",
    "free_hand": (
        "(a free hand|free rein|carte blanche|full freedom|complete freedom|all the freedom you (need|like| "
        "want)|a free pass)"
    ),
    "right": (
        "(right|authority|license|licence|mandate|clearance|permission|power|reason|cause|leave| "
        "authorization|business)"
    ),
    "never": (
        "(under no circumstance|under no circumstances|under no condition|in no case|on no account|at no "
        "time|by no means|at no point|in no event|in no way|never [,] ever|never|not ever|absolutely never| "
        "definitely never|do not ever|absolutely do not|really do not|do not|whatever [you do|happens] [,] "
        "(do not|never)|no matter what [happens] [,] (do not|never))"
    ),
    "for_me": "[alone|only|and only me|and me alone|and nobody else|not yours|not you|personally|exclusively]",
    "hands_off": "[please] [keep] [your] (hands|paws|fingers|mitts) [well] off",
    # Verdicts without their verb.
    "mine": (
        "((my|our) (job|call|decision|business|task|thing|department|responsibility|choice|domain|turf| "
        "territory|prerogative|concern|affair|field|matter|own business|own job) {for_me}|(up|left) to {me} "
        "{for_me}|(mine|ours) {for_me} [to (do|decide|make|handle|touch|change|send|give|sign|pick|choose| "
        "set|manage|deal with)]|for {me} {for_me} to (do|decide|handle|make|change|judge|choose|say)|reserved "
        "(for|to) {me} {for_me}|(something|anything) [that] (i|only i|we) (do|handle|decide|prefer to do| "
        "would rather do|like to do|want to do|take care of) [{it}] [myself|ourselves]|(done|handled|decided| "
        "dealt with|taken care of|managed|looked after) by {me} {for_me}|for my eyes only|a human's job|a job "
        "for {me}|a matter for {me}|(left|up) to {people} {for_me}|reserved (for|to) {people} {for_me}|(the|a) "
        "(business|job|task|responsibility|matter|decision|prerogative|concern) (of|for) {people}|for {people} "
        "{for_me} [to (do|decide|handle|make|change|judge|choose)]|(done|handled|decided|dealt with|taken care of| "
        "managed|made|carried out) [only] by {people} {for_me})"
    ),
    "touch_not": (
        "(leave {it} [well|strictly|completely|all]* (alone|untouched|in peace|be)|let {it} be|stay (away "
        "from|out of|off|clear of) {it}|keep (away from|out of|off|clear of) {it}|steer clear of {it}|stay "
        "(out|away|clear)|keep (out|away|clear))"
    ),
    "untouched": (
        "[exactly|strictly|completely|just|well]* (untouched|alone|in peace|off limits|off-limits|out of "
        "bounds|closed (to|for) you|my job|my business|my decision|in my hands|my call|taboo|with me)"
    ),
    "bad": (
        "(forbidden|prohibited|banned|disallowed|ruled out|excluded|off limits|off-limits| "
        "off the (table|menu|cards)|out of bounds|out of the question|taboo| "
        "verboten|unacceptable|a [complete|total|definite|clear|absolute| "
        "big|strict]* (no-go|no go|no-no|no|taboo|red line|dealbreaker|hard no|firm no|never)|not happening| "
        "not (on|an option|on the table|on the cards|up for (debate|discussion|negotiation))|not for you [to "
        "(do|decide|touch|change|handle|make|judge)]|not your (job|task|business|responsibility|concern| "
        "department|call|decision|place|thing|affair|problem|role|domain|turf)|not yours [to (do|fix|decide| "
        "touch|change|make|handle|move|give|send|delete|edit|manage|judge)]|not ours to (move|touch|change| "
        "decide|give)|none of your (business|concern|affair|affairs)|no (business|concern) of yours|not any "
        "of your (business|concern)|not any concern of yours|not up to you|never up to (you|it)|not part of "
        "(your|the) (job|brief|role|task|deal)|nothing (for you|to do with you|you (should|may|can|need to) "
        "(do|touch))|(beyond|outside|not within|out of|above) your (remit|scope|authority|pay grade|brief| "
        "mandate|role)|not (something|anything|a thing) [that] you (do|may do|can do|should do|are allowed to "
        "do|get to do|should be doing|are to do)|(something|anything|a thing) [that] you (never do|must never "
        "do|should never do|may never do|must not do|should not do|do not do|can not do|are not to do|are "
        "never to do|are not allowed to do)|not to (happen|be done)|not (going|supposed|meant) to (happen|be "
        "done)|never to (happen|be done)|not wanted|unwanted|not welcome|not possible for you|where i draw "
        "the line|not what you are [here] for|closed (for|to) you|({not} {good}))"
    ),
    "nothing_done": "({not}|not (going to|supposed to|meant to|to)|never (going to|supposed to|meant to|to))",
    "you_like": (
        "(you [ever|really|happen to]* (like|want [to]|need [to]|wish [to]|please|see fit|feel like [it]| "
        "fancy|have to|care to|think is (best|right|useful|fit)|think best|deem (fit|necessary|useful)|think "
        "it (helps|is needed|is useful|is right))|it (helps|is useful|is needed|is necessary|makes sense| "
        "suits you|seems useful|seems right|is convenient|comes up|needs doing)|(needed|necessary|useful| "
        "helpful|required|convenient|appropriate|sensible|warranted)|the agent (likes|wants|needs)|it (likes| "
        "wants|needs))"
    ),
    "no_ok_needed": "{my_ok} {am_are} (not|never) [really|always]* (needed|required|necessary) [for {it}]",
}
