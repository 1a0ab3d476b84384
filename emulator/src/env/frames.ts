// Frames of `weft env`, little-endian: u32 length of what follows, u8 version, u8 kind, u32 length of the head, the head as
// JSON, and a block of float32. A frame that is none is told apart without losing the next.
import { parseObject } from '@weft/contract/is-object';

export const frameKinds = {
  ...{ make: 1, reset: 2, step: 3, snapshot: 4, restore: 5, close: 6 },
  ...{ answer: 64, error: 65 },
} as const;
export const maxFrameBytes = 64 * 1024 * 1024;
const frameVersion = 1;
const lengthBytes = 4;
/** Version, kind and the length of the head. */
const fixedBytes = 6;
const floatBytes = 4;

export interface Frame {
  kind: number;
  head: Record<string, unknown>;
  block: Float32Array;
}

/** Why bytes were no frame. */
export interface NoFrame {
  problem: string;
}

/** `head` as JSON. */
export function encodeFrame(kind: number, head: string, block: Float32Array = new Float32Array(0)): Buffer {
  const headBytes = Buffer.byteLength(head);
  const length = fixedBytes + headBytes + block.byteLength;
  const frame = Buffer.allocUnsafe(lengthBytes + length);
  frame.writeUInt32LE(length, 0);
  frame.writeUInt8(frameVersion, 4);
  frame.writeUInt8(kind, 5);
  frame.writeUInt32LE(headBytes, 6);
  frame.write(head, lengthBytes + fixedBytes);
  Buffer.from(block.buffer, block.byteOffset, block.byteLength).copy(frame, lengthBytes + fixedBytes + headBytes);
  return frame;
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #waiting = 0;
  /** What is left of a frame that is too large to be kept. */
  #skipping = 0;

  push(chunk: Buffer): void {
    const skipped = Math.min(this.#skipping, chunk.length);
    this.#skipping -= skipped;
    if (skipped === chunk.length) return;
    this.#chunks.push(chunk.subarray(skipped));
    this.#waiting += chunk.length - skipped;
  }

  /** Whether the stream stands in the middle of a frame. */
  get isInside(): boolean {
    return this.#waiting > 0 || this.#skipping > 0;
  }

  /** The next frame, or why it is none; undefined until all of it is there. */
  next(): Frame | NoFrame | undefined {
    if (this.#waiting < lengthBytes) return undefined;
    // Only while the first chunk is too short to say how long the frame is, so that bytes are not copied again and again.
    if (this.#chunks[0]!.length < lengthBytes) this.#join();
    const length = this.#chunks[0]!.readUInt32LE(0);
    if (length > maxFrameBytes) {
      this.#skipping = Math.max(0, lengthBytes + length - this.#waiting);
      this.#take(Math.min(this.#waiting, lengthBytes + length));
      return { problem: `a frame has at most ${maxFrameBytes} bytes, not ${length}` };
    }
    if (this.#waiting < lengthBytes + length) return undefined;
    return decode(this.#take(lengthBytes + length).subarray(lengthBytes));
  }

  #take(bytes: number): Buffer {
    this.#join();
    const all = this.#chunks[0]!;
    this.#chunks = bytes === all.length ? [] : [all.subarray(bytes)];
    this.#waiting -= bytes;
    return all.subarray(0, bytes);
  }

  #join(): void {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
  }
}

function decode(frame: Buffer): Frame | NoFrame {
  if (frame.length < fixedBytes) return { problem: `a frame has at least ${fixedBytes} bytes` };
  const version = frame.readUInt8(0);
  if (version !== frameVersion) return { problem: `version must be ${frameVersion}, not ${version}` };
  const headBytes = frame.readUInt32LE(2);
  const blockBytes = frame.length - fixedBytes - headBytes;
  if (blockBytes < 0) return { problem: 'the head is longer than the frame' };
  if (blockBytes % floatBytes !== 0) return { problem: 'the block is not made of float32' };
  const head = parseObject(frame.subarray(fixedBytes, fixedBytes + headBytes));
  if (!head) return { problem: 'the head is not a JSON object' };
  // Copied: floats must begin at a multiple of four.
  const block = new Float32Array(blockBytes / floatBytes);
  frame.copy(Buffer.from(block.buffer), 0, fixedBytes + headBytes);
  return { kind: frame.readUInt8(1), head, block };
}
