// `npx weft run examples/load-balancer/seeds.ts [--seeds 11-20] [--parallel 2] [--network district]`: half an hour from 09:00 with and without the load
// balancer, on the model alone, over several seeds. Prints the tables of README.md.
import { parseArgs } from 'node:util';
import { runOnModel } from '../trial/model-trial.ts';
import { columns, compareOverSeeds } from '../trial/over-seeds.ts';
import { lastThursday } from '../trial/working-day.ts';
import { LoadBalancer } from './load-balancer.ts';
import { networks } from './networks.ts';

const { values } = parseArgs({ options: { network: { type: 'string', default: 'district' } }, strict: false });
const emulators = networks[String(values.network)];
if (!emulators) throw new Error(`--network is one of ${Object.keys(networks).join(', ')}`);
const shared = { emulators, startMs: Date.parse(lastThursday(9)), seconds: 1800, reportIntervalSeconds: 2 };
const { delivered, dropped, waiting, unserved, qos, latency, overloaded, energy, done, failed } = columns;

await compareOverSeeds(
  import.meta.url,
  {
    without: (seed) => runOnModel({ ...shared, seed }),
    'load balancer': (seed) => runOnModel({ ...shared, seed, program: new LoadBalancer() }),
  },
  [delivered, dropped, waiting, unserved, qos, latency, overloaded, energy, done, failed],
);
