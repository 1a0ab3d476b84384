// Agent records: one per access point, real or emulated.

export interface AgentRecord {
  id: string;
  ap_id: string;
  password_hash: string;
  configuration: Record<string, unknown>;
  /** False until the agent's first successful login. */
  onboard: boolean;
  /** The id of the caller an emulated agent was spun up for; null for a real one. No caller can write it. */
  emulated_for: string | null;
  ver: string;
  created_at: number;
}

export type AgentChange = Partial<Pick<AgentRecord, 'password_hash' | 'configuration' | 'onboard' | 'ver'>>;

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface AgentStore {
  /** The record, or undefined. */
  get(ap_id: string): Promise<AgentRecord | undefined>;
  /** All agents, ordered by ap_id. */
  list(): Promise<AgentRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `agent_exists` if the ap_id is taken. */
  create(agent: AgentRecord): Promise<void>;
  /** Resolves the record as it is now, or undefined if there is none. */
  update(ap_id: string, change: AgentChange): Promise<AgentRecord | undefined>;
  /**
   * Replaces the configuration by what `change` makes of it, and nothing gets in between. Resolves as `update` does;
   * what `change` throws is thrown, and then nothing was changed.
   */
  changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
  ): Promise<AgentRecord | undefined>;
  /** Resolves whether there was one to remove. */
  remove(ap_id: string): Promise<boolean>;
}
