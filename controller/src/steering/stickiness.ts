// Remembers devices that would not be moved: those that refused, and those that went back within five minutes.
import type { DeviceChange } from '../devices/registry/device-changes.ts';
import type { StickyDevice } from '../devices/store/device-extras-store.ts';

const backWithinMs = 5 * 60_000;
/** How long it is shown. */
const rememberedMs = 60 * 60_000;
const maxWatched = 10_000;

export interface Steered {
  device: string;
  /** The access point that it was attached to. */
  ap_id: string;
  target: string;
}

export interface StickinessOptions {
  isAttached: (ap_id: string, device: string) => boolean;
  remember: (sticky: StickyDevice) => Promise<void>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class Stickiness {
  readonly #options: StickinessOptions;
  readonly #now: () => number;
  /** The last moves by device, oldest first. */
  readonly #moved = new Map<string, Steered & { untilMs: number }>();

  constructor(options: StickinessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  refused({ device, target }: Steered): void {
    this.#remember(device, 'refused', target);
  }

  moved(steered: Steered): void {
    this.#moved.delete(steered.device);
    this.#moved.set(steered.device, { ...steered, untilMs: this.#now() + backWithinMs });
    for (const [device, { untilMs }] of this.#moved) {
      if (this.#moved.size <= maxWatched && untilMs > this.#now()) break;
      this.#moved.delete(device);
    }
  }

  /** Devices joined or left access points. Must be quick where nothing was moved. */
  changed(changes: readonly DeviceChange[]): void {
    if (this.#moved.size === 0) return;
    for (const { link } of changes) {
      const { device } = link;
      const steered = this.#moved.get(device);
      if (!steered) continue;
      const { ap_id, target, untilMs } = steered;
      const isBack = this.#options.isAttached(ap_id, device) && !this.#options.isAttached(target, device);
      if (!isBack && untilMs > this.#now()) continue;
      this.#moved.delete(device);
      if (isBack && untilMs > this.#now()) this.#remember(device, 'moved_back', target);
    }
  }

  #remember(device: string, reason: StickyDevice['reason'], target: string): void {
    this.#options
      .remember({ device, reason, target, until: this.#now() + rememberedMs })
      .catch((error) => this.#options.onError(error, 'a device that would not be moved could not be remembered'));
  }
}
