"""The engine: it plans prompts, calls models, checks every answer, retries what fails, and keeps a durable record.

It does not depend on recipes, providers or the terminal. This page is an overview.

Nouns (`types`)
    A *run* is a directory. Each of its *units* is generated, checked and repaired as a whole. A *page* is the part of a
    unit that one call produces. A `Prompt` is the stored text of one page. A `Request` is sent to a model, a `Reply` is
    its response, and an `Attempt` is both with their outcome. The accepted text of a page is its current *answer*. An
    `Issue` is a problem in a `Tier`: 1 syntax, 2 schema, 3 semantic. A `RetryBudget` limits retries per unit.
    `RunOptions` are the options of a verb. `Usage` adds up calls, tokens and cost.

Modules, each importing only those above it
    types, options, repair, recipe   values; `Recipe` is a frozen dataclass of plain functions
    events                           one dataclass per kind of ledger row; no other module knows the rows' keys
    ledger, history, record          without secrets: append rows, fold rows into their meaning, and both at once
    chain                            the hash chain through the rows of a ledger, which detects damage
    stored_files                     the JSON files compared with their hashes in the ledger
    scrub_journal                    finishes a scrub whose process was killed
    directory, pages                 ir.json and prompts.json; pages.json
    secrets_in_text                  likely secrets in prompts and answers
    judge                            the verdict on a unit's texts: read, automatic fixes, checks
    usage                            tokens and costs
    calls                            intents, requests, replies; workers, warm-up
    unit                             the state machine of one unit: accept, reject, revert, exhaust, dispute, adopt
    checks                           tier 3 over groups of units
    repairs, batches                 which pages are retried and how; first answers through a batch API
    round                            the loop over all units of a run
    compare, targets, files, overview   other models' answers; which pages; files on disk; figures and statuses
    verbs                            generate, regenerate, compare, repaginate, validate, adopt, assemble
    scrub                            removes a text from a run

The path of one reply
    1. `CallQueue._send_call` puts the intent on disk, sends the request, and stores the reply as received.
    2. `Round._receive_reply` hands it to its unit. When the unit's last outstanding reply has arrived, `Unit.outcome`
       looks at the finish reason, merges repairs, and has the `Judge` read the texts and apply automatic fixes.
    3. `Unit.apply` accepts the new answers if they are no worse than the current ones (`types.badness`), else rejects.
    4. `Round._decide` records the unit's new state as one `UnitSettled` row. If errors remain and the budget allows,
       `RepairPlanner` plans the next calls: a patch, the recipe's repair, a fallback model.
    5. When all replies have settled, `GroupChecks` runs tier 3, and reverts new answers that made their group worse.
    6. At the end, `files.publish` splices the answers into the files and keeps manual edits.

Where to make a change
    a new kind of row                a dataclass in `events` (and its line in `_KINDS`), one `case` in `history`
    a new repair strategy            a class in `repair` with `conversation` and `fold`; its place in
                                     `RepairPlanner._strategies`
    the meaning of a finish reason   `types.Finish` and `unit.unanswered`; to stop a stream early, wrap the model in
                                     `retouch.models`
    a new status of a run            `overview.status_of` and `RunResult.exit_status`; of a unit: `unit.unit_state`
    a new option of every verb       a field of `options.RunOptions` (and of `STORED_OPTIONS` if a resume needs it)
    a new option of one recipe       nothing here: a field of the recipe's source, and an option of its command
"""
