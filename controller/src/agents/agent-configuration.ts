// The rules for an agent's configuration.
import { invalidValue } from '../input/value-rules.ts';

/** The limit for a configuration in a request (input/formats.ts) and after a merge. */
const maxConfigurationBytes = 64 * 1024;

/** With these top-level keys. Throws ValidationError if it would become too large. */
export function mergedConfiguration(
  configuration: Record<string, unknown>,
  keys: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...configuration, ...withoutReadOnlyKeys(keys) };
  if (Buffer.byteLength(JSON.stringify(merged)) <= maxConfigurationBytes) return merged;
  throw invalidValue(
    ['body', 'configuration'],
    `configuration should have at most ${maxConfigurationBytes} bytes as JSON`,
  );
}

/** Only Weft sets `emulated`. */
export function withoutReadOnlyKeys(configuration: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(configuration).filter(([key]) => key !== 'emulated'));
}
