"""Runs commands that judge: on new code, at the path of the project, confined, and bounded in time and output.

Start with `judging.judge`. The modules, from the bottom up: `linux` (system calls), `views` (what a command sees of the
machine), `supervise` (the process that starts, watches and ends the command), `launch` (its parent's side), `output`,
`environment`, `trees` (the content of a workspace), `sweeps` and `places` (the persistent copy), `results`, `verdicts`,
`running`, `judging`.
"""
