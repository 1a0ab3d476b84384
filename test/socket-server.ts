// The sockets of jobs on the real server, for tests that need the mailbox or the clocks of the sockets in their own hands.
import { randomBytes, randomUUID } from 'node:crypto';
import type { EnvelopeType } from '../contract/src/index.ts';
import { system } from '../controller/src/core/base/caller.ts';
import { authorize } from '../controller/src/core/base/credential.ts';
import { everyCaller } from '../controller/src/core/base/rights/permission.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { createAccountParts } from '../controller/src/core/core-parts.ts';
import { createJobsPart, type JobsTuning } from '../controller/src/core/jobs/jobs-part.ts';
import type { EndState } from '../controller/src/core/jobs/store/job-record.ts';
import type { ServeOptions } from '../controller/src/serve.ts';
import { adminUsername, password, startWeft } from './weft.ts';

const minute = 60_000;
/** All nodes of a test have the same. */
const secret = randomBytes(48).toString('base64');

export interface SocketServerOptions extends Omit<JobsTuning, 'socketTimes'>, Pick<ServeOptions<never>, 'log'> {
  times?: JobsTuning['socketTimes'];
  /** Settings by name. */
  settings?: Record<string, string>;
  /** Shorter than the settings allow. */
  tokenTtlSeconds?: number;
  /** Of other nodes too. Default: one of its own. */
  database?: SqlDatabase;
  /** Called with the job number before each lookup: where a test may hold or end it. */
  onAdmit?: (job_number: string) => Promise<void> | void;
  /** The same after each look into a mailbox. */
  onPage?: () => Promise<void> | void;
}

export type SocketServer = Awaited<ReturnType<typeof startSocketServer>>;

/** Several on one database are several nodes. */
export async function startSocketServer(options: SocketServerOptions = {}) {
  const { settings = {}, database, onAdmit, onPage, log, times: socketTimes, tokenTtlSeconds, ...tuning } = options;
  let pagesRead = 0;
  const errors: unknown[] = [];
  const weft = await startWeft(
    {
      WEFT_SECRET: secret,
      WEFT_ADMIN_USERNAME: adminUsername,
      WEFT_ADMIN_PASSWORD: password,
      WEFT_MAX_SOCKETS_PER_CALLER: '100000',
      ...settings,
    },
    {
      ...(log && { log }),
      createParts(own, events) {
        const platform = {
          ...own,
          ...(database && { database }),
          ...(tokenTtlSeconds !== undefined && { config: { ...own.config, tokenTtlSeconds } }),
          freshMs: 100,
          onError: (error: unknown) => errors.push(error),
        };
        const accounts = createAccountParts(platform, events);
        const { start: _, ...jobs } = createJobsPart(
          {
            ...platform,
            principals: accounts.auth.principals,
            network: accounts.network.network,
            agentDetails: accounts.network.agentDetails,
            changes: accounts.audit.changes,
            tuning: { connectsPerMinute: 1e6, guessesPerMinute: 1e6, socketTimes, ...tuning },
          },
          events,
        );
        const { list } = jobs.mailboxStore;
        jobs.mailboxStore.list = async (...query) => {
          pagesRead++;
          const page = await list.apply(jobs.mailboxStore, query);
          await onPage?.();
          return page;
        };
        const { admit } = jobs.jobs;
        jobs.jobs.admit = async (caller, job_number) => {
          await onAdmit?.(job_number);
          return admit.call(jobs.jobs, caller, job_number);
        };
        return { ...accounts, jobs };
      },
    },
  );
  const { auth, users, jobs } = weft.parts;
  const { hub, jobStore, mailboxStore } = jobs;
  return {
    url: weft.url,
    host: new URL(weft.url).host,
    database: database ?? weft.platform.database,
    hub,
    jobs: jobStore,
    mailbox: jobs.mailbox,
    errors,
    get pagesRead() {
      return pagesRead;
    },
    user: (name: string, roles = ['user']) => weft.user(name, roles),
    removeUser: (name: string) => users.users.remove(name, system),
    /** A job of the user behind that token. */
    async job(token: string): Promise<string> {
      const { id, name } = await authorize(auth.auth.read(token)!, everyCaller);
      const job_number = randomUUID();
      const now = Date.now();
      await jobStore.create({
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
    /** Stores a result and, by default, notifies the sockets of this process. */
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
    stop: () => weft.stop(),
  };

  async function store(
    job_number: string,
    type: EnvelopeType,
    data: string,
    ends: { state: EndState; detail: string | null } | undefined,
    isTold: boolean,
  ) {
    const stored = await mailboxStore.append({
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
