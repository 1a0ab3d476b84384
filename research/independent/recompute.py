"""Recomputes small worlds of the emulator from their inputs, and compares. Python's standard library alone, and no line of
the emulator: the formulas are written from the standards named in each file. Run by research/recompute/recompute-emulator.ts, which
sends the worlds as JSON on standard input. Exit code 1 if any value differs by more than 1 %."""
import json
import sys
from math import inf

import lifi
import nr
import wifi
from sharing import level, share_transfers, share_without_end, waiting

BASE_MS = {"5G": 3, "WiFi": 2, "LiFi": 2}
LIGHT = 0.95
LIMIT = 0.01
# Smaller values are measured against these: a bit per second, a microsecond, a millionth of the air, a microwatt, and what
# reports round to.
FLOOR = {"rate_bps": 1, "service_bps": 1, "latency_ms": 1e-3, "airtime": 1e-6, "utilisation": 1e-6, "uplink": 1e-6,
         "power_w": 1e-6, "energy_j": 1e-6, "throughput_mbps": 0.01, "delay_ms": 0.01}


def recompute(second):
    aps, devices = second["access_points"], second["devices"]
    for device in devices:
        serving = device["serving"]
        down, up = (0.0, 0.0) if serving < 0 else link_rates(second, device, aps[serving]["type"])
        device["rate"], device["up_rate"] = down * (1 - device["lost_s"]), up
        device["need"] = need_of(device, aps)
    members = [[d for d in devices if d["serving"] == n] for n in range(len(aps))]
    capacities = capacity_of_all(second, [sum(d["need"] for d in own) for own in members])
    results = [serve(ap, own, capacity) for ap, own, capacity in zip(aps, members, capacities)]
    for n, (ap, result) in enumerate(zip(aps, results)):
        result["utilisation"] = result["airtime"]
        if ap["type"] == "WiFi":
            peers, louder, _ = wifi.relations(aps, n)
            heard = sum(results[other]["airtime"] for other in peers + louder)
            result["utilisation"] = min(1.0, result["airtime"] + wifi.foreign_share(second, n) + heard)
        model = {"5G": nr, "WiFi": wifi, "LiFi": lifi}[ap["type"]]
        is_dark = ap["has_crashed"] and ap["power_state"] == "down"
        result["power_w"] = result["energy_j"] = 0.0 if is_dark else model.watts(ap, result["airtime"])
    return results


def link_rates(second, device, kind):
    if kind == "5G":
        return nr.rates(second, device)
    if kind == "WiFi":
        both = wifi.rate(second, device)
        return both, both
    return lifi.rate(second, device), lifi.UPLINK_BPS


def need_of(device, aps):
    """Share of the air that would clear the queue."""
    serving = device["serving"]
    if serving < 0 or device["rate"] == 0 or not aps[serving]["has_backhaul"]:
        return 0.0
    need = device["backlog_bits"] / device["rate"]
    if aps[serving]["type"] == "WiFi" and device["up_rate"] > 0:
        need += device["up_backlog_bits"] / device["up_rate"]
    return need


def capacity_of_all(second, wanted):
    """Share of the air that each may use: of 5G its quota, of light 95 %, of WiFi what contention and its turns leave."""
    aps = second["access_points"]
    capacities = [ap["prb_quota_pct"] / 100 if ap["type"] == "5G" else LIGHT for ap in aps]
    want = [min(1.0, w) if ap["is_on_air"] else 0.0 for ap, w in zip(aps, wanted)]
    room = {}
    for n, ap in enumerate(aps):
        if ap["type"] == "WiFi":
            ap["efficiency"] = wifi.efficiency(aps, n)
            louder = wifi.relations(aps, n)[1]
            room[n] = max(0.0, 1 - wifi.foreign_share(second, n) - sum(want[other] for other in louder))
    for n in room:
        peers = wifi.relations(aps, n)[0]
        group = wifi.component(aps, n)
        own = aps[n]["efficiency"]
        if not peers:
            capacities[n] = room[n] * own
        elif all(len(wifi.relations(aps, other)[0]) == len(group) - 1 for other in group):
            least = min(room[other] for other in group)
            wants = [want[other] / aps[other]["efficiency"] for other in group]
            capacities[n] = own * min(least, share_without_end(wants, group.index(n), least))
        else:
            activities = {other: max(1.0, aps[other]["cycle_before"] / wifi.BACKOFF - 1) for other in group}
            wants = {}
            for other in group:
                most = room[other] * aps[other]["efficiency"]
                asked = min(1.0, want[other] / most) if most > 0 else 0.0
                wants[other] = asked * activities[other] / (1 + activities[other])
            sends, free = wifi.parts_of_time(aps, group, wants, activities)
            capacities[n] = room[n] * own * min(1.0, sends[n] + free[n])
    return [capacity if ap["has_backhaul"] else 0.0 for ap, capacity in zip(aps, capacities)]


