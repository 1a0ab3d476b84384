"""What the policy looks at, for each task: numbers for each access point and choice, the more the better after weighting."""

import numpy as np

NEAREST = 4


def columns(names, values, *wanted):
    """The wanted columns; what is not measured is 0."""
    return [values[..., names.index(name)] for name in wanted]


def neighbour_table(neighbours, count):
    """The nearest others of each access point, nearest first."""
    table = np.zeros((count, NEAREST), dtype=int)
    for ap in range(count):
        others = neighbours[neighbours[:, 0] == ap, 1][:NEAREST]
        table[ap] = np.resize(others, NEAREST)
    return table


def sleep_features(names, choices, values, neighbours, distances):
    """[world, access point, choice, feature] of `nothing`, `sleep` and `wake`."""
    load, connected, on = columns(names, values, "prb_load_pct", "connected_devices", "on")
    near = neighbour_table(neighbours, values.shape[-2])
    near_on, near_load, near_devices = on[..., near], load[..., near] / 100, connected[..., near] / 8
    shown = [
        np.ones_like(load),
        load / 100,
        connected / 8,
        near_on.mean(-1),
        near_load.mean(-1),
        near_load.max(-1),
        near_devices.mean(-1),
        on.mean(-1, keepdims=True) + np.zeros_like(load),
    ]
    one = np.stack(shown, axis=-1)
    none = np.zeros_like(one)
    # Each choice has weights of its own; nothing is what the others are compared with.
    own = {"nothing": [none, none], "sleep": [one, none], "wake": [none, one]}
    return np.stack([np.concatenate(own[choice], axis=-1) for choice in choices], axis=-2)


def channel_features(names, choices, values, neighbours, distances):
    """[world, access point, choice, feature] of `nothing` and each channel."""
    channel, airtime, busy = columns(names, values, "channel", "airtime_pct", "channel_utilisation_pct")
    count = values.shape[-2]
    weight = np.zeros((count, count))
    weight[neighbours[:, 0], neighbours[:, 1]] = 100 / (10 + distances) ** 2
    heard = lambda wanted: ((channel[..., None, :] == wanted[..., :, None]) * (weight * airtime[..., None, :])).sum(-1) / 100
    now = heard(channel)
    rows = []
    for choice in choices:
        if choice == "nothing":
            rows.append(np.zeros((*channel.shape, 6)))
            continue
        wanted = np.full_like(channel, float(choice.split(" ")[1]))
        there = heard(wanted)
        same = (wanted == channel).astype(float)
        rows.append(np.stack([np.ones_like(now), now - there, there, busy / 100, airtime / 100, -10 * same], axis=-1))
    return np.stack(rows, axis=-2)


# A guess to begin with, from what the columns mean: sleep if there is little to do and others are near, wake beside full ones.
GUESSES = {
    "sleep": [0.5, -6, -2, 1.5, -2, -2, -0.5, 0, -2, 0, 0, 0, 1, 4, 0.5, 0],
    "set_channel": [-0.3, 3, -1, 0.5, 0, 1],
}


def features(names, choices, values, neighbours, distances):
    make = sleep_features if "sleep" in choices else channel_features
    return make(names, choices, values, neighbours, distances)


def choose(weights, scores, mask, most=2):
    """The best open choice of each access point; of those who would do something only the `most` keenest do, so that
    neighbours do not all rely on each other in one step. `weights` has a row for each world."""
    value = np.einsum("wacf,wf->wac", scores, weights)
    value[~mask] = -np.inf
    best = value.argmax(-1)
    gain = value.max(-1) - value[..., 0]
    keen = np.argsort(-gain, axis=-1, kind="stable").argsort(-1) < most
    return np.where(keen & (gain > 0), best, 0)
