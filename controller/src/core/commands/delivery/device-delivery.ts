// What goes to the access point for a command about a device: the identity that this very access point has reported in place of
// the pseudonym, and for steering the radios of the target. Nothing of it is stored.
import { toCommandText } from '@weft/contract/declared-commands';
import { deviceOf, steerDevice } from '../grammar/device-commands.ts';

interface Sent {
  name: string;
  args: Record<string, unknown>;
  text: string;
}

export interface DeviceDeliveryOptions {
  /** As an access point names them; undefined: it names none. */
  radiosOf: (ap_id: string) => readonly Record<string, unknown>[] | undefined;
  /** As the access point reports the device now. */
  identityAt: (ap_id: string, device: string) => string | undefined;
  /** What an access point said, without identities. */
  withoutIdentities: (ap_id: string, value: unknown) => unknown;
}

export class DeviceDelivery {
  readonly #options: DeviceDeliveryOptions;

  constructor(options: DeviceDeliveryOptions) {
    this.#options = options;
  }

  /** Undefined if the access point does not report the device: it cannot be reached there. */
  toSent(ap_id: string, { name, args, text }: Sent): Omit<Sent, 'name'> | undefined {
    const device = deviceOf({ name, args });
    const { target } = args;
    const radios = name === steerDevice && typeof target === 'string' ? this.#options.radiosOf(target) : undefined;
    if (device === undefined && !radios) return { args, text };
    const identity = device === undefined ? undefined : this.#options.identityAt(ap_id, device);
    if (device !== undefined && identity === undefined) return undefined;
    const sent = {
      ...args,
      ...(identity !== undefined && { device: identity }),
      ...(radios && { target_radios: radios }),
    };
    return { args: sent, text: toCommandText(name, sent) };
  }

  withoutIdentities(ap_id: string, value: unknown): unknown {
    return this.#options.withoutIdentities(ap_id, value);
  }
}
