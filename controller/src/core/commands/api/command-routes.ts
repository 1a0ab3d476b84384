// Routes for commands: those of callers, and the agent's answer.
import {
  BatchAnswer,
  BatchRequest,
  Command,
  CommandAccepted,
  CommandPreview,
  CommandResult,
  CommandState,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import type { AgentCaller } from '../../base/caller.ts';
import { ValidationError } from '../../base/errors.ts';
import { INEXACT_INTEGER, valueError } from '../../base/input/value-rules.ts';
import { agentItself, commandSenders, owners } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { CommandDelivery } from '../delivery/command-delivery.ts';
import { toCommand } from '../ledger/command-answers.ts';
import type { BatchService } from './batch-service.ts';
import type { CommandService } from './command-service.ts';
import type { RivalVisibility } from './rival-visibility.ts';

const route = routesOf('Commands');
/** An answer with a result may have as many keys as a result has bytes. */
const maxAnswerKeys = 10_000;

export interface CommandRoutesOptions {
  commands: CommandService;
  batches: BatchService;
  sight: RivalVisibility;
  delivery: CommandDelivery;
}

export function commandRoutes({ commands, batches, sight, delivery }: CommandRoutesOptions): Route[] {
  return [
    route('send_command', 'POST /api/v1/send_command', {
      spec: 24, // spec #24
      permission: commandSenders,
      summary: 'Send a command to an agent, unless it conflicts with the lease of another caller',
      failures: {
        404: 'Agent not found, or not visible to the caller',
        409: 'The command loses against the lease of another caller, its guard could not be rolled back, or the idempotency key belongs to another command',
      },
      // The audit log has a line for each already.
      fastLane: true,
      logSuccess: false,
      query: Type.Object({
        agent_id: Type.String({ format: 'agent-name', minLength: 1, maxLength: 512, description: 'The ap_id.' }),
        command: Type.String({
          minLength: 1,
          documented: { maxLength: 16_384 },
          description:
            'A name (`sleep`), JSON with a name and arguments (`{"name":"set_tx_power","dbm":17}`), or free text (`set channel 36`): its first word in lower case is the name, the rest the argument `text`. With everything else in the address and the headers it has at most 16 KiB as it is sent, percent-encoded (431); a longer one, up to 65,536 characters, goes into the body of `/api/v1/commands/batch`.',
        }),
        hold_seconds: Type.Optional.Integer({
          minimum: 0,
          maximum: 3600,
          description: 'Duration of the lease in seconds: other callers cannot change the parameter.',
        }),
        expires_in: Type.Optional.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds. Default: 600.' }),
        idempotency_key: Type.Optional.String({
          minLength: 1,
          maxLength: 128,
          description: 'A repeated key returns the first command instead of creating another.',
        }),
        guard: Type.Optional.String({
          maxLength: 1024,
          description:
            'A condition that must stay true for some seconds after the command has succeeded, else the command is rolled back: `metric<limit` or `metric>limit` of the agent, or JSON `{"selector": "site:hall", "metric": "load", "op": "<", "value": 0.9}` of all agents that match (`op` is `<`, `<=`, `>` or `>=`; the selector `neighbours` means those within interference range).',
        }),
        dry_run: Type.Optional.Boolean({ default: false, description: 'Returns the verdict and sends nothing.' }),
      }),
      response: Type.Union([CommandAccepted, CommandPreview]),
      handle({ query: { agent_id, command, dry_run, ...options }, caller }) {
        if (dry_run) return commands.preview(caller, agent_id, command, options);
        return commands.send(caller, agent_id, command, options);
      },
    }),
    route('command_batch', 'POST /api/v1/commands/batch', {
      permission: commandSenders,
      summary: 'Send a command to many agents, at once or in stages; with a verdict for each',
      failures: { 404: 'No agent matches' },
      body: BatchRequest,
      maxKeys: 20_000,
      response: BatchAnswer,
      handle({ body, caller, inexact }) {
        const wrong = inexact.filter(([first]) => first === 'command');
        if (wrong.length > 0)
          throw new ValidationError(wrong.map((path) => valueError(['body', ...path], INEXACT_INTEGER)));
        return batches.send(caller, body);
      },
    }),
    route('list_commands', 'GET /api/v1/commands', {
      permission: owners,
      summary: "List the caller's commands, newest first; administrators see those of all callers",
      failures: { 404: '`before` names no command of the caller' },
      query: Type.Object({
        agent: Type.Optional.String({ format: 'agent-name', description: 'The ap_id.' }),
        state: Type.Optional(CommandState),
        batch_id: Type.Optional.String({ maxLength: 64, description: 'Only commands of this batch.' }),
        before: Type.Optional.String({ description: 'A command_id: only older ones, for the next page.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 200, default: 50 }),
      }),
      response: Type.Array(Command),
      handle: ({ query, caller }) => commands.list(caller, { ...query, limit: query.limit! }),
    }),
    route('get_command', 'GET /api/v1/commands/:command_id', {
      permission: owners,
      summary: 'Get a command and its result',
      response: Command,
      handle: (context) => commands.get(context.caller, context.path('command_id')),
    }),
    route('cancel_command', 'DELETE /api/v1/commands/:command_id', {
      permission: owners,
      summary: 'Cancel a command that the agent has not acknowledged',
      failures: { 409: 'The command has ended, or the agent has received it' },
      changesNothing: true,
      response: Command,
      handle: (context) => commands.cancel(context.caller, context.path('command_id')),
    }),
    route('answer_command', 'POST /api/v1/agents/:ap_id/commands/:command_id', {
      permission: agentItself,
      summary: 'Report the state of a command, as its agent',
      failures: { 409: 'The command has ended' },
      body: CommandResult,
      maxKeys: maxAnswerKeys,
      changesNothing: true,
      response: Command,
      async handle(context) {
        const agent = context.caller as AgentCaller;
        const command = await delivery.answer(agent, context.path('command_id'), context.body);
        return sight.of(agent, toCommand(command));
      },
    }),
  ];
}
