// `npx weft run examples/load-balancer/moves.ts [--seed 1]`: what it does to a network to move one device, by the technologies that it goes
// from and to. Each move is made in a copy and compared with another in which nothing is done. Prints the first table of README.md.
import { parseArgs } from 'node:util';
import { type AccessPointType, createWorld, type World } from '@weft/emulator';
import { toSpec } from '../trial/model-trial.ts';
import { tableOf } from '../trial/table.ts';
import { lastThursday } from '../trial/working-day.ts';
import { networks } from './networks.ts';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const technologies: AccessPointType[] = ['5G', 'WiFi', 'LiFi'];
const [moments, secondsBetween, watchedSeconds, settledSeconds, nearest] = [3, 600, 30, 5, 2];

interface Move {
  beforeMbps: number;
  afterMbps: number;
  gainedMbit: number;
  hasStayed: boolean;
}

/** By `from to`; undefined for an order that was refused. */
const moves = new Map<string, (Move | undefined)[]>();
for (const name of ['district', 'square']) {
  const startMs = Date.parse(lastThursday(9));
  const spec = toSpec({ emulators: networks[name]!, seed: Number(values.seed), startMs, reportIntervalSeconds: 60 });
  const world = createWorld(spec);
  for (let moment = 0; moment < moments; moment++) {
    for (let second = 0; second < secondsBetween; second++) world.step();
    tryAll(world);
  }
}
process.stdout.write(`${table()}\n`);

function tryAll(world: World): void {
  const { accessPoints } = world;
  const still = world.clone();
  for (let second = 0; second < watchedSeconds; second++) still.step();
  const { deliveredBits } = still.totals();
  for (const from of accessPoints) {
    const metres = ({ latitude, longitude }: typeof from) =>
      Math.hypot((latitude - from.latitude) * 111_320, (longitude - from.longitude) * 69_350);
    for (const technology of technologies) {
      const others = accessPoints.filter(({ ap_id, type }) => type === technology && ap_id !== from.ap_id);
      const targets = others.sort((a, b) => metres(a) - metres(b)).slice(0, nearest);
      const key = `${from.type} ${technology}`;
      const tried = targets.map((to) => tryMove(world, from.ap_id, to.ap_id, deliveredBits));
      moves.set(key, [...(moves.get(key) ?? []), ...tried]);
    }
  }
}

/** The access point chooses whom to send, as it does for the balancer. */
function tryMove(world: World, from: string, to: string, deliveredWithout: number): Move | undefined {
  const copy = world.clone();
  const result = copy.command(from, 'steer_device', { target: to });
  if (result.state !== 'succeeded') return undefined;
  const device = Number(/device-(\d+)/.exec(JSON.stringify(result))![1]);
  const rateMbps = () => copy.snapshot().devices.rateBps[device]! / 1e6;
  const move: Move = { beforeMbps: rateMbps(), afterMbps: 0, gainedMbit: 0, hasStayed: false };
  for (let second = 1; second <= watchedSeconds; second++) {
    copy.step();
    if (second === settledSeconds) move.afterMbps = rateMbps();
  }
  move.gainedMbit = (copy.totals().deliveredBits - deliveredWithout) / 1e6;
  move.hasStayed = copy.accessPoints[copy.servedBy()[device]!]?.ap_id === to;
  return move;
}

function table(): string {
  const rows = [...moves].map(([key, all]) => {
    const made = all.filter((move) => move !== undefined);
    const median = (of: (move: Move) => number) => {
      const sorted = made.map(of).sort((a, b) => a - b);
      return sorted.length === 0 ? '' : `${sorted[sorted.length >> 1]!.toFixed(0)} Mb/s`;
    };
    const gained = made.reduce((sum, { gainedMbit }) => sum + gainedMbit, 0) / made.length;
    const stayed = made.filter(({ hasStayed }) => hasStayed).length;
    return [
      ...[...key.split(' '), String(all.length), String(made.length), String(stayed)],
      ...[median((move) => move.beforeMbps), median((move) => move.afterMbps)],
      made.length === 0 ? '' : `${gained < 0 ? '−' : '+'}${Math.abs(gained).toFixed(1)} Mbit`,
    ];
  });
  return tableOf(['from', 'to', 'orders', 'moves', 'there after 30 s', 'before', 'after', 'delivered'], rows);
}
