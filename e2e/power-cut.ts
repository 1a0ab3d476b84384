// A power cut, as the disk sees it: everything up to one moment, and of that only what was flushed is sure.
import { join } from 'node:path';
import { copyImage, createImage, mountImage } from '../test/mounts.ts';
import { prepareLedger } from './ledger-folder.ts';
import { serve as serveHere } from './weft-here.ts';
import { command, serve, temporaryFolder } from './weft-process.ts';

/** The lines of a log that have this level, but for those about answers. */
export function linesOf(log: string, level: string): string[] {
  return log.split('\n').filter((line) => line.includes(`"level":"${level}"`) && !line.includes('"answered"'));
}

/** Posts, copies the disk as it is at one moment, and looks at what a start on the copy finds. */
export async function cutPower(nodeOptions: string[] = []) {
  const folder = temporaryFolder();
  const image = join(folder, 'image');
  createImage(image, 64);
  const disk = mountImage(image, join(folder, 'disk'));
  const { ledger, env } = await prepareLedger(disk, 8);
  const weft = await serve({ folder, env, launcher: [process.execPath, ...nodeOptions, command] });
  const enough = Promise.withResolvers<void>();
  let left = 150;
  const posting = ledger.postUntilGone(
    weft,
    () => {
      left -= 1;
      if (left === 0) enough.resolve();
    },
    200,
  );
  await Promise.race([enough.promise, posting]);
  // Stands still while it is copied, since a power cut is one moment; nothing is flushed that was not before.
  weft.child.kill('SIGSTOP');
  const acknowledged = ledger.agents.map((agent) => [...agent.acknowledged]);
  copyImage(image, join(folder, 'copy'));
  await weft.end('SIGKILL');
  await posting;
  // Answers that were on their way came after the moment.
  for (const [index, agent] of ledger.agents.entries()) {
    agent.acknowledged.clear();
    for (const ts of acknowledged[index]!) agent.acknowledged.add(ts);
  }
  const after = mountImage(join(folder, 'copy'), join(folder, 'after'));
  const again = await serveHere({ env: { ...env, WEFT_DATA_DIR: join(after, 'data') } });
  const errors = linesOf(again.err, 'error');
  return { acknowledged: ledger.acknowledged, findings: await ledger.compareExport(again), errors };
}
