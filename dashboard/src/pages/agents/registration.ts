// What a person types to register an access point, as the interface wants it. Pure.
import { geolocationOf } from '../../data/agent-configuration.ts';

/** `51.4552, -2.5966`; undefined for anything else. */
export function parsePlace(text: string): { latitude: number; longitude: number } | undefined {
  const parts = text
    .replaceAll('−', '-')
    .split(/[,;]|\s+/)
    .filter(Boolean);
  const [latitude, longitude] = parts;
  return parts.length === 2 ? geolocationOf({ geolocation: { latitude, longitude } }) : undefined;
}

/** A command line that registers one access point; the name is an example that fits the pattern. */
export function enrolmentLine(
  origin: string,
  { token = '', ap_id_pattern }: { token?: string; ap_id_pattern: string },
): string {
  const ap_id = ap_id_pattern.replaceAll('*', '1').replaceAll('?', '1');
  const body = JSON.stringify({ ap_id, password: 'choose one for each', configuration: { access_point_type: 'WiFi' } });
  return [
    `curl -s ${origin}/api/v1/agents/public \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join('\n');
}
