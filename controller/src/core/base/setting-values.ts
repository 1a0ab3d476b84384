// Parses the text of a setting. Each parser throws an Error whose message ends a sentence that begins
// with the setting's name ("must be a whole number from 0 to 65535"); it never repeats the text, which may be secret.
import { isIP } from 'node:net';
import { serverAddresses } from '@weft/contract/server-addresses';
import { weaknessOf } from './secret-strength.ts';

export function text(value: string): string {
  return value;
}

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^[0-9]{1,15}$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

/** Not negative; with a point, where it has decimals. */
export function amount(max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(value) || number > max) {
      throw new Error(`must be a number from 0 to ${max}, such as 0.30`);
    }
    return number;
  };
}

export function currency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value)) throw new Error('must be three capital letters, such as EUR');
  return value;
}

export function oneOf<const Choice extends string>(...choices: Choice[]): (value: string) => Choice {
  return (value) => {
    const choice = choices.find((known) => known === value);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

/** An empty text is an empty list. */
export function listOf<Item>(readItem: (value: string) => Item): (value: string) => Item[] {
  return (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => readItem(item));
}

export function hostName(value: string): string {
  const labels = value.split('.');
  const isName = value.length <= 253 && labels.every((label) => /^[a-z0-9_-]{1,63}$/i.test(label));
  if (!isName && isIP(value) === 0) throw new Error('must be a host name or an IP address, without a port');
  return value.toLowerCase();
}

export function network(value: string): string {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  const isPrefix =
    prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
  if (version === 0 || !isPrefix || rest.length > 0) {
    throw new Error('must hold IP addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas');
  }
  return value;
}

/** A name or a network, each with one port. An address alone is the network of that address. */
export function pushDestination(value: string): { host: string; port: number } {
  const at = value.lastIndexOf(':');
  const port = Number(value.slice(at + 1));
  const host = value.slice(0, Math.max(at, 0)).replace(/^\[(.*)\]$/, '$1');
  try {
    if (!/^[0-9]{1,5}$/.test(value.slice(at + 1)) || port < 1 || port > 65_535) throw new Error('no port');
    if (host.includes('/')) return { host: network(host), port };
    const version = isIP(host);
    return { host: version === 0 ? hostName(host) : `${host}/${version === 4 ? 32 : 128}`, port };
  } catch {
    throw new Error('must hold destinations such as ap.example.org:443 or 10.1.0.0/16:8080, separated by commas');
  }
}

/** A name or a network, with a port or for every port. */
export function webhookDestination(value: string): { host: string; port: number } {
  try {
    const version = isIP(value);
    if (version !== 0) return { host: `${value}/${version === 4 ? 32 : 128}`, port: 0 };
    if (value.includes('/') && isIP(value.split('/')[0]!) !== 0 && !/\]?:[0-9]+$/.test(value.split('/')[1]!)) {
      return { host: network(value), port: 0 };
    }
    return value.includes(':') ? pushDestination(value) : { host: hostName(value), port: 0 };
  } catch {
    throw new Error(
      'must hold names and networks such as hooks.example.org, 10.1.0.0/16 or 10.1.0.0/16:8080, separated by commas',
    );
  }
}

export function origin(value: string): string {
  if (value === '*') throw new Error('must name each origin; * would allow every web page');
  const url = URL.parse(value);
  const isOrigin =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    [url.origin, `${url.origin}/`].includes(value.toLowerCase());
  if (!isOrigin) throw new Error('must be an origin such as https://weft.example.org, without a path');
  return url.origin;
}

/** Where Weft is reached. Links, pages and sockets begin at the root of the host. */
export function publicOrigin(value: string): string {
  const url = URL.parse(value);
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname !== '/') {
    const name = `${url.protocol}//weft.${url.hostname.replace(/^www\./, '')}`;
    throw new Error(
      `must not have a path: Weft is served at the root of a host name. Give it a name of its own in the proxy, such as ${name}, and set that without a path (docs/operations.md, "Behind a reverse proxy")`,
    );
  }
  return origin(value);
}

/** An address with the places that a map server fills in, and nothing else of a web address that could hold a secret. */
export function tileUrl(value: string): string {
  const url = URL.parse(value);
  const isWeb =
    url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb || !['{z}', '{x}', '{y}'].every((part) => value.includes(part)) || /[{}]/.test(url.host)) {
    throw new Error(
      'must be an http or https URL with {z}, {x} and {y}, such as https://tiles.example.org/{z}/{x}/{y}.png',
    );
  }
  return value;
}

export function urlWith(...schemes: string[]): (value: string) => string {
  return (value) => {
    const url = URL.parse(value);
    if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
      throw new Error(`must be a URL beginning with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    }
    return value;
  };
}

/** The same, but several servers may stand before the path: scheme://user:password@first:1,second:2/name. */
export function urlOfServers(...schemes: string[]): (value: string) => string {
  const readOne = urlWith(...schemes);
  return (value) => {
    const addresses = serverAddresses(value);
    for (const address of addresses) readOne(address);
    if (addresses.length > 1 && addresses.some((address) => URL.parse(address)?.hostname === '')) {
      throw new Error('names several servers, one of them without a host');
    }
    return value;
  };
}

/** Detects typing errors only; the user service applies the full rule. */
export function emailAddress(value: string): string {
  const parts = value.split('@');
  if (parts.length !== 2 || parts.includes('') || /\s/.test(value)) throw new Error('must be an e-mail address');
  return value;
}

export function mailSender(value: string): string {
  const address = value.endsWith('>') ? value.slice(value.lastIndexOf('<') + 1, -1) : value;
  try {
    if (/[\r\n]/.test(value)) throw new Error('line break');
    emailAddress(address);
  } catch {
    throw new Error('must be an e-mail address, or a name and an address: Weft <weft@example.org>');
  }
  return value;
}

export function signingSecret(value: string): string {
  const weakness = weaknessOf(value);
  if (weakness !== undefined) throw new Error(weakness);
  return value;
}
