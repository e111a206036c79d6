"""`python -m retouch.cli`, if the script is not on the PATH."""

from retouch.cli import main

main()
