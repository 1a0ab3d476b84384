// The seed of a run: all that its tests draw follows from it (`draw.ts`).
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/**
 * Follows from what is committed: CI then draws what was tried before the push, and the next commit draws something else. Random where
 * there is no git.
 */
export function seedOfCommit(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return String(status === 0 ? Number.parseInt(stdout.slice(0, 8), 16) : randomInt(2 ** 32));
}
