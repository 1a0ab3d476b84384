// Evaluates samples as they arrive: finds the rules of their agent, and for those whose state may have to change reads the stored
// samples. Only what they say becomes an alarm, so that late and replaced samples, and those that other nodes heard, count too.

import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import type { Sample, TelemetryStore } from '../../../core/telemetry/store/telemetry-store.ts';
import { AgentWatch, type WatchedRule } from '../engine/agent-watch.ts';
import { AlarmTracker, type Transition } from '../engine/alarm-tracker.ts';
import { replay } from '../engine/replay.ts';
import type { AlarmRecord, AlarmStore } from '../store/alarm-store.ts';
import type { ActiveAlarms } from './active-alarms.ts';
import type { AlarmWriter } from './alarm-writer.ts';
import { toMessage } from './compiled-rule.ts';

const parallel = 4;
const rowsAtOnce = 5_000;
/** A rule over a day of an agent that reports every tenth of a second is learned from the end of it. */
const maxRows = 200_000;
const minGapMs = 60_000;
const gapIntervals = 3;

export interface SampleWatchOptions {
  telemetry: Pick<TelemetryStore, 'rows'>;
  alarms: Pick<AlarmStore, 'clearedByHandAt'>;
  activeAlarms: ActiveAlarms;
  network: Network;
  writer: Pick<AlarmWriter, 'write'>;
  onError: (error: unknown, message: string) => void;
}

interface Entry {
  watch: AgentWatch;
  agent: AgentRow;
  /** Of the rules that it was made for. */
  revision: number;
}

export class SampleWatch {
  readonly #options: SampleWatchOptions;
  readonly #entries = new Map<string, Entry>();
  /** What is to be looked at; one look is for all rules of an agent. */
  readonly #queue = new Map<AgentWatch, WatchedRule[]>();
  #revision = 0;
  #running = 0;
  #isStopped = false;
  /** How often the stored samples were read. */
  looks = 0;

  constructor(options: SampleWatchOptions) {
    this.#options = options;
  }

