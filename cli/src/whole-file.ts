// A file that gets its name when all of it is written: nobody takes a part of it for the whole.
import { rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';

/** `fill` is given what writes. Throws what that throws and what the disk says; the file is as it was before then. */
export async function writeWholeFile(
  path: string,
  fill: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  // What is there and no ordinary file, such as a pipe or a device, is written to as it is.
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
