// Coordinates there and back.
import { expect, it } from 'vitest';
import { readCoordinates, writeCoordinates } from './coordinates.ts';

it('what is written is read back', () => {
  expect(writeCoordinates(51.455, -2.5966)).toBe('51.45500, -2.59660');
  expect(readCoordinates(writeCoordinates(51.455, -2.5966))).toEqual({ latitude: 51.455, longitude: -2.5966 });
  expect(readCoordinates('51.4 −2.5')).toEqual({ latitude: 51.4, longitude: -2.5 });
});

it('names and places beyond the globe have none', () => {
  for (const text of ['Bristol', '91, 0', '1, 181', '1', '1, 2, 3', '']) expect(readCoordinates(text)).toBeUndefined();
});
