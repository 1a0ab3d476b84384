// What has changed among agents and sites since a revision: with it a node keeps all of them in memory without reading them
// again and again.

/** An agent without its configuration, which may be large: only what of it is asked of every agent. */
export interface FleetAgent {
  id: string;
  ap_id: string;
  display_name: string | null;
  site_id: string | null;
  /** Each once, ordered. */
  tags: readonly string[];
  /** `configuration.access_point_type`, if that is a text. */
  access_point_type: string | null;
  /** `configuration.report_interval_seconds` in milliseconds, if it is sensible. */
  configuredMs: number | undefined;
  onboard: boolean;
  /** The id of the caller that created the emulated network; null for a real agent. */
  emulated_for: string | null;
  /** It is emulated, and its run is over. */
  isEnded: boolean;
  created_at: number;
}

export interface FleetRevision {
  /** Of the newest change of agents or sites. */
  revision: number;
  /** Of the newest change of sites. */
  sites: number;
  /** Removals up to here are forgotten. */
  forgotten: number;
}

/** Where to go on in `changed`. */
export interface ChangePosition {
  revision: number;
  ap_id: string;
}

/** Every method throws TryLaterError (503) while the database is unavailable. */
export interface FleetStore {
  /** A change that was durable before the call has this revision or an earlier one. */
  revision(): Promise<FleetRevision>;
  /** Up to `limit` agents whose ap_id comes after this one, in byte order. */
  page(afterApId: string, limit: number): Promise<FleetAgent[]>;
  /**
   * Up to `limit` agents that were created or changed after this position, in the order of revisions, and where to go on;
   * undefined if these are all.
   */
  changed(after: ChangePosition, limit: number): Promise<{ agents: FleetAgent[]; next: ChangePosition | undefined }>;
  /** The names of agents that were removed after this revision; others may have them now. Complete from `forgotten` on. */
  removed(afterRevision: number): Promise<string[]>;
  /** The paths of all sites by their ids. */
  sites(): Promise<Map<string, string>>;
  /** The configurations of these agents, as JSON; those that do not exist are left out. */
  configurations(ap_ids: readonly string[]): Promise<Map<string, string>>;
}
