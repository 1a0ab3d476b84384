// A fleet that exists only in the browser, of any size: for lists and maps of thousands without thousands of agents.

/** The two answers that lists and maps are made of; the same at every run. */
export function imagineFleet(count: number) {
  const technologies = ['5G', 'WiFi', 'LiFi'];
  const states = ['online', 'online', 'online', 'online', 'late', 'offline'];
  const seen = new Date().toISOString();
  const names = Array.from({ length: count }, (_, index) => `ap-${String(index + 1).padStart(5, '0')}`);
  const details = names.map((ap_id, index) => ({
    id: ap_id,
    ap_id,
    onboard: true,
    configuration: {
      access_point_type: technologies[index % 3],
      // A town with dense quarters.
      geolocation: {
        latitude: 51.45 + Math.sin(index * 12.9898) * 0.12 * Math.sin(index),
        longitude: -2.6 + Math.cos(index * 78.233) * 0.2 * Math.cos(index * 0.7),
      },
    },
  }));
  const agents = names.map((ap_id, index) => ({
    ap_id,
    presence: states[index % states.length],
    last_seen: seen,
    since: seen,
    reason: 'It is imagined.',
    report_interval_seconds: 1,
    channel: true,
    command_ready: true,
  }));
  return { names, details, presence: { agents } };
}
