// What of the configuration of an access point is asked about all of them, or for each command: everything else is read
// from its record.
import type { Technology } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import { type DeclaredCommand, readDeclaredCommands } from '@weft/contract/declared-commands';
import { isObject } from '@weft/contract/is-object';
import { type Place, readPlace } from '@weft/contract/place';
import { readTechnology } from '@weft/contract/technologies';

type Configuration = Record<string, unknown>;

export interface AgentFacts {
  /** `access_point_type`, if that is a text. */
  access_point_type: string | null;
  /** The technology that it names, however it is spelled. */
  technology: Technology | null;
  /** `report_interval_seconds` in milliseconds, if it is sensible. */
  configuredMs: number | undefined;
  /** How long a change takes to show in its telemetry. */
  settleMs: number;
  place: Place | undefined;
  /** Undefined: it takes any. Equal lists are one object. */
  commands: ReadonlyMap<string, DeclaredCommand> | undefined;
  /** Whether a command to it may have several lines. */
  isMultiline: boolean;
  /** Where commands may be pushed to. */
  api_url: unknown;
  /** As a device that is to move there must know them; undefined: it names none. */
  radios: readonly Configuration[] | undefined;
}

const maxTypeLength = 64;
/** Also of those that Weft learns. */
export const maxIntervalMs = 86_400_000;
const defaultReportS = 2;
const minSettleMs = 5_000;
const maxSettleMs = 600_000;
const radioKeys = ['bssid', 'frequency_mhz', 'channel', 'width_mhz', 'op_class', 'phy_type'] as const;
const maxRadios = 16;
const lists = new BoundedMap<string, AgentFacts['commands']>(1_000);

export function readFacts(configuration: Configuration): AgentFacts {
  const { access_point_type: type, radios, commands } = configuration;
  return {
    access_point_type: typeof type === 'string' && type.length <= maxTypeLength ? type : null,
    technology: readTechnology(type) ?? null,
    configuredMs: configuredIntervalMs(configuration),
    settleMs: settleMsOf(configuration),
    place: readPlace(configuration),
    commands: Array.isArray(commands)
      ? lists.getOrInsert(JSON.stringify(commands), () => readDeclaredCommands({ commands }))
      : undefined,
    isMultiline: configuration.multiline === true,
    api_url: configuration.api_url,
    radios: Array.isArray(radios) ? radios.slice(0, maxRadios).flatMap(readRadio) : undefined,
  };
}

/** `configuration.report_interval_seconds` in milliseconds, if it is a sensible number. */
export function configuredIntervalMs({ report_interval_seconds: given }: Configuration): number | undefined {
  const seconds = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return Math.min(Math.max(seconds * 1000, 100), maxIntervalMs);
}

/** Three reports, between 5 s and 10 min. */
export function settleMsOf({ report_interval_seconds: given }: Configuration): number {
  const seconds = typeof given === 'number' && given > 0 ? given : defaultReportS;
  return Math.min(Math.max(3000 * seconds, minSettleMs), maxSettleMs);
}

function readRadio(radio: unknown): Configuration[] {
  if (!isObject(radio) || typeof radio.bssid !== 'string') return [];
  return [Object.fromEntries(radioKeys.flatMap((key) => (radio[key] === undefined ? [] : [[key, radio[key]]])))];
}

// The names of emulated access points: their type, the beginning of the number of their run, and their number in it,
// from 1.

/** How much of a job's number is in the names: people copy them. */
export const runDigits = 8;

export function emulatedName(type: string, job_number: string, number: number): string {
  return `emu-${type.toLowerCase()}-${job_number.slice(0, runDigits)}-${number}`;
}

/** How the number of the run begins, by an agent's name, emulated or not; undefined for other names. */
export function runOf(ap_id: string): string | undefined {
  return /^emu-(?:5g|wifi|lifi)-(.+)-\d+$/.exec(ap_id)?.[1];
}
