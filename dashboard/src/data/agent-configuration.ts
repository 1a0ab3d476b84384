// What the dashboard understands of an agent's free-form configuration. Anything may stand there, so nothing is trusted.
import type { Technology } from '../api/operations.ts';

const technologies = new Map<string, Technology>([
  ['5g', '5G'],
  ['nr', '5G'],
  ['wifi', 'WiFi'],
  ['lifi', 'LiFi'],
]);

export function technologyOf(configuration: Record<string, unknown>): Technology | undefined {
  const told = configuration.access_point_type;
  return typeof told === 'string' ? technologies.get(told.toLowerCase().replaceAll(/[^a-z0-9]/g, '')) : undefined;
}

/** Undefined unless both are numbers on the globe; numbers in texts count. */
export function geolocationOf(
  configuration: Record<string, unknown>,
): { latitude: number; longitude: number } | undefined {
  const given = configuration.geolocation;
  if (typeof given !== 'object' || given === null) return undefined;
  const { latitude, lat, longitude, long, lon, lng } = given as Record<string, unknown>;
  const north = toNumber(latitude ?? lat);
  const east = toNumber(longitude ?? long ?? lon ?? lng);
  if (north === undefined || east === undefined || Math.abs(north) > 90 || Math.abs(east) > 180) return undefined;
  return { latitude: north, longitude: east };
}

function toNumber(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
