"""WiFi 6: path loss of the TGax enterprise scenario (IEEE 802.11-14/0980), HE rates, the transmit mask, carrier sense."""
from math import exp, floor, hypot, log, log10, sqrt

CARRIER_GHZ = 5.25
# IEEE 802.11ax table 27-51: weakest signal for each MCS in 20 MHz; bits of the constellation and code rate.
SENSITIVITY = [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57, -54, -52]
MCS = [(1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6), (8, 3, 4), (8, 5, 6),
       (10, 3, 4), (10, 5, 6)]
TONES = {20: 234, 40: 468, 80: 980, 160: 1960}
DOUBLINGS = {20: 0, 40: 1, 80: 2, 160: 3}
SYMBOL_US = 12.8 + 0.8
MAC_SHARE = 0.65
MOST_AIRTIME = 0.95


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
    best, margin = 0.0, 0.0
    for streams in (1, 2):
        strength = 10 * log10(signal / streams) - 3 * DOUBLINGS[width]
        quality = 10 * log10(signal / noise / streams)
        # The sensitivity allows for 10 dB of noise figure and 5 dB of margin above -101 dBm of thermal noise.
        needs = [dbm + 101 - 15 for dbm in SENSITIVITY]
        mcs = min(highest(SENSITIVITY, strength), highest(needs, quality))
        if mcs < 0:
            break
        bits, up, down = MCS[mcs]
        mbps = streams * TONES[width] * bits * up / down / SYMBOL_US
        if mbps > best:
            best, margin = mbps, min(strength - SENSITIVITY[mcs], quality - needs[mcs])
    retries = min(1.0, 0.02 + 0.25 * ap["utilisation_before"] ** 2 + 0.1 * 2 ** (-max(0.0, margin) / 1.5))
    return best * 1e6 * MAC_SHARE * (1 - retries)


def watts(ap, load):
    if ap["power_state"] == "asleep":
        return 0.9
    return 6 + (3 + 12 * milliwatt(ap["tx_power_dbm"]) / 1000) * load
