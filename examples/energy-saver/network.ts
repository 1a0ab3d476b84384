// The network on which the energy saver is tried: a hundred access points in one town.
export const network = [
  { access_point_type: '5G', num_access_points: 60, num_devices: 4 },
  { access_point_type: 'WiFi', num_access_points: 30, num_devices: 2 },
  { access_point_type: 'LiFi', num_access_points: 10, num_devices: 1 },
].map((entry) => ({ ...entry, locations: ['51.4545,-2.5879'] }));
