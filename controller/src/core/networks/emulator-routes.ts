// Emulated networks over HTTP, and the lease for the process that runs one.
import {
  EmulatorAccepted,
  EmulatorLease,
  EmulatorLeaseRequest,
  EmulatorRun,
  EmulatorRunWithAgents,
  EmulatorSpinupRequest,
  FaultRequest,
  maxEmulatedDevices,
  StatusAnswer,
  StepAnswer,
  StepRequest,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { AuthenticationError } from '../base/errors.ts';
import { emulatorStarters, owners } from '../base/rights/permission.ts';
import { type Route, routesOf, whileConnected } from '../http/request/route.ts';
import type { EmulatorLeaseService } from './emulator-lease-service.ts';
import type { EmulatorService } from './emulator-service.ts';

const callbackRoute = routesOf('Callbacks');

const route = routesOf('Emulator');
/** A request of the allowed size cannot contain more. */
const maxKeys = 100_000;

export interface EmulatorRouteServices {
  emulator: EmulatorService;
  leases: EmulatorLeaseService;
}

export function emulatorRoutes({ emulator, leases }: EmulatorRouteServices): Route[] {
  return [
    route('emulator_spinup', 'POST /api/v1/emulator/spinup', {
      spec: 25, // spec #25
      permission: emulatorStarters,
      summary: 'Create an emulated network',
      description: `At most ${maxEmulatedDevices} devices a request; WEFT_EMULATOR_MAX_ACCESS_POINTS access points a request, WEFT_EMULATOR_MAX_PER_CALLER of one caller, and WEFT_EMULATOR_MAX_HOURS of model time.`,
      body: EmulatorSpinupRequest,
      maxKeys,
      response: EmulatorAccepted,
      handle: ({ caller, body }) => emulator.spinUp(caller, body),
    }),
    route('list_emulator_runs', 'GET /api/v1/emulator', {
      permission: owners,
      summary: 'List your emulated networks, newest first',
      failures: { 404: 'There is no network with the job number in `before`' },
      query: Type.Object({
        all: Type.Optional.Boolean({ default: false, description: 'Networks of all callers; administrators only.' }),
        before: Type.Optional.String({ description: 'A job number: only older ones, for the next page.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 100, default: 20 }),
      }),
      response: Type.Array(EmulatorRun),
      handle: ({ caller, query: { all = false, before, limit = 20 } }) =>
        emulator.list(caller, { all, ...(before !== undefined && { before }), limit }),
    }),
    route('get_emulator_run', 'GET /api/v1/emulator/:job_number', {
      permission: owners,
      summary: 'Get an emulated network, with the names of its agents',
      response: EmulatorRunWithAgents,
      handle: (context) => emulator.get(context.caller, context.path('job_number')),
    }),
    route('stop_emulator_run', 'POST /api/v1/emulator/:job_number/stop', {
      permission: owners,
      summary: 'Stop an emulated network',
      failures: { 409: 'The run has ended' },
      response: EmulatorRun,
      handle: (context) => emulator.stop(context.caller, context.path('job_number')),
    }),
    route('emulator_fault', 'POST /api/v1/emulator/:job_number/faults', {
      permission: owners,
      summary: 'Inject a fault into a running network',
      failures: { 409: 'The run has ended, or has not started' },
      body: FaultRequest,
      // What happens in an emulated network stays there.
      changesNothing: true,
      response: StatusAnswer,
      handle: (context) => emulator.fault(context.caller, context.path('job_number'), context.body),
    }),
    route('emulator_step', 'POST /api/v1/emulator/:job_number/step', {
      permission: owners,
      summary: 'Let model time pass in a network that was created with `pace` `stepped`',
      description:
        'The answer comes when every access point has reported the time that has passed, and has taken every command that was sent before.',
      failures: {
        409: 'The run has ended, has not started or goes by the clock; or an access point has not taken a command',
      },
      body: StepRequest,
      changesNothing: true,
      response: StepAnswer,
      handle: (context) =>
        whileConnected(context.request, (gone) => {
          return emulator.step(context.caller, context.path('job_number'), context.body.seconds, gone);
        }),
    }),
    callbackRoute('callback_emulator_lease', 'POST /api/v1/callback/emulator/lease', {
      permission: { admin: 'no', user: 'no', agent: 'no', third_party_app: 'no', openTo: 'callback_token' },
      target: '?job_number',
      summary: 'Acquire or renew the lease on an emulated network, and receive its requests',
      failures: { 409: 'Another process holds the lease, or the run has ended' },
      query: Type.Object({ job_number: Type.String() }),
      body: EmulatorLeaseRequest,
      maxKeys,
      // A long poll: each would look like a slow answer.
      logSuccess: false,
      changesNothing: true,
      response: EmulatorLease,
      async handle({ body, request }) {
        const { pass } = request;
        if (!pass) throw new AuthenticationError();
        return whileConnected(request, (gone) => leases.lease(pass.name, body, gone));
      },
    }),
  ];
}
