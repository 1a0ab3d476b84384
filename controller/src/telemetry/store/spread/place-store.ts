// On which server the telemetry of each agent lies, for all nodes.

export interface TelemetryServer {
  /** As the server itself has it. */
  id: string;
  /** Hosts and database at which it was last seen. */
  place: string;
  /** No new agents are placed on it. */
  isDrained: boolean;
}

/** Every method throws TryLaterError while the database is out of reach. */
export interface PlaceStore {
  servers(): Promise<TelemetryServer[]>;
  /** This server is at this place now; it may be new. */
  seen(id: string, place: string): Promise<void>;
  setDrained(id: string, isDrained: boolean): Promise<void>;
  /** The ids of the servers of those of these agents that have a place. */
  get(ap_ids: readonly string[]): Promise<Map<string, string>>;
  /** Gives an agent a place if it has none, and resolves the one it has: the same for all who ask. `choose` gets the drained servers. */
  place(ap_id: string, choose: (drained: ReadonlySet<string>) => string): Promise<string>;
  /** Those of these agents that have no place lie on this server. */
  adopt(ap_ids: readonly string[], server: string): Promise<void>;
  /** Resolves false, and changes nothing, if it is not at `from`. */
  move(ap_id: string, from: string, to: string): Promise<boolean>;
  remove(ap_id: string): Promise<void>;
  /** The next agents in the order of their names. */
  after(ap_id: string, limit: number): Promise<{ ap_id: string; server: string }[]>;
  /** How many agents lie on each server that has any. */
  counts(): Promise<Map<string, number>>;
}

/** Throws an Error that says what to do if agents lie on other servers than these. */
export async function requireAllNamed(places: PlaceStore, ids: readonly string[]): Promise<void> {
  for (const [id, count] of await places.counts()) {
    if (ids.includes(id)) continue;
    const place = (await places.servers()).find((server) => server.id === id)?.place ?? id;
    throw new Error(
      `the telemetry of ${count} access points lies on ${place}, which WEFT_TELEMETRY_URL does not name: ` +
        `name it again, run weft rebalance --drain ${place}, and leave it out then`,
    );
  }
}
