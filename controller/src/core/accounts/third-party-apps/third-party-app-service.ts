// Third-party apps: programs that read and control the network. Stores their api keys encrypted and authenticates
// apps for auth.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import {
  AppPermissions,
  type ChangedThirdPartyApp,
  SOUND_KEY_LENGTH,
  type ThirdPartyApp,
  type ThirdPartyAppSummary,
} from '@weft/contract';
import { toApId } from '@weft/contract/ap-id';
import { effectivePermissions } from '@weft/contract/app-permissions';
import type { Actor, Caller, CallerChange, CredentialRef, Principal, PrincipalSource } from '../../base/caller.ts';
import { notFound, orNotFound, tooMany } from '../../base/errors.ts';
import { generateSecret, hashGeneratedSecret, type Keyring } from '../../base/secrets.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { changedKeys, keyNames, type NewAuditEntry, shownValues } from '../audit/audit-entry.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import type { SecurityLog } from '../audit/security-log.ts';
import type { ThirdPartyAppChange, ThirdPartyAppRecord, ThirdPartyAppStore } from './third-party-app-store.ts';

export interface NewApp {
  app_name: string;
  api_key: string;
  permissions: Record<string, unknown>;
}

export interface ThirdPartyAppServiceOptions {
  apps: ThirdPartyAppStore;
  keyring: Keyring;
  changes: CallerChanges;
  audit: AuditService;
  security: SecurityLog;
  maxApps: number;
}

export class ThirdPartyAppService implements PrincipalSource {
  readonly #options: ThirdPartyAppServiceOptions;
  /** Decrypted for unknown names, so that they take as long as known ones. */
  readonly #decoy: string;

  constructor(options: ThirdPartyAppServiceOptions) {
    this.#options = options;
    this.#decoy = options.keyring.encrypt(generateSecret(), 'decoy');
  }

