// Where an access point is, as its configuration says it.

export interface Place {
  latitude: number;
  longitude: number;
}

/** `configuration.geolocation` in any of the forms that are understood; undefined if it is none. */
export function readPlace({ geolocation }: Record<string, unknown>): Place | undefined {
  if (typeof geolocation !== 'object' || geolocation === null) return undefined;
  const given = geolocation as Record<string, unknown>;
  const latitude = toDegrees(given.latitude ?? given.lat, 90);
  const longitude = toDegrees(given.longitude ?? given.long ?? given.lon ?? given.lng, 180);
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

function toDegrees(input: unknown, max: number): number | undefined {
  const degrees = typeof input === 'string' && input.trim() !== '' ? Number(input) : input;
  return typeof degrees === 'number' && Math.abs(degrees) <= max ? degrees : undefined;
}
