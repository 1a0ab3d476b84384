// One report on its way: its samples as JSON, written down when it is made, with times that may be filled in later, when
// the clock is known. Once given, a time stays: a report that is sent twice is one.
import { isObject } from '@weft/contract/is-object';

/** Fields with their values, and maybe `ts` (or `timestamp`, `time`): milliseconds since 1970, or ISO 8601. Without one it is now. */
export type Sample = Record<string, unknown> & { devices?: readonly AttachedDevice[] };

/** A device that is attached to the access point at the time of the sample; `devices` is the list of all of them. */
export interface AttachedDevice {
  /** As the access point knows it: a hardware address, the identity of a subscriber. Weft keeps a pseudonym. */
  device: string;
  rssi_dbm?: number | undefined;
  snr_db?: number | undefined;
  /** From and to the device. */
  rx_mbps?: number | undefined;
  tx_mbps?: number | undefined;
  connected_seconds?: number | undefined;
  /** What it hears around it, by the name of an access point or the address of a radio. */
  heard?: readonly ({ rssi_dbm?: number } & ({ ap_id: string } | { bssid: string }))[] | undefined;
}

/** Of one message, in bytes: Weft closes the channel of one that is larger, and would whenever it came again. */
export const maxMessageBytes = 1024 * 1024;
/** From here on a report goes in several messages; small enough that no other bound of Weft is near. */
const maxPart = { bytes: maxMessageBytes / 4, samples: 5_000 };
/** What a time and a comma add to a sample, about. */
const timeBytes = 20;

/** The time of something that happened at a moment of the clock; each call gives another. */
export type Stamp = (moment: number) => number;

export class Report {
  readonly #isBatch: boolean;
  readonly #moment: number;
  /** Without a time of their own the samples wait for one. */
  #samples: { json: string; isTimed: boolean }[];

  private constructor(samples: { json: string; isTimed: boolean }[], isBatch: boolean, moment: number) {
    this.#samples = samples;
    this.#isBatch = isBatch;
    this.#moment = moment;
  }

  static of(report: Sample | readonly Sample[], moment: number): Report {
    const samples = Array.isArray(report) ? report : [report];
    return new Report(samples.map(toTimed), Array.isArray(report), moment);
  }

  /** Of samples that are JSON with a time already. */
  static ofTexts(texts: readonly string[]): Report {
    return new Report(
      texts.map((json) => ({ json, isTimed: true })),
      true,
      0,
    );
  }

  get count(): number {
    return this.#samples.length;
  }

  get moment(): number {
    return this.#moment;
  }

  /** The same samples as reports that are small enough for one message each, unless a single sample is not. */
  parts(): Report[] {
    const parts: Report[] = [];
    let from = 0;
    let bytes = 0;
    for (const [index, { json, isTimed }] of this.#samples.entries()) {
      const more = Buffer.byteLength(json) + (isTimed ? 1 : timeBytes);
      if (index > from && (bytes + more > maxPart.bytes || index - from === maxPart.samples)) {
        parts.push(this.#part(from, index));
        from = index;
        bytes = 0;
      }
      bytes += more;
    }
    return from === 0 ? [this] : [...parts, this.#part(from, this.count)];
  }

  #part(from: number, to: number): Report {
    return new Report(this.#samples.slice(from, to), true, this.#moment + from);
  }

  /** Which samples have no time yet, by their index. */
  get untimed(): number[] {
    return this.#samples.flatMap(({ isTimed }, index) => (isTimed ? [] : [index]));
  }

  /** The samples as JSON, with their times. */
  texts(stamp: Stamp): string[] {
    this.#samples = this.#samples.map((sample) =>
      sample.isTimed ? sample : { json: withTime(sample.json, stamp(this.#moment)), isTimed: true },
    );
    return this.#samples.map(({ json }) => json);
  }

  /** As members of a message; with the keys always in this order Weft reads it without parsing. */
  body(stamp: Stamp): string {
    const texts = this.texts(stamp);
    return this.#isBatch ? `"samples":[${texts.join(',')}]` : `"payload":${texts[0]}`;
  }
}

/** A sample without a time as one that has it. */
export function withTime(json: string, ts: number): string {
  return json === '{}' ? `{"ts":${ts}}` : `{"ts":${ts},${json.slice(1)}`;
}

function toTimed(sample: Sample): { json: string; isTimed: boolean } {
  if (!isObject(sample)) {
    throw new TypeError('a sample is an object with fields');
  }
  const isTimed = sample.ts !== undefined || sample.timestamp !== undefined || sample.time !== undefined;
  return { json: JSON.stringify(sample), isTimed };
}
