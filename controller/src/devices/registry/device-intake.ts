// Takes the devices of a report: compares them with what is known, and waits until what changed is durable. A report that
// changes nothing waits for nothing.
import { TryLaterError } from '../../errors.ts';
import type { DeviceList } from '../../telemetry/ingest/device-list.ts';
import { IgnoredFields } from '../../telemetry/ingest/ignored-fields.ts';
import type { DeviceJournal } from './device-journal.ts';
import type { DeviceRegistry } from './device-registry.ts';
import type { ServedDevices } from './served-devices.ts';

const nothing = Promise.resolve(undefined);
/** Changes that wait for the database; a whole network that starts at once has fewer. */
const maxWaiting = 200_000;

function tooMuchWaits(): TryLaterError {
  return new TryLaterError(503, 'devices_busy', 'Too many changes of devices wait to be stored', 5);
}

export class DeviceIntake {
  readonly #registry: DeviceRegistry;
  readonly #journal: DeviceJournal;
  readonly #onList: ((agent: ServedDevices, ts: number) => void) | undefined;

  /** `onList` is called for each list that counts; must not throw. */
  constructor(registry: DeviceRegistry, journal: DeviceJournal, onList?: (agent: ServedDevices, ts: number) => void) {
    this.#registry = registry;
    this.#journal = journal;
    this.#onList = onList;
  }

  /** The lists are in the order of their times. Throws TryLaterError if what changed could not be written. */
  take(ap_id: string, lists: readonly DeviceList[]): Promise<IgnoredFields | undefined> {
    if (this.#journal.waiting >= maxWaiting) throw tooMuchWaits();
    let leftOut = 0;
    let refused = 0;
    let agent: ServedDevices | undefined;
    for (const list of lists) {
      const applied = this.#registry.apply(ap_id, list);
      agent = applied.agent;
      leftOut += applied.leftOut;
      refused += this.#registry.refusedJoins;
      if (this.#onList && agent.listTs === list.ts) this.#onList(agent, list.ts);
    }
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
