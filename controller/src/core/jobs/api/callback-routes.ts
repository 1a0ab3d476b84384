// The endpoints that take the results of a job. Shown with the job's callback token, or by its owner or an
// administrator.
import { CallbackAnswer } from '@weft/contract';
import type { TSchema } from '@weft/contract/schema';
import * as Type from '@weft/contract/schema';
import type { Caller } from '../../base/caller.ts';
import { TryLaterError } from '../../base/errors.ts';
import { callbacks } from '../../base/rights/permission.ts';
import type { Budget } from '../../base/shares/budget.ts';
import { principalOf } from '../../base/shares/shares.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { CallbackKind, MailboxService } from '../mailbox/mailbox-service.ts';
import type { JobService } from './job-service.ts';

const route = routesOf('Callbacks');

const CallbackQuery = Type.Object({
  job_number: Type.String(),
  final: Type.Optional.Boolean({ default: false, description: 'The last part: the job has succeeded.' }),
  chunk: Type.Optional.Integer({
    minimum: 0,
    description:
      'A number chosen by the sender; a repeated number gets the same answer and is not delivered again, but ends the job with `final` or `error`.',
  }),
  error: Type.Optional.String({ maxLength: 2000, description: 'An error message: the job has failed.' }),
  progress: Type.Optional.Number({ minimum: 0, maximum: 1 }),
});
const Anything = Type.Array(Type.Unknown());
const Objects = Type.Array(Type.Record(Type.String(), Type.Unknown()));
/** A body of the allowed size cannot have more than this. */
const maxKeys = 250_000;

export interface CallbackRoutesOptions {
  jobs: JobService;
  mailbox: MailboxService;
  /** Bytes that a caller may post; workers, who have the token of a job, are bounded by the job. */
  budget: Budget;
}

export function callbackRoutes({ jobs, mailbox, budget }: CallbackRoutesOptions): Route[] {
  const callback = (spec: number, kind: CallbackKind, body: TSchema, summary: string) =>
    route(`callback_${kind}`, `POST /api/v1/callback/${kind}`, {
      spec,
      permission: callbacks,
      target: '?job_number',
      summary,
      failures: { 409: 'The job has ended, or accepts other results' },
      query: CallbackQuery,
      body,
      maxKeys,
      keepsText: true,
      logSuccess: false,
      changesNothing: true,
      response: CallbackAnswer,
      async handle(context) {
        const { job_number, final = false, chunk = null, error, progress } = context.query;
        const callbackJob = context.request.pass?.name;
        if (!callbackJob) requireBudget(budget, context.caller, context.text);
        const job = callbackJob ? await jobs.kindOf(callbackJob) : await jobs.admit(context.caller, job_number);
        return mailbox.post(job, {
          kind,
          data: context.text,
          isEmpty: Array.isArray(context.body) && context.body.length === 0,
          final,
          chunk,
          error,
          progress,
          isByWorker: callbackJob !== undefined,
        });
      },
    });
  return [
    // spec #30
    callback(30, 'agent_data', Anything, 'Hand in the data of an agent for a job'),
    // spec #31
    callback(31, 'agent_details', Objects, 'Hand in details of agents for a job'),
    // spec #32
    callback(32, 'emulator', Objects, 'Hand in results of the emulator for a job'),
  ];
}

function requireBudget(budget: Budget, caller: Caller, text: string): void {
  const seconds = Math.ceil(budget.spend(principalOf(caller), Buffer.byteLength(text)));
  if (seconds === 0) return;
  throw new TryLaterError(
    429,
    'callback_budget',
    `You have posted too many results; try again in ${seconds} s`,
    seconds,
  );
}
