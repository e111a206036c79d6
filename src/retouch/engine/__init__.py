"""The engine: it plans prompts, calls models, checks every answer, retries what fails, and keeps a durable record.

It knows no recipe, no provider and no terminal. This page is its map.

Nouns (`types`)
    A *run* is a directory. Its *units* are generated, checked and repaired as one each; a *page* is the part of a unit
    that one call produces. A `Prompt` is the stored text of one page. A `Request` is what is sent, a `Reply` what comes
    back, an `Attempt` both with their outcome. The accepted text of a page is its current *answer*. An `Issue` says
    what is wrong, in a `Tier`: 1 syntax, 2 schema, 3 semantic. A `RetryBudget` limits retries per unit. `RunOptions`
    is everything that a verb may use or limit; `Usage` adds up calls, tokens and cost.

Modules, each importing only those above it
    types, options, repair, recipe   values; `Recipe` is a frozen dataclass of plain functions
    events                           one dataclass per row of the ledger; nothing else knows a row's keys
    ledger, history, record          without secrets: append rows, fold rows into their meaning, and both at once
    chain                            the hashes through the rows of a ledger, by which damage is noticed
    stored_files                     the JSON files compared with their hashes in the ledger
    scrub_journal                    finishes a scrub whose process was killed
    directory, pages                 ir.json and prompts.json; pages.json
    secrets_in_text                  likely secrets in prompts and answers
    judge                            the verdict on a unit's texts: read, automatic fixes, checks
    usage                            what was paid for
    calls                            intents, requests, replies; workers, warm-up
    unit                             the state machine of one unit: accept, reject, revert, exhaust, dispute, adopt
    checks                           tier 3 over groups of units
    repairs, batches                 which pages are retried and how; first answers through a batch API
    round                            the loop over all units of a run
    compare, targets, files, overview   other models' answers; which pages; files on disk; figures and statuses
    verbs, scrub                     generate, regenerate, compare, repaginate, validate, adopt, assemble; a run without
                                     a text

What happens to one reply
    1. `CallQueue._send_call` puts the intent on disk, sends the request, and stores the reply as received.
    2. `Round._receive_reply` hands it to its unit. When the unit's last outstanding reply has arrived, `Unit.outcome`
       looks at the finish reason, merges repairs, and has the `Judge` read the texts and apply automatic fixes.
    3. `Unit.apply` accepts the new answers if they are no worse than the current ones (`types.badness`), else rejects.
    4. `Round._decide` records the unit's new state as one `UnitSettled` row. If errors remain and the budget allows,
       `RepairPlanner` plans the next calls: a patch, the recipe's repair, a fallback model.
    5. When all replies have settled, `GroupChecks` runs tier 3, and reverts new answers that made a group worse.
    6. When nothing is left to do, `files.publish` splices the answers into the files, around manual edits.

Where to change what
    a new kind of row                a dataclass in `events` (and its line in `_KINDS`), one `case` in `history`
    a new repair strategy            a class in `repair` with `conversation` and `fold`; its place in
                                     `RepairPlanner._strategies`
    what a reply is worth            finish reasons in `types.Finish` and `unit.unanswered`; to stop a stream early,
                                     wrap the model in `retouch.models`
    a new status of a run            `overview.status_of` and `RunResult.exit_status`; of a unit: `unit.unit_state`
    a new option of every verb       a field of `options.RunOptions` (and of `STORED_OPTIONS` if a resume needs it)
    a new option of one recipe       nothing here: a field of the recipe's source, and an option of its command
"""
