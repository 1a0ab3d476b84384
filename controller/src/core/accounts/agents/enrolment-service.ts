// Enrolment: tokens that administrators and managers create, and with which access points register themselves.
import { randomUUID } from 'node:crypto';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { Agent, EnrolmentToken } from '@weft/contract';
import { matchesGlob } from '@weft/contract/glob';
import { type Actor, type Caller, type CredentialRef, ownerRef } from '../../base/caller.ts';
import type { CredentialScheme, Pass, Shown } from '../../base/credential.ts';
import { AuthenticationError, notFound, PermissionError } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { generateSecret, hashGeneratedSecret } from '../../base/secrets.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { NewAgent } from './agent-answers.ts';
import { enrolmentTokenCreated, enrolmentTokenRemoved } from './agent-entries.ts';
import { noLabels } from './agent-record.ts';
import type { AgentService } from './agent-service.ts';
import { UnknownSite } from './agent-store.ts';
import type { EnrolmentTokenRecord, EnrolmentTokenStore } from './enrolment-token-store.ts';
import { noSuchSite } from './label-service.ts';

/** The prefix of enrolment tokens, to distinguish them from access tokens. */
export const enrolmentTokenPrefix = 'weft-enrol-';

export interface EnrolmentServiceOptions {
  agents: AgentService;
  tokens: EnrolmentTokenStore;
  audit: AuditService;
  /** Who has created tokens. */
  managerNow: (ref: CredentialRef) => Promise<Caller | undefined>;
  /** Where access points reach Weft, the best first. */
  reachableUrls: () => string[];
  /** Of the database that nodes share, if they do. */
  now: () => number;
}

export class EnrolmentService implements CredentialScheme {
  readonly form = 'bearer';
  readonly only = 'enrolment_token';
  readonly #options: EnrolmentServiceOptions;

  constructor(options: EnrolmentServiceOptions) {
    this.#options = options;
  }

  read(token: string): Shown | undefined {
    if (!token.startsWith(enrolmentTokenPrefix)) return undefined;
    return { scheme: 'enrolment_token', admit: () => this.#require(token), remembered: () => undefined };
  }

  /** Throws AuthenticationError unless the token can still be used. */
  async #require(token: string): Promise<Pass> {
    if (!(await this.#options.tokens.getUsable(hashGeneratedSecret(token), this.#options.now()))) throw badToken();
    return { kind: 'enrolment_token', name: token };
  }

  /** Registers an agent with this token; a use is counted only if the agent is created. */
  async enrol(token: string, input: NewAgent): Promise<Agent> {
    const hash = hashGeneratedSecret(token);
    const enrolment = await this.#options.tokens.getUsable(hash, this.#options.now());
    if (!enrolment) throw badToken();
    if (!matchesGlob(enrolment.ap_id_pattern, input.ap_id)) {
      throw new PermissionError('ap_id_not_permitted', `This enrolment token is for ${enrolment.ap_id_pattern} only`);
    }
    const { site, tags } = enrolment;
    await this.#requireManaged(enrolment, input.ap_id);
    const by: Actor = { kind: 'enrolment_token', id: enrolment.id, name: enrolment.id };
    const created = await this.#options.agents.register({ ...input, site, tags }, by, (record, also) =>
      this.#options.tokens.redeem(hash, this.#options.now(), record, also),
    );
    if (!created) throw badToken();
    return created.agent;
  }

  /** The only answer that contains the token itself. */
  async create(
    input: { ap_id_pattern: string; expires_in: number; max_uses: number; site?: string; tags?: string[] },
    createdBy: Caller,
  ): Promise<EnrolmentToken> {
    const { site = null, tags = [] } = input;
    rightsOf(createdBy).requireOwnLabels(noLabels, { site, tags });
    const token = enrolmentTokenPrefix + generateSecret();
    const now = this.#options.now();
    const record: EnrolmentTokenRecord = {
      id: randomUUID(),
      token_hash: hashGeneratedSecret(token),
      ap_id_pattern: input.ap_id_pattern,
      created_by: createdBy.name,
      created_at: now,
      expires_at: now + input.expires_in * 1000,
      max_uses: input.max_uses,
      uses: 0,
      site,
      tags: [...new Set(tags)].sort(),
      managed_by: isManager(createdBy) ? createdBy.id : null,
    };
    const also = this.#options.audit.entry<EnrolmentTokenRecord>(() => enrolmentTokenCreated(createdBy, record));
    await this.#options.tokens.create(record, createdBy, also).catch((error) => {
      throw error instanceof UnknownSite ? noSuchSite(error) : error;
    });
    return { ...toEnrolmentTokenResponse(record), token, urls: this.#options.reachableUrls() };
  }

