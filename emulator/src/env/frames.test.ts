// Whatever bytes come: each frame is answered, an invalid one changes nothing, and the next is understood.
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { FrameDesk, serveFrames } from './frame-server.ts';
import { encodeFrame, type Frame, FrameReader, frameKinds, maxFrameBytes, type NoFrame } from './frames.ts';

const { make, reset, step, snapshot, restore, close, answer, error } = frameKinds;
const frame = (kind: number, head: unknown, block: number[] = []) =>
  encodeFrame(kind, JSON.stringify(head), Float32Array.from(block));
const spec = {
  access_points: [
    { ap_id: 'a', access_point_type: 'WiFi', location: { latitude: 51, longitude: 0 }, num_devices: 2 },
    { ap_id: 'b', access_point_type: 'LiFi', location: { latitude: 51, longitude: 0 }, num_devices: 1 },
  ],
  start: '2026-01-07T10:00:00Z',
};

function framesIn(bytes: Buffer, pieces: readonly number[] = []): (Frame | NoFrame)[] {
  const reader = new FrameReader();
  const found: (Frame | NoFrame)[] = [];
  let from = 0;
  for (const piece of [...pieces, bytes.length]) {
    reader.push(bytes.subarray(from, from + piece));
    from = Math.min(bytes.length, from + piece);
    for (let each = reader.next(); each; each = reader.next()) found.push(each);
  }
  return found;
}

function ask(desk: FrameDesk, bytes: Buffer): Frame {
  return framesIn(desk.answer(framesIn(bytes)[0]!))[0] as Frame;
}

function readyDesk(): FrameDesk {
  const desk = new FrameDesk();
  ask(desk, frame(make, { spec, worlds: 2 }));
  ask(desk, frame(reset, { seeds: [1, 2], warmup_seconds: 2 }));
  return desk;
}

test('a program makes, resets, steps, keeps and restores; the head says how to read the block', () => {
  const desk = new FrameDesk();
  const made = ask(desk, frame(make, { spec, worlds: 2 }));
  expect(made).toMatchObject({ kind: answer, head: { neighbours: { from: [0, 1], to: [1, 0], distance_m: [0, 0] } } });
  const begun = ask(desk, frame(reset, { seeds: [1, 2], warmup_seconds: 2 }));
  const { shapes, masks_offset, names } = begun.head as {
    shapes: Record<string, number[]>;
    masks_offset: number;
    names: { choices: string[] };
  };
  const sizes = Object.values(shapes).map((shape) => shape.reduce((size, length) => size * length, 1));
  expect(begun.block).toHaveLength(sizes.reduce((sum, size) => sum + size, 0));
  expect(shapes.masks).toEqual([2, 2, names.choices.length]);
  expect(masks_offset).toBe(begun.block.length - sizes.at(-1)!);
  expect(begun.head).toMatchObject({ terminated: [false, false], truncated: [false, false] });
  const kept = ask(desk, frame(snapshot, {}));
  const stepped = ask(desk, frame(step, { seconds: 5 }, [0, 0, 0, 0]));
  expect(stepped.block).not.toEqual(begun.block);
  expect(ask(desk, frame(restore, kept.head)).block).toEqual(begun.block);
  expect(ask(desk, frame(step, { seconds: 5 }, [0, 0, 0, 0])).block).toEqual(stepped.block);
  expect(ask(desk, frame(make, { spec: { task: 'weft/energy-v1' } })).head).toMatchObject({
    task: { name: 'weft/energy-v1', step_seconds: 30 },
  });
  expect(ask(desk, frame(restore, kept.head))).toMatchObject({ kind: error, head: { code: 'snapshot_not_found' } });
  expect(ask(desk, frame(close, {}))).toMatchObject({ kind: answer, head: {} });
  expect(desk.isClosed).toBe(true);
});