  /** How many looks into the store wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Samples of this agent are durable. Runs for every report. */
  recorded(ap_id: string, samples: readonly Sample[]): void {
    const entry = this.#entries.get(ap_id);
    const agent = this.#options.network.get(ap_id);
    if (!agent || agent.isEnded) return;
    const isCurrent = entry !== undefined && entry.revision === this.#revision && entry.agent === agent;
    const watch = isCurrent ? entry.watch : this.#renew(agent, entry);
    watch.recorded(samples, this.#onDue);
  }

  /** Other rules are in force. */
  rulesChanged(): void {
    this.#revision++;
  }

  /** The agent is no more. */
  forget(ap_id: string): void {
    this.#entries.delete(ap_id);
  }

  /** An alarm is active or cleared, wherever that was done. */
  turned({ rule_id, ap_id, subject_kind }: AlarmRecord, isActive: boolean): void {
    if (subject_kind !== 'agent' || ap_id === null) return;
    const rule = this.#entries.get(ap_id)?.watch.rules.find((each) => each.rule_id === rule_id);
    rule?.tracker.turn(isActive);
  }

  /** What waits is dropped: the next samples bring it back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.clear();
    while (this.#running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  #renew(agent: AgentRow, before: Entry | undefined): AgentWatch {
    const { activeAlarms } = this.#options;
    const { ap_id } = agent;
    const gapMs = gapOf(agent);
    const known = new Map(before?.watch.rules.map((rule) => [rule.tracker.condition, rule]));
    const rules: WatchedRule[] = [];
    for (const rule of activeAlarms.rules) {
      if (!rule.condition || !rule.selector.test(agent)) continue;
      const old = known.get(rule.condition);
      const tracker = old?.tracker ?? new AlarmTracker(rule.condition, gapMs);
      tracker.gapMs = gapMs;
      tracker.turn(activeAlarms.find(rule.id, 'agent', ap_id) !== undefined);
      rules.push(old ?? { rule_id: rule.id, tracker, isQueued: false });
    }
    const watch = new AgentWatch(ap_id, rules);
    this.#entries.set(ap_id, { watch, agent, revision: this.#revision });
    return watch;
  }

  readonly #onDue = (watch: AgentWatch, rule: WatchedRule): void => {
    if (rule.isQueued || this.#isStopped) return;
    rule.isQueued = true;
    const waiting = this.#queue.get(watch);
    if (waiting) waiting.push(rule);
    else this.#queue.set(watch, [rule]);
    if (this.#running < parallel) void this.#work();
  };

  async #work(): Promise<void> {
    this.#running++;
    for (;;) {
      const [next] = this.#queue;
      if (!next) break;
      const [watch, rules] = next;
      this.#queue.delete(watch);
      for (const rule of rules) rule.isQueued = false;
      try {
        await this.#look(watch.ap_id, rules);
      } catch (error) {
        // The next sample of the agent asks again.
        for (const { tracker } of rules) tracker.isCertain = false;
        this.#options.onError(error, 'an alarm could not be verified; it is tried again with the next sample');
      }
    }
    this.#running--;
  }

  async #look(ap_id: string, rules: readonly WatchedRule[]): Promise<void> {
    await this.#learn(
      ap_id,
      rules.map(({ tracker }) => tracker),
    );
    for (const { rule_id, tracker } of rules) {
      const { due } = tracker;
      if (!due || this.#isStopped) continue;
      if (due.to === 'cleared') await this.#clear(ap_id, rule_id, tracker, due);
      else await this.#fire(ap_id, rule_id, tracker, due);
    }
  }

  async #clear(ap_id: string, rule_id: string, tracker: AlarmTracker, { atMs, value }: Transition): Promise<void> {
    const active = this.#options.activeAlarms.find(rule_id, 'agent', ap_id);
    if (active) await this.#options.writer.write({ clear: active, value });
    tracker.turn(false, atMs);
  }

  async #fire(ap_id: string, rule_id: string, tracker: AlarmTracker, seen: Transition): Promise<void> {
    const { network, activeAlarms, writer, alarms } = this.#options;
    const floorMs = (await alarms.clearedByHandAt(rule_id, ap_id)) ?? Number.NEGATIVE_INFINITY;
    if (floorMs >= seen.sinceMs) {
      tracker.floorMs = floorMs;
      await this.#learn(ap_id, [tracker]);
    }
    const { due } = tracker;
    const rule = activeAlarms.rule(rule_id);
    const agent = network.get(ap_id);
    // One that is cleared while this looks may not have been learned: then the next sample asks again.
    if (due?.to !== 'firing' || due.sinceMs <= floorMs || !rule || !agent) return;
    const { site } = agent;
    const { sinceMs, value } = due;
    const name = agent.display_name ?? ap_id;
    const message = toMessage(rule.record, { name, ap_id, site: site ?? '', value });
    const found = { rule, subject_kind: 'agent', subject: ap_id, ap_id, site, sinceMs, value, message };
    await writer.write({ fire: { ...found, isOfSamples: true } });
    tracker.turn(activeAlarms.find(rule_id, 'agent', ap_id) !== undefined, due.atMs);
  }

  /** Replays what is stored into all of them at once, until nothing newer has come meanwhile. */
  async #learn(ap_id: string, trackers: readonly AlarmTracker[]): Promise<void> {
    this.looks++;
    const metrics = [...new Set(trackers.flatMap(({ condition }) => condition.metrics))];
    const replayed = trackers.map((tracker) => tracker.beginning());
    const newest = () => Math.max(...trackers.map(({ newestMs }) => newestMs));
    let startMs = Math.ceil(Math.min(...trackers.map(({ replayFromMs }) => replayFromMs)));
    let read = 0;
    while (startMs <= newest()) {
      const range = { startMs, endMs: newest() };
      const frame = await this.#options.telemetry.rows(ap_id, range, rowsAtOnce, metrics);
      for (const tracker of replayed) replay(tracker, frame);
      read += frame.ts.length;
      startMs = frame.ts.length < rowsAtOnce ? range.endMs + 1 : frame.ts.at(-1)! + 1;
      if (read > maxRows) startMs = Math.max(startMs, newest() - minGapMs);
    }
    for (const [index, tracker] of trackers.entries()) {
      // Somebody turned it meanwhile: the next sample asks again.
      if (replayed[index]!.isFiring === tracker.isFiring) tracker.adopt(replayed[index]!);
    }
  }
}

/** Samples that are further apart do not belong together. */
export function gapOf({ configuredMs = 0 }: Pick<AgentRow, 'configuredMs'>): number {
  return Math.max(minGapMs, gapIntervals * configuredMs);
}
