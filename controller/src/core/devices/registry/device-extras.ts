// What is noted about single devices, in memory: every node has all of it.
import { headOf, type Replica, type ReplicaHead, wholeReplica } from '../../base/storage/replica.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { Event } from '../../event-kinds.ts';
import {
  type DeviceExtrasStore,
  type DeviceIdentity,
  type DeviceWatch,
  devicesHead,
  type StickyDevice,
} from '../store/device-extras-store.ts';

export class DeviceExtras {
  /** `identity` stands for `device` from now on. */
  readonly linked = new Event<[identity: string, device: string]>();
  readonly erased = new Event<[device: string]>();
  /** Which devices are watched may have changed. */
  readonly watchesChanged = new Event<[]>();
  readonly head: ReplicaHead<number>;
  readonly #allowances: Replica<number, unknown>;
  readonly #sticky: Replica<number, StickyDevice>;
  readonly #watches: Replica<number, DeviceWatch>;
  readonly #identities: Replica<number, DeviceIdentity>;

  constructor(database: SqlQueries, store: DeviceExtrasStore) {
    this.head = headOf(database, devicesHead);
    const keyOf = ({ device }: { device: string }) => device;
    this.#allowances = wholeReplica(this.head, store.allowances, { keyOf: () => 'clear' });
    this.#sticky = wholeReplica(this.head, store.sticky, { keyOf });
    this.#watches = wholeReplica(this.head, store.watches, { keyOf });
    this.#identities = wholeReplica(this.head, store.identities, {
      keyOf: ({ identity }) => identity,
      indexes: { device: keyOf },
    });
    this.#identities.changed.on((_, after) => after && this.linked.emit(after.identity, after.device));
    // Each once, and not by the clock: several may be erased in one millisecond, or on a node whose clock is behind.
    const erasures = wholeReplica(this.head, store.erasures, { keyOf, settled: this.watchesChanged.emit });
    erasures.changed.on((_, after) => after && this.erased.emit(after.device));
  }

  /** Whether an administrator has allowed clear addresses. */
  get areClearAllowed(): boolean {
    return this.#allowances.now.size > 0;
  }

  get watchCount(): number {
    return this.#watches.now.size;
  }

  /** The device that this pseudonym stands for; for the moment in which names are taken over, by way of another name. */
  readonly canonical = (device: string): string => {
    const identity = this.#identities.get(device);
    return identity ? this.canonical(identity.device) : device;
  };

  identitiesOf(device: string): readonly string[] {
    return Array.from(this.#identities.by('device', device), ({ identity }) => identity).sort();
  }

  stickyOf(device: string): StickyDevice | undefined {
    const sticky = this.#sticky.get(device);
    return sticky && sticky.until > Date.now() ? sticky : undefined;
  }

  watchOf(device: string): DeviceWatch | undefined {
    const watch = this.#watches.get(device);
    return watch && watch.until > Date.now() ? watch : undefined;
  }

  watches(): Iterable<DeviceWatch> {
    return this.#watches.now.values();
  }
}
