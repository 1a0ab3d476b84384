// What a change of layers does, for people: access points with equal differences together.
import type { DeclaredSetting, Restart } from '@weft/contract/declared-settings';
import { canonicalJson, leavesOf, type Settings } from './settings.ts';

export interface LeafChange {
  leaf: string;
  /** Null: not set. */
  before: unknown;
  after: unknown;
}

export interface DifferenceGroup {
  count: number;
  changes: LeafChange[];
  restart: Restart;
  ap_ids: string[];
}

const maxNamed = 100;
const restartOrder: readonly Restart[] = ['none', 'radio', 'device'];

/** Ordered by leaf. */
function leafChanges(before: Settings, after: Settings): LeafChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const leaves = [...new Set([...old.keys(), ...now.keys()])].sort();
  return leaves.flatMap((leaf) => {
    const change = { leaf, before: old.get(leaf) ?? null, after: now.get(leaf) ?? null };
    return canonicalJson(change.before) === canonicalJson(change.after) ? [] : [change];
  });
}

/** What is interrupted by these changes at an access point that declares this. */
export function restartOf(
  changes: readonly LeafChange[],
  declared: ReadonlyMap<string, DeclaredSetting> | undefined,
): Restart {
  const worst = Math.max(0, ...changes.map(({ leaf }) => restartOrder.indexOf(declared?.get(leaf)?.restart ?? 'none')));
  return restartOrder[worst]!;
}

/** Groups what is added, whatever the order; the largest first. */
export class Differences {
  readonly #groups = new Map<string, DifferenceGroup>();
  readonly restarts = { radio: 0, device: 0 };
  changed = 0;
  /** Of the same two objects, which many access points share, they are found and written once. */
  readonly #between = new Map<Settings, Map<Settings, LeafChange[]>>();
  readonly #texts = new Map<LeafChange[], string>();

  between(before: Settings, after: Settings): LeafChange[] {
    const ofBefore = this.#between.get(before) ?? new Map<Settings, LeafChange[]>();
    this.#between.set(before, ofBefore);
    const changes = ofBefore.get(after) ?? leafChanges(before, after);
    ofBefore.set(after, changes);
    return changes;
  }

  add(ap_id: string, changes: LeafChange[], restart: Restart): void {
    this.changed++;
    if (restart !== 'none') this.restarts[restart]++;
    const text = this.#texts.get(changes) ?? canonicalJson(changes);
    this.#texts.set(changes, text);
    const key = `${restart} ${text}`;
    const group = this.#groups.get(key) ?? { count: 0, changes, restart, ap_ids: [] };
    group.count++;
    if (group.ap_ids.length < maxNamed) group.ap_ids.push(ap_id);
    this.#groups.set(key, group);
  }

  get groups(): DifferenceGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || (a.ap_ids[0]! < b.ap_ids[0]! ? -1 : 1));
  }
}
