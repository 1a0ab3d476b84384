// JSON for programs that may end up on a terminal.

/** Escapes what JSON leaves as it is and a terminal may obey: DEL, the other control characters, and those of direction. */
export function toJson(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
