"""The meaning pass: code writes the C#, and a model proposes what the document leaves open.

`facts` collects what the document states about the values of each type. `asking` builds one prompt per type and page,
whose answer is a list of proposals (`proposals`). `checks` decides about each proposal by the content of the document,
`evidence` has the rules for strings and values. `applying` puts the accepted ones into the types and writes these.
`answers` reads the answers of a type, `whole` joins all types, and `decisions` keeps what was decided in
`decisions.json`.

Without an accepted proposal, the files are those that code alone writes.
"""
