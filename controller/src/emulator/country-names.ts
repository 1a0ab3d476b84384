// Maps names of countries to their two-letter codes: codes and names of GeoNames, and the names of the runtime in
// English. They differ in dozens of countries.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { foldName } from './fold-name.ts';

const usual: Record<string, string> = { uk: 'GB', 'great britain': 'GB', uae: 'AE', holland: 'NL' };
let codes: Map<string, string> | undefined;

/** Undefined if it is not a country. `name` is folded. */
export function countryCode(name: string): string | undefined {
  codes ??= readCodes();
  return codes.get(name);
}

function readCodes(): Map<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const table = readFileSync(createRequire(import.meta.url).resolve('cities15000/countryInfo.txt'), 'utf8');
  const found = new Map(Object.entries(usual));
  for (const line of table.split('\n')) {
    const [code = '', threeLetters = '', , , name = ''] = line.split('\t', 5);
    if (!/^[A-Z]{2}$/.test(code)) continue;
    for (const known of [code, threeLetters, name, names.of(code) ?? '']) {
      if (known !== '') found.set(foldName(known), code);
    }
  }
  return found;
}
