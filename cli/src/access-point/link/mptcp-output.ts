// Parses the output of `ip mptcp endpoint show` and of `ss -tin`.

/** An address of this device over which MPTCP may open subflows. */
export interface Endpoint {
  id: number;
  address: string;
  /** Its interface. */
  dev: string | undefined;
  isBackup: boolean;
}

/** `10.0.0.2 id 1 subflow backup dev wlan0`. */
export function parseEndpoints(text: string): Endpoint[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...words] = line.trim().split(/\s+/);
    const after = (key: string) => words[words.indexOf(key) + 1];
    const id = words.includes('id') ? Number(after('id')) : Number.NaN;
    if (!Number.isInteger(id)) return [];
    const dev = words.includes('dev') ? after('dev') : undefined;
    return [{ id, address, dev, isBackup: words.includes('backup') }];
  });
}

/** One TCP connection of an MPTCP connection. */
export interface Subflow {
  /** Tells it from others: both addresses and ports. */
  key: string;
  localAddress: string;
  receivedBytes: number | undefined;
  ackedBytes: number | undefined;
  rttMs: number | undefined;
}

/** Two lines each: the addresses, then indented the values. Others than subflows are left out. */
export function parseSubflows(text: string): Subflow[] {
  const found: Subflow[] = [];
  let head: string[] = [];
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) head = line.trim().split(/\s+/);
    else if (/\btcp-ulp-mptcp\b/.test(line) && head[0] === 'ESTAB' && head.length >= 5) {
      const [, , , local = '', remote = ''] = head;
      const number = (pattern: RegExp) => {
        const value = pattern.exec(line)?.[1];
        return value === undefined ? undefined : Number(value);
      };
      found.push({
        key: `${local} ${remote}`,
        localAddress: addressOf(local),
        // The kernel leaves out what is zero.
        receivedBytes: number(/\bbytes_received:(\d+)/) ?? 0,
        ackedBytes: number(/\bbytes_acked:(\d+)/) ?? 0,
        rttMs: number(/\brtt:([\d.]+)/),
      });
    }
  }
  return found;
}

/** Of `10.0.0.2%wlan0:443` or `[fd00::2]:443`. */
function addressOf(text: string): string {
  const host = text.slice(0, text.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  const at = host.indexOf('%');
  return at < 0 ? host : host.slice(0, at);
}
