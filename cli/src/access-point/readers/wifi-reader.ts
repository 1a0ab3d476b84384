// The metrics of the radios, with the metric names of every WiFi access point in Weft. With several
// radios each metric has the interface as a suffix, and the sums have none.
import { type Machine, readKernelNumber } from '../machine/machine.ts';
import type { ObservedRadio, Station } from './radio.ts';
import { observeRadios } from './radios.ts';
import { Counters, type Measured, type Reader, rounded } from './reader.ts';

export class WifiReader implements Reader {
  readonly subject = 'WiFi';
  readonly #machine: Machine;
  readonly #known: () => readonly string[];
  readonly #counters = new Counters();
  #observed: ObservedRadio[] | undefined;

  /** `known` are interfaces that were access points before, also while they are asleep. */
  constructor(machine: Machine, known: () => readonly string[] = () => []) {
    this.#machine = machine;
    this.#known = known;
  }

  /** The radios of the newest measurement, each once; undefined if none was done since the last call, or it failed. */
  takeObserved(): ObservedRadio[] | undefined {
    const observed = this.#observed;
    this.#observed = undefined;
    return observed;
  }

  async read(nowMs: number): Promise<Measured[]> {
    this.#counters.begin();
    const radios = await observeRadios(this.#machine);
    this.#observed = radios;
    const count = new Set([...this.#known(), ...radios.map((radio) => radio.interface)]).size;
    const measured = await this.#all(radios, count, nowMs);
    const isServing = radios.some(({ channel }) => channel !== undefined);
    return count === 0 ? [] : [{ name: 'active', value: isServing ? 1 : 0, label: 'Active' }, ...measured];
  }

  async #all(radios: ObservedRadio[], count: number, nowMs: number): Promise<Measured[]> {
    const all = await Promise.all(radios.map((radio) => this.#radio(radio, nowMs)));
    // Names stay the same while one of several sleeps.
    if (count <= 1 || all.length === 0) return all.flat();
    const sums = ['connected_devices', 'throughput_mbps'].map((name) => {
      const each = all.map((measured) => measured.find((one) => one.name === name)!);
      const isKnown = each.every(({ value }) => value !== undefined);
      return { ...each[0]!, value: isKnown ? rounded(total(each.map(({ value }) => value!)), 3) : undefined };
    });
    const suffixed = all.flatMap((measured, index) => {
      const name = radios[index]!.interface;
      return measured.map((one) => ({ ...one, name: `${one.name}_${name}`, label: `${one.label}, ${name}` }));
    });
    return [...sums, ...suffixed];
  }

  async #radio(radio: ObservedRadio, nowMs: number): Promise<Measured[]> {
    const { stations, survey } = radio;
    const signals = known(stations, 'signalDbm');
    const noise = survey?.noiseDbm;
    const rssi = mean(signals);
    return [
      { name: 'connected_devices', value: stations.length, label: 'Connected devices' },
      { name: 'throughput_mbps', value: await this.#throughput(radio, nowMs), label: 'Throughput', unit: 'Mb/s' },
      // Declared even without devices, when there is nothing to measure yet.
      { name: 'rssi_dbm', value: rssi, label: 'RSSI', unit: 'dBm' },
      { name: 'rssi_worst_dbm', value: lowest(signals), label: 'RSSI, worst', unit: 'dBm' },
      { name: 'tx_rate_mbps', value: mean(known(stations, 'txRateMbps')), label: 'Tx rate', unit: 'Mb/s' },
      { name: 'rx_rate_mbps', value: mean(known(stations, 'rxRateMbps')), label: 'Rx rate', unit: 'Mb/s' },
      ...this.#retries(radio, nowMs),
      ...(noise === undefined
        ? []
        : [
            { name: 'snr_db', value: rssi === undefined ? undefined : rounded(rssi - noise), label: 'SNR', unit: 'dB' },
          ]),
      ...this.#channelTimes(radio, nowMs),
      ...one('noise_floor_dbm', noise, 'Noise floor', 'dBm'),
      ...one('channel', radio.channel, 'Channel', ''),
      ...one('channel_width_mhz', radio.widthMhz, 'Channel width', 'MHz'),
      ...one('tx_power_dbm', radio.txPowerDbm, 'Tx power', 'dBm'),
    ];
  }

  /** Downlink, to the devices. */
  async #throughput({ interface: name }: ObservedRadio, nowMs: number): Promise<number | undefined> {
    const bytes = await readKernelNumber(this.#machine.sys, 'class/net', name, 'statistics/tx_bytes');
    const rise = this.#counters.rise(`${name} tx_bytes`, bytes, nowMs);
    return rise && rounded((rise.by * 8) / 1e6 / rise.seconds, 3);
  }

  /** Over the devices that were also attached at the last measurement. */
  #retries({ interface: name, stations }: ObservedRadio, nowMs: number): Measured[] {
    if (stations.every(({ txRetries }) => txRetries === undefined)) return [];
    let [packets, retries, failed, isKnown] = [0, 0, 0, false];
    for (const { address, txPackets, txRetries, txFailed } of stations) {
      const rise = (what: string, value: number | undefined) =>
        this.#counters.rise(`${name} ${address} ${what}`, value, nowMs)?.by;
      const [sent, repeated, lost] = [rise('packets', txPackets), rise('retries', txRetries), rise('failed', txFailed)];
      if (sent === undefined || repeated === undefined) continue;
      isKnown = true;
      packets += sent;
      retries += repeated;
      failed += lost ?? 0;
    }
    const share = packets + retries > 0 ? rounded((100 * retries) / (packets + retries)) : undefined;
    return [
      { name: 'tx_retries_pct', value: share, label: 'Tx retries', unit: '%' },
      { name: 'tx_failed', value: isKnown ? failed : undefined, label: 'Tx failed' },
    ];
  }

  #channelTimes({ interface: name, survey, utilisationPct }: ObservedRadio, nowMs: number): Measured[] {
    if (utilisationPct !== undefined) {
      return one('channel_utilisation_pct', utilisationPct, 'Channel utilisation', '%');
    }
    if (survey?.activeMs === undefined) return [];
    // Some firmware resets the counters at every read.
    const rise = (what: string, value: number | undefined) =>
      this.#counters.riseAfterRestart(`${name} ${survey.frequencyMhz} ${what}`, value, nowMs);
    const active = rise('active', survey.activeMs);
    const share = (part: number | undefined) =>
      active && part !== undefined ? rounded(Math.min(100, (100 * part) / active)) : undefined;
    const utilisation = share(rise('busy', survey.busyMs));
    const own = share(rise('transmit', survey.transmitMs));
    return [
      ...(survey.busyMs === undefined
        ? []
        : [{ name: 'channel_utilisation_pct', value: utilisation, label: 'Channel utilisation', unit: '%' }]),
      ...(survey.transmitMs === undefined
        ? []
        : [{ name: 'airtime_pct', value: own, label: 'Own airtime', unit: '%' }]),
    ];
  }
}

function known(stations: Station[], key: 'signalDbm' | 'txRateMbps' | 'rxRateMbps'): number[] {
  return stations.flatMap((station) => station[key] ?? []);
}

/** Empty if the value is undefined. */
function one(name: string, value: number | undefined, label: string, unit: string): Measured[] {
  return value === undefined ? [] : [{ name, value: rounded(value), label, ...(unit && { unit }) }];
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function mean(values: number[]): number | undefined {
  return values.length > 0 ? rounded(total(values) / values.length) : undefined;
}

function lowest(values: number[]): number | undefined {
  return values.length > 0 ? Math.min(...values) : undefined;
}
