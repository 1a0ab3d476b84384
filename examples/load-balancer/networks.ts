// Networks to try the load balancer on: one in which it can help, and others in which it should do no harm.
import type { Technology } from '@weft/sdk';

/** Metres to the east of the middle of the town. */
const at = (eastM: number) => [`51.4545,${(-2.5879 + eastM / 69_350).toFixed(6)}`];

const street = { access_point_type: '5G' as Technology, num_access_points: 7, num_devices: 15, locations: at(0) };
const hall = { access_point_type: 'WiFi' as Technology, num_access_points: 1, num_devices: 600, locations: at(40) };
const offices = { access_point_type: 'WiFi' as Technology, num_access_points: 5, num_devices: 20, locations: at(60) };
const lamps = { access_point_type: 'LiFi' as Technology, num_access_points: 9, num_devices: 15, locations: at(40) };

export const networks: Record<string, (typeof street)[]> = {
  /** A full hall with light over its front rows; beside it offices with room, and the cells of the street. */
  district: [street, hall, offices, lamps],
  /** The same with fewer people in the hall. */
  busy: [street, { ...hall, num_devices: 450 }, offices, lamps],
  /** Low load everywhere. */
  quiet: [street, { ...hall, num_devices: 200 }, offices, { ...lamps, num_devices: 5 }],
  /** 5G alone, and a crowded square at the edge of its cells. */
  square: [
    { ...street, num_devices: 30 },
    { ...street, num_access_points: 1, num_devices: 200, locations: at(175) },
  ],
  /** WiFi is full everywhere, and the only other cells are distant and busy. */
  crowded: [
    { ...street, num_devices: 50, locations: at(175) },
    { ...offices, num_access_points: 3, num_devices: 330, locations: at(0) },
  ],
};
