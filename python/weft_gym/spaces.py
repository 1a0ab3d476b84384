"""The spaces and base classes of Gymnasium, or as much of them as is needed where it is not installed."""

import numpy as np

try:
    from gymnasium import Env, register
    from gymnasium.spaces import Box, Dict, MultiDiscrete
    from gymnasium.vector import AutoresetMode, VectorEnv

    HAS_GYMNASIUM = True
    SAME_STEP = AutoresetMode.SAME_STEP
except ImportError:
    HAS_GYMNASIUM = False
    SAME_STEP = "SameStep"
    register = None

    class Env:
        metadata = {}
        np_random = None

        def reset(self, *, seed=None, options=None):
            if seed is not None or self.np_random is None:
                self.np_random = np.random.default_rng(seed)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

    class VectorEnv(Env):
        pass

    class Space:
        def __init__(self, shape, dtype, seed=None):
            self.shape = tuple(shape)
            self.dtype = np.dtype(dtype)
            self.seed(seed)

        def seed(self, seed=None):
            self.np_random = np.random.default_rng(seed)

    class Box(Space):
        def __init__(self, low, high, shape, dtype=np.float32, seed=None):
            super().__init__(shape, dtype, seed)
            self.low, self.high = low, high

        def contains(self, value):
            value = np.asarray(value)
            return value.shape == self.shape and bool(np.all(value >= self.low) and np.all(value <= self.high))

    class MultiDiscrete(Space):
        def __init__(self, nvec, dtype=np.int64, seed=None):
            self.nvec = np.asarray(nvec, dtype=dtype)
            super().__init__(self.nvec.shape, dtype, seed)

        def sample(self, mask=None):
            if mask is None:
                return self.np_random.integers(0, self.nvec)
            flat = [self.np_random.choice(np.flatnonzero(row)) for row in mask]
            return np.array(flat, dtype=self.dtype)

        def contains(self, value):
            value = np.asarray(value)
            return value.shape == self.shape and bool(np.all((value >= 0) & (value < self.nvec)))

    class Dict(dict):
        """A space for each name."""

        def __init__(self, spaces):
            super().__init__(spaces)
            self.spaces = spaces

        def contains(self, value):
            return set(value) == set(self) and all(self[name].contains(value[name]) for name in self)
