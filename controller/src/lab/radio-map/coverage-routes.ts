// The radio map of an emulated network over HTTP.
import { CoverageAnswer, CoverageDifference, CoverageDifferenceRequest, CoverageQuery } from '@weft/contract/lab';
import { owners } from '../../core/base/rights/permission.ts';
import { type Route, routesOf, whileConnected } from '../../core/http/request/route.ts';
import type { CoverageService } from './coverage-service.ts';

const route = routesOf('Emulator');
const url = '/api/v1/emulator/:job_number/coverage';
const failures = {
  409: 'The run has ended, or has not started',
  503: 'The process that runs the network does not answer; see Retry-After',
};

export function coverageRoutes(coverage: CoverageService): Route[] {
  return [
    route('emulator_coverage', `GET ${url}`, {
      permission: owners,
      summary: 'Get the radio map of a running network, at the present second of the model',
      failures,
      query: CoverageQuery,
      response: CoverageAnswer,
      handle: (context) =>
        whileConnected(context.request, (gone) =>
          coverage.map(context.caller, context.path('job_number'), context.query, gone),
        ),
    }),
    route('emulator_coverage_difference', `POST ${url}`, {
      permission: owners,
      summary: 'Predict how commands change the radio map of a running network',
      description: 'Two copies of the network run ahead, one with the commands; the network itself does not notice.',
      failures,
      body: CoverageDifferenceRequest,
      changesNothing: true,
      response: CoverageDifference,
      handle: (context) =>
        whileConnected(context.request, (gone) =>
          coverage.difference(context.caller, context.path('job_number'), context.body, gone),
        ),
    }),
  ];
}
