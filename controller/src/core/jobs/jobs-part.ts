// Jobs as a part: stores, outbox, mailbox and sockets for those who ask (role api), the worker that does the jobs (role worker).
import type { CallerChanges } from '../accounts/audit/caller-changes.ts';
import { callerNow, ownerRef, type Principals } from '../base/caller.ts';
import { authorize } from '../base/credential.ts';
import { PermissionError } from '../base/errors.ts';
import { jobReaders } from '../base/rights/permission.ts';
import { limitPerMinutes } from '../base/shares/rate-limiter.ts';
import { ownerGone } from '../base/storage/present-owner.ts';
import type { SqlQueries } from '../base/storage/sql-database.ts';
import type { Events } from '../events.ts';
import type { SocketTimes } from '../http/sockets/open-socket.ts';
import type { AgentDetailTexts } from '../network/agent-details.ts';
import type { Network } from '../network/network.ts';
import type { Part, Platform } from '../part.ts';
import { callbackRoutes } from './api/callback-routes.ts';
import { jobRoutes } from './api/job-routes.ts';
import { JobService } from './api/job-service.ts';
import { JobEnding, notPermitted } from './mailbox/job-ending.ts';
import { mayAsk } from './mailbox/job-rights.ts';
import { jobSocketRoutes } from './mailbox/job-socket.ts';
import { type MailboxLimits, MailboxService } from './mailbox/mailbox-service.ts';
import { MailboxStore } from './mailbox/mailbox-store.ts';
import { MessageView, parseNews } from './mailbox/message-view.ts';
import { ResultBudget } from './mailbox/result-budget.ts';
import { SocketHub } from './mailbox/socket-hub.ts';
import { CallbackTokens } from './publish/callback-tokens.ts';
import { DeadLetterService, letterKeptMs } from './publish/dead-letter-service.ts';
import { JobOutbox } from './publish/job-outbox.ts';
import { JobUpkeep } from './publish/job-upkeep.ts';
import { OwnerSweep } from './publish/owner-sweep.ts';
import { QueueWatch } from './publish/queue-watch.ts';
import { DeadLetterStore } from './store/dead-letter-store.ts';
import type { NewJob } from './store/job-record.ts';
import { JobStore } from './store/job-store.ts';
import { OwnedJobs } from './store/owned-jobs.ts';
import { QueueConsumers } from './store/queue-consumers.ts';
import { createAgentDataTask } from './worker/agent-data-task.ts';
import { createAgentDetailsTask, type SightOf } from './worker/agent-details-task.ts';
import { JobWorker } from './worker/job-worker.ts';
import { LiveSubscriptions } from './worker/live-subscription.ts';

const minute = 60_000;
const hour = 3_600_000;
const secondsPerDay = 86_400;
/** Other nodes' messages are looked for this often, should the news of them be lost. */
const pollMs = 500;

/** Other clocks and bounds than Weft's own; for tests. */
export interface JobsTuning {
  now?: () => number;
  mailboxLimits?: MailboxLimits;
  socketTimes?: Partial<SocketTimes>;
  pollMs?: number;
  connectsPerMinute?: number;
  guessesPerMinute?: number;
  queueWatch?: { stillMs: number; everyMs: number };
}

/** Few, because a message may have half a megabyte and an embedded database removes it on this thread. */
const pruneRows = 25;

interface JobsPartDeps extends Platform {
  principals: Principals;
  network: Network;
  agentDetails: AgentDetailTexts;
  changes: CallerChanges;
  tuning?: JobsTuning;
}

export type JobsPart = ReturnType<typeof createJobsPart>;

