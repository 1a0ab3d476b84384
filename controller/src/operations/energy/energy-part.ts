// Energy as a part: what access points have drawn, and what commands have saved on emulated networks.
import { callerNow, type Principals } from '../../core/base/caller.ts';
import type { JobsPart } from '../../core/jobs/jobs-part.ts';
import type { Network } from '../../core/network/network.ts';
import type { EmulatorLeaseService } from '../../core/networks/emulator-lease-service.ts';
import type { EmulatorService } from '../../core/networks/emulator-service.ts';
import type { Part, Platform } from '../../core/part.ts';
import { energyRoutes } from './energy-routes.ts';
import { EnergyService } from './energy-service.ts';
import { PowerCommandStore } from './power-command-store.ts';
import { RerunService } from './rerun-service.ts';

interface EnergyPartDeps extends Platform {
  network: Network;
  emulator: { emulator: EmulatorService; leases: EmulatorLeaseService };
  jobs: Pick<JobsPart, 'jobStore' | 'mailbox' | 'results'>;
  principals: Principals;
}

export function createEnergyPart(deps: EnergyPartDeps) {
  const { config, database, telemetryStore, shares, network, jobs, principals, onError, now } = deps;
  const commands = new PowerCommandStore(database);
  const rates = {
    currency: config.currency,
    price_per_kwh: config.energyPrice,
    co2_g_per_kwh: config.energyCo2,
  };
  const energy = new EnergyService({ network, telemetry: telemetryStore, commands, rates, shares });
  const reruns = new RerunService({
    ...deps.emulator,
    jobs: jobs.jobStore,
    mailbox: jobs.mailbox,
    commands,
    network,
    rates,
    limits: { maxOpen: config.maxOpenJobs, maxUnpublished: config.maxWaitingJobs, requireOwner: true },
    timeoutMs: config.jobTimeoutMinutes * 60_000,
    requireRoom: (owner_id) => jobs.results.requireRoom(owner_id),
    callerNow: (ref) => callerNow(principals, database, ref),
    onError,
    now,
  });
  return {
    routes: energyRoutes(energy, reruns),
    start() {
      if (config.roles.includes('api')) reruns.start();
    },
    drain: () => reruns.stop(),
  } satisfies Part & Record<string, unknown>;
}
