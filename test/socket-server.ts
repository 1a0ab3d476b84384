// The sockets of jobs on a real server with real stores, for tests that need the mailbox, the accounts or the clock of the
// sockets in their own hands. What the mailbox service does with a result, `post` does here.
import { randomBytes, randomUUID } from 'node:crypto';
import type { EnvelopeType } from '../contract/src/index.ts';
import { AuthService } from '../controller/src/auth/auth-service.ts';
import { requirePermission } from '../controller/src/auth/permissions.ts';
import type { Caller, Principal, PrincipalSource } from '../controller/src/caller.ts';
import { NotFoundError } from '../controller/src/errors.ts';
import type { Logger } from '../controller/src/http/request/log.ts';
import type { SocketTimes } from '../controller/src/http/sockets/open-socket.ts';
import { jobSocketRoutes } from '../controller/src/jobs/mailbox/job-socket.ts';
import { createMailboxStore } from '../controller/src/jobs/mailbox/mailbox-store.sql.ts';
import { SocketHub } from '../controller/src/jobs/mailbox/socket-hub.ts';
import { createJobStore } from '../controller/src/jobs/store/job-store.sql.ts';
import type { EndState } from '../controller/src/jobs/store/job-store.ts';
import { RateLimiter } from '../controller/src/rate-limiter.ts';
import { Keyring } from '../controller/src/secrets.ts';
import type { SqlDatabase } from '../controller/src/storage/sql-database.ts';
import { listen } from './listening-server.ts';

const minute = 60_000;
const secret = randomBytes(32).toString('hex');

export interface SocketServerOptions {
  times?: Partial<SocketTimes>;
  maxSocketsPerCaller?: number;
  connectsPerMinute?: number;
  guessesPerMinute?: number;
  tokenTtlSeconds?: number;
  pollMs?: number;
  log?: Logger;
  publicUrl?: string;
  corsOrigins?: string[];
  isReady?: () => boolean;
  /** Called with the job number before each lookup: where a test may hold or end it. */
  onAdmit?: (job_number: string) => Promise<void> | void;
  /** The same after each look into a mailbox. */
  onPage?: () => Promise<void> | void;
}

export type SocketServer = Awaited<ReturnType<typeof startSocketServer>>;

/** Several on one database are several nodes; the database is the test's to migrate and close. */
export async function startSocketServer(database: SqlDatabase, options: SocketServerOptions = {}) {
  const mailbox = createMailboxStore(database);
  const jobs = createJobStore(database);
  const principals = new Map<string, Principal>();
  const source: PrincipalSource = {
    principal: async (name) => principals.get(name),
    authenticate: async (name) => principals.get(name),
  };
  const auth = new AuthService({
    sources: { user: source, agent: source, third_party_app: source },
    keyring: new Keyring(secret),
    tokenTtlSeconds: options.tokenTtlSeconds ?? 3600,
    freshMs: 100,
  });
  const requireSocket = (caller: Caller) => {
    requirePermission('job_socket', caller);
    return caller;
  };
  let pagesRead = 0;
  const errors: unknown[] = [];
  const hub = new SocketHub({
    list: async (job_number, afterSeq, maxBytes) => {
      pagesRead++;
      const page = await mailbox.list(job_number, afterSeq, maxBytes);
      await options.onPage?.();
      return page;
    },
    positions: (job_numbers) => jobs.positions(job_numbers),
    authorize: (token) => {
      const caller = auth.authenticate(token);
      return caller instanceof Promise ? caller.then(requireSocket) : requireSocket(caller);
    },
    maxSocketsPerCaller: options.maxSocketsPerCaller ?? 1e6,
    pollMs: options.pollMs,
    onError: (error) => errors.push(error),
    times: options.times,
  });
  const { log, isReady, publicUrl, corsOrigins } = options;
  const server = await listen({
    sockets: jobSocketRoutes({
      hub,
      admit: async (caller, job_number) => {
        await options.onAdmit?.(job_number);
        const job = await jobs.get(job_number);
        const isVisible = job && (job.owner_id === caller.id || (caller.kind === 'user' && caller.isAdmin));
        if (!isVisible) throw new NotFoundError('job_not_found', 'There is no such job');
        return job;
      },
      limits: {
        connects: new RateLimiter('too_many_connects', { max: options.connectsPerMinute ?? 1e6, windowMs: minute }),
        guesses: new RateLimiter('too_many_guesses', { max: options.guessesPerMinute ?? 1e6, windowMs: minute }),
      },
    }),
    authenticator: {
      authenticate: (token) => auth.authenticate(token),
      remembered: (token) => auth.remembered(token),
    },
    ...(log && { log }),
    ...(isReady && { isReady }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(corsOrigins && { corsOrigins }),
  });
  const { url, port } = server;
  let stopped: Promise<void> | undefined;

  return {
    url,
    host: `127.0.0.1:${port}`,
    hub,
    jobs,
    errors,
    get pagesRead() {
      return pagesRead;
    },
    async user(name: string, roles = ['user']): Promise<string> {
      const isAdmin = roles.includes('admin');
      principals.set(name, { caller: { kind: 'user', id: randomUUID(), name, roles, isAdmin }, ver: '1' });
      return (await auth.login('user', name, '')).access_token;
    },
    /** What every node notices when an account is gone. */
    removeUser(name: string): void {
      principals.delete(name);
      auth.forget('user', name);
    },
    /** A job of the user behind that token. */
    async job(token: string): Promise<string> {
      const { id, name } = await auth.authenticate(token);
      const job_number = randomUUID();
      const now = Date.now();
      await jobs.create({
        job_number,
        task_type: 'agent_data',
        owner_kind: 'user',
        owner_id: id,
        owner_name: name,
        data: '{}',
        created_at: now,
        expires_at: now + 60 * minute,
        published_at: now,
        publish_after: now,
      });
      return job_number;
    },
    /** Stores a result and, unless told otherwise, tells the sockets of this process. */
    async post(
      job_number: string,
      data: unknown[] | string,
      { final = false, isTold = true, type = 'agent_data' as EnvelopeType } = {},
    ) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const ends = final ? { state: 'succeeded' as const, detail: null } : undefined;
      return store(job_number, type, text, ends, isTold);
    },
    async end(job_number: string, state: EndState, detail: string) {
      return store(job_number, 'status', JSON.stringify([{ state, detail }]), { state, detail }, true);
    },
    stop() {
      stopped ??= Promise.all([hub.stop(), server.close()]).then(() => {});
      return stopped;
    },
  };

  async function store(
    job_number: string,
    type: EnvelopeType,
    data: string,
    ends: { state: EndState; detail: string | null } | undefined,
    isTold: boolean,
  ) {
    const stored = await mailbox.append({
      job_number,
      type,
      data,
      ts: Date.now(),
      chunk: null,
      ...(ends && { ends: { ...ends, keepUntil: Date.now() + 60 * minute } }),
    });
    if (stored.outcome !== 'stored') throw new Error(`not stored: ${stored.outcome}`);
    if (isTold) hub.deliver(stored.message);
    return stored.message;
  }
}
