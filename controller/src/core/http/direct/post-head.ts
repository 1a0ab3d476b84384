// Reads the head of a post, if it is of the plainest kind: one of each header that matters, none that would change how the
// message is read, nothing that two readers could understand differently. Every other head is left to node:http.
import type { IncomingHttpHeaders } from 'node:http';

/** Well below the limits of node:http (16 KiB, 1,000 headers), so that none of them is reached here. */
const maxHeadBytes = 3 * 1024;

export interface PostHead {
  path: string;
  /** Those that the fast lane reads: host, content-type, authorization, x-request-id. */
  headers: IncomingHttpHeaders;
  bodyAt: number;
  bodyEnd: number;
}

/** Printable ASCII; at most one space before a value, and none behind it. */
const plainHead = /^POST (\/[!-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+: ?[!-~](?:[ -~]*[!-~])?\r\n)+\r\n/;
const beforePath = 'POST '.length;
const afterPath = ' HTTP/1.1\r\n'.length;
const space = 0x20;
const shortLength = /^\d{1,7}$/;

/** Undefined unless the whole head is there and plain. The body may still be missing. */
export function readPostHead(bytes: Buffer): PostHead | undefined {
  const text = bytes.toString('latin1', 0, maxHeadBytes);
  const read = plainHead.exec(text);
  if (!read) return undefined;
  const head = read[0];
  const path = read[1]!;
  let host: string | undefined;
  let type: string | undefined;
  let authorization: string | undefined;
  let id: string | undefined;
  let length: string | undefined;
  let connection: string | undefined;
  const end = head.length - 2;
  for (let at = beforePath + path.length + afterPath; at < end; ) {
    const colon = text.indexOf(':', at);
    const valueEnd = text.indexOf('\r', colon);
    const name = text.slice(at, colon).toLowerCase();
    const value = text.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1;
    at = valueEnd + 2;
    switch (name) {
      case 'host':
        if (host !== undefined) return undefined;
        host = text.slice(value, valueEnd);
        break;
      case 'content-type':
        if (type !== undefined) return undefined;
        type = text.slice(value, valueEnd);
        break;
      case 'authorization':
        if (authorization !== undefined) return undefined;
        // It may be kept, and must not keep the rest of the text.
        authorization = bytes.toString('latin1', value, valueEnd);
        break;
      case 'x-request-id':
        if (id !== undefined) return undefined;
        id = text.slice(value, valueEnd);
        break;
      case 'content-length':
        if (length !== undefined) return undefined;
        length = text.slice(value, valueEnd);
        break;
      case 'connection':
        if (connection !== undefined) return undefined;
        connection = text.slice(value, valueEnd).toLowerCase();
        break;
      // Only node:http handles these.
      case 'transfer-encoding':
      case 'content-encoding':
      case 'expect':
      case 'upgrade':
      case 'trailer':
      case 'te':
      case 'proxy-connection':
        return undefined;
    }
  }
  if (host === undefined || length === undefined || !shortLength.test(length)) return undefined;
  if (connection !== undefined && connection !== 'keep-alive') return undefined;
  const headers = { host, 'content-type': type, authorization, 'x-request-id': id };
  return { path, headers, bodyAt: head.length, bodyEnd: head.length + Number(length) };
}
