"""The paper's equations as pure functions of tensors.

======================== ==========================================================
equation (2)             `expected_ngrams`, `sampled_ngrams`
equation (1)             `odm_cost`, `kl_divergence`
the 2016 cost            `expected_likelihood_cost`
known labels             `label_cost`
the saddle function L    `saddle`, `primal_term`, `barrier`, `window_terms`, `best_dual`
subsequences             `Windows`, `subsequences`, `merge_windows`
p_LM                     `Target`
======================== ==========================================================
"""

from labelfree.core.cost import expected_likelihood_cost, kl_divergence, label_cost, odm_cost
from labelfree.core.expected import expected_ngrams, sampled_ngrams
from labelfree.core.saddle import barrier, best_dual, primal_term, saddle, window_terms
from labelfree.core.support import Target
from labelfree.core.windows import Windows, merge_windows, subsequences

__all__ = [
    "Target",
    "Windows",
    "barrier",
    "best_dual",
    "expected_likelihood_cost",
    "expected_ngrams",
    "kl_divergence",
    "label_cost",
    "merge_windows",
    "odm_cost",
    "primal_term",
    "saddle",
    "sampled_ngrams",
    "subsequences",
    "window_terms",
]
