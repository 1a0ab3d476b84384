// Operations on energy: what was drawn, as an answer and as a file, and the job that works out what was saved.
import { JobAccepted } from '@weft/contract';
import { Energy, EnergyRerunRequest } from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { networkReaders, owners } from '../../core/base/rights/permission.ts';
import { type Route, routesOf, streamOf } from '../../core/http/request/route.ts';
import type { EnergyService } from './energy-service.ts';
import type { RerunService } from './rerun-service.ts';

const route = routesOf('Energy');

const query = Type.Object({
  window: Type.Optional.String({
    format: 'time-window',
    maxLength: 40,
    description: 'The last minutes, or `90m`, `24h`, `7d`. Default: 24h.',
  }),
  end: Type.Optional.String({ format: 'date-time', description: 'Where the window ends. Default: now.' }),
  selector: Type.Optional.String({ format: 'selector', maxLength: 1000, description: 'Only these access points.' }),
});

export function energyRoutes(energy: EnergyService, reruns: RerunService): Route[] {
  return [
    route('get_energy', 'GET /api/v1/energy', {
      permission: networkReaders,
      summary: 'What access points have drawn, from the power that they reported: by site, technology and time',
      description:
        'Of the access points that the caller may see. Time without reports is counted, and no energy for it.',
      query,
      response: Energy,
      handle: ({ caller, query }) => energy.energy(caller, query),
    }),
    route('export_energy', 'GET /api/v1/energy/export', {
      permission: networkReaders,
      summary: 'The same as CSV, one line for each access point',
      media: ['text/csv'],
      query,
      response: Type.Unknown({ description: 'Ordered by `ap_id`.' }),
      async handle({ caller, query, reply }) {
        const text = await energy.csv(caller, query);
        reply.headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="weft-energy.csv"',
        });
        return streamOf([text]);
      },
    }),
    route('rerun_energy', 'POST /api/v1/energy/rerun', {
      permission: owners,
      summary:
        'Run the hours of an emulated network again, without the commands about sleep and power; the job delivers it',
      description:
        'From the same seed, with all other commands and faults: the result is an EnergyRerun. Equal questions within five minutes have one job.',
      failures: { 404: 'No such run, or it is not the caller’s', 409: 'The run has ended, or has not started' },
      body: EnergyRerunRequest,
      changesNothing: true,
      response: JobAccepted,
      handle: ({ caller, body }) => reruns.request(caller, body),
    }),
  ];
}
