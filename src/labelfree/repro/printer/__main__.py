"""Print the Debian packages of the typefaces, for ``apt-get install``."""

from labelfree.repro.printer.typefaces import packages

print(*packages())
