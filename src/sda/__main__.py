"""`python -m sda`, which `torchrun -m sda` needs too."""

from sda.cli import main

main()
