// JSON for programs, safe to print on a terminal; and JSON that people type.
import { parseJson } from '@weft/contract/is-object';

/** An answer of the server's own commands, in the spelling of the interface: snake_case, and times as RFC 3339. */
export function toInterfaceJson(value: unknown, space?: number): string {
  return toJson(inInterfaceSpelling(value), space);
}

function inInterfaceSpelling(value: unknown, name = ''): unknown {
  if (typeof value === 'number' && /(^|_)at$/.test(name)) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map((each) => inInterfaceSpelling(each));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const spelled = key.replaceAll(/(?<=[a-z0-9])([A-Z])/g, (letter) => `_${letter.toLowerCase()}`);
      return [spelled, inInterfaceSpelling(part, spelled)];
    }),
  );
}

/** Escapes characters that JSON leaves unchanged and a terminal may interpret: DEL, other control and direction characters. */
export function toJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A text such as 007 is not a number. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
