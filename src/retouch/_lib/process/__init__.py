"""Runs the user's check commands on new code: at the project's path, confined, and limited in time and output.

Start with `judging.judge`. The modules, from the bottom up: `linux` (system calls), `views` (the machine view of a
command), `supervise` (the supervisor process that starts, watches and ends the command), `launch` (its parent's side),
`output`, `environment`, `trees` (the content of a workspace), `sweeps` and `places` (the persistent copy), `results`,
`verdicts`, `running`, `judging`.
"""
