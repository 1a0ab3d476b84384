// JSON for programs, safe to print on a terminal.

/** Escapes characters that JSON leaves unchanged and a terminal may interpret: DEL, other control and direction characters. */
export function toJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
