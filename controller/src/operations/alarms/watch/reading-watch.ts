// Rules on readings of Weft itself. How long one has held is kept in memory: after a restart it begins again.

import type { Network } from '../../../core/network/network.ts';
import { isBeyond, type Operator } from '../engine/metric-condition.ts';
import type { ActiveAlarms } from './active-alarms.ts';
import type { AlarmOperation } from './alarm-writer.ts';
import { type CompiledRule, toMessage } from './compiled-rule.ts';
import type { Reading, WeftReadings } from './weft-readings.ts';

export interface ReadingWatchOptions {
  readings: WeftReadings;
  activeAlarms: ActiveAlarms;
  network: Network;
}

export class ReadingWatch {
  readonly #options: ReadingWatchOptions;
  /** Since when it has spoken for the other state. */
  readonly #since = new Map<string, number>();

  constructor(options: ReadingWatchOptions) {
    this.#options = options;
  }

  /** What is due now; of local readings, or of those that one node looks at for all. */
  async find(isLocal: boolean, nowMs: number): Promise<AlarmOperation[]> {
    const { readings, activeAlarms } = this.#options;
    const operations: AlarmOperation[] = [];
    for (const rule of activeAlarms.rules) {
      const name = rule.record.rule.condition.weft;
      if (name === undefined || readings.isLocal(name) !== isLocal) continue;
      operations.push(...this.#ofRule(rule, await readings.read(name), isLocal, nowMs));
    }
    return operations;
  }

  #ofRule(rule: CompiledRule, list: readonly Reading[], isLocal: boolean, nowMs: number): AlarmOperation[] {
    const { activeAlarms, network } = this.#options;
    const { condition, for_seconds, clear } = rule.record.rule;
    const op = condition.op as Operator;
    const operations: AlarmOperation[] = [];
    const seen = new Set<string>();
    for (const { subject_kind, subject, name, value } of list) {
      const agent = subject_kind === 'agent' ? network.get(subject) : undefined;
      if (subject_kind === 'agent' && (!agent || agent.isEnded || !rule.selector.test(agent))) continue;
      seen.add(`${subject_kind}\n${subject}`);
      const active = activeAlarms.find(rule.id, subject_kind, subject);
      const holds = active
        ? !isBeyond(op, value, clear?.value ?? condition.value!)
        : isBeyond(op, value, condition.value!);
      const neededMs = 1000 * (active ? (clear?.for_seconds ?? for_seconds) : for_seconds);
      const sinceMs = this.#heldSince(
        `${rule.id}\n${subject_kind}\n${subject}\n${active ? 'clear' : 'fire'}`,
        holds,
        nowMs,
      );
      if (sinceMs === undefined || nowMs - sinceMs < neededMs) continue;
      if (active) operations.push({ clear: active, value });
      else {
        const ap_id = agent?.ap_id ?? null;
        const site = agent?.site ?? null;
        const shown = name ?? agent?.display_name ?? subject;
        const message = toMessage(rule.record, { name: shown, ap_id: ap_id ?? '', site: site ?? '', value });
        operations.push({ fire: { rule, subject_kind, subject, ap_id, site, sinceMs, value, message } });
      }
    }
    return [...operations, ...this.#vanished(rule, seen, isLocal)];
  }

  /** Whoever is not in the list any more is as it should be. Local readings of other nodes are theirs. */
  #vanished(rule: CompiledRule, seen: ReadonlySet<string>, isLocal: boolean): AlarmOperation[] {
    const operations: AlarmOperation[] = [];
    for (const alarm of this.#options.activeAlarms.active) {
      if (alarm.rule_id !== rule.id || alarm.subject_kind === 'storm') continue;
      if (seen.has(`${alarm.subject_kind}\n${alarm.subject}`)) continue;
      if (!isLocal || alarm.subject_kind === 'agent') operations.push({ clear: alarm });
    }
    return operations;
  }

  #heldSince(key: string, holds: boolean, nowMs: number): number | undefined {
    if (!holds) {
      this.#since.delete(key);
      return undefined;
    }
    const sinceMs = this.#since.get(key) ?? nowMs;
    this.#since.set(key, sinceMs);
    return sinceMs;
  }
}
