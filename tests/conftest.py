"""Tests run side by side, so each keeps to one thread."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn's checks of array API input run rather than skip

import torch

torch.set_num_threads(1)
