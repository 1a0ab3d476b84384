// Writes a file atomically: it appears under its name only when it is complete.
import { rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';

/** `fill` receives the write function. Throws its errors and those of the disk; the previous file is unchanged then. */
export async function writeWholeFile(
  path: string,
  fill: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  // An existing pipe or device is written to directly.
  const isOrdinary = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const beside = isOrdinary ? `${path}.${process.pid}.part` : path;
  const removePart = () => isOrdinary && rmSync(beside, { force: true });
  const file = await open(beside, 'w');
  process.once('exit', removePart);
  try {
    await fill((piece) => file.writeFile(piece));
    await file.close();
    if (isOrdinary) await rename(beside, path);
  } catch (error) {
    await file.close().catch(() => {});
    removePart();
    throw error;
  } finally {
    process.off('exit', removePart);
  }
}
