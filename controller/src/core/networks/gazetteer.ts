// Looks up places offline: the cities of GeoNames with more than 15,000 inhabitants, from a package that
// contains only their table. Loaded when the first name is looked up. Used by `locations`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { countryCode, foldName, regionsByName } from './country-names.ts';

export interface Place {
  name: string;
  /** Two letters. */
  country: string;
  /** The code of GeoNames: letters in the United States and the United Kingdom, a number in most countries. */
  region: string;
  latitude: number;
  longitude: number;
  population: number;
}

const column = { name: 1, ascii: 2, others: 3, latitude: 4, longitude: 5, country: 8, region: 10, population: 14 };
/** The longest name in the table has fewer. */
const maxNameLength = 200;

/**
 * The places with a name, the most populous first; empty if unknown. `name` may be followed by a country or a region
 * after a comma. Case, accents, hyphens and full stops are ignored. Only if no place has this name,
 * names in other languages and historical names are used: else Dili would be Delhi, which has that alternative name.
 */
export function findPlaces(name: string): Place[] {
  if (name.length > maxNameLength) return [];
  const [wanted = '', ...qualifiers] = name.split(',').map(foldName);
  if (wanted === '' || qualifiers.includes('')) return [];
  for (const names of [ownNames, otherNames]) {
    const found = names().find(wanted).map(parsePlace);
    const fitting = found.filter((place) => qualifiers.every((qualifier) => isIn(place, qualifier)));
    if (fitting.length > 0) return fitting.sort((a, b) => b.population - a.population);
  }
  return [];
}

/** The town that people would name there: the most populous within half the reach, else the nearest; undefined if none is within reach. */
export function townAt(latitude: number, longitude: number, reachKm: number): Place | undefined {
  const { latitudes, longitudes, populations } = towns();
  const shrink = Math.cos((latitude * Math.PI) / 180);
  const far = (reachKm / kmPerDegree) ** 2;
  let largest: number | undefined;
  let nearest: number | undefined;
  let least = far;
  for (let line = 0; line < latitudes.length; line++) {
    const north = latitudes[line]! - latitude;
    const around = Math.abs(longitudes[line]! - longitude);
    const east = Math.min(around, 360 - around) * shrink;
    const square = north * north + east * east;
    if (square < least) [nearest, least] = [line, square];
    const isLarger = largest === undefined || populations[line]! > populations[largest]!;
    if (square < far / 4 && isLarger) largest = line;
  }
  const found = largest ?? nearest;
  return found === undefined ? undefined : parsePlace(found);
}

const kmPerDegree = 111.32;

const towns = once(() => {
  const fields = lines().map((line) => line.split('\t', column.population + 1));
  const numbers = (index: number) => Float32Array.from(fields, (each) => Number(each[index]));
  return {
    latitudes: numbers(column.latitude),
    longitudes: numbers(column.longitude),
    populations: numbers(column.population),
  };
});

/** Codes are ambiguous: CA is Canada after London and California after San Diego. */
function isIn({ country, region }: Place, qualifier: string): boolean {
  return (
    country === countryCode(qualifier) ||
    region.toLowerCase() === qualifier ||
    `${country} ${region}` === regionsByName.get(qualifier)
  );
}

// One string per line needs less memory than an object per place, and few places are ever looked up.
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

function parsePlace(line: number): Place {
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

// An index of names, with eight bytes per name: a hash and a number, sorted. Results are compared with the
// names themselves, so hash collisions are harmless.

/** Entry numbers are below this; the higher bits hold the 32-bit hash. */
const maxEntries = 2 ** 16;

export class NameIndex {
  readonly #hashed: Float64Array;
  readonly #namesOf: (entry: number) => readonly string[];

  /** Entries are numbered from 0. `namesOf` must be deterministic. */
  constructor(entries: number, namesOf: (entry: number) => readonly string[]) {
    if (entries > maxEntries) throw new RangeError(`At most ${maxEntries} entries`);
    const hashed: number[] = [];
    for (let entry = 0; entry < entries; entry++) {
      for (const name of namesOf(entry)) hashed.push(hash(name) * maxEntries + entry);
    }
    this.#hashed = Float64Array.from(hashed).sort();
    this.#namesOf = namesOf;
  }

  /** The entries with this name, in ascending order, each once. */
  find(name: string): number[] {
    const first = hash(name) * maxEntries;
    const found = new Set<number>();
    for (let at = this.#firstFrom(first); this.#hashed[at]! < first + maxEntries; at++) {
      const entry = this.#hashed[at]! - first;
      if (!found.has(entry) && this.#namesOf(entry).includes(name)) found.add(entry);
    }
    return [...found];
  }

  #firstFrom(value: number): number {
    let low = 0;
    let high = this.#hashed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashed[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** FNV-1a over the characters. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
