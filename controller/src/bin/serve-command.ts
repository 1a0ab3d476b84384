// `weft serve`: starts Weft, prints its address and the next step, and stops it gracefully.

import type { CommandLine, Surroundings } from '@weft/cli';
import { returnMemoryAtRest } from '@weft/timeseries';
import { buildState, controllerBuild, dashboardBuild } from '../../../scripts/build-state.mjs';
import type { Config } from '../core/base/config.ts';
import { isLoopback } from '../core/base/loopback.ts';
import type { RunningWeft } from '../serve.ts';
import { Ending } from './ending.ts';
import { openFileLimit } from './open-file-limit.ts';
import { readConfig } from './read-config.ts';

export async function serveCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const config = readConfig(line, around.env);
  const { warning: fileWarning, maxConnections } = openFileLimit(config.maxConnections);
  for (const warning of [...config.warnings, ...(fileWarning ? [fileWarning] : []), ...buildWarnings(config)]) {
    around.stderr.write(`weft: warning: ${warning}\n`);
  }
  const ending = new Ending(config, around);
  const { serve } = await import('../serve.ts');
  const weft = await serve({ ...config, maxConnections });
  ending.watch(weft);
  returnMemoryAtRest();
  around.stdout.write(welcome(weft, config));
  return ending.code;
}

/** After an upgrade somebody may have forgotten to build: then this is the old Weft, or serves the old dashboard. */
function buildWarnings({ roles }: Config): string[] {
  const warnings: string[] = [];
  const isFromSources = import.meta.filename.endsWith('.ts');
  if (!isFromSources && buildState(controllerBuild) === 'outdated') {
    warnings.push('this Weft was built from other sources than these: run npm run build, then restart');
  }
  const served = roles.includes('api') ? buildState(dashboardBuild) : 'current';
  if (served === 'current') return warnings;
  const state =
    served === 'missing'
      ? 'are not built, and are not served'
      : 'that are served were built from other sources than these';
  return [...warnings, `the dashboard, the command line and the SDK ${state}: run npm run build, then restart`];
}

export function welcome(weft: RunningWeft, config: Config): string {
  const url = config.publicUrl ?? weft.url;
  const state = weft.firstAdminNeeded === undefined ? 'not ready yet' : 'ready';
  const lines = [`Weft is ${state}: ${url}${url === weft.url ? '' : ` (listening on ${weft.url})`}`, ''];
  if (weft.firstAdminNeeded === undefined) {
    lines.push('  Next   The database does not answer; Weft retries. Run weft doctor to find the reason.');
  } else if (weft.firstAdminNeeded) {
    const who = weft.setupCode === undefined ? '. The first visitor can do this.' : ' with the code below.';
    lines.push(`  Next   Open ${url} and create the administrator${who}`);
  } else {
    lines.push(`  Next   Open ${url} and sign in.`);
  }
  if (weft.setupCode !== undefined && weft.firstAdminNeeded !== false) {
    lines.push(`  Code   ${weft.setupCode} (needed to create the first administrator)`);
  }
  if (config.tls === undefined && config.trustedProxies.length === 0 && !isLoopback(config.host)) {
    lines.push(
      '  TLS    None: keep the port to this machine, or set WEFT_TLS_CERT and WEFT_TLS_KEY, or put a proxy in front.',
    );
  }
  lines.push(`  API    ${url}/docs`);
  lines.push(`  Data   ${config.dataDir}${config.databaseUrl === undefined ? '' : ', accounts in PostgreSQL'}`);
  lines.push('  Stop   Ctrl+C', '');
  return `${lines.join('\n')}\n`;
}
