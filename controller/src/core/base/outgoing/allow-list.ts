// Where pushes and webhooks may go. An address that somebody else names is not to be trusted: only what the operator has
// listed passes, and addresses of this machine, of private networks and of clouds' metadata only where a listed network
// names them.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { OutgoingError } from './outgoing-http.ts';

/** The request may never go there. Its message ends a sentence: "the push was refused: ...". */
export class RequestRefused extends OutgoingError {
  override name = 'RequestRefused';
}

/** An entry of WEFT_PUSH_ALLOW or WEFT_WEBHOOK_ALLOW. */
export interface AllowListEntry {
  /** A name in lower case, or a network such as 10.0.0.0/8. */
  host: string;
  /** 0: any. */
  port: number;
}

export interface Destination {
  url: URL;
  /** Without brackets; a name, or an address. */
  host: string;
  port: number;
}

/** Not of the public internet, or known to be a trap on it. */
const specialNetworks: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '2001::/23'],
  ...['2001:db8::/32', '2002::/16', '3fff::/20'],
];
const special = listOf(specialNetworks);
/** All of IPv6 that is given out. */
const globalSix = listOf(['2000::/3']);

/** Throws RequestRefused, which calls the address by `name`. All spellings of an address have the same result. */
export function parseDestination(address: unknown, name: string): Destination {
  const refused = (problem: string) => new RequestRefused(`${name} ${problem}`);
  if (typeof address !== 'string' || address.length > 2048) throw refused('is no usable text');
  const url = URL.parse(address);
  if (!url) throw refused('is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('is neither http nor https');
  if (url.username !== '' || url.password !== '') throw refused('carries credentials');
  const host = plainAddress(url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''));
  if (host === '') throw refused('names no host');
  return { url, host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
}

export class AllowList {
  readonly #names: ReadonlySet<string>;
  readonly #networks = new Map<number, BlockList>();

  constructor(entries: readonly AllowListEntry[]) {
    this.#names = new Set(entries.map(({ host, port }) => `${host}:${port}`));
    const ports = new Set(entries.map(({ port }) => port));
    for (const port of ports) {
      const networks = entries.filter((entry) => entry.port === port && entry.host.includes('/'));
      if (networks.length > 0) this.#networks.set(port, listOf(networks.map(({ host }) => host)));
    }
  }

  /** False if it is refused whatever its name stands for: no lookup is needed. */
  mayReach({ host, port }: Destination): boolean {
    if (isIP(host) !== 0) return this.permits({ host, port }, host);
    return this.#isNamed(host, port) || this.#networks.has(port) || this.#networks.has(0);
  }

  /** Whether it is sure to be allowed, without asking what its name stands for. */
  isListed({ host, port }: Destination): boolean {
    return isIP(host) === 0 ? this.#isNamed(host, port) : this.permits({ host, port }, host);
  }

  /** Whether this address, for which the host stands, may be connected to. */
  permits({ host, port }: Pick<Destination, 'host' | 'port'>, address: string): boolean {
    const plain = plainAddress(address);
    if (isIP(plain) === 0) return false;
    for (const networks of [this.#networks.get(port), this.#networks.get(0)]) {
      if (networks && contains(networks, plain)) return true;
    }
    return this.#isNamed(host, port) && !isSpecial(plain);
  }

  #isNamed(host: string, port: number): boolean {
    return this.#names.has(`${host}:${port}`) || this.#names.has(`${host}:0`);
  }
}

export function isSpecial(address: string): boolean {
  const plain = plainAddress(address);
  if (isIP(plain) === 0 || contains(special, plain)) return true;
  return isIPv6(plain) && !contains(globalSix, plain);
}

/** IPv4 inside of IPv6 is IPv4. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (!mapped) return address.toLowerCase();
  if (mapped[1] !== undefined) return mapped[1];
  const [high, low] = [Number.parseInt(mapped[2]!, 16), Number.parseInt(mapped[3]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}