  /** With its key, which is a security event. */
  async show(app_name: string, by: Caller, address: string): Promise<ThirdPartyApp> {
    const app = orNotFound(await this.#options.apps.get(app_name), 'Third-party app', 'app');
    const target = { kind: 'third_party_app', name: app_name };
    this.#options.security.note({ actor: by, action: 'key_shown', target, address });
    return this.#toResponse(app);
  }

  async list(): Promise<ThirdPartyAppSummary[]> {
    return (await this.#options.apps.list()).map(({ id, app_name, permissions }) => ({ id, app_name, permissions }));
  }

  async create({ app_name, api_key, permissions }: NewApp, by: Actor): Promise<ChangedThirdPartyApp> {
    const { maxApps } = this.#options;
    if ((await this.#options.apps.count()) >= maxApps) throw tooMany('too_many_apps', maxApps);
    const id = randomUUID();
    const api_key_encrypted = this.#options.keyring.encrypt(api_key, id);
    const app = { id, app_name, api_key_encrypted, permissions, ver: generateSecret(), created_at: Date.now() };
    await this.#options.apps.create(
      app,
      this.#options.audit.entry(() => appCreated(by, app)),
    );
    return this.#toChanged(app, api_key);
  }

  async update(
    app_name: string,
    input: { api_key?: string | null; permissions?: Record<string, unknown> | null },
    by: Actor,
  ): Promise<ChangedThirdPartyApp> {
    const before = orNotFound(await this.#options.apps.get(app_name), 'Third-party app', 'app');
    const change: ThirdPartyAppChange = {};
    if (input.permissions) change.permissions = input.permissions;
    if (input.api_key) {
      change.api_key_encrypted = this.#options.keyring.encrypt(input.api_key, before.id);
      change.ver = generateSecret();
    }
    if (Object.keys(change).length === 0) return this.#toResponse(before);
    const after = await this.#options.changes.make<ThirdPartyAppRecord, ThirdPartyAppRecord | undefined>(
      ({ before: was, after: is }) => ({ entry: appUpdated(by, was!, is!), change: toChange(was!, is!, by) }),
      (also) => this.#options.apps.update(app_name, change, { also }),
    );
    if (!after) throw notFound('Third-party app', 'app');
    return this.#toChanged(after, input.api_key);
  }

  async remove(app_name: string, by: Actor): Promise<void> {
    const isRemoved = await this.#options.changes.make<ThirdPartyAppRecord, boolean>(
      ({ before }) => ({ entry: appRemoved(by, before!), change: toChange(before!, undefined, by) }),
      (also) => this.#options.apps.remove(app_name, also),
    );
    if (!isRemoved) throw notFound('Third-party app', 'app');
  }

  /** Encrypts keys of an older secret with the new one, so that the old one can be removed. Throws `advice` if that secret is not known. */
  async reencrypt(advice: string): Promise<void> {
    for (const { app_name, id, ver, api_key_encrypted: before } of await this.#options.apps.list()) {
      if (!this.#options.keyring.isOutdated(before)) continue;
      if (!this.#options.keyring.canDecrypt(before)) {
        throw new Error(`the api key of ${app_name} was stored under another secret: ${advice}`);
      }
      // Only if the key is unchanged since it was read: another node may be changing it.
      await this.#options.apps.update(
        app_name,
        { api_key_encrypted: this.#options.keyring.encrypt(this.#options.keyring.decrypt(before, id), id) },
        { onlyVer: ver },
      );
    }
  }

  async principal(name: string): Promise<Principal | undefined> {
    const app = await this.#options.apps.get(name);
    return app && toPrincipal(app);
  }

  async present(tx: SqlQueries, refs: readonly CredentialRef[]): Promise<Caller[]> {
    return (await this.#options.apps.byIds(tx, refs)).map((app) => toPrincipal(app).caller);
  }

  async authenticate(app_name: string, api_key: string): Promise<Principal | undefined> {
    const app = await this.#options.apps.get(app_name);
    const expected = app
      ? this.#options.keyring.decrypt(app.api_key_encrypted, app.id)
      : this.#options.keyring.decrypt(this.#decoy, 'decoy');
    const matches = timingSafeEqual(digest(expected), digest(api_key));
    return app && matches ? toPrincipal(app) : undefined;
  }

  #toChanged(app: ThirdPartyAppRecord, api_key: string | null | undefined): ChangedThirdPartyApp {
    if (!api_key || [...api_key].length >= SOUND_KEY_LENGTH) return this.#toResponse(app);
    const warning = `A key of fewer than ${SOUND_KEY_LENGTH} characters can be guessed`;
    return { ...this.#toResponse(app), warning };
  }

  #toResponse(app: ThirdPartyAppRecord): ThirdPartyApp {
    const { id, app_name, api_key_encrypted, permissions } = app;
    return { id, app_name, api_key: this.#options.keyring.decrypt(api_key_encrypted, id), permissions };
  }
}

function toPrincipal(app: ThirdPartyAppRecord): Principal {
  const { id, app_name: name, ver } = app;
  const { agents, ...given } = effectivePermissions(app.permissions as AppPermissions);
  // Without a prototype: a right that is absent is not found anywhere else.
  const own: AppPermissions = Object.create(null);
  const permissions = Object.assign(own, given, agents && { agents: agents.map(toApId) });
  return { caller: { kind: 'third_party_app', id, name, permissions, ver }, ver };
}

function toChange(before: ThirdPartyAppRecord, after: ThirdPartyAppRecord | undefined, by: Actor): CallerChange {
  const { id, app_name: name, ver } = before;
  const head = { kind: 'third_party_app', id, name, by, isRevoked: ver !== after?.ver } as const;
  return after ? { ...head, what: 'changed', caller: toPrincipal(after).caller } : { ...head, what: 'removed' };
}

/** Of equal length for every key, as the comparison requires. */
function digest(secret: string): Buffer {
  return Buffer.from(hashGeneratedSecret(secret));
}

/** The audit entries for changes of third-party apps. */
export function appCreated(actor: Actor, app: ThirdPartyAppRecord): NewAuditEntry {
  const permissions = describePermissions({}, app.permissions);
  return { actor, action: 'app_created', target: toTarget(app), detail: { permissions } };
}

/** Undefined if nothing changed. */
export function appUpdated(
  actor: Actor,
  before: ThirdPartyAppRecord,
  after: ThirdPartyAppRecord,
): NewAuditEntry | undefined {
  const hasNewPermissions = changedKeys(before.permissions, after.permissions).length > 0;
  const fields = [...(before.ver === after.ver ? [] : ['api_key']), ...(hasNewPermissions ? ['permissions'] : [])];
  if (fields.length === 0) return undefined;
  const permissions = describePermissions(before.permissions, after.permissions);
  const detail = { fields, ...(hasNewPermissions && { permissions }) };
  return { actor, action: 'app_updated', target: toTarget(after), detail };
}

export function appRemoved(actor: Actor, app: ThirdPartyAppRecord): NewAuditEntry {
  return { actor, action: 'app_removed', target: toTarget(app), detail: {} };
}

/** The differences. Of unknown keys only the names are logged, because their values may be secret. */
function describePermissions(before: Record<string, unknown>, after: Record<string, unknown>) {
  const keys = changedKeys(before, after);
  const known = keys.filter((key) => Object.hasOwn(AppPermissions.properties, key));
  const other = keys.filter((key) => !known.includes(key));
  return {
    before: shownValues(before, known),
    after: shownValues(after, known),
    ...(other.length > 0 && { other: keyNames(other) }),
  };
}

function toTarget({ app_name }: ThirdPartyAppRecord) {
  return { kind: 'third_party_app', name: app_name };
}
