// The effect of commands on an emulated network, predicted.
import { WhatIfAnswer, WhatIfRequest } from '@weft/contract/lab';
import { owners } from '../../core/base/rights/permission.ts';
import { type Route, routesOf, whileConnected } from '../../core/http/request/route.ts';
import type { WhatIfService } from './what-if-service.ts';

const route = routesOf('Emulator');

export function whatIfRoutes(whatIfs: WhatIfService): Route[] {
  return [
    route('emulator_what_if', 'POST /api/v1/emulator/what_if', {
      permission: owners,
      summary: 'Predict the effect of commands on a running network',
      failures: { 404: 'No such run, or it is not the caller’s', 409: 'The run has ended, or has not started' },
      body: WhatIfRequest,
      changesNothing: true,
      response: WhatIfAnswer,
      handle: ({ caller, body, request }) => whileConnected(request, (gone) => whatIfs.predict(caller, body, gone)),
    }),
  ];
}
