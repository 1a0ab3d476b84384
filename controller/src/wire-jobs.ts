// The job path, put together: stores, outbox, mailbox, sockets for those who ask (role api), the worker for those who
// wait (role worker). Part of the composition root; wire.ts starts and stops what stands here.
import type { Broker } from '@weft/broker';
import type { LoginType } from '@weft/contract';
import { type AgentService, canSeeAgent } from './agents/agent-service.ts';
import type { AuthService } from './auth/auth-service.ts';
import { requirePermission } from './auth/permissions.ts';
import type { Caller, PrincipalSource } from './caller.ts';
import type { Config } from './config.ts';
import type { Logger } from './http/request/log.ts';
import { callbackRoutes } from './jobs/api/callback-routes.ts';
import { jobRoutes } from './jobs/api/job-routes.ts';
import { JobService, type JobServiceOptions } from './jobs/api/job-service.ts';
import { jobSocketRoutes } from './jobs/mailbox/job-socket.ts';
import { MailboxService } from './jobs/mailbox/mailbox-service.ts';
import { createMailboxStore } from './jobs/mailbox/mailbox-store.sql.ts';
import { SocketHub } from './jobs/mailbox/socket-hub.ts';
import { CallbackTokens } from './jobs/publish/callback-tokens.ts';
import { DeadLetterService } from './jobs/publish/dead-letter-service.ts';
import { JobOutbox } from './jobs/publish/job-outbox.ts';
import { JobUpkeep } from './jobs/publish/job-upkeep.ts';
import { createDeadLetterStore } from './jobs/store/dead-letter-store.sql.ts';
import { createJobStore } from './jobs/store/job-store.sql.ts';
import { createAgentDataTask } from './jobs/worker/agent-data-task.ts';
import { createAgentDetailsTask, type VisibleTo } from './jobs/worker/agent-details-task.ts';
import { JobWorker } from './jobs/worker/job-worker.ts';
import { LiveSubscriptions } from './jobs/worker/live-subscription.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { Keyring } from './secrets.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import type { Sample, TelemetryStore } from './telemetry/store/telemetry-store.ts';

const minute = 60_000;
const hour = 3_600_000;
/** Other nodes' messages are looked for this often, should the news of them be lost. */
const pollMs = 500;

export interface JobPathParts {
  config: Config;
  database: SqlDatabase;
  broker: Broker;
  telemetry: TelemetryStore;
  keyring: Keyring;
  auth: AuthService;
  principals: Record<LoginType, PrincipalSource>;
  agents: AgentService;
  /** Jobs of commands and of emulated networks are more than jobs. */
  cancelOther: NonNullable<JobServiceOptions['cancelOther']>;
  log: Logger;
}

export type JobPath = ReturnType<typeof createJobPath>;

