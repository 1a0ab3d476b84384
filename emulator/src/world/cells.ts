// What the radio models must know of every access point in every second, as columns by index.
import { type AccessPointType, accessPointTypes } from './world-spec.ts';

export interface Cells {
  count: number;
  /** Index into accessPointTypes. */
  type: Uint8Array;
  x: Float64Array;
  y: Float64Array;
  /** What a path's gain is multiplied with: mW per resource element (5G), mW (WiFi), W of light (LiFi). */
  power: Float64Array;
  /** What shapes the beam: tilt in degrees (5G), Lambertian order (LiFi). */
  shape: Float64Array;
  channel: Int32Array;
  widthMhz: Int32Array;
  /** Gain of a 5G cell's antenna towards the horizon. */
  farGain: Float64Array;
  /** Radiates; and takes new devices. */
  isOnAir: Uint8Array;
  isOpen: Uint8Array;
  hasBackhaul: Uint8Array;
  /** Share of the air that others than the network take, and what arrives of them at its own antenna, in mW. */
  foreignShare: Float64Array;
  foreignMw: Float64Array;
  /** Largest share of its own air that it may use. */
  quota: Float64Array;
  /** Share of the air it used in the last second, and how full it found the air. */
  load: Float64Array;
  utilisation: Float64Array;
  /** Share of the air that its devices want in this second, and the most that they could get. */
  wanted: Float64Array;
  capacity: Float64Array;
  /** Share of its uplink that was used in the last second. */
  uplinkLoad: Float64Array;
  attached: Int32Array;
  powerW: Float64Array;
}

export function createCells(types: readonly AccessPointType[], x: Float64Array, y: Float64Array): Cells {
  const count = types.length;
  const numbers = (value = 0) => new Float64Array(count).fill(value);
  const flags = () => new Uint8Array(count);
  return {
    count,
    type: Uint8Array.from(types, (type) => accessPointTypes.indexOf(type)),
    x,
    y,
    power: numbers(),
    shape: numbers(),
    channel: new Int32Array(count),
    widthMhz: new Int32Array(count),
    farGain: numbers(),
    isOnAir: flags(),
    isOpen: flags(),
    hasBackhaul: flags(),
    foreignShare: numbers(),
    foreignMw: numbers(),
    quota: numbers(1),
    load: numbers(),
    utilisation: numbers(),
    wanted: numbers(),
    capacity: numbers(1),
    uplinkLoad: numbers(),
    attached: new Int32Array(count),
    powerW: numbers(),
  };
}
