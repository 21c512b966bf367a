"""The methods, one file each, behind one interface: a `Problem` in, a `Solution` out, a `Monitor` beside.

=============== ====================================================================================
`SPDG`          Algorithm 1 of the paper, with the logarithmic dual or the paper's own
`FullBatch`     plain descent on the Empirical-ODM cost
`SGD`           descent on mini-batches, biased
`Likelihood`    the cost of Chen et al. (2016), with a generative regulariser
`EM`            a hidden Markov model with the language's transitions, EM on its emissions
`Supervised`    with labels: the yardstick
`Majority`      always the most frequent symbol: the floor
`search`        many starts of SPDG at once, thinned out by the label-free score
=============== ====================================================================================
"""

from labelfree.solvers.compress import Groups, group_rows
from labelfree.solvers.diagnosis import Diagnosis, dependence, diagnose
from labelfree.solvers.em import EM
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.harden import harden
from labelfree.solvers.likelihood import Likelihood
from labelfree.solvers.majority import Majority
from labelfree.solvers.monitor import Monitor, PrintMonitor, Record
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.search import Rung, search
from labelfree.solvers.sgd import SGD
from labelfree.solvers.spdg import SPDG
from labelfree.solvers.supervised import Supervised, fit_soft_labels

__all__ = [
    "EM",
    "SGD",
    "SPDG",
    "Diagnosis",
    "FullBatch",
    "Groups",
    "Likelihood",
    "Majority",
    "Monitor",
    "PrintMonitor",
    "Problem",
    "Record",
    "Rung",
    "Solution",
    "Supervised",
    "dependence",
    "diagnose",
    "fit_soft_labels",
    "group_rows",
    "harden",
    "search",
]
