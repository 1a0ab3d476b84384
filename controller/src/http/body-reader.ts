// Reads request bodies itself: a limit that holds while reading, media types judged in one place, no guessing.
import type { IncomingMessage } from 'node:http';
import { UnusableRequestError } from '../errors.ts';

const noBody = new Uint8Array(0);

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
 * How a body is to be taken: as JSON; as something a browser form or a careless client may send, which validation
 * refuses in its own words; or not at all.
 */
export function judgeMediaType(contentType: string | undefined): 'json' | 'opaque' | 'unsupported' {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))) return 'json';
  if (
    type === '' ||
    type.startsWith('text/') ||
    type === 'application/x-www-form-urlencoded' ||
    type === 'multipart/form-data'
  ) {
    return 'opaque';
  }
  return 'unsupported';
}

function tooLarge(maxBytes: number): UnusableRequestError {
  return new UnusableRequestError(413, 'body_too_large', `The body is larger than ${maxBytes} bytes`);
}
