"""`python -m mathwb`: the command `mathwb`."""

from mathwb.workbench.cli import main

main()
