// Loss of a WiFi path inside a building without a floor plan: the office of TGax, with a wall now and then.
import { wifiPathLossDb } from '../radio/wifi.ts';

export const wifiFrequencyGhz = 5.25;
/** One wall for so many metres, and no more than so many on a floor. */
const metresPerWall = 20;
const mostWalls = 4;

export function indoorLossDb(distanceM: number): number {
  const walls = Math.min(mostWalls, Math.floor(distanceM / metresPerWall));
  return wifiPathLossDb('enterprise', distanceM, wifiFrequencyGhz, walls);
}
