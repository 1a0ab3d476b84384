// Normalises the spelling of names.

const printableAscii = /^[ -~]*$/;

/** `Saint-Étienne`, `ST. ETIENNE` and `saint etienne` become the last of them. Names in a row may be folded at once: commas stay. */
export function foldName(name: string): string {
  // A fast path: most of the quarter of a million names are plain ASCII.
  const bare = printableAscii.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '');
  return bare
    .toLowerCase()
    .replace(/['’‘ʼʻ`.]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[-\s‐‑–—]+/g, ' ')
    .replace(/(^|[ ,])st(?= )/g, '$1saint')
    .trim();
}
