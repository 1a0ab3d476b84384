// What is noted about single devices, in memory: every node has all of it, and reads it again when another has changed it.
import { Event } from '../../event-kinds.ts';
import type {
  DeviceExtrasRecords,
  DeviceExtrasStore,
  DeviceWatch,
  StickyDevice,
} from '../store/device-extras-store.ts';

export interface DeviceExtrasOptions {
  store: Pick<DeviceExtrasStore, 'readIfNew'>;
}

export class DeviceExtras {
  readonly #options: DeviceExtrasOptions;
  /** `identity` stands for `device` from now on. */
  readonly linked = new Event<[identity: string, device: string]>();
  readonly erased = new Event<[device: string]>();
  /** Which devices are watched has changed. */
  readonly watchesChanged = new Event<[]>();
  #version = -1;
  #areClearAllowed = false;
  #sticky = new Map<string, StickyDevice>();
  #watches = new Map<string, DeviceWatch>();
  #devices = new Map<string, string>();
  #identities = new Map<string, string[]>();
  /** Those that are known here, and when. */
  #erased = new Map<string, number>();

  constructor(options: DeviceExtrasOptions) {
    this.#options = options;
  }

  /** Whether an administrator has allowed clear addresses. */
  get areClearAllowed(): boolean {
    return this.#areClearAllowed;
  }

  get watchCount(): number {
    return this.#watches.size;
  }

  /** Once it resolves, every change that was durable before the call is known. */
  async refresh(): Promise<void> {
    const records = await this.#options.store.readIfNew(this.#version);
    if (records) this.#take(records);
  }

  /** The device that this pseudonym stands for. */
  readonly canonical = (device: string): string => this.#devices.get(device) ?? device;

  identitiesOf(device: string): readonly string[] {
    return this.#identities.get(device) ?? [];
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
    return this.#watches.values();
  }

  #take({ version, clearAddresses, sticky, watches, identities, erased }: DeviceExtrasRecords): void {
    this.#version = version;
    this.#areClearAllowed = clearAddresses;
    this.#sticky = new Map(sticky.map((each) => [each.device, each]));
    this.#watches = new Map(watches.map((each) => [each.device, each]));
    const before = this.#devices;
    this.#devices = new Map(identities.map(({ identity, device }) => [identity, device]));
    this.#identities = new Map();
    for (const { identity, device } of identities) {
      this.#identities.set(device, [...this.identitiesOf(device), identity].sort());
      if (before.get(identity) !== device) this.linked.emit(identity, device);
    }
    // Each once, and not by the clock: several may be erased in one millisecond, or on a node whose clock is behind.
    const known = this.#erased;
    this.#erased = new Map(erased.map(({ device, at }) => [device, at]));
    for (const { device, at } of erased) if (known.get(device) !== at) this.erased.emit(device);
    this.watchesChanged.emit();
  }
}
