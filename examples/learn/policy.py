"""The learned policy, to be judged: weft env judge examples/learn/policy.py"""

import json
import os

import numpy as np
from features import choose, features

HERE = os.path.dirname(os.path.abspath(__file__))
_weights = {}


def act(observation, mask):
    task = "energy-v1" if "sleep" in observation.choices else "channels-v1"
    if task not in _weights:
        with open(os.path.join(HERE, f"learned-{task}.json")) as file:
            _weights[task] = np.array([json.load(file)["weights"]])
    seen = features(
        observation.columns,
        observation.choices,
        observation["access_points"][None],
        observation["neighbours"],
        observation.distances_m,
    )
    return choose(_weights[task], seen, mask[None])[0]
