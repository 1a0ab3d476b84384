// QuickFrames before the library's receiver: what comes of any frames, cut anywhere, is what comes of the receiver alone.
import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as ws from 'ws';
import { QuickFrames } from './quick-frames.ts';

/** The library has it without a type. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };
const maxPayload = 100_000;

interface Frame {
  first: number;
  payload: Buffer;
  isMasked: boolean;
}

function toBytes({ first, payload, isMasked }: Frame, mask: readonly number[]): Buffer {
  const { length } = payload;
  const lengths = length < 126 ? [length] : length < 0x10000 ? [126, length >> 8, length & 0xff] : longLength(length);
  const [short, ...more] = lengths;
  if (!isMasked) return Buffer.concat([Buffer.from([first, short!, ...more]), payload]);
  const masked = payload.map((byte, index) => byte ^ mask[index % 4]!);
  return Buffer.concat([Buffer.from([first, short! | 0x80, ...more, ...mask]), masked]);
}

function longLength(length: number): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return [127, ...bytes];
}

/** What a server is told of these chunks. */
function eventsOf(chunks: readonly Buffer[], isQuick: boolean): string[] {
  const events: string[] = [];
  const receiver = new Receiver({ isServer: true, maxPayload });
  receiver.on('message', (data: Buffer, isBinary: boolean) =>
    events.push(`${isBinary ? 'binary' : 'text'} ${data.toString('hex')}`),
  );
  for (const kind of ['ping', 'pong'])
    receiver.on(kind, (data: Buffer) => events.push(`${kind} ${data.toString('hex')}`));
  receiver.on('conclude', (code: number) => events.push(`closed ${code}`));
  receiver.on('error', () => {});
  const isReading = () => receiver.errored === null && !receiver.writableEnded;
  const onOther = (chunk: Buffer) => void receiver.write(chunk);
  const quick = new QuickFrames({ onText: (text) => events.push(`text ${text.toString('hex')}`), onOther });
  for (const [index, chunk] of chunks.entries()) {
    const own = Buffer.from(chunk);
    if (isQuick) quick.read(own);
    else if (isReading()) onOther(own);
    // The end of a turn: an error of the library is known now.
    if (index % 3 !== 0) continue;
    if (isReading()) quick.release();
    else quick.stop();
  }
  return [...events, String((receiver.errored as NodeJS.ErrnoException | null)?.code)];
}

const text = fc.string({ unit: 'binary', maxLength: 300 }).map((each) => Buffer.from(each));
const sized = fc
  .constantFrom(0, 1, 2, 3, 4, 125, 126, 127, 16_384, 16_385, 65_535, 65_536, 100_001)
  .map((size) => Buffer.alloc(size, 'a'));
const payload = fc.oneof({ weight: 5, arbitrary: text }, sized, fc.uint8Array({ maxLength: 200 }).map(Buffer.from));
const frame = fc.record<Frame>({
  // Mostly texts; also fragments, control frames, and what the protocol has not.
  first: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0x81) },
    fc.constantFrom(0x01, 0x00, 0x80, 0x82, 0x89, 0x8a, 0x88, 0xc1, 0x83),
  ),
  payload,
  isMasked: fc.constant(true),
});
const broken = fc.record<Frame>({ first: fc.constantFrom(0x81, 0x89), payload: text, isMasked: fc.constant(false) });
const frames = fc.array(fc.oneof({ weight: 20, arbitrary: frame }, broken), { maxLength: 12 });
const mask = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

it('Z1 any frames, cut anywhere, are read as the library alone reads them', () => {
  fc.assert(
    fc.property(frames, mask, fc.array(fc.nat(400), { maxLength: 30 }), fc.nat(3), (sent, key, sizes, shift) => {
      const bytes = Buffer.concat([Buffer.alloc(shift), ...sent.map((each) => toBytes(each, key))]).subarray(shift);
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      const given = chunks.filter(({ length }) => length > 0);
      expect(eventsOf(given, true)).toEqual(eventsOf(given, false));
    }),
    { numRuns: 500 },
  );
});
