"""`python -m labelfree`, which is what `torchrun -m labelfree` runs: the command line."""

from labelfree.cli import main

main()
