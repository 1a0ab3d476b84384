"""LiFi: the Lambertian channel (Kahn and Barry 1997), noise of photodiode and amplifier (Komine and Nakagawa 2004)."""
from math import cos, hypot, log, pi, radians, sin, sqrt

from wifi import MARGIN, MCS, NEEDED, SYMBOL_US, TONES, goodput, highest

HEIGHT = 2.15
AREA, RESPONSIVITY, INDEX, FIELD, BANDWIDTH = 1e-4, 0.53, 1.5, 70, 20e6
ELECTRON, BOLTZMANN, KELVIN = 1.602176634e-19, 1.380649e-23, 295
I2, I3 = 0.562, 0.0868
DAYLIGHT_A = 5.1e-3
LAMP_W = 3.5
DIFFUSE = 0.03


def order(half_power):
    return -log(2) / log(cos(radians(half_power)))


def lamp_gain(m, beside):
    """Share of the light that arrives where the receiver looks straight at the lamp."""
    d = hypot(beside, HEIGHT)
    concentrator = INDEX ** 2 / sin(radians(FIELD)) ** 2
    return (m + 1) * AREA / (2 * pi * d ** 2) * (HEIGHT / d) ** m * concentrator


def shot(watts, background):
    return 2 * ELECTRON * (RESPONSIVITY * watts + background * I2) * BANDWIDTH


def thermal():
    capacity = 112e-12 / 1e-4 * AREA  # 112 pF/cm2
    first = 8 * pi * BOLTZMANN * KELVIN / 10 * capacity * I2 * BANDWIDTH ** 2
    second = 16 * pi ** 2 * BOLTZMANN * KELVIN * 1.5 / 0.03 * capacity ** 2 * I3 * BANDWIDTH ** 3
    return first + second


def rate(second, device):
    lamps = second["access_points"]
    serving = lamps[device["serving"]]
    mean, deviation = (41, 7.7) if device["is_seated"] else (30, 7.8)
    tilt = radians(max(0, min(90, mean + deviation * device["hand"])))
    signal, interference = 0.0, 0.0
    for link in device["lifi"]:
        lamp = lamps[link["ap"]]
        if not lamp["is_on_air"]:
            continue
        dx, dy = lamp["x"] - device["x"], lamp["y"] - device["y"]
        towards = (dx * device["facing"][0] + dy * device["facing"][1]) * sin(tilt) + HEIGHT * cos(tilt)
        facing = towards / sqrt(dx * dx + dy * dy + HEIGHT * HEIGHT)
        if facing < cos(radians(FIELD)):
            facing = 0.0
        watts = LAMP_W * lamp["dimming_pct"] / 100 * lamp_gain(order(lamp["beam_angle_degrees"]), hypot(dx, dy)) * facing
        if link["is_hidden"]:
            watts *= DIFFUSE
        if lamp is serving:
            signal = watts
        elif lamp["channel"] == serving["channel"]:
            interference += (RESPONSIVITY * watts) ** 2 * lamp["load_before"]
    for jammer in second["jammers"]:
        lamp = lamps[jammer["at"]]
        if lamp["type"] == "LiFi" and jammer["channel"] == serving["channel"]:
            d = hypot(lamp["x"] + 8 - device["x"], lamp["y"] - device["y"])
            light = LAMP_W * 10 ** ((jammer["dbm"] - 30) / 10)
            interference += 0.6 * (RESPONSIVITY * light * lamp_gain(1, d)) ** 2
    background = DAYLIGHT_A * (0.05 + 0.95 * serving["daylight"])
    noise = shot(signal, background) + thermal()
    quality = (RESPONSIVITY * signal) ** 2 / (noise + interference)
    mcs = highest([10 ** ((db + MARGIN) / 10) for db in NEEDED], quality)
    if mcs < 0:
        return 0.0
    bits, up, down = MCS[mcs]
    return goodput(TONES[20] * bits * up / down / SYMBOL_US, 1) * 1e6


UPLINK_BPS = 40e6


def watts(lamp, load):
    modem = 0.5 if lamp["power_state"] == "asleep" else 4 + 2 * load
    return LAMP_W * lamp["dimming_pct"] / 100 / 0.35 + modem
