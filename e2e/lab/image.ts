// Where the guest of the lab is kept; as a program it makes sure that there is one. Exit code 3: this machine cannot run it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/install.mjs';
import { checkQemu } from './guest.ts';
import { CannotRun, ensureGuestImage, type GuestImage } from './guest-image.ts';

export function labImage(): GuestImage {
  return ensureGuestImage(join(root, 'node_modules', '.cache', 'weft-lab'), (text) =>
    process.stderr.write(`${text}\n`),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    checkQemu(labImage());
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    process.stderr.write(`\n*** THE LAB DOES NOT RUN HERE: ${error.message}.\n*** Its tests are skipped.\n\n`);
    process.exit(3);
  }
}
