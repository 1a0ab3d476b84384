// What hostapd tells by itself, as `hostapd_cli -a /bin/echo` prints it: the interface, the name of the event, then words
// and values.

export interface HostapdEvent {
  interface: string;
  /** Such as AP-STA-CONNECTED. */
  name: string;
  /** Of the device that it is about, in lower case. */
  address: string | undefined;
  /** `status_code=0` and the like. */
  fields: ReadonlyMap<string, string>;
}

const address = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** Undefined if the line is no event of this interface. */
export function parseEvent(name: string, line: string): HostapdEvent | undefined {
  const [where, event = '', ...words] = line.trim().split(/\s+/);
  if (where !== name || !/^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$/.test(event)) return undefined;
  const fields = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at > 0) fields.set(word.slice(0, at), word.slice(at + 1));
  }
  const first = words.find((word) => address.test(word));
  return { interface: name, name: event, address: first?.toLowerCase(), fields };
}

/** After these the list of devices or of radios is another one. */
const changing = new Set([
  'AP-STA-CONNECTED',
  'AP-STA-DISCONNECTED',
  'AP-CSA-FINISHED',
  'AP-ENABLED',
  'AP-DISABLED',
  'INTERFACE-ENABLED',
  'INTERFACE-DISABLED',
]);

export function changesDevices({ name }: HostapdEvent): boolean {
  return changing.has(name);
}
