"""Learns a policy for a task with the cross-entropy method: many sets of weights play the same hours, the best of them say
where to look next. Writes the weights and the curve as they come; needs numpy and `weft`, and some minutes on two cores.

    python3 examples/learn/train.py weft/energy-v1
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]
from curve import draw_curve  # noqa: E402
from features import GUESSES, choose, features  # noqa: E402
from weft_gym import Worlds  # noqa: E402


class Player:
    """A process with a world for each set of weights."""

    def __init__(self, task, count):
        self.worlds = Worlds({"task": task}, count)
        reward = self.worlds.task["reward"]
        self.reward = np.array([reward.get(name, 0.0) for name in self.worlds.components])

    def play(self, weights, seed):
        """The return of each set of weights, all in the world of this seed."""
        worlds = self.worlds
        answer = worlds.reset([seed] * len(weights), worlds.task["warmup_seconds"])
        total = np.zeros(len(weights))
        while not answer.truncated[0]:
            seen = features(
                worlds.columns, worlds.choices, answer.observations, worlds.neighbours, worlds.distances_m
            )
            actions = choose(weights, seen, answer.masks.astype(bool))
            answer = worlds.step(worlds.task["step_seconds"], actions)
            total += answer.components @ self.reward
        return total


def train(options):
    began = time.monotonic()
    rng = np.random.default_rng(options.seed)
    players = [Player(options.task, options.population) for _ in range(options.processes)]
    choices = players[0].worlds.choices
    mean = np.array(GUESSES["sleep" if "sleep" in choices else "set_channel"], dtype=float)
    size, spread = len(mean), np.full(len(mean), 0.8)
    curve = []
    path = os.path.join(HERE, f"learned-{options.task.split('/')[1]}.txt")
    if options.resume:
        mean, spread = np.loadtxt(path), spread / 2
    with ThreadPoolExecutor(options.processes) as pool:
        for generation in range(1, options.generations + 1):
            weights = mean + spread * rng.standard_normal((options.population, size))
            # What is believed to be best plays along, and so does doing nothing: the curve is what it gains over that.
            weights[0], weights[1] = mean, 0.0
            seeds = rng.integers(1_000_000, size=options.processes * options.episodes)
            games = [(players[n % options.processes], int(seed)) for n, seed in enumerate(seeds)]
            rounds = [games[n :: options.processes] for n in range(options.processes)]
            played = pool.map(lambda own: [player.play(weights, seed) for player, seed in own], rounds)
            returns = np.concatenate([np.stack(each) for each in played])
            # Hours differ more than policies do: each is compared with nothing in the same hour.
            gains = (returns - returns[:, 1:2]).mean(0)
            best = np.argsort(-gains)[: options.population // 4]
            mean, spread = weights[best].mean(0), weights[best].std(0) + 0.15 * 0.9**generation
            curve.append({"generation": generation, "mean": float(gains.mean()), "best": float(gains[best].mean())})
            curve[-1]["policy"] = float(gains[0])
            seconds = time.monotonic() - began
            print(f"{generation:3d}  policy {gains[0]:7.2f}  best {gains[best].mean():7.2f}  {seconds:5.0f} s", flush=True)
            np.savetxt(path, mean, fmt="%.4f")
            draw_curve(os.path.join(HERE, f"curve-{options.task.split('/')[1]}.svg"), options.task, curve)
            if seconds > options.minutes * 60:
                break
    for player in players:
        player.worlds.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learns a policy for a task of weft env.")
    parser.add_argument("task", nargs="?", default="weft/energy-v1")
    parser.add_argument("--generations", type=int, default=16)
    parser.add_argument("--population", type=int, default=16)
    parser.add_argument("--episodes", type=int, default=1, help="hours that each generation plays, in each process")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=10, help="begin no generation after so long")
    parser.add_argument("--resume", action="store_true", help="go on from the weights that were written last")
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args())
