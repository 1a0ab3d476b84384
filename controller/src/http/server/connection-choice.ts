// Which connection gives way to a new one when all are in use. Only connections without a login are candidates, and the
// choice moves towards equal numbers for all addresses: nobody who has fewer than the newcomer's address loses one.

export interface Candidate {
  /** No request of it is being answered. */
  readonly isIdle: boolean;
}

/**
 * `groups` are the connections without a login by address, none of them empty, each with the oldest first. Undefined: the
 * newcomer has to go.
 */
export function chooseConnectionToClose<Connection extends Candidate>(
  groups: ReadonlyMap<string, ReadonlySet<Connection>>,
  newcomer: string,
): Connection | undefined {
  const own = groups.get(newcomer);
  const share = (own?.size ?? 0) + 1;
  const greedier = [...groups]
    .filter(([address, group]) => address !== newcomer && group.size > share)
    .map(([, group]) => group)
    .sort((a, b) => b.size - a.size);
  for (const group of own ? [...greedier, own] : greedier) {
    const idle = oldestIdle(group);
    if (idle) return idle;
  }
  return greedier[0] && first(greedier[0]);
}

function oldestIdle<Connection extends Candidate>(group: ReadonlySet<Connection>): Connection | undefined {
  for (const connection of group) if (connection.isIdle) return connection;
  return undefined;
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}
