// `weft rollout`: the state of changes of settings, and the words that stop them, let them go on or take them back.
import type { Rollout } from '@weft/contract/operations';
import { pauseUnless } from '@weft/contract/pause';
import type { App } from '@weft/sdk';
import { type Command, type CommandLine, printResult } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { firstOf, interruptionOf, type Surroundings } from '../surroundings.ts';
import { printList, toTable } from '../table.ts';

const path = '/api/v1/rollouts';
const everyMs = 1_000;
const isUnderWay = ({ state }: Rollout) => state === 'running' || state === 'reverting';

export const rolloutCommand: Command = {
  summary: 'list roll-outs of settings, pause them, take them back',
  usage: [
    'rollout [list] [--wide] [--iso] [--json]',
    'rollout show ID [--wide] [--iso] [--json]',
    'rollout pause|resume|revert|abort ID [--json]',
  ],
  ask: 'Give one roll-out. weft rollout list shows them.',
  about: `resume accepts what has failed so far. revert gives everybody their old settings again, also after the end; abort leaves everybody as they are.
${identityHelp}`,
  options: listOptions,
  examples: ['rollout list', 'rollout revert 3f0c…'],
  async run(line, around) {
    const [action, id] = line.words;
    const app = connect(line, around);
    if (id === undefined) {
      const rollouts = await firstOf((signal) => app.config.rollouts({ signal }), Number.POSITIVE_INFINITY, around);
      const head = ['ID', 'TITLE', 'STATE', 'HOW IT STANDS', 'SINCE'];
      printList(rollouts, { none: 'There are no roll-outs yet.', head, toRow }, line, around);
      return;
    }
    if (action === 'show') return show(app, id, line, around);
    const rollout: Rollout = await app.request('POST', `${path}/${encodeURIComponent(id)}/${action}`);
    printResult(rollout, `${rollout.title}: ${rollout.state}. ${rollout.sentence}.`, line, around);
  },
};

function toRow({ id, title, state, sentence, created_at }: Rollout): string[] {
  return [id, title, state, sentence, created_at];
}

async function show(app: App, id: string, line: CommandLine, around: Surroundings): Promise<void> {
  const rollout = await app.config.rollout(id);
  const agents = await firstOf((signal) => app.config.rolloutAgents(id, { signal }), Number.POSITIVE_INFINITY, around);
  if (line.has('json')) {
    around.stdout.write(`${toJson({ ...rollout, agents })}\n`);
    return;
  }
  around.stdout.write(
    `${rollout.title}: ${rollout.state}${rollout.reason === null ? '' : ` (${rollout.reason})`}\n${rollout.sentence}\n`,
  );
  const rows = agents.map(({ ap_id, wave, state, detail }) => [ap_id, String(wave), state, detail ?? '–']);
  if (rows.length > 0) around.stdout.write(toTable(['ACCESS POINT', 'WAVE', 'STATE', 'WHY'], rows, around.stdout));
}

/** Until it has ended or stands. */
export async function followRollout(app: App, id: string, line: CommandLine, around: Surroundings): Promise<Rollout> {
  const signal = interruptionOf(around);
  let said = '';
  for (;;) {
    const rollout = await app.config.rollout(id);
    const words = `${rollout.state}: ${rollout.sentence}${rollout.reason === null ? '' : ` (${rollout.reason})`}`;
    if (words !== said && !line.has('json')) around.stderr.write(`${words}\n`);
    said = words;
    if (!isUnderWay(rollout)) return rollout;
    await pauseUnless(signal, everyMs);
    signal.throwIfAborted();
  }
}
