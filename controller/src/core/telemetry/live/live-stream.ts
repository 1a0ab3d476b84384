// One reader of the live feed. It takes samples from the recent ones; whoever falls too far behind is cut off.

import { didYouMean } from '@weft/contract/closest-name';
import type { Caller } from '../../base/caller.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { ServerSentEvents } from '../../http/streams/stream-hub.ts';
import type { Network } from '../../network/network.ts';
import { createTimestampWriter } from '../query/timestamps.ts';
import type { RecentSample, RecentSamples } from './recent-samples.ts';

const bufferBytes = 64 * 1024;
const maxBehindMs = 10_000;
const maxLookups = 500;
const timestamp = createTimestampWriter();

export interface StreamFilter {
  /** Undefined: every agent that the caller may see. */
  agents: ReadonlySet<string> | undefined;
  metrics: ReadonlySet<string> | undefined;
}

export interface LiveStreamOptions extends StreamFilter {
  recent: RecentSamples;
  /** What cursors of this feed begin with. */
  epoch: string;
  /** The number of the first sample to send. */
  from: number;
  hasGap: boolean;
  caller: Caller;
  network: Pick<Network, 'visibleTo'>;
  now: () => number;
}

export class LiveStream extends ServerSentEvents {
  readonly #options: LiveStreamOptions;
  readonly #visible = new Map<string, boolean>();
  #isLooking = false;
  #position: number;
  /** When it last took something. */
  #progressMs: number;
  /** The metrics that it waits for and that nobody has reported yet; undefined once that is said, or all have come. */
  #missing: MissingMetrics | undefined;

  constructor(options: LiveStreamOptions) {
    super(options.caller, options.hasGap ? '\nevent: gap\ndata: {}\n\n' : '\n');
    this.#options = options;
    this.#position = options.from;
    this.#progressMs = options.now();
    this.#missing = options.metrics && new MissingMetrics(options.metrics);
  }

  get wanted(): StreamFilter {
    return this.#options;
  }

  pump(): void {
    if (!this.isHungry || this.isOver) return;
    const { recent, now } = this.#options;
    // A reader that fell out of the recent samples has missed some; it is not told so, it is cut off.
    if (this.#position < recent.oldest) return;
    let text = '';
    while (this.#position < recent.next && text.length < bufferBytes) {
      const sample = recent.get(this.#position)!;
      const isWanted = this.#wants(sample);
      if (isWanted === undefined) {
        this.#lookUp();
        break;
      }
      if (isWanted) text += this.#eventOf(sample, this.#position) + this.#warningAbout(sample);
      this.#position++;
    }
    this.#progressMs = now();
    if (text === '') return;
    this.isHungry = false;
    this.push(text);
  }

  /** True if it has missed samples, or has taken none of those that wait for ten seconds. */
  isTooSlow(): boolean {
    const { recent, now } = this.#options;
    if (this.#position < recent.oldest) return true;
    const waiting = recent.get(this.#position);
    if (!waiting) return false;
    return !this.isHungry && now() - Math.max(waiting.receivedMs, this.#progressMs) > maxBehindMs;
  }

  override rightsChanged(): void {
    this.#visible.clear();
  }

  /** Undefined as long as it must be looked up. */
  #wants({ ap_id }: RecentSample): boolean | undefined {
    const { agents } = this.#options;
    if (agents && !agents.has(ap_id)) return false;
    const known = this.#visible.get(ap_id);
    if (known !== undefined) return known;
    const rights = rightsOf(this.caller);
    const isVisible = rights.seesName(ap_id);
    if (!isVisible && !rights.agent) return undefined;
    this.#visible.set(ap_id, isVisible);
    return isVisible;
  }

  /** All agents that wait to be looked up, at once; goes on with the samples afterwards. */
  #lookUp(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { recent, network } = this.#options;
    const caller = this.caller;
    const unknown = new Set<string>();
    for (let position = this.#position; position < recent.next && unknown.size < maxLookups; position++) {
      const sample = recent.get(position)!;
      if (this.#wants(sample) === undefined) unknown.add(sample.ap_id);
    }
    network
      .visibleTo(caller)
      .then((sight) => {
        if (caller === this.caller) for (const ap_id of unknown) this.#visible.set(ap_id, sight.sees(ap_id));
        this.#isLooking = false;
        this.pump();
      })
      .catch(() => {
        // While the agents cannot be read: again with the next samples.
        this.#isLooking = false;
      });
  }

  #warningAbout(sample: RecentSample): string {
    const detail = this.#missing?.heard(sample);
    if (detail === undefined) return '';
    this.#missing = undefined;
    return detail === '' ? '' : `event: warning\ndata: ${JSON.stringify({ detail })}\n\n`;
  }

  #eventOf(sample: RecentSample, number: number): string {
    const { metrics, epoch } = this.#options;
    if (metrics) {
      const data = dataOf(sample, metrics);
      return data === undefined ? '' : eventText(`${epoch}-${number}`, data);
    }
    sample.event ??= eventText(`${epoch}-${number}`, dataOf(sample)!);
    return sample.event;
  }
}

function eventText(cursor: string, data: string): string {
  return `id: ${cursor}\nevent: sample\ndata: ${data}\n\n`;
}

/** Undefined if none of the metrics is in the sample. */
function dataOf({ ap_id, ts, names, values }: RecentSample, wanted?: ReadonlySet<string>): string | undefined {
  let metrics = '';
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (wanted && !wanted.has(name)) continue;
    metrics += `${metrics === '' ? '' : ','}${JSON.stringify(name)}:${values[index]}`;
  }
  if (wanted && metrics === '') return undefined;
  return `{"ap_id":${JSON.stringify(ap_id)},"ts":"${timestamp(ts)}","metrics":{${metrics}}}`;
}

const maxKnown = 2_000;

/** Finds out which metrics of a filter nobody reports: a name that was mistyped would be waited for in silence. */
class MissingMetrics {
  readonly #missing: Set<string>;
  readonly #known = new Set<string>();
  readonly #heardOf = new Set<string>();

  constructor(wanted: ReadonlySet<string>) {
    this.#missing = new Set(wanted);
  }

  /** Undefined while it may still come; then a sentence, or nothing if all have come. */
  heard({ ap_id, names }: RecentSample): string | undefined {
    for (const name of names) {
      this.#missing.delete(name);
      if (this.#known.size < maxKnown) this.#known.add(name);
    }
    if (this.#missing.size === 0) return '';
    // Once somebody reports for the second time, the others have had their turns.
    if (!this.#heardOf.has(ap_id)) {
      if (this.#heardOf.size < maxKnown) this.#heardOf.add(ap_id);
      return undefined;
    }
    const each = [...this.#missing].map((name) => `${name}.${didYouMean(name, this.#known)}`);
    return `No access point has reported ${each.join(' Nor ')}`;
  }
}
