// Where other machines reach Weft. Only administrators are told: the addresses of a machine are nobody else's business.
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { isLoopback } from '../../base/loopback.ts';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** The best first. Empty if Weft listens on loopback only and has no public URL elsewhere. */
export function reachableUrls(
  { host, publicUrl }: { host: string; publicUrl: string | undefined },
  ownUrl: string,
  interfaces: Interfaces = networkInterfaces(),
): string[] {
  if (publicUrl !== undefined) {
    const name = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
    return isLoopback(name) ? [] : [publicUrl];
  }
  if (isLoopback(host)) return [];
  const { protocol, port } = new URL(ownUrl);
  const toUrl = (name: string) => `${protocol}//${name.includes(':') ? `[${name}]` : name}${port && `:${port}`}`;
  if (host !== '0.0.0.0' && host !== '::') return [toUrl(host)];
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  // A link-local address needs the name of an interface of the other machine.
  const usable = all.filter(({ internal, address }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address));
  const ofFamily = (family: string) => usable.filter((each) => each.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily('IPv4'), ...(host === '::' ? ofFamily('IPv6') : [])])].map(toUrl);
}
