// Validates the name of an access point: the rule of the contract, without its schema library.
import { UsageError } from '../surroundings.ts';

export const apIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** Throws UsageError. */
export function parseApId(text: string): string {
  if (apIdPattern.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(text)} is not a valid access point name: a letter or digit, then letters, digits and . _ : @ + -, at most 128 characters.`,
  );
}
