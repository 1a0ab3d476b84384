// Names of places as people write them: folded for comparison, countries to their two-letter codes, regions to those of
// GeoNames.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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

// Regions that people write after a place ("London, Ontario"), with their code in the gazetteer. Others
// are not named in the data and can only be distinguished by country.
const written: Record<string, string> = {
  US: `Alabama AL, Alaska AK, Arizona AZ, Arkansas AR, California CA, Colorado CO, Connecticut CT, Delaware DE,
    District of Columbia DC, Florida FL, Georgia GA, Hawaii HI, Idaho ID, Illinois IL, Indiana IN, Iowa IA, Kansas KS,
    Kentucky KY, Louisiana LA, Maine ME, Maryland MD, Massachusetts MA, Michigan MI, Minnesota MN, Mississippi MS,
    Missouri MO, Montana MT, Nebraska NE, Nevada NV, New Hampshire NH, New Jersey NJ, New Mexico NM, New York NY,
    North Carolina NC, North Dakota ND, Ohio OH, Oklahoma OK, Oregon OR, Pennsylvania PA, Rhode Island RI,
    South Carolina SC, South Dakota SD, Tennessee TN, Texas TX, Utah UT, Vermont VT, Virginia VA, Washington WA,
    West Virginia WV, Wisconsin WI, Wyoming WY`,
  CA: `Alberta 01, AB 01, British Columbia 02, BC 02, Manitoba 03, MB 03, New Brunswick 04, NB 04,
    Newfoundland and Labrador 05, NL 05, Nova Scotia 07, NS 07, Ontario 08, ON 08, Prince Edward Island 09, PE 09,
    Quebec 10, QC 10, Saskatchewan 11, SK 11, Yukon 12, YT 12, Northwest Territories 13, NT 13, Nunavut 14, NU 14`,
  GB: 'England ENG, Scotland SCT, Wales WLS, Northern Ireland NIR',
};

/** From a name in lower case to country and code as the data has them: `illinois` to `US IL`, `ontario` to `CA 08`. */
export const regionsByName: ReadonlyMap<string, string> = new Map(
  Object.entries(written).flatMap(([country, list]) =>
    list.split(',').map((entry) => {
      const words = entry.trim().split(/\s+/);
      const code = words.pop()!;
      return [words.join(' ').toLowerCase(), `${country} ${code}`] as const;
    }),
  ),
);
