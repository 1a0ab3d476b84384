// What an agent speaks for: a WiFi access point with its radios and devices, or a device with its links.
import type { AgentSettings } from './agent-settings.ts';
import type { CommandOffer } from './commands/command-offer.ts';
import { offerWifiCommands } from './commands/wifi-commands.ts';
import { changesDevices, Hostapd } from './hostapd/hostapd.ts';
import { offerLinkPolicy } from './link/link-commands.ts';
import { LinkReader } from './link/link-reader.ts';
import type { Machine } from './machine/machine.ts';
import type { Pace } from './pace.ts';
import { type Description, describeMachine, radiosKey } from './readers/description.ts';
import { type ReportedDevice, toDevices } from './readers/device-list.ts';
import type { Reader } from './readers/reader.ts';
import { findServed } from './readers/served-radio.ts';
import { WifiReader } from './readers/wifi-reader.ts';
import { HostapdSettings } from './settings/hostapd-settings.ts';

export interface Subject {
  readonly reader: Reader;
  /** Changes when the configuration is to be told again. */
  readonly key: string;
  describe: () => Promise<Description>;
  offers(): Promise<CommandOffer[]>;
  /** What can be set; undefined if nothing can. */
  settings?: ((bootFile: string) => Promise<HostapdSettings | undefined>) | undefined;
  /** To be called after each measurement: all devices that are attached; undefined if nothing new is known of them. */
  devices(): ReportedDevice[] | undefined;
}

export interface SubjectOptions {
  settings: Pick<AgentSettings, 'allowance' | 'isLink'>;
  machine: Machine;
  pace: Pace;
  signal: AbortSignal;
  say: (text: string) => void;
}

export function createSubject(options: SubjectOptions): Promise<Subject> {
  return options.settings.isLink ? createLinks(options) : createAccessPoint(options);
}

async function createAccessPoint({ settings, machine, pace, signal, say }: SubjectOptions): Promise<Subject> {
  const hostapd = new Hostapd({ machine, signal, say });
  for (const { interface: name } of await findServed(machine)) hostapd.follow(name);
  hostapd.onEvent((event) => {
    if (changesDevices(event)) pace.soon();
  });
  const reader = new WifiReader(machine, () => hostapd.interfaces);
  let key = '';
  return {
    reader,
    get key() {
      return key;
    },
    describe: () => describeMachine(machine, hostapd.interfaces.length > 0),
    offers: () => offerWifiCommands(machine, hostapd, settings.allowance.commands),
    settings: (bootFile) =>
      HostapdSettings.find({ machine, hostapd, files: [...settings.allowance.hostapdFiles], bootFile, say }),
    devices() {
      const radios = reader.takeObserved();
      if (radios === undefined) return undefined;
      key = radiosKey(radios);
      // hostapd may have been started after the agent.
      for (const { interface: name } of radios) hostapd.follow(name);
      return radios.length + hostapd.interfaces.length === 0 ? undefined : toDevices(radios);
    },
  };
}

async function createLinks({ settings, machine }: SubjectOptions): Promise<Subject> {
  const reader = new LinkReader(machine);
  return {
    reader,
    get key() {
      return reader.key;
    },
    async describe() {
      const { hostname, kernel, model } = await describeMachine(machine);
      const named = { ...(hostname && { hostname }), ...(kernel && { kernel }), ...(model && { model }) };
      return { ...named, access_point_type: 'device', links: await reader.links() };
    },
    offers: () => offerLinkPolicy(machine, settings.allowance.commands),
    devices: () => undefined,
  };
}
