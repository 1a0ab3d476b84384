// The secrets with which pushes are signed: minted here and shown once, kept encrypted, opened only to sign.
import type { PushSecret } from '@weft/contract';
import type { AgentService } from '../../../accounts/agents/agent-service.ts';
import type { AuditService } from '../../../accounts/audit/audit-service.ts';
import type { Caller } from '../../../base/caller.ts';
import { signatureOf } from '../../../base/outgoing/guarded-http.ts';
import { generateSecret, type Keyring } from '../../../base/secrets.ts';
import type { PushSecretRecord, PushSecretStore } from './push-secret-store.ts';

/** The prefix of a push secret, so that a leaked one can be recognised. */
const prefix = 'weft-push-';

export interface PushSecretServiceOptions {
  secrets: PushSecretStore;
  agents: AgentService;
  keyring: Keyring;
  audit: AuditService;
}

export class PushSecretService {
  readonly #options: PushSecretServiceOptions;
  /** Agents that have a secret, for presence; those of other nodes are read with the next start or push. */
  readonly #holders = new Set<string>();

  constructor(options: PushSecretServiceOptions) {
    this.#options = options;
  }

  /** The only answer that ever holds the secret. Throws NotFoundError if there is no such agent. */
  async mint(ap_id: string, by: Caller): Promise<PushSecret> {
    const { id } = await this.#options.agents.get(ap_id, by);
    const secret = prefix + generateSecret();
    await this.#options.secrets.put(
      { ap_id, agent_id: id, secret_encrypted: this.#options.keyring.encrypt(secret, id), created_at: Date.now() },
      this.#options.audit.entry<PushSecretRecord>(() => ({
        actor: by,
        action: 'push_secret_created',
        target: { kind: 'agent', name: ap_id },
        detail: {},
      })),
    );
    this.#holders.add(ap_id);
    return { ap_id, secret };
  }

  /** Signs for this agent; undefined if it has no secret. Throws if its key is not known any more. */
  async signer(agent: { id: string; ap_id: string }): Promise<((nowMs: number, body: string) => string) | undefined> {
    const record = await this.#options.secrets.get(agent.ap_id);
    if (record?.agent_id !== agent.id) {
      this.#holders.delete(agent.ap_id);
      return undefined;
    }
    this.#holders.add(agent.ap_id);
    const secret = this.#options.keyring.decrypt(record.secret_encrypted, agent.id);
    return (nowMs, body) => signatureOf(secret, nowMs, body);
  }

  /** As far as this node knows. */
  hasSecret(ap_id: string): boolean {
    return this.#holders.has(ap_id);
  }

  /** Re-encrypts every secret with the newest key; resolves which agents have one. Those with an unknown key stay unchanged. */
  async prepare(): Promise<string[]> {
    const records = await this.#options.secrets.list();
    for (const { ap_id, agent_id, secret_encrypted: before } of records) {
      this.#holders.add(ap_id);
      if (!this.#options.keyring.isOutdated(before) || !this.#options.keyring.canDecrypt(before)) continue;
      const secret = this.#options.keyring.decrypt(before, agent_id);
      await this.#options.secrets.reencrypt(ap_id, before, this.#options.keyring.encrypt(secret, agent_id));
    }
    return records.map(({ ap_id }) => ap_id);
  }

  /** The agent was removed. */
  async removed(ap_id: string): Promise<void> {
    this.#holders.delete(ap_id);
    await this.#options.secrets.remove(ap_id);
  }
}
