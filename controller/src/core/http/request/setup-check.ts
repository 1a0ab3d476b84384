// Who may create the first administrator: somebody on this machine, or somebody who can read what was printed at start.
import { timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { PermissionError } from '../../base/errors.ts';
import { readQuery } from '../../base/input/query-reader.ts';
import { isLoopback } from '../../base/loopback.ts';
import { addressKey, type RateLimiter } from '../../base/shares/rate-limiter.ts';
import { searchOf } from './route.ts';

/** A request that came through a proxy nobody told us about may come from anywhere. */
export function isForwarded(headers: Record<string, unknown>): boolean {
  return (
    headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  );
}

/** Whether the first administrator must show the set-up code, because the service is meant to be reached from elsewhere. */
export function isSetupCodeNeeded(config: {
  host: string;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
}): boolean {
  return !isLoopback(config.host) || config.publicUrl !== undefined || config.trustedProxies.length > 0;
}

export interface SetupCheckOptions {
  code: string;
  /** Whether everybody must show the code, not only those from elsewhere. */
  always: boolean;
  attempts: RateLimiter;
}

export function createSetupCheck({ code, always, attempts }: SetupCheckOptions) {
  return (request: FastifyRequest): void => {
    const address = request.ip;
    if (!always && isLoopback(address) && !isForwarded(request.headers)) return;
    attempts.check(addressKey(address));
    const given = readQuery(searchOf(request)).get('code')?.at(-1);
    if (given !== undefined && isEqual(given.trim().toUpperCase(), code)) return;
    attempts.count(addressKey(address));
    throw new PermissionError('setup_code_required', 'Give the set-up code that Weft printed at start, as ?code=');
  };
}

function isEqual(given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Membership in a list of addresses and networks such as `127.0.0.0/8`. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
