// One spelling for all the ways in which people write the same name.

const printableAscii = /^[ -~]*$/;

/** `Saint-Étienne`, `ST. ETIENNE` and `saint etienne` become the last of them. Names in a row may be folded at once: commas stay. */
export function foldName(name: string): string {
  // Most names are plain, and there are a quarter of a million of them.
  const bare = printableAscii.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '');
  return bare
    .toLowerCase()
    .replace(/['’‘ʼʻ`.]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[-\s‐‑–—]+/g, ' ')
    .replace(/(^|[ ,])st(?= )/g, '$1saint')
    .trim();
}
