"""`python -m retouch`, if the script is not on the PATH."""

from retouch.cli import main

main()
