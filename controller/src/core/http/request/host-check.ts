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
  const judge = (host: string): boolean => {
    if (host.startsWith('[')) return isIP(/^\[(.*)\](:\d*)?$/.exec(host)?.[1] ?? '') === 6;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    return names.has(name) || isIP(name) === 4 || name.endsWith('.localhost');
  };
  let lastAccepted: string | undefined;
  /** `host` is the Host header, port included. Nearly all requests bring the same one. */
  return (host: string | undefined): boolean => {
    if (host === undefined || host === lastAccepted) return true;
    if (!judge(host)) return false;
    lastAccepted = host;
    return true;
  };
}

/** As HTTP wants it: one Host and no more, which only HTTP/1.0 may leave out. Readers disagree about which of two counts. */
export function hasOneHost({
  rawHeaders,
  httpVersion,
}: {
  rawHeaders: readonly string[];
  httpVersion: string;
}): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}
