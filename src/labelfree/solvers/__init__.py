"""The methods, one file each, behind one interface: a `Problem` in, a `Solution` out.

=============== ====================================================================================
`SPDG`          Algorithm 1 of the paper, with a choice of dual
`FullBatch`     plain descent on the Empirical-ODM cost
`SGD`           descent on mini-batches, biased
`Likelihood`    the cost of Chen et al. (2016), with a generative regulariser
`EM`            a hidden Markov model with the language's transitions, EM on its emissions
`Supervised`    with labels: the yardstick
`Majority`      always the most frequent symbol: the floor
=============== ====================================================================================
"""

from labelfree.solvers.em import EM
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.likelihood import Likelihood
from labelfree.solvers.majority import Majority
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.sgd import SGD
from labelfree.solvers.spdg import SPDG
from labelfree.solvers.supervised import Supervised, fit_soft_labels

__all__ = [
    "EM",
    "SGD",
    "SPDG",
    "FullBatch",
    "Likelihood",
    "Majority",
    "Problem",
    "Solution",
    "Supervised",
    "fit_soft_labels",
]
