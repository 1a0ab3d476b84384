// Parses the location of an emulated access point: coordinates in several notations, a geo: URI, or the name
// of a place. `spread` then distributes access points over the result.
import { type Location, type NoLocation, parseCoordinates } from './coordinates.ts';
import { findPlaces } from './gazetteer.ts';
import { parseGeoUri } from './geo-uri.ts';

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

const maxLength = 200;

/** Never throws. Uses the most populous of several places with one name. */
export function parseLocation(text: string): FoundLocation | NoLocation {
  if (text.length > maxLength) return { problem: `should have at most ${maxLength} characters` };
  const given = text.trim();
  if (given === '') return { problem: 'should be coordinates or the name of a place' };
  if (/^geo:/i.test(given)) return checked(parseGeoUri(given));
  const coordinates = parseCoordinates(given);
  return coordinates === undefined ? named(given) : checked(coordinates);
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
  const [found, ...others] = findPlaces(given);
  if (found === undefined) {
    return {
      problem: 'should be coordinates or the name of a known place (cities with more than 15,000 inhabitants)',
    };
  }
  const { latitude, longitude, name, country } = found;
  return { latitude, longitude, place: { name, country, others: others.length } };
}
