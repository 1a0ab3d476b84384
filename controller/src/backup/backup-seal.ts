// The end of a backup: the SHA-256 of everything before, in a frame that every zstd decoder skips. It detects what the
// format itself does not: truncation at the end of a frame, and bits that no decoder checks.
import { createHash } from 'node:crypto';

const hashBytes = 32;
/** The magic number of a skippable frame, and the length of its content. */
const frameHead = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, hashBytes, 0, 0, 0]);
const sealBytes = frameHead.length + hashBytes;

export async function* withSeal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.concat([frameHead, hash.digest()]);
}

/** Everything but the seal. Throws an Error at the end if the seal does not match. */
export async function* withoutSeal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = Buffer.concat([held, chunk]);
    const ready = all.subarray(0, Math.max(0, all.length - sealBytes));
    held = all.subarray(ready.length);
    hash.update(ready);
    if (ready.length > 0) yield ready;
  }
  if (!held.equals(Buffer.concat([frameHead, hash.digest()]))) throw new Error('its checksum does not match');
}