export function createJobPath({
  config,
  database,
  broker,
  telemetry,
  keyring,
  auth,
  principals,
  agents,
  cancelOther,
  log,
}: JobPathParts) {
  const onError = (err: unknown, message: string) => log.warn({ err }, message);
  const onChange = (message: string, err?: unknown) => (err ? log.warn({ err }, message) : log.info(message));
  const jobStore = createJobStore(database);
  const mailboxStore = createMailboxStore(database);
  const tokens = new CallbackTokens(keyring);
  const mailbox = new MailboxService({
    mailbox: mailboxStore,
    retentionMs: config.jobs.retentionHours * hour,
    hasSocket: (job_number) => hub.hasSocket(job_number),
  });
  const outbox = new JobOutbox({
    jobs: jobStore,
    broker,
    tokens,
    keyring,
    onUnreadable: (job_number, err) => {
      log.error({ err, job_number }, 'a job cannot be read any more, and fails');
      mailbox
        .end(job_number, 'failed', 'What was asked for cannot be read any more')
        .catch((error) => onError(error, 'the job could not be ended'));
    },
    onChange,
  });
  const jobs = new JobService({
    jobs: jobStore,
    mailbox,
    outbox,
    timeoutMs: config.jobs.timeoutMinutes * minute,
    limits: { maxOpen: config.jobs.maxOpen, maxUnpublished: config.jobs.maxWaiting },
    cancelOther,
  });
  let deadLetters = 0;
  const letters = new DeadLetterService({
    letters: createDeadLetterStore(database),
    jobs: jobStore,
    mailbox,
    onLetter: (letter) => {
      deadLetters++;
      log.warn(letter, 'a message that no worker could do anything with');
    },
  });
  const upkeep = new JobUpkeep({ jobs: jobStore, outbox, mailbox, letters, onChange });
  const hub = new SocketHub({
    list: (...query) => mailboxStore.list(...query),
    positions: (job_numbers) => jobStore.positions(job_numbers),
    // Asked every second for each token: without a promise where everything is remembered.
    authorize: (token) => {
      const caller = auth.authenticate(token);
      return caller instanceof Promise ? caller.then(requireSocketRight) : requireSocketRight(caller);
    },
    maxSocketsPerCaller: config.maxSocketsPerCaller,
    pollMs: database.dialect === 'postgres' ? pollMs : undefined,
    onError,
  });
  // To this process directly, to the others as a hint to look.
  mailbox.onMessage((message) => {
    hub.deliver(message);
    broker.tell(JSON.stringify({ job_number: message.job_number, seq: message.seq }));
  });

  const subscriptions = new LiveSubscriptions();
  const worker = config.roles.includes('worker') ? createWorker() : undefined;

  function createWorker(): JobWorker {
    const visibleTo: VisibleTo = async ({ owner_kind, owner_id, owner_name, task_type }) => {
      const caller = (await principals[owner_kind].principal(owner_name))?.caller;
      if (caller?.id !== owner_id || !mayStillAsk(caller, task_type)) return undefined;
      return (ap_id) => canSeeAgent(caller, ap_id);
    };
    return new JobWorker({
      broker,
      jobs: jobStore,
      mailbox,
      tasks: {
        agent_details: createAgentDetailsTask({ agents, visibleTo }),
        agent_data: createAgentDataTask({ agents, telemetry, visibleTo, subscriptions }),
      },
      onError,
    });
  }

  return {
    /** What the command path builds on. */
    parts: { jobStore, mailboxStore, mailbox, outbox },
    routes: [...jobRoutes({ jobs, agents }), ...callbackRoutes({ jobs, mailbox })],
    sockets: jobSocketRoutes({
      hub,
      admit: (caller, job_number) => jobs.admit(caller, job_number),
      limits: {
        connects: new RateLimiter('too_many_connects', {
          max: Math.max(4_500, 3 * config.maxSocketsPerCaller),
          windowMs: minute,
        }),
        guesses: new RateLimiter('too_many_unknown_jobs', { max: 60, windowMs: minute }),
      },
    }),
    metrics: {
      weft_sockets: { help: 'Open WebSockets', value: () => hub.openSockets },
      weft_sockets_cut_off: { help: 'WebSockets whose readers were too slow', value: () => hub.cutOff },
      weft_jobs_running: { help: 'Jobs that this process works on', value: () => worker?.running ?? 0 },
      weft_dead_letters_total: { help: 'Messages that no worker could do anything with', value: () => deadLetters },
    },
    /** The broker has made a queue anew; whatever was in the old one is lost. */
    queueLost: (queue: string) => {
      // Held up now, it happens with the next round of the upkeep.
      outbox.queueLost(queue).catch(() => {});
    },
    callbackJob: (token: string) => tokens.verify(token),
    agentRemoved: (ap_id: string) => jobs.agentRemoved(ap_id),
    /** Telemetry was stored by this process. */
    recorded: (ap_id: string, samples: readonly Sample[]) => subscriptions.recorded(ap_id, samples),
    /** Once the tables are there. */
    async prepare(): Promise<void> {
      // Nobody else works on this data folder, so whoever held a job has died with the former process.
      if (database.dialect === 'sqlite') await jobStore.releaseAll();
    },
    async start(): Promise<void> {
      broker.listen(
        (news) => {
          const { job_number, seq } = parseNews(news);
          hub.news(job_number, seq);
        },
        () => void hub.checkAll(),
      );
      upkeep.start();
      if (config.roles.includes('api')) {
        await broker.consumeDeadLetters((letter) => letters.take(letter));
      }
      await worker?.start();
    },
    stopWorker: async () => worker?.stop(),
    stopSockets: () => hub.stop(),
    async stop(): Promise<void> {
      await upkeep.stop();
      await outbox.stop();
    },
  };
}

/** Rights may have gone since the job was asked for. */
function mayStillAsk(caller: Caller, task_type: string): boolean {
  try {
    requirePermission(task_type === 'agent_data' ? 'request_agent_data' : 'request_all_agents_details', caller);
    return true;
  } catch {
    return false;
  }
}

function requireSocketRight(caller: Caller): Caller {
  requirePermission('job_socket', caller);
  return caller;
}

/** What another node tells, if it makes sense to this one. */
function parseNews(text: string): { job_number: string; seq: number } {
  try {
    const { job_number, seq } = JSON.parse(text);
    return { job_number: String(job_number), seq: Number.isSafeInteger(seq) ? seq : 0 };
  } catch {
    return { job_number: '', seq: 0 };
  }
}
