// Refuses requests whose Host is a name this installation does not go by: that is how a web page makes a visitor's
// browser talk to a service on the visitor's own network (DNS rebinding). Addresses cannot be rebound, so they pass.
import { isIP } from 'node:net';

export function createHostCheck(options: {
  host: string;
  publicUrl?: string | undefined;
  allowedHosts: readonly string[];
}) {
  const names = new Set(['localhost', options.host, ...options.allowedHosts].map((name) => name.toLowerCase()));
  if (options.publicUrl) names.add(new URL(options.publicUrl).hostname.toLowerCase());
  /** `host` is the Host header, port included. */
  return (host: string | undefined): boolean => {
    if (host === undefined) return true;
    if (host.startsWith('[')) return isIP(host.slice(1, host.indexOf(']'))) === 6;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    return names.has(name) || isIP(name) === 4 || name.endsWith('.localhost');
  };
}
