// Whether an installation is for this machine alone, by its settings.

/** True for the names and addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host.replace(/^::ffff:/, ''));
}

interface AddressSettings {
  host: string;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
}

/** A proxy on this machine makes it reachable from elsewhere, as does an address for others. */
export function isBeyondLoopback({ host, publicUrl, trustedProxies }: AddressSettings): boolean {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  return !isLoopback(host) || trustedProxies.length > 0 || (publicHost !== undefined && !isLoopback(publicHost));
}
