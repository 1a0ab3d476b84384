// Processes whose clock is another than that of the machine, by libfaketime. Their timers go by the true one.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const library = readdirSync('/usr/lib')
  .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketimeMT.so.1'))
  .find((path) => existsSync(path));
if (library === undefined) {
  const text = 'No libfaketime found: TESTS OF ANOTHER CLOCK ARE SKIPPED. (Debian: apt-get install faketime)';
  if (process.env.CI === 'true') throw new Error(text);
  process.stderr.write(`\n${'!'.repeat(100)}\n${text}\n${'!'.repeat(100)}\n\n`);
}

export const hasOtherClock = library !== undefined;

/** The environment of such a process; `settings` are those of libfaketime that say what time it is. */
export function otherClock(settings: { FAKETIME: string } | { FAKETIME_TIMESTAMP_FILE: string }) {
  return {
    LD_PRELOAD: library!,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    ...settings,
  };
}