  /** All of them for administrators; a manager has its own. */
  async list(caller: Caller): Promise<EnrolmentToken[]> {
    const tokens = await this.#options.tokens.list(this.#options.now());
    const isShown = ({ managed_by }: EnrolmentTokenRecord) => !isManager(caller) || managed_by === caller.id;
    return tokens.filter(isShown).map(toEnrolmentTokenResponse);
  }

  async remove(id: string, by: Caller): Promise<void> {
    if (isManager(by) && !(await this.list(by)).some((token) => token.id === id)) throw notFound('Enrolment token');
    const also = this.#options.audit.entry<EnrolmentTokenRecord>(({ before }) => enrolmentTokenRemoved(by, before!));
    if (!(await this.#options.tokens.remove(id, also))) throw notFound('Enrolment token');
  }

  /** Whoever created the token by a grant must still manage what it would register. */
  async #requireManaged({ managed_by, site, tags }: EnrolmentTokenRecord, ap_id: string): Promise<void> {
    if (managed_by === null) return;
    const manager = await this.#options.managerNow(ownerRef({ owner_kind: 'user', owner_id: managed_by }));
    if (!manager) throw badToken();
    rightsOf(manager).requireOwnLabels(noLabels, { site, tags });
    if (rightsOf(manager).manages({ ap_id, site, tags, display_name: null, emulated_for: null })) return;
    throw new PermissionError('ap_id_not_permitted', 'Its creator may not register this access point there');
  }
}

function toEnrolmentTokenResponse(token: EnrolmentTokenRecord): EnrolmentToken {
  const { id, ap_id_pattern, max_uses, uses, created_by, site, tags } = token;
  const expires_at = new Date(token.expires_at).toISOString();
  return { id, ap_id_pattern, expires_at, max_uses, uses, created_by, site, tags };
}

/** A user who is no administrator creates them by a grant. */
function isManager(caller: Caller): boolean {
  const { isUser, isAdmin } = rightsOf(caller);
  return isUser && !isAdmin;
}

function badToken(): AuthenticationError {
  return new AuthenticationError('invalid_enrolment_token', 'This enrolment token is unknown, used up or expired');
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Where other machines reach Weft, the best first: only administrators are told. Empty if Weft listens on loopback only
 * and has no public URL elsewhere.
 */
export function reachableUrls(
  { host, publicUrl }: { host: string; publicUrl: string | undefined },
  ownUrl: string,
  interfaces: Interfaces = networkInterfaces(),
): string[] {
  if (publicUrl !== undefined) {
    const name = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
    return isLoopback(name) ? [] : [publicUrl];
  }
  if (isLoopback(host)) return [];
  const { protocol, port } = new URL(ownUrl);
  const toUrl = (name: string) => `${protocol}//${name.includes(':') ? `[${name}]` : name}${port && `:${port}`}`;
  if (host !== '0.0.0.0' && host !== '::') return [toUrl(host)];
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  // A link-local address needs the name of an interface of the other machine.
  const usable = all.filter(({ internal, address }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address));
  const ofFamily = (family: string) => usable.filter((each) => each.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily('IPv4'), ...(host === '::' ? ofFamily('IPv6') : [])])].map(toUrl);
}
