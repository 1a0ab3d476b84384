// Where the clients of a job connect: the last endpoint on a job's path. Each message comes in its envelope, or as the bare
// array where the address says so.
import * as Type from '@weft/contract/schema';
import type { Caller } from '../../base/caller.ts';
import { NotFoundError } from '../../base/errors.ts';
import { jobReaders } from '../../base/rights/permission.ts';
import type { RateLimiter } from '../../base/shares/rate-limiter.ts';
import { principalOf } from '../../base/shares/shares.ts';
import { type SocketRoute, socketRoute } from '../../http/sockets/socket-route.ts';
import type { SocketHub } from './socket-hub.ts';

/** Clients have nothing to say. */
const maxMessageBytes = 64 * 1024;

export interface JobSocketOptions {
  hub: SocketHub;
  /** The job as far as this caller may see it; throws NotFoundError if there is none for them. */
  admit: (caller: Caller, job_number: string) => Promise<{ last_seq: number; subject: string | null }>;
  limits: {
    /** Per caller: who connects and goes all the time is kept waiting. */
    connects: RateLimiter;
    /** Per caller: who asks for jobs that are not there is guessing. */
    guesses: RateLimiter;
  };
}

export function jobSocketRoutes({ hub, admit, limits }: JobSocketOptions): SocketRoute[] {
  const socketOf = (url: string, isBare: boolean): SocketRoute =>
    socketRoute({
      operation: 'job_socket',
      permission: jobReaders,
      url,
      maxMessageBytes,
      query: Type.Object({
        after: Type.Optional.Integer({ minimum: 0, description: 'The `seq` of the last message received.' }),
      }),
      async handle({ caller, shown, query, path, upgrade }) {
        const job_number = path('job_number');
        const key = principalOf(caller);
        limits.connects.take(key);
        limits.guesses.check(key);
        hub.requireCapacity(caller);
        const job = await admit(caller, job_number).catch((error) => {
          if (error instanceof NotFoundError) limits.guesses.count(key);
          throw error;
        });
        // Others may have come while the job was looked for.
        hub.requireCapacity(caller);
        const upgraded = upgrade();
        // A number beyond the newest would be waited for in vain.
        const after = query.after === undefined ? undefined : Math.min(query.after, job.last_seq);
        if (upgraded) hub.open(upgraded, { caller, shown, job_number, subject: job.subject, after, isBare });
      },
    });
  return [
    socketOf('/api/v1/ws/:job_number', false),
    socketOf('/ws/:job_number', true),
    ...['agent_data', 'agent_details', 'emulator'].map((kind) =>
      socketOf(`/api/v1/callback/${kind}/ws/:job_number`, true),
    ),
  ];
}
