// What an access point may be called: the contract's rule, here without the schema library that comes with it.
import { UsageError } from '../surroundings.ts';

export const apIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** Throws UsageError. */
export function parseApId(text: string): string {
  if (apIdPattern.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(text)} cannot name an access point: a letter or digit, then letters, digits and . _ : @ + - up to 128 in all.`,
  );
}
