// What a person types to register an access point, as the interface wants it. Pure.
import { type InstallChecksums, enrolmentLine as lineFor } from '@weft/contract/enrolment-line';
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

interface Enrolment {
  token?: string;
  ap_id_pattern: string;
}

/** A line for the shell of an access point with Linux: fetches Weft's own agent, registers it and starts it as a service. */
export function installLine(
  url: string,
  { token = '', ap_id_pattern }: Enrolment,
  checksums: InstallChecksums,
): string {
  return lineFor({ url, ap_id: fittingName(ap_id_pattern), token, checksums });
}

/** A command line that registers one access point whose agent is somebody's own. */
export function enrolmentLine(origin: string, { token = '', ap_id_pattern }: Enrolment): string {
  const ap_id = fittingName(ap_id_pattern);
  const body = JSON.stringify({ ap_id, password: 'choose one for each', configuration: { access_point_type: 'WiFi' } });
  return [
    `curl -s ${origin}/api/v1/agents/public \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(body)}`,
  ].join('\n');
}

/** An example that fits the pattern. */
function fittingName(ap_id_pattern: string): string {
  return ap_id_pattern.replaceAll('*', '1').replaceAll('?', '1');
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether only this machine reaches it. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The addresses to choose from, the best first: the one in use if other machines reach it, then those that Weft offers. */
export function addressesFor(origin: string, offered: readonly string[]): string[] {
  const all = isLoopbackUrl(origin) ? [...offered, origin] : [origin, ...offered];
  return [...new Set(all)];
}