test.each<[string, Buffer, string, number | null]>([
  ['an unknown kind', frame(9, {}), 'invalid_frame', null],
  ['an answer', frame(answer, {}), 'invalid_frame', null],
  ['a head that is a list', frame(step, []), 'invalid_frame', null],
  ['a head that is no JSON', encodeFrame(step, '{'), 'invalid_frame', null],
  ['a head beyond its end', Buffer.from([6, 0, 0, 0, 1, 3, 9, 0, 0, 0]), 'invalid_frame', null],
  ['another version', Buffer.from([6, 0, 0, 0, 2, 3, 0, 0, 0, 0]), 'invalid_frame', null],
  ['nothing in it', Buffer.from([0, 0, 0, 0]), 'invalid_frame', null],
  ['half a float', Buffer.from([10, 0, 0, 0, 1, 3, 2, 0, 0, 0, 123, 125, 0, 0]), 'invalid_frame', null],
  ['no description', frame(make, {}), 'invalid_spec', null],
  ['an unknown task', frame(make, { spec: { task: 'weft/energy-v9' } }), 'task_not_found', null],
  ['no seeds', frame(reset, {}), 'invalid_reset', null],
  ['too few seeds', frame(reset, { seeds: [1] }), 'invalid_reset', null],
  ['a seed that is none', frame(reset, { seeds: [1, 'x'] }), 'invalid_reset', null],
  ['a warm-up without end', frame(reset, { seeds: [1, 2], warmup_seconds: 1e9 }), 'invalid_reset', null],
  ['no seconds', frame(step, {}, [0, 0, 0, 0]), 'invalid_step', null],
  ['a step without end', frame(step, { seconds: 1e12 }, [0, 0, 0, 0]), 'invalid_step', null],
  ['too few actions', frame(step, { seconds: 1 }, [0]), 'invalid_step', null],
  ['an action that is no number', frame(step, { seconds: 1 }, [0, 0, Number.NaN, 0]), 'invalid_step', 1],
  ['a choice that is none', frame(step, { seconds: 1 }, [999, 0, 0, 0]), 'invalid_step', 0],
  ['an unknown snapshot', frame(restore, { snapshot: 5 }), 'snapshot_not_found', null],
])('a frame with %s gets an error and changes nothing', (_, bytes, code, world) => {
  const [desk, witness] = [readyDesk(), readyDesk()];
  const refused = ask(desk, bytes);
  expect(refused).toMatchObject({ kind: error, head: { code, world } });
  expect(String(refused.head.detail)).not.toBe('');
  const next = frame(step, { seconds: 3 }, [0, 0, 0, 0]);
  expect(ask(desk, next).block).toEqual(ask(witness, next).block);
});

test('a frame that is too large is passed over, without being kept', () => {
  const reader = new FrameReader();
  const length = maxFrameBytes + 1;
  const start = Buffer.alloc(4);
  start.writeUInt32LE(length);
  reader.push(start);
  expect(reader.next()).toMatchObject({ problem: expect.stringContaining(String(maxFrameBytes)) });
  const piece = Buffer.alloc(1024 * 1024);
  for (let left = length; left > 0; left -= piece.length) reader.push(piece.subarray(0, Math.min(left, piece.length)));
  expect(reader.isInside).toBe(false);
  reader.push(frame(close, {}));
  expect(reader.next()).toMatchObject({ kind: close });
});

test('law: frames are the same however the bytes arrive', () => {
  const bytes = Buffer.concat([
    frame(make, { spec, worlds: 2 }),
    frame(step, { seconds: 1 }, [1, 2, 3]),
    frame(close, {}),
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }), (pieces) => {
      expect(framesIn(bytes, pieces)).toEqual(framesIn(bytes));
    }),
  );
});

test('law: whatever bytes come, each frame gets one answer and nothing ends', () => {
  const kinds = fc.constantFrom(make, reset, step, snapshot, restore, answer, 0, 200);
  const json = fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ maxLength: 20 }));
  const good = fc.tuple(kinds, json, fc.array(fc.float(), { maxLength: 5 })).map(([kind, head, block]) => {
    return encodeFrame(kind, head, Float32Array.from(block));
  });
  const known = fc
    .record({ seeds: fc.anything(), seconds: fc.anything(), spec: fc.anything(), snapshot: fc.anything() })
    .map((head) =>
      frame(make, JSON.parse(JSON.stringify(head, (_, value) => (typeof value === 'bigint' ? 0 : value)))),
    );
  const desk = readyDesk();
  fc.assert(
    fc.property(
      fc.array(fc.oneof(good, known), { maxLength: 4 }),
      fc.array(fc.nat(60), { maxLength: 9 }),
      (all, pieces) => {
        const frames = framesIn(Buffer.concat(all), pieces);
        expect(frames).toHaveLength(all.length);
        for (const each of frames) {
          const [said, ...more] = framesIn(desk.answer(each));
          expect([answer, error]).toContain((said as Frame).kind);
          expect(more).toEqual([]);
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});

test('law: bytes that are no frames stall nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      output.resume();
      input.end(Buffer.from(bytes));
      await serveFrames(input, output);
    }),
    { numRuns: rounds(100) },
  );
});
