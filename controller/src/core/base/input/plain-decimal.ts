// Strings that are numbers: one reading for every form of a report, and for what is written out again.

/** With no more of them, a number has the digits of its text. */
const maxSignificantDigits = 15;

/**
 * The one reading of a string in a report. A plain decimal counts as its number: an optional minus, digits with at most one
 * point, no zero before another digit, and so few significant digits that the number is exact. Undefined for any other
 * string, which is a text alone: `00101`, `1e3`, `+5`, `1.10.1`, `NaN`.
 */
export function toPlainDecimal(text: string): number | undefined {
  const begin = text.charCodeAt(0) === 0x2d ? 1 : 0;
  let point = -1;
  let significant = 0;
  for (let at = begin; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2e && point < 0) point = at;
    else if (code < 0x30 || code > 0x39) return undefined;
    else if (significant > 0 || code !== 0x30) significant += 1;
  }
  const whole = point < 0 ? text.length : point;
  const digits = text.length - begin - (point < 0 ? 0 : 1);
  if (digits === 0 || significant > maxSignificantDigits || (whole - begin > 1 && text.charCodeAt(begin) === 0x30)) {
    return undefined;
  }
  const number = Number(text);
  // Too small for a number.
  return number === 0 && significant > 0 ? undefined : number;
}

/** Whether the string is nothing but the usual text of its number; if not, it is kept as a text too, as it is. */
export function isWrittenAs(number: number | undefined, text: string): boolean {
  return number !== undefined && String(number) === text;
}
