"""WiFi 6: path loss of the TGax enterprise scenario (IEEE 802.11-14/0980), HE rates, the transmit mask, carrier sense."""
from math import ceil, floor, hypot, log, log10, sqrt

CARRIER_GHZ = 5.25
# SNR in dB that each MCS needs: ns-3's default error model (LDPC, white noise) at a bit error rate of 1e-6, to a tenth; for
# 1024-QAM the same code with points at 6 dB. Receivers lose 3 dB more.
NEEDED = [1.5, 4.5, 7.0, 10.4, 13.5, 17.9, 19.1, 20.8, 24.5, 25.9, 30.5, 31.9]
MARGIN = 3.0
MCS = [(1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6), (8, 3, 4), (8, 5, 6),
       (10, 3, 4), (10, 5, 6)]
TONES = {20: 234, 40: 468, 80: 980, 160: 1960}
SYMBOL_US = 12.8 + 0.8
SLOT, SIFS, AIFS = 9.0, 16.0, 43.0
BACKOFF = 7.5 * SLOT


def milliwatt(dbm):
    return 10 ** (dbm / 10)


def path_loss(d):
    """dB, with a wall of 7 dB every 20 m and four at most."""
    d_near = max(1.0, d)
    loss = 40.05 + 20 * log10(CARRIER_GHZ / 2.4) + 20 * log10(min(d_near, 10.0))
    if d_near > 10:
        loss += 35 * log10(d_near / 10)
    return loss + 7 * min(4, floor(d / 20))


def band(channel, width):
    first = 5735 if channel >= 149 else 5490 if channel >= 100 else 5170
    block = (5000 + 5 * channel - first) // width
    return first + block * width, first + (block + 1) * width


def mask_integral(start, end):
    """Share of the power between two offsets from the middle, in widths, where the mask falls from -20 to -28 to -40 dB."""
    total = 0.0
    for a, a_db, b, b_db in ((0.5, -20.0, 1.0, -28.0), (1.0, -28.0, 1.5, -40.0)):
        low, high = max(start, a), min(end, b)
        if low >= high:
            continue
        level = lambda at: 10 ** ((a_db + (b_db - a_db) * (at - a) / (b - a)) / 10)
        steepness = (b_db - a_db) / (b - a) * log(10) / 10
        total += (level(high) - level(low)) / steepness
    return total


def coupling(sender, receiver):
    width, middle = sender[1] - sender[0], (sender[0] + sender[1]) / 2
    inside = max(0, min(sender[1], receiver[1]) - max(sender[0], receiver[0])) / width
    above = mask_integral((receiver[0] - middle) / width, (receiver[1] - middle) / width)
    below = mask_integral((middle - receiver[1]) / width, (middle - receiver[0]) / width)
    return min(1.0, inside + above + below)


def band_of(ap):
    return band(ap["channel"], ap["channel_width_mhz"])


def gain_between(aps, one, other):
    """None if they are out of reach of each other."""
    shadow = aps[one]["shadow_to"].get(str(other))
    if shadow is None:
        return None
    d = hypot(aps[one]["x"] - aps[other]["x"], aps[one]["y"] - aps[other]["y"])
    return milliwatt(-path_loss(d) - 4 * shadow)


def hears(aps, one, other, gain):
    """Carrier sense: -82 dBm for what can be read, -62 dBm for energy on a channel beside."""
    own, foreign = band_of(aps[one]), band_of(aps[other])
    can_read = own[0] < foreign[1] and foreign[0] < own[1]
    power = milliwatt(aps[other]["tx_power_dbm"]) * gain * coupling(foreign, own)
    return power >= milliwatt(-82 if can_read else -62)


def relations(aps, one):
    """Who takes turns with it, for whom it waits, and who is hidden from it."""
    peers, louder, hidden = [], [], []
    for other, ap in enumerate(aps):
        if other == one or ap["type"] != "WiFi" or not ap["is_on_air"]:
            continue
        gain = gain_between(aps, one, other)
        share = coupling(band_of(ap), band_of(aps[one]))
        if gain is None or share == 0:
            continue
        to, back = hears(aps, one, other, gain), hears(aps, other, one, gain)
        if to and back:
            peers.append(other)
        elif to:
            louder.append(other)
        elif not back and milliwatt(ap["tx_power_dbm"]) * gain * share > milliwatt(-115):
            hidden.append((other, share, gain))
    return peers, louder, hidden


def jamming(second, x, y, own_band):
    """mW in the band while the jammers send; each stands 8 m east of what it was aimed at."""
    total = 0.0
    for jammer in second["jammers"]:
        ap = second["access_points"][jammer["at"]]
        if ap["type"] == "WiFi":
            d = hypot(ap["x"] + 8 - x, ap["y"] - y)
            share = coupling(band(jammer["channel"], jammer["width_mhz"]), own_band)
            total += share * milliwatt(jammer["dbm"] - path_loss(d))
    return total


def foreign_share(second, one):
    ap = second["access_points"][one]
    share = 0.02 + 0.04 * ap["background"]
    if ap["type"] == "WiFi" and jamming(second, ap["x"], ap["y"], band_of(ap)) >= milliwatt(-62):
        share += 0.6
    return share


def highest(values, limit):
    best = -1
    for n, value in enumerate(values):
        if value > limit:
            break
        best = n
    return best


