"""Who gets how much of one resource, and how long bits wait for it."""
from math import inf


def level(needs, capacity):
    """Max-min fair: the share of those who do not get all they need; found by raising the water bit by bit."""
    left, todo = max(0.0, capacity), sorted(needs)
    while todo:
        equal = left / len(todo)
        if todo[0] > equal:
            return equal
        left -= todo.pop(0)
    return inf


def share_without_end(needs, one, capacity):
    """What this one would get if it needed without end."""
    return level([need for n, need in enumerate(needs) if n != one] + [inf], capacity)


def waiting(burst, stream, bps):
    """Bit-seconds in one second: the area between what has arrived and what was served, added up piece by piece."""
    if bps <= 0:
        return burst + stream / 2
    if bps >= burst + stream:
        # Empty after burst / (bps - stream) seconds, from a triangle of that length and the height of the burst.
        return 0.0 if burst == 0 else burst * (burst / max(burst, bps - stream)) / 2
    end = burst + stream - bps
    return (burst + end) / 2
