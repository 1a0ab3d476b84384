// What the radios of a device take from its battery, by technology in the order of accessPointTypes.

/** A link that is held: paging and discontinuous reception, power save, a photodiode and its amplifier. */
const idleW = [0.15, 0.05, 0.1];
/** In addition, while something is received, and while something is sent. */
const receivingW = [1.1, 0.7, 0.4];
const sendingW = [2.3, 1, 0.6];

/** `airS` and `upAirS`: for which part of the second it receives and sends. */
export function devicePowerW(type: number, airS: number, upAirS: number): number {
  return idleW[type]! + receivingW[type]! * airS + sendingW[type]! * upAirS;
}
