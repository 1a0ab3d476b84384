// Reads request bodies: the size limit holds while reading, and media types are judged in one place.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { UnusableRequestError } from '../errors.ts';

const noBody = new Uint8Array(0);
const inflate = promisify(gunzip);

/**
 * Throws UnusableRequestError: 413 once more than `maxBytes` are announced or have come, 415 for an encoded body, 400 if
 * the client goes away before the end.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new UnusableRequestError(
      415,
      'unsupported_encoding',
      `Content-Encoding ${encoding.slice(0, 32)} is not supported here`,
    );
  }
  return collect(request, maxBytes);
}

async function collect(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        request.removeAllListeners('data');
        reject(tooLarge(maxBytes));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () =>
      resolve(chunks.length === 1 ? chunks[0]! : chunks.length === 0 ? noBody : Buffer.concat(chunks, size)),
    );
    request.on('error', () => {
      reject(new UnusableRequestError(400, 'unfinished_body', 'The body ended before it was complete'));
    });
  });
}

/**
 * The same for a body that may also be compressed with gzip: `maxBytes` then holds for what is sent and for what comes
 * out. Inflates on another thread. 400 for a body that is not what its encoding says.
 */
export async function readInflatedBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = request.headers['content-encoding']?.toLowerCase();
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return readBody(request, maxBytes);
  const bytes = await collect(request, maxBytes);
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new UnusableRequestError(400, 'unreadable_body', 'The body is not gzip');
  }
}

/** Whether a body is JSON by what is said of it; `undeclared` if nothing is. */
export function judgeMediaType(contentType: string | undefined): 'json' | 'undeclared' | 'unsupported' {
  if (contentType === 'application/json') return 'json';
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))) return 'json';
  return type === '' ? 'undeclared' : 'unsupported';
}

/** Whether an endpoint that reads text may read this body: any type that does not say it is something else. */
export function isText(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return (
    type === '' ||
    type.startsWith('text/') ||
    type === 'application/octet-stream' ||
    // curl's default.
    type === 'application/x-www-form-urlencoded'
  );
}

function tooLarge(maxBytes: number): UnusableRequestError {
  return new UnusableRequestError(413, 'body_too_large', `The body is larger than ${maxBytes} bytes`);
}

/**
 * Calls `done` with the announced bytes as soon as the last of them is there; the parser sees to it that no more come. A
 * client that leaves before gets no answer.
 */
export function collectAnnounced(request: IncomingMessage, length: number, done: (bytes: Uint8Array) => void): void {
  let before: Buffer[] | undefined;
  let missing = length;
  request.on('data', (chunk: Buffer) => {
    missing -= chunk.length;
    if (missing === 0) done(before ? Buffer.concat([...before, chunk], length) : chunk);
    else if (before) before.push(chunk);
    else before = [chunk];
  });
}