def rate(second, device):
    """Bit/s that all of the air would give the device."""
    aps = second["access_points"]
    serving = device["serving"]
    ap = aps[serving]
    link = next((one for one in device["wifi"] if one["ap"] == serving), None)
    if link is None:
        return 0.0
    width = ap["channel_width_mhz"]
    outside = 0.0 if device["is_indoor"] else 13.0

    def gain_to(other, shadow):
        d = hypot(aps[other]["x"] - device["x"], aps[other]["y"] - device["y"])
        return milliwatt(-path_loss(d) - outside - 4 * shadow)

    spread = 5.57 / sqrt(1 + width * 1e6 * 50e-9)
    signal = milliwatt(ap["tx_power_dbm"] + spread * device["small_scale"]) * gain_to(serving, link["shadow"])
    noise = milliwatt(-174 + 7) * width * 1e6
    known = {one["ap"]: one["shadow"] for one in device["wifi"]}
    for other, share, gain in relations(aps, serving)[2]:
        heard = gain_to(other, known[other]) if other in known else gain
        noise += milliwatt(aps[other]["tx_power_dbm"]) * heard * share * aps[other]["load_before"]
    noise += 0.6 * jamming(second, device["x"], device["y"], band_of(ap))
    best = (0.0, 0, 0.0)
    for streams in (1, 2):
        quality = 10 * log10(signal / noise / streams) - MARGIN
        mcs = highest(NEEDED, quality)
        if mcs < 0:
            break
        bits, up, down = MCS[mcs]
        mbps = streams * TONES[width] * bits * up / down / SYMBOL_US
        if mbps > best[0]:
            best = (mbps, streams, quality - NEEDED[mcs])
    mbps, streams, margin = best
    return 0.0 if mbps == 0 else goodput(mbps, streams) * 1e6 * (1 - 0.01 * 2 ** (-2 * margin))


def goodput(mbps, streams):
    """Mb/s of a lone sender: aggregates of packets of 1,500 bytes (1,544 on the air), at most 65,535 bytes, 64 packets and
    5.484 ms; block acknowledgement (32 us) after SIFS, then AIFS and a backoff of 7.5 slots on average."""
    head = 36 + 8 * streams
    packets = max(1, min(64, 65535 // 1544, floor((5484 - head) * mbps / (8 * 1544))))
    body = SYMBOL_US * ceil((8 * 1544 * packets + 22) / (mbps * SYMBOL_US))
    return 12000 * packets / (head + body + SIFS + 32 + AIFS + BACKOFF)


def cycle(rate_bps):
    """Microseconds for a frame of such a sender with its backoff: 42 packets, or as many as the longest frame takes."""
    return min(42 * 12000 / (rate_bps / 1e6), 5484.0)


def contention(senders, lone_cycle):
    """What so many senders get through, as a share of what one would. Bianchi's chain, in which a missed block acknowledgement
    is asked for (32 us) with growing windows before the aggregate is sent again with the first one."""
    def attempts(p):
        return sum(p ** stage for stage in range(7))

    def chance(p):
        slots = sum(p ** stage * (16 * 2 ** stage - 1) / 2 for stage in range(7))
        return attempts(p) / (slots + attempts(p))

    low, high = 0.0, 1.0
    while senders > 1 and high - low > 1e-12:
        p = (low + high) / 2
        low, high = (p, high) if 1 - (1 - chance(p)) ** (senders - 1) > p else (low, p)
    tau = chance(low)
    data = tau / attempts(low)
    idle, alone = (1 - tau) ** senders, senders * (1 - tau) ** (senders - 1)
    sent, asked = alone * data, alone * (tau - data)
    both_short = max(0.0, (1 - data) ** senders - idle - asked)
    lost = 0.0 if senders <= 1 else 1 - idle - sent - asked - both_short
    eifs = SIFS + 44 + AIFS
    frame = lone_cycle - BACKOFF
    spent = idle * SLOT + sent * frame + asked * (32 + SIFS + 32 + AIFS) + both_short * (32 + eifs) \
        + lost * (frame - AIFS - SIFS - 32 + eifs)
    return lone_cycle * sent / spent


def efficiency(aps, one):
    """By who had data waiting in the second before. Where all hear each other everybody contends with everybody; in other
    cases the value is taken as told."""
    group = [one, *relations(aps, one)[0]]
    if any(sorted([other, *relations(aps, other)[0]]) != sorted(group) for other in group[1:]):
        return aps[one]["efficiency"]
    senders = sum(aps[n]["senders_before"] for n in group)
    if senders == 0:
        return 1.0
    return contention(1 + max(0.0, senders - sum(aps[n]["squared_before"] for n in group) / senders),
                      aps[one]["cycle_before"])


def component(aps, one):
    found = [one]
    for n in found:
        found += [other for other in relations(aps, n)[0] if other not in found]
    return sorted(found)


def parts_of_time(aps, members, wants, activities):
    """How much of the time each sends, and finds nobody sending, in the ideal CSMA network: all sets of those that do not hear
    each other, weighted by their activities, which fall until nobody sends more than it wants."""
    hears = {n: set(relations(aps, n)[0]) for n in members}
    sets = [[]]
    for n in members:
        sets += [[*group, n] for group in sets if not hears[n] & set(group)]
    active = {n: (activities[n] if wants[n] > 0 else 0.0) for n in members}
    for _ in range(2000):
        weights = []
        for group in sets:
            weight = 1.0
            for n in group:
                weight *= active[n]
            weights.append(weight)
        total = sum(weights)
        sends = {n: sum(w for w, group in zip(weights, sets) if n in group) / total for n in members}
        active = {n: min(activities[n], active[n] * wants[n] / sends[n]) if sends[n] > 0 else 0.0 for n in members}
    free = {n: sum(w for w, group in zip(weights, sets) if not ({n} | hears[n]) & set(group)) / total for n in members}
    return sends, free


def watts(ap, load):
    if ap["power_state"] == "asleep":
        return 0.9
    return 6 + (3 + 12 * milliwatt(ap["tx_power_dbm"]) / 1000) * load
