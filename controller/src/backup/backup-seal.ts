// What a backup ends with: the SHA-256 of all that comes before, in a frame that every zstd skips. It finds what the
// format itself lets pass: a cut at the end of a frame, and bits that no decoder looks at.
import { createHash } from 'node:crypto';

const hashBytes = 32;
/** The mark of a frame to skip, and the length of what is in it. */
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

/** All but the seal. Throws an Error at the end if that does not fit. */
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
  if (!held.equals(Buffer.concat([frameHead, hash.digest()]))) throw new Error('its checksum does not fit');
}
