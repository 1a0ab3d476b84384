// Parses the location of an emulated access point: coordinates in several notations, an object of them, a geo: URI, or the
// name of a place. `emulated-positions` then distributes access points over the result.
import { isObject, parseObject } from '@weft/contract/is-object';
import { readPlace } from '@weft/contract/place';
import { type Location, type NoLocation, parseCoordinates } from './coordinates.ts';
import { countryCode, foldName, regionsByName } from './country-names.ts';
import { findPlaces, townAt } from './gazetteer.ts';

export interface FoundLocation extends Location {
  /** Only if the text was a name. */
  place?: {
    name: string;
    /** Two letters. */
    country: string;
    /** The number of smaller places with the same name. */
    others: number;
  };
}

/** Coordinates have the name of a town within this. */
const townReachKm = 30;
const maxStemLength = 40;
const maxLength = 200;
const keyedProblem =
  'should have a latitude from -90 to 90 (`lat`, `latitude`) and a longitude from -180 to 180 (`long`, `lon`, `lng`, `longitude`)';

// Two numbers with what each of them is: `lat:51.45,lon:-2.58`, `latitude=51.45 longitude=-2.58`.
const LABELLED =
  /^(lat|latitude|lon|long|lng|longitude) ?[:=] ?([+-]?[0-9.]+)(?:, ?|; ?| )(lat|latitude|lon|long|lng|longitude) ?[:=] ?([+-]?[0-9.]+)$/i;

/** Never throws. Uses the most populous of several places with one name. */
export function parseLocation(location: unknown): FoundLocation | NoLocation {
  if (isObject(location)) return keyed(location);
  if (typeof location !== 'string') return { problem: 'should be coordinates or the name of a place' };
  return parseText(location);
}

/** The site of the place or town there; undefined far from any. */
export function siteAt(found: FoundLocation) {
  const town = found.place ? { ...found, ...found.place } : townAt(found.latitude, found.longitude, townReachKm);
  if (!town) return undefined;
  const { name, latitude, longitude } = town;
  const path = foldName(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxStemLength);
  return path === '' ? undefined : { path, name, geolocation: { latitude, longitude } };
}

/** The beginning of display names there, such as `bristol-5g`. */
export function stemOf(found: FoundLocation, type: string): string {
  return `${siteAt(found)?.path ?? 'emulated'}-${type.toLowerCase()}`;
}

function parseText(text: string): FoundLocation | NoLocation {
  if (text.length > maxLength) return { problem: `should have at most ${maxLength} characters` };
  const given = text.trim();
  if (given === '') return { problem: 'should be coordinates or the name of a place' };
  if (/^geo:/i.test(given)) return checked(parseGeoUri(given));
  const object = given.startsWith('{') ? parseObject(given) : undefined;
  if (object) return keyed(object);
  const pair = LABELLED.exec(given);
  if (pair) return keyed({ [pair[1]!.toLowerCase()]: pair[2], [pair[3]!.toLowerCase()]: pair[4] });
  const coordinates = parseCoordinates(withoutBrackets(given));
  return coordinates === undefined ? named(given) : checked(coordinates);
}

/** As pairs are written: `(51.45, -2.58)`. */
function withoutBrackets(given: string): string {
  return /^\([^()]*\)$|^\[[^[\]]*\]$/.test(given) ? given.slice(1, -1) : given;
}

function keyed(object: Record<string, unknown>): FoundLocation | NoLocation {
  return readPlace({ geolocation: object }) ?? { problem: keyedProblem };
}

function checked(found: Location | NoLocation): FoundLocation | NoLocation {
  if ('problem' in found) return found;
  const { latitude, longitude } = found;
  // Written so that NaN does not pass either.
  if (!(Math.abs(latitude) <= 90)) return { problem: 'should have a latitude from -90 to 90' };
  if (!(Math.abs(longitude) <= 180)) return { problem: 'should have a longitude from -180 to 180' };
  // Avoids -0.
  return { latitude: latitude + 0, longitude: longitude + 0 };
}

function named(given: string): FoundLocation | NoLocation {
  const [found, ...others] = findCity(given);
  if (found === undefined) {
    return {
      problem: 'should be coordinates or the name of a known place (cities with more than 15,000 inhabitants)',
    };
  }
  const { latitude, longitude, name, country } = found;
  return { latitude, longitude, place: { name, country, others: others.length } };
}

/** A district is not in the table: `Clifton, Bristol` is Bristol. What only names a country or a region is no place. */
function findCity(given: string): ReturnType<typeof findPlaces> {
  const places = findPlaces(given);
  const comma = given.indexOf(',');
  if (places.length > 0 || comma < 0 || given.slice(0, comma).trim() === '') return places;
  const around = given.slice(comma + 1);
  const city = foldName(around.split(',', 1)[0]!);
  const region = regionsByName.get(city);
  if (countryCode(city) !== undefined) return [];
  return findCity(around).filter((place) => region === undefined || region === `${place.country} ${place.region}`);
}

// Reads a geo: URI (RFC 5870): `geo:51.4545,-2.5879;u=35`. Altitude and uncertainty are allowed and ignored.
const problem = 'should be a geo: URI of latitude and longitude in WGS 84';
// None of them is ambiguous, so each takes linear time.
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
const UNCERTAINTY = /^[0-9]+(?:\.[0-9]+)?$/;
const PARAMETER = /^([a-z0-9-]+)(?:=([^;=,\s]+))?$/i;

export function parseGeoUri(text: string): Location | NoLocation {
  const [path = '', ...parameters] = text.slice('geo:'.length).split(';');
  const numbers = path.split(',');
  if (numbers.length < 2 || numbers.length > 3 || !numbers.every((number) => NUMBER.test(number))) return { problem };
  for (const parameter of parameters) {
    const [, name, value] = PARAMETER.exec(parameter) ?? [];
    if (name === undefined) return { problem };
    if (/^crs$/i.test(name) && value?.toLowerCase() !== 'wgs84') return { problem };
    if (/^u$/i.test(name) && !UNCERTAINTY.test(value ?? '')) return { problem };
  }
  return { latitude: Number(numbers[0]), longitude: Number(numbers[1]) };
}
