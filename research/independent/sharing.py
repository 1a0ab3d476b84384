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


def share_transfers(jobs, capacity):
    """One second of a server that all with data share equally. A job is [(time, work), ...]; returns for each what was served,
    work times seconds that it waited, and for how long it had any."""
    left = [0.0] * len(jobs)
    served, waited, busy = [0.0] * len(jobs), [0.0] * len(jobs), [0.0] * len(jobs)
    coming = sorted((at, n, work) for n, job in enumerate(jobs) for at, work in job)
    now = 0.0
    while now < 1:
        while coming and coming[0][0] <= now:
            _, n, work = coming.pop(0)
            left[n] += work
        active = [n for n, work in enumerate(left) if work > 1e-15]
        until = coming[0][0] if coming else 1.0
        each = capacity / len(active) if active else 0.0
        if each > 0:
            until = min(until, now + min(left[n] for n in active) / each)
        for n in active:
            done = min(left[n], each * (until - now))
            waited[n] += (left[n] - done / 2) * (until - now)
            busy[n] += until - now
            served[n] += done
            left[n] -= done
        now = max(until, now + 1e-15)
    return list(zip(served, waited, busy))
