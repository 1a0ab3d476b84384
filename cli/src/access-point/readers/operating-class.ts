// Operating classes and PHY types as neighbour reports of 802.11 have them (IEEE 802.11, annex E, the global table).

/** Undefined for a channel of none of these bands. */
export function operatingClass(frequencyMhz: number, channel: number, widthMhz = 20): number | undefined {
  if (frequencyMhz === 2484) return 82;
  // In the 2.4 GHz band the class says on which side the second channel is, which only the beacon knows.
  if (frequencyMhz >= 2400 && frequencyMhz < 2500) return 81;
  if (frequencyMhz >= 5955 && frequencyMhz <= 7115) return { 20: 131, 40: 132, 80: 133, 160: 134, 320: 137 }[widthMhz];
  if (frequencyMhz < 5170 || frequencyMhz > 5900) return undefined;
  if (widthMhz === 80) return 128;
  if (widthMhz === 160) return 129;
  const [single, lower] = fiveGhzClasses(channel);
  if (widthMhz < 40 || lower === undefined) return single;
  return isLower(channel) ? lower : lower + 1;
}

/** For 20 MHz, and for 40 MHz with the second channel above; the next one has it below. */
function fiveGhzClasses(channel: number): [number, number?] {
  if (channel <= 48) return [115, 116];
  if (channel <= 64) return [118, 119];
  if (channel <= 144) return [121, 122];
  // Up to 161 there is a class of its own, but 125 covers all from 149 on.
  return [125, channel <= 161 ? 126 : undefined];
}

function isLower(channel: number): boolean {
  const first = channel >= 149 ? 149 : 36;
  return ((channel - first) / 4) % 2 === 0;
}

/** What a radio can, by the generation of its standard. */
export interface RadioModes {
  ht: boolean;
  vht: boolean;
  he: boolean;
}

/** dot11PHYType. */
export function phyType({ ht, vht, he }: RadioModes, frequencyMhz: number): number {
  if (he) return 14;
  if (vht) return 9;
  if (ht) return 7;
  return frequencyMhz < 3000 ? 6 : 4;
}
