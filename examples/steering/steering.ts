// Decides which devices leave the light before it fails them, and relieves what is full. What it knows of a device is what
// access points report: its links, and what it hears around it.

import type { Cell } from '@weft/sdk';
import type { ControlProgram, Order } from '../fleet/control-program.ts';
import type { SeenDevice, SeenLink } from '../fleet/seen-device.ts';

export interface SteeringOptions {
  everySeconds?: number;
  /** Share of the time in which its light fails a device; above it, the device is moved. */
  moveAbove?: number;
  /** Above this load an access point is relieved; below the other limit it accepts devices. */
  fullAbove?: number;
  roomBelow?: number;
  /** Gives devices at risk a second link to fall back on, instead of moving them. */
  standby?: boolean;
}

/** What one failure counts, in seconds: without any rate, after a change of lamp, after a fall out of the light and the way back. */
const cost = { dark: 1, lamp: 0.2, fall: 0.5 };
/** How long the past of a device in light counts, and that of one out of it, in seconds. */
const memoryS = { inLight: 30, elsewhere: 600 };
/** Signals that are good enough to be sent to. */
const leastDbm = { WiFi: -68, '5G': -100 };
/** An access point keeps a steered device for so long; nobody should move it before. */
const staysMs = 120_000;
const refusedMs = 60_000;
const steerHoldSeconds = 10;

interface Watch {
  /** Share of its time that the light costs it. */
  risk: number;
  lamp: string | undefined;
  seenAtMs: number;
  leaveUntilMs: number;
  hasStandby: boolean;
}

export class Steering implements ControlProgram {
  readonly everySeconds: number;
  readonly #options: Required<SteeringOptions>;
  readonly #watches = new Map<string, Watch>();
  #devices: readonly SeenDevice[] = [];

  constructor(options: SteeringOptions = {}) {
    this.#options = { everySeconds: 2, moveAbove: 0.05, fullAbove: 0.7, roomBelow: 0.5, standby: false, ...options };
    this.everySeconds = this.#options.everySeconds;
  }

  /** How much of its time the light costs a device, as far as it is known. */
  riskOf(device: string): number {
    return this.#watches.get(device)?.risk ?? 0;
  }

  see(devices: readonly SeenDevice[], nowMs: number): void {
    this.#devices = devices;
    for (const each of devices) this.#watch(each, nowMs);
    for (const [device, { seenAtMs }] of this.#watches) {
      if (nowMs - seenAtMs > memoryS.elsewhere * 1000) this.#watches.delete(device);
    }
  }

