// The file format of a backup: a tar archive, compressed with zstd, with the manifest first and a seal at its end.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import {
  type BackupManifest,
  type BackupPart,
  manifestName,
  maxManifestBytes,
  parseManifest,
} from './backup-manifest.ts';
import { blockBytes, paddedBytes, parseTarHeader, paxSize, tarHeader } from './tar-header.ts';

/** The pax extensions of a backup are one short record. */
const maxPaxBytes = 4096;

/** The bytes of the archive of these parts, which are in `folder`. */
export async function* packBackup(
  folder: string,
  manifest: BackupManifest,
  onBytes: (sinceLast: number) => void,
): AsyncGenerator<Buffer> {
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const packed = pipeline(Readable.from(tarOf(folder, manifest, onBytes), { objectMode: false }), compress);
  // The reader below sees the same failure.
  packed.catch(() => {});
  yield* withSeal(compress as AsyncIterable<Buffer>);
  await packed;
}

async function* tarOf(
  folder: string,
  manifest: BackupManifest,
  onBytes: (sinceLast: number) => void,
): AsyncGenerator<Buffer> {
  const mtimeMs = Date.parse(manifest.created_at);
  const head = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield tarHeader({ name: manifestName, size: head.length }, mtimeMs);
  yield head;
  yield* padding(head.length);
  for (const { path, size, sha256 } of manifest.parts) {
    yield tarHeader({ name: path, size }, mtimeMs);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw new Error(`${path} changed while it was being packed`);
    yield* padding(size);
  }
  yield Buffer.alloc(2 * blockBytes);
}

export interface UnpackTarget {
  /** Called first. What it throws ends the work. */
  onManifest: (manifest: BackupManifest) => void;
  /** Receives the bytes of a part, in the order of the manifest. */
  write: (part: BackupPart, bytes: AsyncIterable<Buffer>) => Promise<void>;
}

/**
 * Unpacks an archive. Resolves only if everything is valid: manifest, sizes, checksums, seal. After a failure the caller must
 * remove what was written. Never writes more than the manifest lists.
 */
export async function unpackBackup(archive: AsyncIterable<Buffer>, target: UnpackTarget): Promise<BackupManifest> {
  const decompress = createZstdDecompress();
  const fed = pipeline(Readable.from(withoutSeal(archive), { objectMode: false }), decompress);
  // The reader below sees the same failure.
  fed.catch(() => {});
  try {
    const reader = new ByteReader(decompress as AsyncIterable<Buffer>);
    const head = await nextEntry(reader);
    if (head?.name !== manifestName || head.size > maxManifestBytes) throw new Error('it has no manifest');
    const manifest = parseManifest((await reader.read(head.size)).toString('utf8'));
    await skipPadding(reader, head.size);
    target.onManifest(manifest);
    for (const part of manifest.parts) {
      const entry = await nextEntry(reader);
      if (entry?.name !== part.path || entry.size !== part.size)
        throw new Error(`${part.path} does not match the manifest`);
      const hash = createHash('sha256');
      await target.write(part, hashed(reader.pieces(part.size), hash));
      if (hash.digest('hex') !== part.sha256) throw new Error(`the checksum of ${part.path} does not match`);
      await skipPadding(reader, part.size);
    }
    if ((await nextEntry(reader)) !== undefined) throw new Error('it contains more than its manifest lists');
    await skipZeros(reader, blockBytes);
    if (!(await reader.isAtEnd())) throw new Error('it contains more than its manifest lists');
    await fed;
    return manifest;
  } finally {
    decompress.destroy();
    await fed.catch(() => {});
  }
}

async function nextEntry(reader: ByteReader): Promise<{ name: string; size: number } | undefined> {
  const header = parseTarHeader(await reader.read(blockBytes));
  if (!header?.isPax) return requireFile(header);
  if (header.size > maxPaxBytes) throw new Error('a header is too long');
  const extension = (await reader.read(header.size)).toString('latin1');
  await skipPadding(reader, header.size);
  const extended = requireFile(parseTarHeader(await reader.read(blockBytes)));
  return extended && { ...extended, size: paxSize(extension) ?? extended.size };
}

function requireFile(header: ReturnType<typeof parseTarHeader>): typeof header {
  if (header && !header.isFile) throw new Error(`${JSON.stringify(header.name)} is not a regular file`);
  return header;
}

async function* hashed(pieces: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

function skipPadding(reader: ByteReader, size: number): Promise<void> {
  return skipZeros(reader, paddedBytes(size) - size);
}

async function skipZeros(reader: ByteReader, count: number): Promise<void> {
  if ((await reader.read(count)).some((byte) => byte !== 0)) throw new Error('there is data between its parts');
}

function* padding(size: number): Generator<Buffer> {
  if (size % blockBytes > 0) yield Buffer.alloc(paddedBytes(size) - size);
}

// The end of a backup: the SHA-256 of everything before, in a frame that every zstd decoder skips. It detects what the
// format itself does not: truncation at the end of a frame, and bits that no decoder checks.
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

/** Node's decoder takes a frame for ended, and drops the rest, if its last few bytes come alone: they come with these. */
const lastBytes = 64 * 1024;

/** Everything but the seal. Throws an Error at the end if the seal does not match. */
export async function* withoutSeal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = Buffer.concat([held, chunk]);
    const ready = all.subarray(0, Math.max(0, all.length - sealBytes - lastBytes));
    held = all.subarray(ready.length);
    hash.update(ready);
    if (ready.length > 0) yield ready;
  }
  const last = held.subarray(0, Math.max(0, held.length - sealBytes));
  if (last.length > 0) yield last;
  const seal = Buffer.concat([frameHead, hash.update(last).digest()]);
  if (!held.subarray(last.length).equals(seal)) throw new Error('its checksum does not match');
}

/** Reads a stream of chunks in parts of known length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly this number of bytes, in one buffer. Throws an Error if there are fewer. */
  async read(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pieces(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Exactly this number of bytes, in chunks. Throws an Error if there are fewer. */
  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw new Error('it ends too early');
        this.#rest = value;
        continue;
      }
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** Whether the stream has ended; waits for its next chunk or end. */
  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#rest = value;
    }
    return false;
  }
}
