// Takes the devices of a report: compares them with what is known, and waits until what changed is durable. A report that
// changes nothing waits for nothing.
import { TryLaterError } from '../../base/errors.ts';
import { endInSlices } from '../../base/time-slices.ts';
import type { DeviceList } from '../../telemetry/ingest/device-list.ts';
import { IgnoredFields } from '../../telemetry/ingest/ignored-fields.ts';
import type { DeviceJournal } from './device-journal.ts';
import type { DeviceRegistry } from './device-registry.ts';
import type { AppliedList, ServedDevices } from './served-devices.ts';

const nothing = Promise.resolve(undefined);
/** Changes that wait for the database; a whole network that starts at once has fewer. */
const maxWaiting = 200_000;
/** Nearly every list: applied at once. */
const shortList = 64;

export class DeviceIntake {
  readonly #registry: DeviceRegistry;
  readonly #journal: DeviceJournal;
  /** The end of what is being applied in parts, by access point. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #onList: ((agent: ServedDevices, ts: number) => void) | undefined;

  /** `onList` is called for each list that counts; must not throw. */
  constructor(registry: DeviceRegistry, journal: DeviceJournal, onList?: (agent: ServedDevices, ts: number) => void) {
    this.#registry = registry;
    this.#journal = journal;
    this.#onList = onList;
  }

  /** The lists are in the order of their times. Throws TryLaterError if what changed could not be written. */
  take(ap_id: string, lists: readonly DeviceList[]): Promise<IgnoredFields | undefined> {
    if (this.#journal.waiting >= maxWaiting)
      throw new TryLaterError(503, 'devices_busy', 'Too many changes of devices wait to be stored', 5);
    const before = this.#underWay.get(ap_id);
    if (!before && lists.every(({ devices }) => devices.length <= shortList)) {
      return this.#taken(lists.map((list) => this.#applied(list, this.#registry.apply(ap_id, list))));
    }
    // The lists of an access point one after the other, and others have a turn between their parts.
    const applied = (before ?? Promise.resolve()).then(() => this.#applyInSlices(ap_id, lists));
    const ended = applied.catch(() => {});
    this.#underWay.set(ap_id, ended);
    void ended.then(() => this.#underWay.get(ap_id) === ended && this.#underWay.delete(ap_id));
    return applied.then((all) => this.#taken(all));
  }

  async #applyInSlices(ap_id: string, lists: readonly DeviceList[]): Promise<AppliedList[]> {
    const all: AppliedList[] = [];
    for (const list of lists) all.push(this.#applied(list, await endInSlices(this.#registry.applying(ap_id, list))));
    return all;
  }

  #applied(list: DeviceList, applied: AppliedList): AppliedList {
    if (this.#onList && applied.agent.listTs === list.ts) this.#onList(applied.agent, list.ts);
    return applied;
  }

  #taken(all: readonly AppliedList[]): Promise<IgnoredFields | undefined> {
    const agent = all.at(-1)?.agent;
    const leftOut = all.reduce((sum, applied) => sum + applied.leftOut, 0);
    const refused = all.reduce((sum, applied) => sum + applied.refused, 0);
    // Also what an earlier report changed that could not be written.
    if (leftOut === 0 && (!agent || this.#journal.isWritten(agent.unwritten))) return nothing;
    return this.#written(agent!, leftOut - refused, refused);
  }

  async #written(agent: ServedDevices, leftOut: number, refused: number): Promise<IgnoredFields | undefined> {
    await this.#journal.written(agent.unwritten);
    if (leftOut + refused === 0) return undefined;
    const ignored = new IgnoredFields();
    for (let count = 0; count < leftOut; count++) ignored.add('devices', 'too_many_devices');
    for (let count = 0; count < refused; count++) ignored.add('devices', 'too_many_new_devices');
    return ignored;
  }
}
