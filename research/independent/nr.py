"""5G: path loss and antennas of 3GPP TR 38.901, rates from the CQI table of TS 38.214, power after EARTH and TR 38.864."""
from math import atan2, degrees, exp, floor, hypot, log10, log2, sqrt

CARRIER_GHZ = 3.5
BLOCKS = 273
LIGHT = 299_792_458.0
MOBILE_HEIGHT = 1.5

MAST = {"UMa": 25.0, "UMi": 10.0, "InH": 3.0}
# TR 38.901 table 7.4.1-1: deviation of the shadowing (line of sight, none).
SHADOW = {"UMa": (4.0, 6.0), "UMi": (4.0, 7.82), "InH": (3.0, 8.03)}
GAIN = {"UMa": 8.0, "UMi": 8.0, "InH": 5.0}
# Delay spread without line of sight at 3.5 GHz (TR 38.901 table 7.5-6), of which the size of the small-scale variation follows.
DELAY_SPREAD = {"UMa": 365e-9, "UMi": 103e-9, "InH": 39e-9}
OCCUPIED_HZ = BLOCKS * 12 * 30e3

# TS 38.214 table 5.2.2.1-3: modulation order and code rate x 1024.
CQI = [(2, 78), (2, 193), (2, 449), (4, 378), (4, 490), (4, 616), (6, 466), (6, 567), (6, 666), (6, 772), (6, 873),
       (8, 711), (8, 797), (8, 885), (8, 948)]
SHANNON_SHARE = 0.75
OVERHEAD, DOWNLINK, ERRORS = 0.14, 0.75, 0.10


def milliwatt(dbm):
    return 10 ** (dbm / 10)


def path_loss(scenario, clear, flat, slant):
    """TR 38.901 table 7.4.1-1, frequency in GHz, distances in m."""
    slant = max(1.0, slant)
    f, height = CARRIER_GHZ, MAST[scenario]
    if scenario == "InH":
        los = 32.4 + 17.3 * log10(slant) + 20 * log10(f)
        return los if clear else max(los, 38.3 * log10(slant) + 17.30 + 24.9 * log10(f))
    breakpoint_m = 4 * (height - 1) * (MOBILE_HEIGHT - 1) * f * 1e9 / LIGHT
    two_ray = breakpoint_m ** 2 + (height - MOBILE_HEIGHT) ** 2
    if scenario == "UMa":
        near = 28.0 + 22 * log10(slant) + 20 * log10(f)
        far = 28.0 + 40 * log10(slant) + 20 * log10(f) - 9 * log10(two_ray)
        nlos = 13.54 + 39.08 * log10(slant) + 20 * log10(f) - 0.6 * (MOBILE_HEIGHT - 1.5)
    else:
        near = 32.4 + 21 * log10(slant) + 20 * log10(f)
        far = 32.4 + 40 * log10(slant) + 20 * log10(f) - 9.5 * log10(two_ray)
        nlos = 35.3 * log10(slant) + 22.4 + 21.3 * log10(f) - 0.3 * (MOBILE_HEIGHT - 1.5)
    los = near if flat <= breakpoint_m else far
    return los if clear else max(los, nlos)


def sight_probability(scenario, d):
    """TR 38.901 table 7.4.2-1; indoors the mixed office."""
    if scenario == "InH":
        if d <= 1.2:
            return 1.0
        return exp(-(d - 1.2) / 4.7) if d < 6.5 else 0.32 * exp(-(d - 6.5) / 32.6)
    if d <= 18:
        return 1.0
    reach = 63 if scenario == "UMa" else 36
    return 18 / d + exp(-d / reach) * (1 - 18 / d)


def antenna(scenario, below_horizon, tilt):
    """Gain in dB: a beam of 15 degrees with side lobes at -20 dB; under a ceiling 130 degrees, looking down."""
    if scenario == "InH":
        return GAIN[scenario] - min(12 * ((90 - below_horizon) / 130) ** 2, 25)
    return GAIN[scenario] - min(12 * ((below_horizon - tilt) / 15) ** 2, 20)


def facade():
    """TR 38.901 table 7.4.3-2, low-loss model: 30 % glass, 70 % concrete."""
    glass, concrete = 2 + 0.2 * CARRIER_GHZ, 5 + 4 * CARRIER_GHZ
    return 5 - 10 * log10(0.3 * 10 ** (-glass / 10) + 0.7 * 10 ** (-concrete / 10))


def element_mw(dbm):
    """Power of one of the 12 x 273 subcarriers."""
    return milliwatt(dbm) / (12 * BLOCKS)


def noise_mw(figure):
    return milliwatt(-174 + figure) * 30e3


def received(cell, device, link):
    """mW per subcarrier at the device."""
    scenario = cell["scenario"]
    flat = hypot(cell["x"] - device["x"], cell["y"] - device["y"])
    drop = MAST[scenario] - MOBILE_HEIGHT
    angle = degrees(atan2(drop, max(0.1, flat)))
    wall = device["wall_db"]
    if scenario == "InH":
        wall = 0.0 if device["is_indoor"] else facade() + wall
    shadow = SHADOW[scenario][0 if link["has_sight"] else 1] * link["shadow"]
    loss = path_loss(scenario, link["has_sight"], flat, hypot(flat, drop)) + wall + shadow
    return element_mw(cell["tx_power_dbm"]) * 10 ** ((antenna(scenario, angle, cell["tilt_degrees"]) - loss) / 10)


