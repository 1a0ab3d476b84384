// Values that an operator adds to the agent's configuration: `site=roof`. Values are parsed as JSON
// if possible; dots set nested values (`geolocation.latitude=51.45`).
import { isObject } from '@weft/contract/is-object';
import { readPlace } from '@weft/contract/place';
import { jsonOrText } from '../json-text.ts';

/** Set by the agent itself. */
const reserved = ['commands', 'metrics', 'report_interval_seconds'];
const keyPattern = /^[A-Za-z_][\w-]{0,63}(\.[A-Za-z_][\w-]{0,63})?$/;

/** Undefined if the key is valid, else the reason. */
export function problemOfKey(key: string): string | undefined {
  if (!keyPattern.test(key))
    return `${JSON.stringify(key)} is not a valid name: use letters, digits, hyphens and underscores`;
  if (reserved.includes(key.split('.')[0]!)) return `${key} is set by the agent itself`;
  return undefined;
}

/** As in Weft. */
const maxBytes = 64 * 1024;

/** What Weft would not accept, or not understand, of a configuration. */
export function problemsOfConfiguration(configuration: Record<string, unknown>): string[] {
  const isPlaced = configuration.geolocation === undefined || readPlace(configuration) !== undefined;
  return [
    ...(isPlaced ? [] : ['geolocation needs a latitude from -90 to 90 and a longitude from -180 to 180']),
    ...(Buffer.byteLength(JSON.stringify(configuration)) <= maxBytes
      ? []
      : [`the configuration has more than ${maxBytes} bytes as JSON`]),
  ];
}

/** Throws an Error with the reason. */
export function parseAssignments(texts: readonly string[]): Record<string, unknown> {
  const configuration: Record<string, unknown> = Object.create(null);
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new Error(`--set ${text} is not key=value`);
    const key = text.slice(0, at);
    const problem = problemOfKey(key);
    if (problem) throw new Error(`--set: ${problem}`);
    assign(configuration, key.split('.'), jsonOrText(text.slice(at + 1)));
  }
  return configuration;
}

function assign(target: Record<string, unknown>, [key = '', inner]: string[], value: unknown): void {
  if (inner === undefined) {
    target[key] = value;
    return;
  }
  const before = target[key];
  target[key] = { ...(isObject(before) && before), [inner]: value };
}
