// Heads of requests of every kind: good ones, every token of the grammar, mutated bytes, cut anywhere, pipelined.
import { echo } from '../bare-server.ts';
import type { Random } from '../pure/random.ts';

const { url } = echo;
const token = "!#$%&'*+-.^_`|~09azAZ";

export interface Script {
  pieces: readonly Buffer[];
  /** Where each head begins. */
  starts: readonly number[];
}

export class HeadMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** One connection: some requests, and where their bytes are cut. */
  script(): Script {
    const random = this.#random;
    const pieces = Array.from({ length: 1 + random.below(10) }, () => this.#request());
    const starts = pieces.map((_, index) => Buffer.concat(pieces.slice(0, index)).length);
    const isPipelined = random.below(5) === 0;
    let all = isPipelined ? [Buffer.concat(pieces)] : pieces;
    for (let cuts = random.below(5) ? 0 : 1 + random.below(2); cuts > 0; cuts--) {
      const index = random.below(all.length);
      const at = random.below(all[index]!.length + 1);
      all = [...all.slice(0, index), all[index]!.subarray(0, at), all[index]!.subarray(at), ...all.slice(index + 1)];
    }
    return { pieces: all.filter(({ length }) => length > 0), starts };
  }

  #request(): Buffer {
    const random = this.#random;
    if (random.below(60) === 0) return random.bytes(1 + random.below(200));
    const body = random.below(8) ? '{"a":1}' : random.of(['{}', '1', '{"a":', '"é"', '', '0', '[1,2]', 'x'.repeat(50)]);
    const bytes = Buffer.from(this.#head(Buffer.byteLength(body)) + body);
    return random.below(8) === 0 ? this.#changed(bytes) : bytes;
  }

  #head(length: number): string {
    const random = this.#random;
    /** The usual one mostly, so that many heads miss being plain by one thing only. */
    const rarely = (usual: string, others: readonly string[]) => (random.below(50) ? usual : random.of(others));
    const line = [
      rarely('POST', ['GET', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'post', 'POSTS', 'PRI', '', ' POST', 'QUERY']),
      rarely(' ', ['  ', '\t', '']),
      rarely(url, [
        ...['x', '*', '/', '//', `${url}/`, `${url}?a=b`, `${url}#a`, `http://localhost${url}`, 'localhost:80', ''],
        ...[`${url} `, `/%${url}`, `${url}\x80`, `${url}\0`, `${url}\x7f`, `/a b${url}`, '/healthz', `\\${url}`, 'é'],
      ]),
      rarely(' HTTP/1.1', [
        ...[
          ' HTTP/1.0',
          ' HTTP/1.2',
          ' HTTP/2.0',
          ' HTTP/0.9',
          ' http/1.1',
          ' HTTP/1.1 ',
          '',
          ' ',
          ' HTTP/1.11',
          ' RTSP/1.0',
        ],
        ...[' HTTP/1,1', ' HTTP/01.1', '\tHTTP/1.1', ' ICE/1.0', ' HTTP/'],
      ]),
    ].join('');
    const headers = [
      rarely('Host: localhost', [
        'Host:localhost',
        'Host:',
        'Host: evil.test',
        'Host: a, b',
        'Host: localhost:1',
        'HOST:  localhost',
        '',
      ]),
      rarely(`Content-Length: ${length}`, this.#lengths(length)),
      rarely('Content-Type: application/json', [
        '',
        'Content-Type: text/plain',
        'Content-Type:',
        'Content-Type: application/json; charset=utf-8',
        'content-type: Application/JSON',
      ]),
      rarely(`Authorization: Bearer ${random.below(4) ? 'cached' : `later-${random.below(5000)}`}`, [
        ...[
          '',
          'Authorization: Bearer bad',
          'Authorization: Bearer',
          'Authorization: bearer cached',
          'Authorization: Basic YTpi',
        ],
        ...['authorization:Bearer cached ', 'AUTHORIZATION: Bearer  cached', 'Authorization : Bearer cached'],
      ]),
    ];
    for (let more = Math.max(0, random.below(5) - 2); more > 0; more--) headers.push(this.#header(length));
    if (random.below(4) === 0) headers.sort(() => random.below(3) - 1);
    const [end, blank] = [
      () => rarely('\r\n', ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n']),
      rarely('\r\n', ['\n', '\r\r\n', ' \r\n', '']),
    ];
    return `${rarely('', ['\r\n', '\n', ' ', '\r\n\r\n'])}${line}${end()}${headers.map((header) => (header === '' ? '' : header + end())).join('')}${blank}`;
  }

  #lengths(length: number): string[] {
    const values = [
      `0${length}`,
      `+${length}`,
      `-${length}`,
      `${length}, ${length}`,
      `${length} ${length}`,
      `0x${length}`,
    ];
    return [
      ...[
        '',
        `${length + 1}`,
        `${Math.max(0, length - 1)}`,
        '0',
        '',
        ' ',
        `${length}.0`,
        '18446744073709551616',
        '9'.repeat(30),
        ...values,
      ].map((value) => `Content-Length: ${value}`),
      ...[
        `content-length:${length}`,
        `Content-Length: ${length}\r\nContent-Length: ${length}`,
        `Content-Length: ${length}\r\ncontent-length: 0`,
      ],
      ...[
        `Content-Length: ${length} `,
        `Content-Length:\t${length}`,
        `Content-Length: ${length}\r\n `,
        `Content_Length: ${length}`,
        '',
      ],
    ];
  }

  #header(length: number): string {
    const random = this.#random;
    return random.of([
      ...[
        'Connection: keep-alive',
        'connection: Keep-Alive',
        'Connection: close',
        'Connection: keep-alive, close',
        'Connection: upgrade',
        'Connection:',
        'Connection: te',
      ],
      ...[
        'Transfer-Encoding: chunked',
        'Transfer-Encoding: identity',
        'Transfer-Encoding:',
        'TRANSFER-ENCODING: Chunked',
        'Transfer_Encoding: chunked',
      ],
      ...[
        'Expect: 100-continue',
        'Expect: x',
        'Upgrade: websocket',
        'Upgrade: h2c',
        'TE: trailers',
        'Trailer: X',
        'Proxy-Connection: close',
      ],
      ...[
        'Content-Encoding: gzip',
        'Content-Encoding: identity',
        'Accept-Encoding: gzip',
        'Keep-Alive: timeout=1',
        'HTTP2-Settings: a',
      ],
      ...[
        'X-Request-Id: given',
        'x-request-id: a\r\nX-Request-ID: b',
        'X-Request-Id: a b',
        'X-Request-Id:',
        `X-Request-Id: ${'x'.repeat(200)}`,
      ],
      ...[
        'Host: localhost',
        'Host: b',
        `Content-Length: ${length}`,
        'Content-Type: application/json',
        'Authorization: Bearer cached',
        'Origin: http://a.test',
      ],
      ...[
        'X-A: a\r\n folded',
        'X-A: a\r\n\tfolded',
        ' X-A: a',
        'X-A : a',
        'X-A',
        ':',
        ': a',
        'X-A:',
        'X-A: ',
        'X-A: \t',
        'X-A:a ',
        'X A: a',
        'X-A: a\0',
        'X-A: \x7f',
        'X-A: é',
        'X-A: \x80',
      ],
      ...[
        `${random.of([...token, '"', '(', '/', '@', '[', '{', '\x80', 'é'])}: a`,
        `X-${random.of([...token])}: ${random.of([...token, '"', '(', '\\'])}`,
      ],
      ...[
        `X-Long: ${'a'.repeat(random.below(4000))}`,
        'a:b\r\n'.repeat(random.below(20) ? 5 : 1005).slice(0, -2),
        `X-Long: ${'a'.repeat(random.below(20) ? 10 : 17_000)}`,
      ],
    ]);
  }

  /** Some bytes more, less, or others. */
  #changed(bytes: Buffer): Buffer {
    const random = this.#random;
    let changed = bytes;
    for (let count = 1 + random.below(2); count > 0; count--) {
      const at = random.below(changed.length + 1);
      const kind = random.below(4);
      const added =
        kind === 0
          ? random.bytes(1)
          : kind === 1
            ? Buffer.from(random.of(['\r\n', ' ', ':', '\0', '\n', ',', '\t']))
            : Buffer.alloc(0);
      const removed = kind === 1 ? 0 : 1 + (kind === 3 ? random.below(20) : 0);
      changed = Buffer.concat([
        changed.subarray(0, at),
        added,
        changed.subarray(Math.min(at + removed, changed.length)),
      ]);
    }
    return changed;
  }
}
