// Emulated networks over HTTP, for those who want one, and the lease for the process that runs it.
import {
  EmulatorAccepted,
  EmulatorLease,
  EmulatorLeaseRequest,
  EmulatorRun,
  EmulatorRunWithAgents,
  EmulatorSpinupRequest,
  FaultRequest,
  StatusAnswer,
  WhatIfAnswer,
  WhatIfRequest,
} from '@weft/contract';
import Type from 'typebox';
import { AuthenticationError } from '../errors.ts';
import { type Route, route } from '../http/request/route.ts';
import type { EmulatorLeaseService } from './emulator-lease-service.ts';
import type { EmulatorService } from './emulator-service.ts';

const tag = 'Emulator';
/** A request of the allowed size cannot have more than this. */
const maxKeys = 100_000;

export interface EmulatorRouteServices {
  emulator: EmulatorService;
  leases: EmulatorLeaseService;
}

export function emulatorRoutes({ emulator, leases }: EmulatorRouteServices): Route[] {
  return [
    // spec #25
    route({
      operation: 'emulator_spinup',
      method: 'POST',
      url: '/api/v1/emulator/spinup',
      tag,
      summary: 'Ask for emulated access points',
      body: EmulatorSpinupRequest,
      maxKeys,
      response: EmulatorAccepted,
      handle: ({ caller, body }) => emulator.spinUp(caller, body),
    }),
    route({
      operation: 'list_emulator_runs',
      method: 'GET',
      url: '/api/v1/emulator',
      tag,
      summary: 'Your emulated networks, newest first',
      query: Type.Object({
        all: Type.Optional(Type.Boolean({ default: false, description: 'Everybody’s; for administrators.' })),
        before: Type.Optional(Type.String({ description: 'Only those older than this job number.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      }),
      response: Type.Array(EmulatorRun),
      handle: ({ caller, query: { all = false, before, limit = 20 } }) =>
        emulator.list(caller, { all, ...(before !== undefined && { before }), limit }),
    }),
    route({
      operation: 'get_emulator_run',
      method: 'GET',
      url: '/api/v1/emulator/:job_number',
      target: 'job_number',
      tag,
      summary: 'One emulated network, with the names of its agents',
      response: EmulatorRunWithAgents,
      handle: (context) => emulator.get(context.caller, context.path('job_number')),
    }),
    route({
      operation: 'stop_emulator_run',
      method: 'POST',
      url: '/api/v1/emulator/:job_number/stop',
      target: 'job_number',
      tag,
      summary: 'End an emulated network now',
      response: EmulatorRun,
      handle: (context) => emulator.stop(context.caller, context.path('job_number')),
    }),
    route({
      operation: 'emulator_fault',
      method: 'POST',
      url: '/api/v1/emulator/:job_number/faults',
      target: 'job_number',
      tag,
      summary: 'Make something go wrong in a running network',
      body: FaultRequest,
      response: StatusAnswer,
      handle: (context) => emulator.fault(context.caller, context.path('job_number'), context.body),
    }),
    route({
      operation: 'emulator_what_if',
      method: 'POST',
      url: '/api/v1/emulator/what_if',
      tag,
      summary: 'Run a copy of a running network ahead, with some commands and without',
      body: WhatIfRequest,
      response: WhatIfAnswer,
      handle: ({ caller, body }) => emulator.whatIf(caller, body),
    }),
    route({
      operation: 'callback_emulator_lease',
      method: 'POST',
      url: '/api/v1/callback/emulator/lease',
      target: '?job_number',
      tag: 'Callbacks',
      summary: 'Hold an emulated network, and hear what is asked of it',
      query: Type.Object({ job_number: Type.String() }),
      body: EmulatorLeaseRequest,
      maxKeys,
      response: EmulatorLease,
      async handle({ body, request }) {
        if (request.callbackJob === undefined) throw new AuthenticationError();
        const gone = new AbortController();
        const connection = request.raw.socket;
        const hangUp = () => gone.abort();
        connection.once('close', hangUp);
        try {
          return await leases.lease(request.callbackJob, body, gone.signal);
        } finally {
          connection.off('close', hangUp);
        }
      },
    }),
  ];
}
