"""The road of ``solver="auto"``: compress, search, settle, refine, teach; and the verdict on what came of it."""

from labelfree.fitting.auto import Auto
from labelfree.fitting.compress import Groups, group_rows
from labelfree.fitting.diagnosis import Diagnosis, dependence, diagnose
from labelfree.fitting.harden import harden
from labelfree.fitting.search import search

__all__ = ["Auto", "Diagnosis", "Groups", "dependence", "diagnose", "group_rows", "harden", "search"]