export function createJobsPart(deps: JobsPartDeps, events: Events) {
  const { config, database, broker, telemetryStore, keyring, shares, principals, network } = deps;
  const { changes, log, onError, onChange, tuning = {} } = deps;
  const { now = deps.now } = tuning;
  const retentionMs = config.jobRetentionHours * hour;
  const retakeMs = config.jobRetakeMinutes * minute;
  const jobStore = new JobStore(database, { retakeMs });
  const ownedJobs = new OwnedJobs(database);
  const mailboxStore = new MailboxStore(database);
  const results = new ResultBudget({ database, config, onChange });
  mailboxStore.onStored = (owner_id, bytes) => results.add(owner_id, bytes);
  const tokens = new CallbackTokens(keyring);
  const view = new MessageView({ network });
  const hub = new SocketHub({
    view,
    list: (...query) => mailboxStore.list(...query),
    positions: (job_numbers) => jobStore.positions(job_numbers),
    authorize: (shown) => authorize(shown, jobReaders),
    maxSocketsPerCaller: config.maxSocketsPerCaller,
    isCutOff: deps.isCutOff,
    shares,
    pollMs: tuning.pollMs ?? (database.dialect === 'postgres' ? pollMs : undefined),
    times: tuning.socketTimes,
    onError,
  });
  const mailbox = new MailboxService({
    mailbox: mailboxStore,
    retentionMs,
    hasSocket: (job_number) => hub.hasSocket(job_number),
    limits: tuning.mailboxLimits,
    refusal: (owner_id) => results.refusal(owner_id),
    now,
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
    now,
  });
  const requireRight = async (tx: SqlQueries, { task_type, subject = null, ...job }: NewJob) => {
    const caller = await callerNow(principals, tx, ownerRef(job));
    if (!caller) throw ownerGone();
    const refused = await notPermitted(tx, network, caller, [{ task_type, subject }]);
    if (refused.length > 0) throw new PermissionError();
  };
  const jobs = new JobService({
    jobs: jobStore,
    mailbox,
    view,
    outbox,
    timeoutMs: config.jobTimeoutMinutes * minute,
    limits: { maxOpen: config.maxOpenJobs, maxUnpublished: config.maxWaitingJobs, requireOwner: true },
    requireRight,
    requireRoom: (owner_id) => results.requireRoom(owner_id),
    now,
  });
  const perDay = config.callbackMbPerDay * 2 ** 20;
  const callbackBudget = shares.budget('callback_bytes', { perSecond: perDay / secondsPerDay, reserve: perDay / 10 });
  let deadLetters = 0;
  const letterStore = new DeadLetterStore(database);
  const letters = new DeadLetterService({
    letters: letterStore,
    jobs: jobStore,
    mailbox,
    onLetter: (letter) => {
      deadLetters++;
      log.warn(letter, 'a message that no worker could do anything with');
    },
    now,
  });
  const owners = new OwnerSweep({ owned: ownedJobs, principals, changes, database, now });
  for (const event of [events.labelsChanged, events.sitesChanged]) event.on(() => owners.relabelled());
  const upkeep = new JobUpkeep({
    jobs: jobStore,
    outbox,
    mailbox,
    owners,
    timeoutMs: config.jobTimeoutMinutes * minute,
    quietMs: config.jobQuietSeconds * 1000,
    onChange,
    now,
  });
  const forget = (owner_id: string, bytes: number) => results.add(owner_id, -bytes);
  deps.retention.add(
    { name: 'jobs', keptMs: retentionMs, remove: (nowMs) => jobStore.prune(nowMs, pruneRows, forget) },
    { name: 'dead letters', keptMs: letterKeptMs, remove: (nowMs) => letters.prune(nowMs) },
  );
  const subscriptions = new LiveSubscriptions();
  const createWorker = () => {
    const sightOf: SightOf = async ({ task_type, ...job }) => {
      const caller = await callerNow(principals, database, ownerRef(job));
      return caller && mayAsk(caller, task_type) ? network.visibleTo(caller) : undefined;
    };
    return new JobWorker({
      broker,
      jobs: jobStore,
      mailbox,
      tasks: {
        agent_details: createAgentDetailsTask({ network, details: deps.agentDetails, sightOf }),
        agent_data: createAgentDataTask({ network, telemetry: telemetryStore, sightOf, subscriptions }),
      },
      shares,
      maxJobsPerOwner: config.maxRunningJobsPerCaller,
      maxSubscriptionsPerOwner: config.maxSubscriptionsPerCaller,
      onError,
    });
  };
  const worker = config.roles.includes('worker') ? createWorker() : undefined;
  // To this process directly, to the others as a hint to look.
  mailbox.onMessage((message) => {
    const { job_number, seq, final } = message;
    hub.deliver(message);
    if (final) worker?.ended(job_number);
    deps.news.broadcast(JSON.stringify({ job_number, seq, ...(final && { final }) }));
  });
  let isStarted = false;
  // Should it fail, the upkeep does it. Not before there are tables.
  const publishWaiting = () => void (isStarted && outbox.sweep().catch(() => {}));
  events.queueLost.on((queue, agoMs) => {
    outbox.queueLost(queue, agoMs);
    publishWaiting();
  });
  const consumers = database.dialect === 'postgres' ? new QueueConsumers(database) : undefined;
  const watched = { jobs: jobStore, broker, consumers, retakeMs, onLost: publishWaiting, onError, now };
  const queueWatch = new QueueWatch({ ...watched, ...tuning.queueWatch });
  events.recorded.on((ap_id, samples) => subscriptions.recorded(ap_id, samples));
  const ending = new JobEnding({
    owned: ownedJobs,
    mailbox: mailboxStore,
    network,
    tell: (messages) => mailbox.tell(messages),
    retentionMs,
    now,
  });
  events.callerChanged.within(ending.step);
  events.callerChanged.on(({ id }) => hub.callerChanged(id));
  // Another program may have ended jobs that somebody listens to.
  events.recordsChanged.on(() => hub.checkAll());

  return {
    jobStore,
    ownedJobs,
    mailboxStore,
    mailbox,
    outbox,
    jobs,
    kinds: jobs.kinds,
    tokens,
    hub,
    results,
    letters,
    letterStore,
    upkeep,
    routes: [...jobRoutes({ jobs, network }), ...callbackRoutes({ jobs, mailbox, budget: callbackBudget })],
    sockets: {
      routes: jobSocketRoutes({
        hub,
        admit: (caller, job_number) => jobs.admit(caller, job_number),
        limits: {
          connects: limitPerMinutes(
            'too_many_connects',
            tuning.connectsPerMinute ?? Math.max(4_500, 3 * config.maxSocketsPerCaller),
            1,
          ),
          guesses: limitPerMinutes('too_many_unknown_jobs', tuning.guessesPerMinute ?? 60, 1),
        },
      }),
      close: () => hub.stop(),
    },
    metrics: {
      ...results.metrics,
      weft_sockets: { help: 'Open WebSockets', value: () => hub.openSockets },
      weft_sockets_cut_off: { help: 'WebSockets whose readers were too slow', value: () => hub.cutOff },
      weft_jobs_running: { help: 'Jobs that this process works on', value: () => worker?.running ?? 0 },
      weft_dead_letters_total: { help: 'Messages that no worker could do anything with', value: () => deadLetters },
    },
    readiness: () => ({ name: 'jobs', ok: !queueWatch.isStill }),
    schemes: [tokens],
    async prepare() {
      // Nobody else works on this data folder, so whoever held a job has died with the former process.
      if (database.dialect === 'sqlite') await jobStore.releaseAll();
      await results.count();
    },
    async start() {
      deps.news.listen(
        (news) => {
          const { job_number, seq, final } = parseNews(news);
          hub.news(job_number, seq);
          if (final) worker?.ended(job_number);
        },
        () => hub.checkAll(),
      );
      upkeep.start();
      results.start();
      queueWatch.start();
      if (config.roles.includes('api')) {
        await broker.consumeDeadLetters((letter) => letters.take(letter));
      }
      await worker?.start();
      isStarted = true;
      publishWaiting();
    },
    drain: async () => worker?.stop(),
    async stop() {
      await queueWatch.stop();
      await results.stop();
      await upkeep.stop();
      await outbox.stop();
    },
  } satisfies Part & Record<string, unknown>;
}
