"""Environments in the form of Gymnasium: one world, and several in one process."""

import numpy as np

from .frames import Worlds
from .spaces import SAME_STEP, Box, Dict, Env, MultiDiscrete, VectorEnv

# Seeds from here on are for judging, and must not be learned from.
FIRST_JUDGING_SEED = 1_000_000
# The choice that changes nothing, which is always open.
NOTHING = 0


def weighted(weights):
    """A reward from weights by the name of a component."""
    return lambda components: sum(weight * components[name] for name, weight in weights.items())


class _Setup:
    """What the two kinds of environment share: worlds, spaces and the reward."""

    def _open(self, task, spec, worlds, reward, step_seconds, warmup_seconds, devices, masked, command):
        if masked not in ("nothing", "refuse"):
            raise ValueError('masked is "nothing" or "refuse"')
        self.masked = masked
        if (task is None) == (spec is None):
            raise ValueError("give a task or a spec")
        wanted = dict(spec) if spec is not None else {"task": task}
        if devices:
            wanted["devices"] = True
        self.worlds = Worlds(wanted, worlds, command)
        known = self.worlds.task or {}
        if reward is None and "reward" not in known:
            self.worlds.close()
            raise ValueError("give a reward: a function of the components, or weights by their names")
        self._reward = reward if callable(reward) else weighted(reward or known["reward"])
        self.step_seconds = step_seconds or known.get("step_seconds", 10)
        self.warmup_seconds = known.get("warmup_seconds", 0) if warmup_seconds is None else warmup_seconds
        shapes = self.worlds.layout["shapes"]
        spaces = {
            "access_points": Box(-np.inf, np.inf, shape=tuple(shapes["observations"][1:]), dtype=np.float32),
            "valid": Box(0, 1, shape=tuple(shapes["valid"][1:]), dtype=np.float32),
            "neighbours": Box(0, len(self.worlds.access_points), shape=self.worlds.neighbours.shape, dtype=np.int32),
        }
        if shapes["devices"][1]:
            spaces["devices"] = Box(-np.inf, np.inf, shape=tuple(shapes["devices"][1:]), dtype=np.float32)
        choices = [len(self.worlds.choices)] * len(self.worlds.access_points)
        return Dict(spaces), MultiDiscrete(choices)

    def _observe(self, answer, world):
        shown = {
            "access_points": answer.observations[world].copy(),
            "valid": answer.valid[world].copy(),
            "neighbours": self.worlds.neighbours.copy(),
        }
        if answer.devices.size:
            shown["devices"] = answer.devices[world].copy()
        return shown

    def _components(self, answer, world):
        return dict(zip(self.worlds.components, answer.components[world].astype(float)))

    def _open_now(self, answer):
        self._open_choices = answer.masks.astype(np.int8)
        return self._open_choices.copy()

    def _without_masked(self, actions):
        """The actions without those that are masked, and where these were: Gymnasium takes any action of its space."""
        shape = self._open_choices.shape
        chosen = np.asarray(actions).reshape(shape[:-1])
        if self.masked == "refuse" or np.any((chosen < 0) | (chosen >= shape[-1])):
            return chosen, np.zeros(chosen.shape, dtype=bool)
        masked = np.take_along_axis(self._open_choices, chosen[..., None].astype(np.int64), -1)[..., 0] == 0
        return np.where(masked, NOTHING, chosen), masked

    def close(self, **_):
        self.worlds.close()


