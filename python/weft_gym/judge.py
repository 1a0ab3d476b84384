"""`python3 -m weft_gym.judge POLICY TASK SEEDS`: plays an episode for each seed with `act(observation, mask)` of a file,
and prints the sums of their components as JSON. `weft env judge` makes the row of it."""

import importlib.util
import json
import os
import sys

import numpy as np

from .frames import Worlds


class Observation(dict):
    """`access_points` (a row each), `valid` and `neighbours`; what rows and columns are called is in its attributes."""

    def __init__(self, worlds, answer):
        super().__init__(
            access_points=answer.observations[0], valid=answer.valid[0], neighbours=worlds.neighbours
        )
        self.names = worlds.access_points
        self.columns = worlds.columns
        self.choices = worlds.choices
        self.distances_m = worlds.distances_m


def load_policy(path):
    # So that a policy may import what lies beside it.
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("policy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "act", None)):
        raise SystemExit(f"{path} must have a function act(observation, mask)")
    return module.act


def play(act, task, seeds):
    with Worlds({"task": task}) as worlds:
        episodes = []
        for seed in seeds:
            answer = worlds.reset([seed], worlds.task["warmup_seconds"])
            sums = np.zeros(len(worlds.components))
            while not answer.truncated[0]:
                action = act(Observation(worlds, answer), answer.masks[0].astype(bool))
                answer = worlds.step(worlds.task["step_seconds"], action)
                sums += answer.components[0]
            episodes.append(dict(zip(worlds.components, sums.tolist())))
        return episodes


if __name__ == "__main__":
    policy, task, seeds = sys.argv[1:]
    print(json.dumps(play(load_policy(policy), task, [int(seed) for seed in seeds.split(",")])))
