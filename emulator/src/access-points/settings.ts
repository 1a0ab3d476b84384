// What can be set on an access point: where it starts, how far it goes, how fast it follows, and what the hardware makes
// of a wish that it cannot fulfil exactly.
import type { NrScenario } from '../radio/nr.ts';
import type { AccessPointType } from '../world/world-spec.ts';

export interface Settings {
  tx_power_dbm: number;
  tilt_degrees: number;
  prb_quota_pct: number;
  channel: number;
  channel_width_mhz: number;
  dimming_pct: number;
  beam_angle_degrees: number;
  /** How much better another cell must be, and for how long, before a device goes there. */
  handover_margin_db: number;
  time_to_trigger_s: number;
}

export const powerRanges: Record<NrScenario | 'WiFi', { minimum: number; maximum: number; usual: number }> = {
  UMa: { minimum: 23, maximum: 46, usual: 43 },
  UMi: { minimum: 10, maximum: 38, usual: 33 },
  InH: { minimum: 0, maximum: 24, usual: 21 },
  WiFi: { minimum: 0, maximum: 23, usual: 20 },
};

export const tiltRange = { minimum: 0, maximum: 15 };
export const beamRange = { minimum: 15, maximum: 70 };

/** Primary channels of 5 GHz; and the sub-bands of LiFi. */
export const wifiChannels = [
  36, 40, 44, 48, 52, 56, 60, 64, 100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 149, 153, 157, 161,
];
export const lifiChannels = [1, 2, 3, 4];
export const wifiWidths = [20, 40, 80, 160];
export const marginRange = { minimum: 0, maximum: 10 };
export const triggerRange = { minimum: 0, maximum: 10 };
/** The channels a new access point chooses from: one of each pair, and none where little power is allowed. */
export const plannedChannels: Record<AccessPointType, readonly number[]> = {
  '5G': [0],
  WiFi: [36, 44, 52, 60, 100, 108, 116, 124, 132],
  LiFi: lifiChannels,
};

/** Change per second, while the access point goes to a new setting. */
export const pace: Settings = {
  tx_power_dbm: 6,
  tilt_degrees: 1,
  prb_quota_pct: 100,
  channel: Infinity,
  channel_width_mhz: Infinity,
  dimming_pct: 20,
  beam_angle_degrees: 5,
  handover_margin_db: Infinity,
  time_to_trigger_s: Infinity,
};

const lowestQuotaPct = 5;
const lowestLightPct = 5;
const lensStopDegrees = 5;
const shortRangeDbm = 14;

export function usualSettings(type: AccessPointType, scenario: NrScenario, channel: number): Settings {
  return {
    tx_power_dbm: type === 'LiFi' ? 0 : powerRanges[type === '5G' ? scenario : 'WiFi'].usual,
    tilt_degrees: type === '5G' ? 6 : 0,
    prb_quota_pct: 100,
    channel,
    dimming_pct: 100,
    beam_angle_degrees: 60,
    channel_width_mhz: type === 'WiFi' ? 40 : 20,
    handover_margin_db: 3,
    time_to_trigger_s: 2,
  };
}

/** What the access point makes of wished-for settings: the nearest it can and may do. */
export function possibleSettings(type: AccessPointType, wish: Settings): Settings {
  const { prb_quota_pct, dimming_pct, beam_angle_degrees, channel } = wish;
  return {
    ...wish,
    tx_power_dbm: possiblePowerDbm(type, wish.tx_power_dbm, channel),
    tilt_degrees: Math.round(wish.tilt_degrees * 10) / 10,
    handover_margin_db: Math.round(wish.handover_margin_db * 2) / 2,
    // Signalling needs some of the carrier.
    prb_quota_pct: Math.max(lowestQuotaPct, prb_quota_pct),
    // A lamp is dark, or bright enough not to flicker.
    dimming_pct: dimming_pct > 0 ? Math.max(lowestLightPct, dimming_pct) : 0,
    beam_angle_degrees: Math.round(beam_angle_degrees / lensStopDegrees) * lensStopDegrees,
  };
}

/** 5G amplifiers go in half decibels, WiFi ones in whole; the channels from 149 on are for short ranges by law. */
function possiblePowerDbm(type: AccessPointType, dbm: number, channel: number): number {
  if (type === '5G') return Math.round(dbm * 2) / 2;
  const whole = Math.round(dbm);
  return type === 'WiFi' && channel >= 149 ? Math.min(shortRangeDbm, whole) : whole;
}
