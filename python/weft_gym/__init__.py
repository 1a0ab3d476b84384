"""Emulated 5G, WiFi and LiFi networks to learn in: the interface of Gymnasium, with or without that package."""

from .envs import FIRST_JUDGING_SEED, WeftEnv, WeftVectorEnv, weighted
from .frames import Answer, WeftError, Worlds
from .spaces import HAS_GYMNASIUM, register

__all__ = ["FIRST_JUDGING_SEED", "Answer", "WeftEnv", "WeftError", "WeftVectorEnv", "Worlds", "weighted"]

if HAS_GYMNASIUM:
    for _task in ("weft/energy-v1", "weft/channels-v1"):
        register(
            id=_task,
            entry_point="weft_gym:WeftEnv",
            vector_entry_point="weft_gym:WeftVectorEnv",
            kwargs={"task": _task},
        )
