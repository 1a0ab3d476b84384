// The devices that are attached now, as reports have them.
import type { AttachedDevice } from '@weft/sdk';
import type { ObservedRadio } from './radio.ts';
import { rounded } from './reader.ts';

/** Rates are those that the radio uses for it now, as the access point sees them. */
export type ReportedDevice = Omit<AttachedDevice, 'heard'>;

/** As many as a report may have. */
const maxDevices = 2_000;

export function toDevices(radios: readonly ObservedRadio[]): ReportedDevice[] {
  const all = radios.flatMap(({ stations, survey }) =>
    stations.map(({ address, signalDbm, rxRateMbps, txRateMbps, connectedSeconds }) => {
      const noise = survey?.noiseDbm;
      return {
        device: address.toLowerCase(),
        ...(signalDbm !== undefined && { rssi_dbm: signalDbm }),
        ...(rxRateMbps !== undefined && { rx_mbps: rxRateMbps }),
        ...(txRateMbps !== undefined && { tx_mbps: txRateMbps }),
        ...(signalDbm !== undefined && noise !== undefined && { snr_db: rounded(signalDbm - noise) }),
        ...(connectedSeconds !== undefined && { connected_seconds: connectedSeconds }),
      };
    }),
  );
  return all.slice(0, maxDevices);
}
