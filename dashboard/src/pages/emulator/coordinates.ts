// Coordinates as the form writes them and reads them back. Weft itself understands more ways to write them. Pure.

/** To about a metre. */
export function writeCoordinates(latitude: number, longitude: number): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

export function readCoordinates(text: string): { latitude: number; longitude: number } | undefined {
  const [latitude, longitude, ...rest] = text
    .replaceAll('−', '-')
    .split(/\s*,\s*|\s+/)
    .map(Number);
  const isOnGlobe = rest.length === 0 && Math.abs(latitude ?? 91) <= 90 && Math.abs(longitude ?? 181) <= 180;
  return isOnGlobe ? { latitude: latitude!, longitude: longitude! } : undefined;
}
