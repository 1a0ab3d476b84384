// What is only there with emulated networks: the worker that runs them (role emulator), radio maps and what-ifs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmulatorWorker } from '@weft/emulator';
import type { DevicesPart } from '../core/devices/devices-part.ts';
import type { EmulatorLeaseService } from '../core/networks/emulator-lease-service.ts';
import type { EmulatorService } from '../core/networks/emulator-service.ts';
import type { Part, Platform } from '../core/part.ts';
import { coverageRoutes } from './radio-map/coverage-routes.ts';
import { CoverageService } from './radio-map/coverage-service.ts';
import { whatIfRoutes } from './what-if/what-if-routes.ts';
import { WhatIfService } from './what-if/what-if-service.ts';

interface LabPartDeps extends Platform {
  emulator: { emulator: EmulatorService; leases: EmulatorLeaseService };
  devices: Pick<DevicesPart, 'addresses'>;
}

export function createLabPart({ config, broker, shares, ownUrl, onError, ...deps }: LabPartDeps) {
  const { emulator, leases } = deps.emulator;
  const worker = config.roles.includes('emulator') && config.emulatorMaxRuns > 0 ? createWorker() : undefined;

  function createWorker(): EmulatorWorker {
    return new EmulatorWorker({
      broker,
      url: () => config.callbackUrl ?? ownUrl(),
      stateDir: join(config.dataDir, 'emulator'),
      maxRuns: config.emulatorMaxRuns,
      reservedRuns: 1,
      ...(config.callbackUrl === undefined &&
        config.tls && { trustedCertificate: readFileSync(config.tls.certFile, 'utf8') }),
      onError,
    });
  }

  return {
    routes: [
      ...coverageRoutes(new CoverageService({ emulator, leases, shares })),
      ...whatIfRoutes(new WhatIfService({ emulator, addresses: deps.devices.addresses, shares })),
    ],
    metrics: {
      weft_emulator_runs: { help: 'Emulated networks that this process runs', value: () => worker?.runs ?? 0 },
      weft_emulator_agents: { help: 'Emulated agents of this process', value: () => worker?.agents ?? 0 },
      weft_emulator_late_seconds: {
        help: 'How many seconds of model time the slowest emulated network of this process is behind its clock',
        value: () => worker?.lateBySeconds ?? 0,
      },
    },
    start: () => worker?.start(),
    drain: () => worker?.stop(),
  } satisfies Part;
}
