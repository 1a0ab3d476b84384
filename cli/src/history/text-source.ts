// The text of a file or of standard input in chunks, decompressed if it is gzip. Never in memory as a whole.
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandFailure, type Surroundings } from '../surroundings.ts';

export interface TextSource {
  pieces: AsyncIterable<string>;
  /** How much of the file has been read, from 0 to 1; undefined if the length is unknown. */
  share(): number | undefined;
}

/** `-` is standard input. Throws CommandFailure, as reading does. */
export function openText(path: string, { stdin }: Surroundings): TextSource {
  const size = path === '-' ? undefined : sizeOf(path);
  const source: AsyncIterable<Buffer> = path === '-' ? (stdin as AsyncIterable<Buffer>) : createReadStream(path);
  let read = 0;
  async function* counted() {
    for await (const chunk of source) {
      read += chunk.length;
      yield Buffer.from(chunk);
    }
  }
  return {
    pieces: decoded(counted(), path),
    share: () => (size === undefined ? undefined : size === 0 ? 1 : read / size),
  };
}

function sizeOf(path: string): number | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new CommandFailure(`${path} is a folder.`);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function* decoded(chunks: AsyncGenerator<Buffer>, path: string): AsyncGenerator<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of await unzipped(chunks)) {
      const text = utf8.decode(chunk, { stream: true });
      if (text !== '') yield text;
    }
    utf8.decode();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : message;
    throw new CommandFailure(`${path === '-' ? 'Standard input' : path} cannot be read: ${why}.`);
  }
}

async function unzipped(chunks: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  const begin: Buffer[] = [];
  let length = 0;
  while (length < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    begin.push(value);
    length += value.length;
  }
  const first = Buffer.concat(begin);
  async function* all() {
    yield first;
    yield* chunks;
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) return all();
  const gunzip = createGunzip();
  const packed = Readable.from(all(), { objectMode: false }).on('error', (error) => gunzip.destroy(error));
  return packed.pipe(gunzip);
}
