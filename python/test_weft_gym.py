"""The environments of weft_gym, against a real `weft env`: python3 -m unittest, with $WEFT_COMMAND."""

import unittest

import numpy as np
from weft_gym import FIRST_JUDGING_SEED, WeftEnv, WeftError, WeftVectorEnv, Worlds
from weft_gym.spaces import HAS_GYMNASIUM

ROOM = {
    "access_points": [
        {
            "ap_id": f"ap-{n}",
            "access_point_type": "WiFi",
            "location": {"latitude": 51.45 + n * 1e-4, "longitude": -2.6},
            "num_devices": 3,
            "profile": "always",
        }
        for n in range(3)
    ],
    "start": "2026-01-07T10:00:00Z",
    "episode_seconds": 30,
    "actions": {"sleep": True, "wake": True, "set_channel": [36, 44]},
}
REWARD = {"delivered_mbit": 1.0, "energy_kj": -1.0}


class OneWorld(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.env = WeftEnv(spec=ROOM, reward=REWARD, step_seconds=10, warmup_seconds=5, devices=True)
        cls.addClassCleanup(cls.env.close)

    def test_an_episode_is_what_its_spaces_say_and_the_reward_what_its_components_make(self):
        seen, info = self.env.reset(seed=7)
        for step in range(3):
            self.assertTrue(self.env.observation_space.contains(seen))
            mask = info["action_mask"]
            self.assertEqual(mask.shape, (3, 5))
            action = self.env.action_space.sample(tuple(mask) if HAS_GYMNASIUM else mask)
            self.assertTrue(self.env.action_space.contains(action))
            seen, reward, terminated, truncated, info = self.env.step(action)
            parts = info["components"]
            self.assertAlmostEqual(reward, parts["delivered_mbit"] - parts["energy_kj"], places=5)
            self.assertEqual((terminated, truncated), (False, step == 2))
        self.assertEqual(seen["devices"].shape, (9, len(self.env.worlds.device_columns)))

    def test_the_same_seed_and_actions_show_the_same(self):
        def play():
            first, _ = self.env.reset(seed=3)
            second = self.env.step([1, 0, 4])[0]
            return [first, second]

        for one, other in zip(play(), play()):
            for name in one:
                np.testing.assert_array_equal(one[name], other[name])

    def test_a_masked_choice_does_nothing_and_is_told(self):
        self.env.reset(seed=1)
        wake = self.env.worlds.choices.index("wake")
        seen, *_, info = self.env.step([wake, 0, 0])
        self.assertEqual(list(info["masked"]), [True, False, False])
        self.env.reset(seed=1)
        idle, *_, info = self.env.step([0, 0, 0])
        self.assertFalse(info["masked"].any())
        np.testing.assert_array_equal(seen["access_points"], idle["access_points"])

    def test_a_masked_choice_is_refused_where_that_is_asked_for_and_changes_nothing(self):
        self.env.masked = "refuse"
        self.addCleanup(setattr, self.env, "masked", "nothing")
        _, info = self.env.reset(seed=1)
        wake = self.env.worlds.choices.index("wake")
        self.assertEqual(info["action_mask"][0][wake], 0)
        before = self.env.worlds.snapshot()
        with self.assertRaises(WeftError) as refused:
            self.env.step([wake, 0, 0])
        self.assertEqual((refused.exception.code, refused.exception.world), ("masked_action", 0))
        after = self.env.step([0, 0, 0])[0]["access_points"]
        self.env.worlds.restore(before)
        np.testing.assert_array_equal(self.env.step([0, 0, 0])[0]["access_points"], after)

    def test_a_seed_of_its_own_is_one_for_training(self):
        _, info = self.env.reset()
        self.assertLess(info["seed"], FIRST_JUDGING_SEED)


    def test_the_seed_of_a_reset_decides_the_worlds_after_it(self):
        def next_seeds(seed):
            self.env.reset(seed=seed)
            return [self.env.reset()[1]["seed"] for _ in range(2)]

        self.assertEqual(next_seeds(5), next_seeds(5))
        self.assertNotEqual(next_seeds(5), next_seeds(6))


@unittest.skipUnless(HAS_GYMNASIUM, "gymnasium is not installed")
class InGymnasium(unittest.TestCase):
    def test_its_own_check_passes(self):
        import gymnasium
        from gymnasium.utils.env_checker import check_env

        for make in (
            lambda: gymnasium.make("weft/energy-v1", step_seconds=30, warmup_seconds=10, devices=True),
            lambda: WeftEnv(spec=ROOM, reward=REWARD, step_seconds=10),
        ):
            env = make()
            self.addCleanup(env.close)
            check_env(env.unwrapped)

    def test_several_worlds_are_made_by_its_name(self):
        import gymnasium

        env = gymnasium.make_vec("weft/energy-v1", num_envs=2, vectorization_mode="vector_entry_point")
        self.addCleanup(env.close)
        seen, _ = env.reset(seed=1)
        self.assertTrue(env.observation_space.contains(seen))
        first = env.np_random.integers(1000)
        env.reset(seed=1)
        self.assertEqual(first, env.np_random.integers(1000))


class SeveralWorlds(unittest.TestCase):
    def test_the_seeds_of_a_reset_decide_what_begins_anew(self):
        env = WeftVectorEnv(spec=ROOM, num_envs=2, reward=lambda parts: 0.0, step_seconds=30)
        self.addCleanup(env.close)

        def anew(seed):
            env.reset(seed=seed)
            return env.step(np.zeros((2, 3)))[0]["access_points"]

        for seed in (5, [5, 9]):
            np.testing.assert_array_equal(anew(seed), anew(seed))

    def test_worlds_begin_anew_when_they_are_over_and_their_last_sight_is_kept(self):
        env = WeftVectorEnv(spec=ROOM, num_envs=2, reward=lambda parts: parts["delivered_mbit"], step_seconds=15)
        self.addCleanup(env.close)
        seen, infos = env.reset(seed=5)
        self.assertEqual(seen["access_points"].shape[:2], (2, 3))
        idle = np.zeros((2, 3))
        _, rewards, _, truncated, infos = env.step(idle)
        self.assertEqual(list(truncated), [False, False])
        np.testing.assert_allclose(rewards, infos["components"]["delivered_mbit"], rtol=1e-6)
        seen, _, _, truncated, infos = env.step(idle)
        self.assertEqual(list(truncated), [True, True])
        self.assertFalse(np.array_equal(infos["final_obs"][0]["access_points"], seen["access_points"][0]))
        self.assertEqual(list(env.step(idle)[3]), [False, False])

    def test_a_world_among_others_is_the_one_alone(self):
        with Worlds(ROOM, 3) as many, Worlds(ROOM) as alone:
            many.reset([1, 2, 3], 2)
            alone.reset([2], 2)
            among = many.step(7, [[0, 0, 0], [1, 0, 4], [0, 0, 0]])
            np.testing.assert_array_equal(among.observations[1], alone.step(7, [1, 0, 4]).observations[0])


class Mistakes(unittest.TestCase):
    def test_what_makes_no_sense_is_said(self):
        for spec, detail in [({**ROOM, "actions": {"fly": True}}, "fly"), ({"task": "weft/none-v1"}, "weft/energy-v1")]:
            with self.assertRaisesRegex(WeftError, detail):
                Worlds(spec)
        with self.assertRaises(ValueError):
            WeftEnv()


if __name__ == "__main__":
    unittest.main()
