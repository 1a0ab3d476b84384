"""The learned policy, to be judged: weft env judge examples/learn/policy.py"""

import os

import numpy as np
from features import choose, features

HERE = os.path.dirname(os.path.abspath(__file__))
_weights = {}


def act(observation, mask):
    task = "energy-v1" if "sleep" in observation.choices else "channels-v1"
    if task not in _weights:
        _weights[task] = np.loadtxt(os.path.join(HERE, f"learned-{task}.txt"))[None]
    seen = features(
        observation.columns,
        observation.choices,
        observation["access_points"][None],
        observation["neighbours"],
        observation.distances_m,
    )
    return choose(_weights[task], seen, mask[None])[0]
