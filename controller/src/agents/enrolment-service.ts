// Enrolment: tokens that administrators create, and with which access points register themselves.
import { randomUUID } from 'node:crypto';
import type { Agent, EnrolmentToken } from '@weft/contract';
import { matchesGlob } from '@weft/contract/glob';
import type { AuditService } from '../audit/audit-service.ts';
import type { Actor, Caller } from '../caller.ts';
import { AuthenticationError, NotFoundError, PermissionError, TryLaterError } from '../errors.ts';
import { generateSecret, hashGeneratedSecret } from '../secrets.ts';
import type { NewAgent } from './agent-answers.ts';
import { enrolmentTokenCreated, enrolmentTokenRemoved } from './agent-entries.ts';
import type { AgentService } from './agent-service.ts';
import type { EnrolmentTokenRecord, EnrolmentTokenStore } from './enrolment-token-store.ts';

/** The prefix of enrolment tokens, to distinguish them from access tokens. */
export const enrolmentTokenPrefix = 'weft-enrol-';

const maxTokens = 10_000;

export interface EnrolmentServiceOptions {
  agents: AgentService;
  tokens: EnrolmentTokenStore;
  audit: AuditService;
  /** Where access points reach Weft, the best first. */
  reachableUrls: () => string[];
}

export class EnrolmentService {
  readonly #agents: AgentService;
  readonly #tokens: EnrolmentTokenStore;
  readonly #audit: AuditService;
  readonly #reachableUrls: () => string[];

  constructor({ agents, tokens, audit, reachableUrls }: EnrolmentServiceOptions) {
    this.#agents = agents;
    this.#tokens = tokens;
    this.#audit = audit;
    this.#reachableUrls = reachableUrls;
  }

  /** Throws AuthenticationError unless the token can still be used. */
  async require(token: string): Promise<void> {
    if (!(await this.#tokens.getUsable(hashGeneratedSecret(token), Date.now()))) throw badToken();
  }

  /** Registers an agent with this token; a use is counted only if the agent is created. */
  async enrol(token: string, input: NewAgent): Promise<Agent> {
    const hash = hashGeneratedSecret(token);
    const enrolment = await this.#tokens.getUsable(hash, Date.now());
    if (!enrolment) throw badToken();
    if (!matchesGlob(enrolment.ap_id_pattern, input.ap_id)) {
      throw new PermissionError('ap_id_not_permitted', `This enrolment token is for ${enrolment.ap_id_pattern} only`);
    }
    const by: Actor = { kind: 'enrolment_token', id: enrolment.id, name: enrolment.id };
    const agent = await this.#agents.register(input, by, (record, also) =>
      this.#tokens.redeem(hash, Date.now(), record, also),
    );
    if (!agent) throw badToken();
    return agent;
  }

  /** The only answer that contains the token itself. */
  async create(
    input: { ap_id_pattern: string; expires_in: number; max_uses: number },
    createdBy: Caller,
  ): Promise<EnrolmentToken> {
    const token = enrolmentTokenPrefix + generateSecret();
    const now = Date.now();
    if ((await this.#tokens.count(now)) >= maxTokens) {
      throw new TryLaterError(
        429,
        'too_many_enrolment_tokens',
        'Too many enrolment tokens are open; revoke some first',
        3600,
      );
    }
    const record: EnrolmentTokenRecord = {
      id: randomUUID(),
      token_hash: hashGeneratedSecret(token),
      ap_id_pattern: input.ap_id_pattern,
      created_by: createdBy.name,
      created_at: now,
      expires_at: now + input.expires_in * 1000,
      max_uses: input.max_uses,
      uses: 0,
    };
    await this.#tokens.removeExpired(now);
    await this.#tokens.create(
      record,
      this.#audit.entry(() => enrolmentTokenCreated(createdBy, record)),
    );
    return { ...toEnrolmentTokenResponse(record), token, urls: this.#reachableUrls() };
  }

  async list(): Promise<EnrolmentToken[]> {
    return (await this.#tokens.list(Date.now())).map(toEnrolmentTokenResponse);
  }

  async remove(id: string, by: Actor): Promise<void> {
    const also = this.#audit.entry<EnrolmentTokenRecord>(({ before }) => enrolmentTokenRemoved(by, before!));
    if (!(await this.#tokens.remove(id, also))) {
      throw new NotFoundError('enrolment_token_not_found', 'Enrolment token not found');
    }
  }
}

function toEnrolmentTokenResponse(token: EnrolmentTokenRecord): EnrolmentToken {
  const { id, ap_id_pattern, expires_at, max_uses, uses, created_by } = token;
  return { id, ap_id_pattern, expires_at: new Date(expires_at).toISOString(), max_uses, uses, created_by };
}

function badToken(): AuthenticationError {
  return new AuthenticationError('invalid_enrolment_token', 'This enrolment token is unknown, used up or expired');
}
