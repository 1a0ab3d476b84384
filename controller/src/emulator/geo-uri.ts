// Reads a geo: URI (RFC 5870): `geo:51.4545,-2.5879;u=35`. Altitude and uncertainty are allowed and ignored.
import type { Location, NoLocation } from './coordinates.ts';

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
