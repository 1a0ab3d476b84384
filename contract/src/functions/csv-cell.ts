// One cell of CSV (RFC 4180), for all that Weft writes: a spreadsheet shows it and never runs it, a terminal too.
const formulaStart = /^[=+\-@\t\r\n]/;
const plainNumber = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const needsQuotes = /[",\r\n\uFEFF]|^\s|\s$/;
/** Line breaks and tabs are data in a cell. */
const control = /[^\P{Cc}\t\r\n]/gu;

/** What a spreadsheet would take for a formula gets an apostrophe in front; plain numbers are left alone. ESC is written as `\u{1b}`. */
export function csvCell(text: string): string {
  const shown = text.replaceAll(control, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
  const safe = formulaStart.test(shown) && !plainNumber.test(shown) ? `'${shown}` : shown;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