class WeftEnv(_Setup, Env):
    """One world. `info` has `action_mask` (a row of choices for each access point) and `components` of the reward.

    A step lasts `step_seconds` of model time; a reset runs `warmup_seconds` of it first, in which nobody acts. With `devices` an
    observation has a table of devices. When it begins is `start` of the spec. A choice that the mask does not allow does nothing, and
    `masked` of `info` says which; with masked="refuse" it is a WeftError, and no time passes.
    """

    metadata = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        task=None,
        *,
        spec=None,
        reward=None,
        step_seconds=None,
        warmup_seconds=None,
        devices=False,
        masked="nothing",
        command=None,
        render_mode=None,
    ):
        spaces = self._open(task, spec, 1, reward, step_seconds, warmup_seconds, devices, masked, command)
        self.observation_space, self.action_space = spaces

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        begin = int(self.np_random.integers(FIRST_JUDGING_SEED)) if seed is None else int(seed)
        answer = self.worlds.reset([begin], self.warmup_seconds)
        return self._observe(answer, 0), {"action_mask": self._open_now(answer)[0], "seed": begin}

    def step(self, action):
        chosen, masked = self._without_masked(action)
        answer = self.worlds.step(self.step_seconds, chosen)
        components = self._components(answer, 0)
        info = {"action_mask": self._open_now(answer)[0], "components": components, "masked": masked[0]}
        ended = bool(answer.terminated[0]), bool(answer.truncated[0])
        return self._observe(answer, 0), float(self._reward(components)), *ended, info


class WeftVectorEnv(_Setup, VectorEnv):
    """Several worlds in one process. One whose episode is over begins anew in the same step: the last it showed is in
    `final_obs` and `final_info` of the infos."""

    metadata = {"render_modes": [], "autoreset_mode": SAME_STEP}
    render_mode = None

    def __init__(
        self,
        task=None,
        num_envs=1,
        *,
        spec=None,
        reward=None,
        step_seconds=None,
        warmup_seconds=None,
        devices=False,
        masked="nothing",
        command=None,
        render_mode=None,
    ):
        spaces = self._open(task, spec, num_envs, reward, step_seconds, warmup_seconds, devices, masked, command)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space = Dict({name: _batched(space, num_envs) for name, space in spaces[0].items()})
        self.action_space = MultiDiscrete(np.tile(spaces[1].nvec, (num_envs, 1)))

    def reset(self, *, seed=None, options=None):
        if seed is None or isinstance(seed, (int, np.integer)):
            super().reset(seed=seed)
            seed = [None] * self.num_envs if seed is None else range(seed, seed + self.num_envs)
        elif None not in list(seed):
            # What begins anew later follows from these too.
            self.np_random = np.random.default_rng(list(seed))
        seeds = [self._draw() if each is None else int(each) for each in seed]
        answer = self.worlds.reset(seeds, self.warmup_seconds)
        return self._batch(answer), {"action_mask": self._open_now(answer)}

    def step(self, actions):
        chosen, masked = self._without_masked(actions)
        answer = self.worlds.step(self.step_seconds, chosen)
        each = [self._components(answer, world) for world in range(self.num_envs)]
        rewards = np.array([self._reward(components) for components in each], dtype=np.float64)
        infos = {"components": {name: answer.components[:, n].copy() for n, name in enumerate(self.worlds.components)}}
        infos["masked"] = masked
        terminated, truncated = answer.terminated, answer.truncated
        over = terminated | truncated
        if over.any():
            final = [self._observe(answer, world) if over[world] else None for world in range(self.num_envs)]
            masks = answer.masks.astype(np.int8)
            infos["final_obs"] = np.array(final, dtype=object)
            infos["_final_obs"] = over.copy()
            infos["final_info"] = {"action_mask": masks, "components": infos["components"]}
            infos["_final_info"] = over.copy()
            answer = self.worlds.reset([self._draw() if each else None for each in over], self.warmup_seconds)
        infos["action_mask"] = self._open_now(answer)
        return self._batch(answer), rewards, terminated, truncated, infos

    def _draw(self):
        return int(self.np_random.integers(FIRST_JUDGING_SEED))

    def _batch(self, answer):
        shown = {
            "access_points": answer.observations.copy(),
            "valid": answer.valid.copy(),
            "neighbours": np.broadcast_to(self.worlds.neighbours, (self.num_envs, *self.worlds.neighbours.shape)).copy(),
        }
        if answer.devices.size:
            shown["devices"] = answer.devices.copy()
        return shown


def _batched(space, count):
    low = float(np.min(space.low))
    return Box(low, float(np.max(space.high)), shape=(count, *space.shape), dtype=space.dtype)
