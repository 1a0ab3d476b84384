// Between the pseudonyms that everybody uses and the identities that an access point knows: resolved in memory, for the access
// point that reported them and for nobody else.
import { hardwareAddresses, type Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';

/** Where a text may have an identity in it, whatever stands around it. */
const separators = /[\s"'`,;()=<>[\]{}|]+/;

export class DeviceAddresses {
  readonly #registry: DeviceRegistry;
  readonly #nameOf: (identity: string) => string;

  /** `canonical`: the device that this pseudonym was linked to. */
  constructor(registry: DeviceRegistry, pseudonyms: Pick<Pseudonyms, 'of'>, canonical: (device: string) => string) {
    this.#registry = registry;
    this.#nameOf = (identity) => canonical(pseudonyms.of(identity));
  }

  /** As this access point reports the device now; undefined if it does not, or has not since this process started. */
  identityAt(ap_id: string, device: string): string | undefined {
    const agent = this.#registry.agent(ap_id);
    const slot = this.#registry.table.find(device);
    if (!agent || slot === undefined) return undefined;
    const link = this.#registry.table.linkBetween(slot, agent.slot);
    return link === none ? undefined : agent.identityOf(link);
  }

  /** The name of a device that this access point reports under this identity. */
  deviceAt(ap_id: string, identity: string): string | undefined {
    const { table } = this.#registry;
    const link = this.#registry.agent(ap_id)?.identities.get(identity);
    return link === undefined ? undefined : table.idOf(table.links.device[link]!);
  }

  /**
   * What an access point said, with pseudonyms in the place of the identities that it knows and of every hardware address, however
   * it is spelled; but for those of access points, which stand under `bssid`. Twelve digits alone may be anything: they are
   * an address if a device has it.
   */
  withoutIdentities(ap_id: string, value: unknown): unknown {
    const agent = this.#registry.agent(ap_id);
    const hasIdentities = agent !== undefined && agent.identities.size > 0;
    return replaceTexts(value, (text) => {
      const known = hasIdentities ? this.deviceAt(ap_id, text) : undefined;
      if (known !== undefined) return known;
      let clean = text;
      for (const word of hasIdentities ? new Set(text.split(separators)) : []) {
        const bare = withoutStops(word);
        const name = word === '' ? undefined : (this.deviceAt(ap_id, word) ?? this.deviceAt(ap_id, bare));
        if (name !== undefined) clean = clean.replaceAll(bare, name);
      }
      return clean.replace(hardwareAddresses, (address) => {
        const name = this.#nameOf(address);
        return address.length > 12 || this.#registry.table.find(name) !== undefined ? name : address;
      });
    });
  }
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace));
  const clean = ([key, each]: [string, unknown]) =>
    key.toLowerCase().includes('bssid') ? [key, each] : [replace(key), replaceTexts(each, replace)];
  return Object.fromEntries(Object.entries(value).map(clean));
}

/** Without the punctuation at its end. */
function withoutStops(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?'.includes(word[end - 1]!)) end--;
  return word.slice(0, end);
}
