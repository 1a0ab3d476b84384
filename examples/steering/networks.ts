// Offices to try steering in: one in which it can help, and others in which it can do less.

const at = (eastM: number) => [`51.4545,${(-2.5879 + eastM / 69_350).toFixed(6)}`];

/** Lamps over the desks with people who walk about, WiFi behind them, and the cells of the street. */
const lamps = {
  access_point_type: 'LiFi',
  num_access_points: 16,
  num_devices: 5,
  locations: at(0),
  mbps_per_device: 2,
};
const wifi = { access_point_type: 'WiFi', num_access_points: 2, num_devices: 6, locations: at(0), mbps_per_device: 2 };
const street = { access_point_type: '5G', num_access_points: 3, num_devices: 3, locations: at(60), mbps_per_device: 2 };

export const networks: Record<string, (typeof lamps)[]> = {
  office: [lamps, wifi, street],
  /** WiFi is full of devices of its own: there is no room for those that leave the light. */
  full: [lamps, { ...wifi, num_devices: 60, mbps_per_device: 4 }, street],
  /** As many people again under the lamps: more bodies, and full lamps. */
  crowd: [{ ...lamps, num_devices: 10 }, wifi, street],
  /** Only the light, and the street outside. */
  'no-wifi': [lamps, street],
};