  decide(cells: readonly Cell[], nowMs: number): Order[] {
    const byName = new Map(cells.map((cell) => [cell.ap_id, cell]));
    const orders: Order[] = [];
    // One order for each access point in a round: it answers one after the other.
    const asked = new Set<string>();
    const give = (order: Order | undefined) => {
      if (order === undefined || asked.has(order.ap_id)) return;
      asked.add(order.ap_id);
      orders.push(order);
    };
    const atRisk = this.#devices.filter(({ device }) => this.riskOf(device) > this.#options.moveAbove);
    for (const each of atRisk.sort((a, b) => this.riskOf(b.device) - this.riskOf(a.device))) {
      const light = lightOf(each);
      if (light && !this.#isLeft(each, nowMs)) give(this.#rescue(each, light, byName));
    }
    for (const cell of cells.filter(({ load }) => load > this.#options.fullAbove)) {
      if (!asked.has(cell.ap_id)) give(this.#relieve(cell, byName, nowMs));
    }
    for (const { name, args } of orders) this.#note(name, String(args!.device), nowMs);
    return orders;
  }

  undone({ args }: Order, why: 'refused' | 'failed' | 'lost', nowMs: number): void {
    const watch = this.#watches.get(String(args?.device));
    if (!watch) return;
    watch.leaveUntilMs = nowMs + (why === 'failed' ? refusedMs : 0);
    watch.hasStandby = false;
  }

  #watch(each: SeenDevice, nowMs: number): void {
    const light = lightOf(each);
    const before = this.#watches.get(each.device);
    if (!before) {
      const fresh = { risk: 0, seenAtMs: nowMs, leaveUntilMs: 0, hasStandby: false };
      this.#watches.set(each.device, { ...fresh, lamp: light?.ap_id });
      return;
    }
    const seconds = (nowMs - before.seenAtMs) / 1000;
    if (seconds <= 0) return;
    const wasMoved = nowMs < before.leaveUntilMs + 1000 * this.everySeconds;
    const isFall = (before.lamp === undefined) !== (light === undefined) && !wasMoved;
    const lost = light?.tx_mbps === 0 ? cost.dark : 0;
    const changed = isFall ? cost.fall : light && before.lamp && light.ap_id !== before.lamp ? cost.lamp : 0;
    const isKnown = light !== undefined || isFall;
    const share = Math.min(1, lost + changed / seconds);
    const weight = 1 - Math.exp(-seconds / (isKnown ? memoryS.inLight : memoryS.elsewhere));
    before.risk += weight * ((isKnown ? share : 0) - before.risk);
    before.lamp = light?.ap_id;
    before.seenAtMs = nowMs;
  }

  #isLeft({ device }: SeenDevice, nowMs: number): boolean {
    const watch = this.#watches.get(device)!;
    return watch.hasStandby || nowMs < watch.leaveUntilMs;
  }

  #rescue(each: SeenDevice, light: SeenLink, cells: ReadonlyMap<string, Cell>): Order | undefined {
    const { device } = each;
    const because = `its light costs it ${Math.round(100 * this.riskOf(device))} % of the time`;
    if (this.#options.standby) {
      const args = { device, mode: 'active_standby', primary: 'LiFi' };
      return { ap_id: light.ap_id, name: 'set_link_policy', args, holdSeconds: steerHoldSeconds, because };
    }
    const target = this.#targetOf(each, light.ap_id, cells);
    return target === undefined ? undefined : steer(light.ap_id, device, target, because);
  }

  /** The device with the worst link of a full access point goes elsewhere. */
  #relieve(full: Cell, cells: ReadonlyMap<string, Cell>, nowMs: number): Order | undefined {
    const here = this.#devices
      .flatMap((each) => each.links.filter(({ ap_id }) => ap_id === full.ap_id).map((link) => ({ each, link })))
      .filter(({ each }) => each.links.length === 1 && !this.#isLeft(each, nowMs))
      .sort((a, b) => (a.link.tx_mbps ?? 0) - (b.link.tx_mbps ?? 0));
    for (const { each } of here) {
      const target = this.#targetOf(each, full.ap_id, cells);
      if (target) return steer(full.ap_id, each.device, target, `${Math.round(100 * full.load)} % load`);
    }
    return undefined;
  }

  /** The strongest WiFi that it hears and that has room, else the strongest cell. */
  #targetOf({ heard }: SeenDevice, from: string, cells: ReadonlyMap<string, Cell>): string | undefined {
    for (const technology of ['WiFi', '5G'] as const) {
      const [best] = heard
        .filter(({ ap_id, rssi_dbm }) => {
          const cell = cells.get(ap_id);
          if (cell?.technology !== technology || ap_id === from || !cell.isAwake) return false;
          return cell.load < this.#options.roomBelow && (rssi_dbm ?? -200) >= leastDbm[technology];
        })
        .sort((a, b) => b.rssi_dbm! - a.rssi_dbm!);
      if (best) return best.ap_id;
    }
    return undefined;
  }

  #note(name: string, device: string, nowMs: number): void {
    const watch = this.#watches.get(device)!;
    if (name === 'steer_device') watch.leaveUntilMs = nowMs + staysMs;
    else watch.hasStandby = true;
  }
}

function lightOf({ links }: SeenDevice): SeenLink | undefined {
  return links.find(({ technology }) => technology === 'LiFi');
}

function steer(ap_id: string, device: string, target: string, because: string): Order {
  return { ap_id, name: 'steer_device', args: { device, target }, holdSeconds: steerHoldSeconds, because };
}
