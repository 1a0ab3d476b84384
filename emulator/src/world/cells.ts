// What the radio models must know of every access point in every second, as columns by index.
import { type AccessPointType, accessPointTypes } from './world-spec.ts';

export type Cells = ReturnType<typeof createCells>;

export function createCells(types: readonly AccessPointType[], x: Float64Array, y: Float64Array) {
  const count = types.length;
  const integers = (): Int32Array => new Int32Array(count);
  const numbers = (value = 0): Float64Array => new Float64Array(count).fill(value);
  const flags = (): Uint8Array => new Uint8Array(count);
  return {
    count,
    /** Index into accessPointTypes. */
    type: Uint8Array.from(types, (type) => accessPointTypes.indexOf(type)),
    x,
    y,
    /** What a path's gain is multiplied with: mW per resource element (5G), mW (WiFi), W of light (LiFi). */
    power: numbers(),
    /** What shapes the beam: tilt in degrees (5G), Lambertian order (LiFi). */
    shape: numbers(),
    channel: integers(),
    widthMhz: integers(),
    /** Gain of a 5G cell's antenna towards the horizon. */
    farGain: numbers(),
    /** Radiates; and takes new devices. */
    isOnAir: flags(),
    isOpen: flags(),
    hasBackhaul: flags(),
    /** Share of the air that others than the network take, and what arrives of them at its own antenna, in mW. */
    foreignShare: numbers(),
    foreignMw: numbers(),
    /** Largest share of its own air that it may use. */
    quota: numbers(1),
    /** Share of the air it used in the last second, and how full it found the air. */
    load: numbers(),
    utilisation: numbers(),
    /** Share of the air that its devices want in this second, and the most that they could get. */
    wanted: numbers(),
    capacity: numbers(1),
    /** Share of its uplink that was used in the last second. */
    uplinkLoad: numbers(),
    attached: integers(),
    powerW: numbers(),
  };
}
