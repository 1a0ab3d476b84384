// Between the pseudonyms that everybody uses and the identities that an access point knows: resolved in memory, for the access
// point that reported them and for nobody else.
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';

/** Where a text may have an identity in it, whatever stands around it. */
const separators = /[\s"'`,;()=<>[\]{}|]+/;

export class DeviceAddresses {
  readonly #registry: DeviceRegistry;

  constructor(registry: DeviceRegistry) {
    this.#registry = registry;
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

  /** What an access point said, with pseudonyms in the place of the identities that it knows. */
  withoutIdentities(ap_id: string, value: unknown): unknown {
    const agent = this.#registry.agent(ap_id);
    if (!agent || agent.identities.size === 0) return value;
    // However the letters of an address are written.
    let lowered: Map<string, string> | undefined;
    const nameOf = (word: string): string | undefined => {
      const exact = this.deviceAt(ap_id, word);
      if (exact !== undefined) return exact;
      lowered ??= new Map([...agent.identities.keys()].map((identity) => [identity.toLowerCase(), identity]));
      const identity = lowered.get(word.toLowerCase());
      return identity === undefined ? undefined : this.deviceAt(ap_id, identity);
    };
    return replaceTexts(value, (text) => {
      const whole = nameOf(text);
      if (whole !== undefined) return whole;
      let clean = text;
      for (const word of new Set(text.split(separators))) {
        const bare = withoutStops(word);
        const name = word === '' ? undefined : (nameOf(word) ?? nameOf(bare));
        if (name !== undefined) clean = clean.replaceAll(bare, name);
      }
      return clean;
    });
  }
}

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, replace));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [replace(key), replaceTexts(each, replace)]));
}

/** Without the punctuation at its end. */
function withoutStops(word: string): string {
  let end = word.length;
  while (end > 0 && '.:!?'.includes(word[end - 1]!)) end--;
  return word.slice(0, end);
}
