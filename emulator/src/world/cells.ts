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
    /**
     * Contention of WiFi. How many of its senders, it and its devices, had data waiting in the last second, as a sum of shares
     * of the time and of their squares; and how long a lone one of them would take for a frame and its backoff.
     */
    senders: numbers(),
    sendersSquared: numbers(),
    cycleUs: numbers(2000),
    /** What that leaves of the air, how many attempts it costs, and whether it was sending at the end of the second. */
    efficiency: numbers(1),
    collisionShare: numbers(),
    holdsAir: flags(),
    /** Share of its uplink that was used in the last second. */
    uplinkLoad: numbers(),
    attached: integers(),
    powerW: numbers(),
  };
}
