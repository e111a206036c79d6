"""`python -m retouch.cli`, for where the script is not on the PATH."""

from retouch.cli import main

main()
