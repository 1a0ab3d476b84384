// The network on which the energy saver is tried: a hundred access points in one town, or a part of it.
const all = [
  { access_point_type: '5G' as const, num_access_points: 60, num_devices: 4 },
  { access_point_type: 'WiFi' as const, num_access_points: 30, num_devices: 2 },
  { access_point_type: 'LiFi' as const, num_access_points: 10, num_devices: 1 },
];

/** The middle of the town: this share of the access points of each type, as close to each other as in the whole. */
export function townOf(share: number) {
  return all.map((entry) => ({
    ...entry,
    num_access_points: Math.round(share * entry.num_access_points),
    locations: ['51.4545,-2.5879'],
  }));
}
