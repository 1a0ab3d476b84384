// What goes to the access point for a command about a device: the identity that this very access point has reported in place of
// the pseudonym, and for steering the radios of the target. Nothing of it is stored.
import { toCommandText } from '@weft/contract/declared-commands';
import { isObject } from '@weft/contract/is-object';
import { deviceOf, steerDevice } from '../grammar/device-commands.ts';

const radioKeys = ['bssid', 'frequency_mhz', 'channel', 'width_mhz', 'op_class', 'phy_type'] as const;
const maxRadios = 16;

interface Sent {
  name: string;
  args: Record<string, unknown>;
  text: string;
}

export interface DeviceDeliveryOptions {
  /** As the access point reports the device now. */
  identityAt: (ap_id: string, device: string) => string | undefined;
  /** What an access point said, without identities. */
  withoutIdentities: (ap_id: string, value: unknown) => unknown;
}

export class DeviceDelivery {
  readonly #options: DeviceDeliveryOptions;
  /** Of the access points that name theirs. */
  readonly #radios = new Map<string, Record<string, unknown>[]>();

  constructor(options: DeviceDeliveryOptions) {
    this.#options = options;
  }

  /** The configuration of an access point, as it is now. */
  configured({ ap_id, configuration }: { ap_id: string; configuration: Record<string, unknown> }): void {
    const { radios } = configuration;
    if (!Array.isArray(radios)) this.#radios.delete(ap_id);
    else this.#radios.set(ap_id, radios.slice(0, maxRadios).flatMap(readRadio));
  }

  removed(ap_id: string): void {
    this.#radios.delete(ap_id);
  }

  /** Undefined if the access point does not report the device: it cannot be reached there. */
  toSent(ap_id: string, { name, args, text }: Sent): Omit<Sent, 'name'> | undefined {
    const device = deviceOf({ name, args });
    const radios = name === steerDevice && typeof args.target === 'string' ? this.#radios.get(args.target) : undefined;
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

function readRadio(radio: unknown): Record<string, unknown>[] {
  if (!isObject(radio) || typeof radio.bssid !== 'string') return [];
  return [Object.fromEntries(radioKeys.flatMap((key) => (radio[key] === undefined ? [] : [[key, radio[key]]])))];
}