def serve(ap, members, capacity):
    """Streams have their share of the second; transfers share what is left, from the moment on at which they arrive."""
    kind = ap["type"]
    needs = [d["need"] for d in members]
    shares = [share_without_end(needs, n, capacity) if d["rate"] > 0 else 0.0 for n, d in enumerate(members)]
    transfers = [d for d in members if d["need"] > 0 and d["stream_bits"] == 0]
    left = capacity - sum(min(s, d["need"]) for s, d in zip(shares, members) if d["need"] > 0 and d["stream_bits"] > 0)
    jobs = []
    for d in transfers:
        new = sum(bits for _, bits in d["arrivals"]) if d["backlog_bits"] > 0 else 0.0
        old = max(0.0, d["backlog_bits"] - new)
        each = d["need"] / d["backlog_bits"] if d["backlog_bits"] > 0 else 0.0
        jobs.append([(0.0, d["need"] if each == 0 else old * each)] + [(at, bits * each) for at, bits in d["arrivals"]])
    results = {id(d): result for d, result in zip(transfers, share_transfers(jobs, max(0.0, left)))}
    airtime = delivered = waited = 0.0
    for d, share in zip(members, shares):
        d["service_bps"] = d["rate"] * share
        d["latency_ms"] = 0.0
        queue = d["backlog_bits"]
        if id(d) in results:
            served, wait, _ = results[id(d)]
            airtime += served
            bits, bit_seconds = queue * min(1.0, served / d["need"]), queue * wait / d["need"]
        else:
            airtime += min(share, d["need"])
            bps = d["service_bps"] * (queue / d["rate"] / d["need"] if d["need"] > 0 else 1)
            stream = min(d["stream_bits"], queue)
            bits, bit_seconds = min(queue, bps), waiting(queue - stream, stream, bps)
        if queue == 0:
            continue
        delivered += bits
        d["latency_ms"] = BASE_MS[kind] + 1000 * bit_seconds / bits if bits > 0 else inf
        if bits > 0:
            waited += bit_seconds
    delay = BASE_MS[kind] + 1000 * waited / delivered if delivered > 0 else None
    return {"airtime": airtime / ap.get("efficiency", 1.0), "throughput_mbps": delivered / 1e6, "latency_ms": delay,
            "uplink": 0.0 if kind == "WiFi" else uplink(ap, members)}


def uplink(ap, members):
    if not ap["has_backhaul"]:
        return None
    needs = [d["up_backlog_bits"] / d["up_rate"] if d["rate"] > 0 and d["up_rate"] > 0 else 0.0 for d in members]
    top = level(needs, 1.0)
    return sum(min(need, top) for need in needs)


def compare(name, theirs, ours, worst, where):
    """Relative difference; two infinities, or two nothings, are alike."""
    if theirs is None or ours in (None, inf):
        off = 0.0 if theirs is None and ours in (None, inf) else inf
    else:
        off = abs(ours - theirs) / max(abs(theirs), FLOOR[name])
    count, most, _ = worst.get(name, (0, -1.0, ""))
    worst[name] = (count + 1, off, where) if off > most else (count + 1, most, worst[name][2])


def main():
    worlds = json.load(sys.stdin)
    total = {}
    print(f"{'world':42}{'rate':>10}{'service':>10}{'latency':>10}{'airtime':>10}{'energy':>10}")
    for world in worlds:
        own = {}
        for number, second in enumerate(world["seconds"]):
            results = recompute(second["inputs"])
            for n, (device, told) in enumerate(zip(second["inputs"]["devices"], second["emulator"]["devices"])):
                where = f"{world['name']}, second {number}, device {n}"
                compare("rate_bps", told["rate_bps"], device["rate"], own, where)
                if device["serving"] >= 0:
                    compare("service_bps", told["service_bps"], device["service_bps"], own, where)
                    compare("latency_ms", told["latency_ms"], device["latency_ms"], own, where)
            for n, (result, told) in enumerate(zip(results, second["emulator"]["access_points"])):
                where = f"{world['name']}, second {number}, access point {n}"
                for name in ("airtime", "utilisation", "power_w", "energy_j"):
                    compare(name, told[name], result[name], own, where)
                if result["uplink"] is not None:
                    compare("uplink", told["uplink"], result["uplink"], own, where)
                if told["throughput_mbps"] is not None:
                    compare("throughput_mbps", told["throughput_mbps"], result["throughput_mbps"], own, where)
                    compare("delay_ms", told["latency_ms"], result["latency_ms"], own, where)
        shown = ("rate_bps", "service_bps", "latency_ms", "airtime", "energy_j")
        print(f"{world['name']:42}" + "".join(f"{percent(own[name][1]):>10}" for name in shown))
        for name, (count, off, where) in own.items():
            seen, most, place = total.get(name, (0, -1.0, ""))
            total[name] = (seen + count, off, where) if off > most else (seen + count, most, place)
    print(f"\n{'quantity':18}{'compared':>10}{'worst':>12}  where")
    for name, (count, off, where) in total.items():
        print(f"{name:18}{count:>10}{percent(off):>12}  {where if off > 0 else ''}")
    is_good = all(off <= LIMIT for _, off, _ in total.values())
    print(f"\n{len(worlds)} worlds: {'all values agree' if is_good else 'values differ'} (limit {LIMIT:.0%})")
    return 0 if is_good else 1


def percent(share):
    return "never" if share == inf else f"{share:.2g}" if share == 0 else f"{100 * share:.2g} %"


sys.exit(main())
