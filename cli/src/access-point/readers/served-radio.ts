// The radios that hostapd serves on this machine, also those that are asleep.
import { access } from 'node:fs/promises';
import { askHostapd } from '../hostapd/hostapd.ts';
import type { Machine } from '../machine/machine.ts';
import { fromPrintable, toFields } from './hostapd-output.ts';
import { interfacesOf } from './interface-reader.ts';
import type { RadioModes } from './operating-class.ts';

export interface ServedRadio {
  interface: string;
  isServing: boolean;
  /** hostapd disabled it: the radio is off. */
  isAsleep: boolean;
  phy: string | undefined;
  channel: number | undefined;
  frequencyMhz: number | undefined;
  modes: RadioModes;
  /** Of its networks, in the order of hostapd's configuration. */
  ssids: string[];
}

/** Empty if hostapd does not answer this account. */
export async function findServed(machine: Machine): Promise<ServedRadio[]> {
  const found = await Promise.all((await wirelessOf(machine)).map((name) => readServed(machine, name)));
  return found.flatMap((radio) => radio ?? []);
}

/** Undefined if hostapd does not serve it, or does not answer. */
export async function readServed(machine: Machine, name: string): Promise<ServedRadio | undefined> {
  return parseServed(name, await askHostapd(machine, name, 'status').catch(() => ''));
}

/** Output of `status`; undefined if hostapd does not serve it. */
export function parseServed(name: string, text: string): ServedRadio | undefined {
  const fields = toFields(text.split('\n'));
  const state = fields.get('state');
  if (state === undefined) return undefined;
  const number = (key: string) => {
    const value = Number(fields.get(key));
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  return {
    interface: name,
    isServing: state === 'ENABLED',
    isAsleep: state === 'DISABLED',
    phy: fields.get('phy'),
    channel: number('channel'),
    frequencyMhz: number('freq'),
    modes: {
      ht: fields.get('ieee80211n') === '1',
      vht: fields.get('ieee80211ac') === '1',
      he: fields.get('ieee80211ax') === '1',
    },
    ssids: [...fields].filter(([key]) => key.startsWith('ssid[')).map(([, value]) => fromPrintable(value)),
  };
}

export async function wirelessOf(machine: Machine): Promise<string[]> {
  const names = await interfacesOf(machine);
  const isWireless = await Promise.all(
    names.map((name) =>
      access(`${machine.sys}/class/net/${name}/phy80211`).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => isWireless[index]);
}
