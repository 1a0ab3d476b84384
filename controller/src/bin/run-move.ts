import { interruptedCode, ProgressBar, type Surroundings } from '@weft/cli';
import type { MoveHooks } from '../moving/move-hooks.ts';

/** Runs a move with a progress bar. One that is interrupted says how to go on, and gives the exit code of its process. */
export async function runMove<Report>(
  around: Surroundings,
  move: (hooks: MoveHooks) => Promise<Report>,
): Promise<{ report: Report } | { exitCode: number }> {
  const progress = new ProgressBar(around.stderr);
  const signal = around.interruption?.();
  const onStage = (text: string) => {
    progress.clear();
    around.stderr.write(`${text}\n`);
  };
  try {
    return { report: await move({ onStage, onProgress: (share, text) => progress.show(share, text), signal }) };
  } catch (error) {
    if (!signal?.aborted) throw error;
    progress.clear();
    around.stderr.write('Interrupted. Run the same command again to go on.\n');
    return { exitCode: interruptedCode() };
  } finally {
    progress.clear();
  }
}