def far_field(cells, device):
    """Cells beyond the twenty nearest, seen from the middle of the square of 300 m: mean power by rings of 20 m."""
    x, y = ((floor(device[axis] / 300) + 0.5) * 300 for axis in "xy")
    on_air = [(hypot(c["x"] - x, c["y"] - y), c) for c in cells if c["type"] == "5G" and c["is_on_air"]]
    near = sorted(d for d, _ in on_air if d <= 1200)
    edge = near[19] if len(near) >= 20 else 1200
    total = 0.0
    for d, cell in on_air:
        if d <= edge * (1 + 1e-12) or d > 3600:
            continue
        scenario = cell["scenario"]
        flat = (floor(d / 20) + 0.5) * 20
        slant = hypot(flat, MAST[scenario] - MOBILE_HEIGHT)
        p = sight_probability(scenario, flat)
        mean = 0.0
        for share, clear in ((p, True), (1 - p, False)):
            sigma = SHADOW[scenario][0 if clear else 1] * 0.1 * 2.302585092994046
            mean += share * 10 ** (-path_loss(scenario, clear, flat, slant) / 10) * exp(sigma ** 2 / 2)
        total += element_mw(cell["tx_power_dbm"]) * 10 ** (antenna(scenario, 1, cell["tilt_degrees"]) / 10) * mean
    return total


def efficiency(sinr):
    limit = SHANNON_SHARE * log2(1 + sinr)
    usable = [EFFICIENCIES[n] for n in range(15) if EFFICIENCIES[n] <= limit]
    return usable[-1] if usable else 0.0


# As the table prints them: order x rate to four decimals.
EFFICIENCIES = [round(order * rate / 1024 + 1e-9, 4) for order, rate in CQI]


def carrier_bps(per_element):
    return BLOCKS * 12 * 14 * 2000 * per_element * (1 - OVERHEAD)


def rates(second, device):
    """Bit/s of the whole carrier, down and up."""
    cells = second["access_points"]
    cell = cells[device["serving"]]
    signal, others = 0.0, 0.0
    for link in device["nr"]:
        other = cells[link["ap"]]
        if not other["is_on_air"]:
            continue
        power = received(other, device, link)
        if other is cell:
            spread = 5.57 / sqrt(1 + OCCUPIED_HZ * DELAY_SPREAD[cell["scenario"]])
            fade = spread * (0.5 if link["has_sight"] else 1.0) * device["small_scale"]
            signal = power * 10 ** (fade / 10)
        else:
            others += power * (0.05 + 0.95 * other["load_before"])
    if signal == 0.0:
        return 0.0, 0.0
    behind_wall = 10 ** (-device["wall_db"] / 10)
    others += second["nr_activity"] * (device["nr_rest_mw"] + behind_wall * far_field(cells, device))
    noise = noise_mw(9)
    for jammer in second["jammers"]:
        aimed_at = cells[jammer["at"]]
        if aimed_at["type"] != "5G":
            continue
        d = hypot(aimed_at["x"] + 8 - device["x"], aimed_at["y"] - device["y"])
        noise += 0.6 * behind_wall * element_mw(jammer["dbm"]) * 10 ** (-path_loss("UMi", True, d, d) / 10)
    sinr = signal / (others + noise)
    per_element = max(efficiency(sinr), 2 * efficiency(sinr / 2))
    gain = signal / element_mw(cell["tx_power_dbm"])
    up = efficiency(element_mw(23) * gain / noise_mw(5))
    down_bps = carrier_bps(per_element) * DOWNLINK * (1 - ERRORS)
    return down_bps, carrier_bps(up) * (1 - DOWNLINK) * (1 - ERRORS)


# EARTH (Auer et al. 2011): chains, W without load, W for each W sent, W sent at most; and the largest setting in dBm.
HARDWARE = {"UMa": (4, 130, 4.7, 20, 46), "UMi": (2, 56, 2.6, 6.3, 38), "InH": (2, 6.8, 4.0, 0.13, 24)}


def watts(cell, load):
    """TR 38.864, category 2: deep sleep 1, light 2.1, micro 5.5, sending 32; ways there and back in units x seconds."""
    chains, idle, slope, most, top_dbm = HARDWARE[cell["scenario"]]
    unit = chains * (idle + slope * most) / 32
    state = cell["power_state"]
    transition = {"deep": 17, "light": 1.088, None: 0}[cell["woke_from"]] * unit
    if state == "asleep":
        return unit + transition
    if state == "dozing":
        return 2.1 * unit + transition
    if state in ("starting", "down"):
        return 5.5 * unit + transition
    amplifier = 10 ** ((cell["tx_power_dbm"] - top_dbm) / 20)
    return unit * (5.5 + (32 - 5.5) * (0.4 + 0.6 * amplifier) * (0.05 + 0.95 * load)) + transition
