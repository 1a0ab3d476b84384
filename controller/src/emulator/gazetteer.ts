// Where places are, without asking anybody: the cities of GeoNames with more than 15,000 inhabitants, from a package that
// is nothing but their table. Read when the first name is looked up; `locations` asks here.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { countryCode } from './country-names.ts';
import { foldName } from './fold-name.ts';
import { NameIndex } from './name-index.ts';
import { regionsByName } from './region-names.ts';

export interface Place {
  name: string;
  /** Two letters. */
  country: string;
  /** As GeoNames has it: letters in the United States and the United Kingdom, a number in most countries. */
  region: string;
  latitude: number;
  longitude: number;
  population: number;
}

const column = { name: 1, ascii: 2, others: 3, latitude: 4, longitude: 5, country: 8, region: 10, population: 14 };
/** The longest name in the table has fewer. */
const maxNameLength = 200;

/**
 * The places of a name, the most populous first; none when it is unknown. `name` may be followed by a country or a region
 * behind commas. Capitals, accents, hyphens and full stops do not matter. Only where no place is called so itself do
 * names in other languages and of other times count: else Dili would be Delhi, which somebody spells that way.
 */
export function findPlaces(name: string): Place[] {
  if (name.length > maxNameLength) return [];
  const [wanted = '', ...qualifiers] = name.split(',').map(foldName);
  if (wanted === '' || qualifiers.includes('')) return [];
  for (const names of [ownNames, otherNames]) {
    const found = names().find(wanted).map(placeOf);
    const fitting = found.filter((place) => qualifiers.every((qualifier) => isIn(place, qualifier)));
    if (fitting.length > 0) return fitting.sort((a, b) => b.population - a.population);
  }
  return [];
}

/** Codes mean what fits: CA is Canada behind London and California behind San Diego. */
function isIn({ country, region }: Place, qualifier: string): boolean {
  return (
    country === countryCode(qualifier) ||
    region.toLowerCase() === qualifier ||
    `${country} ${region}` === regionsByName.get(qualifier)
  );
}

// One string for each line costs less than an object for each place, of which hardly any is ever asked for.
const lines = once(() =>
  readFileSync(createRequire(import.meta.url).resolve('cities15000/cities15000.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== ''),
);
const ownNames = once(() => new NameIndex(lines().length, namesOf));
const otherNames = once(() => new NameIndex(lines().length, otherNamesOf));

function namesOf(line: number): string[] {
  const fields = lines()[line]!.split('\t', column.ascii + 1);
  const name = fields[column.name]!;
  // "Washington, D.C." is Washington, in the region that is called DC.
  return [name, fields[column.ascii]!, name.split(',', 1)[0]!].map(foldName);
}

function otherNamesOf(line: number): string[] {
  return foldName(lines()[line]!.split('\t', column.others + 1)[column.others]!).split(',');
}

function placeOf(line: number): Place {
  const fields = lines()[line]!.split('\t');
  return {
    name: fields[column.name]!,
    country: fields[column.country]!,
    region: fields[column.region]!,
    latitude: Number(fields[column.latitude]),
    longitude: Number(fields[column.longitude]),
    population: Number(fields[column.population]),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
