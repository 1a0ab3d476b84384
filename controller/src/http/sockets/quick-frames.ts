// Reads what nearly every message of a busy client is: a short text in one frame. The WebSocket library reads everything else,
// byte for byte as it came: control frames, fragments, long messages, and whatever breaks the protocol. So all rules are the
// library's, and nothing overtakes anything.
import { isUtf8 } from 'node:buffer';

const finalText = 0x81;
const ping = 0x89;
const pong = 0x8a;
const closing = 0x08;
const isMasked = 0x80;
const length16 = 126;
const length64 = 127;
/** Less than any route allows: the limit of the route is for the library to know. */
const maxQuickBytes = 16 * 1024;
/** No text begins here. */
const noText = -1;
/** One begins, and its end has not come. */
const cutText = -2;

export interface FrameReaders {
  onText: (text: Buffer) => void;
  /** For the library, in the order in which it came. */
  onOther: (bytes: Buffer) => void;
}

export class QuickFrames {
  readonly #readers: FrameReaders;
  /** The beginning of a short text. */
  #cut: Buffer | undefined;
  /** The beginning of a frame of the library, while it does not tell the frame's length. */
  #head: number[] = [];
  /** Of the frame that the library is reading: bytes that have not come yet. */
  #left = 0;
  #isClosing = false;
  /** More of a message in several frames is to come. */
  #isFragmented = false;
  #isHeld = false;
  #isOver = false;

  constructor(readers: FrameReaders) {
    this.#readers = readers;
  }

  /**
   * The library reads everything until `release`: it got something that it may refuse, and says so only with the end of the
   * turn. Nothing that follows may be read before.
   */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  release(): void {
    this.#isHeld = false;
  }

  /** Nothing more is read by anybody. */
  stop(): void {
    this.#isOver = true;
  }

  /** Whatever the client has sent next. Texts are unmasked in place. */
  read(chunk: Buffer): void {
    const bytes = this.#cut ? Buffer.concat([this.#cut, chunk]) : chunk;
    this.#cut = undefined;
    const words = wordsOf(bytes);
    let at = 0;
    let passedTo = 0;
    // In one piece: the library reads on behind what it refuses, if that comes in a piece of its own.
    const pass = () => {
      if (at > passedTo) this.#readers.onOther(bytes.subarray(passedTo, at));
    };
    while (at < bytes.length && !this.#isOver) {
      let end = noText;
      if (this.#isAtStart) {
        pass();
        passedTo = at;
        end = this.#readText(bytes, words, at);
      }
      if (end === cutText) {
        this.#cut = Buffer.from(bytes.subarray(at));
        return;
      }
      at = end === noText ? this.#follow(bytes, at) : end;
      if (end !== noText) passedTo = at;
    }
    pass();
  }

  get #isAtStart(): boolean {
    return this.#left === 0 && this.#head.length === 0 && !this.#isFragmented && !this.#isHeld;
  }

  /** Where the text ends that begins here. */
  #readText(bytes: Buffer, words: Int32Array, at: number): number {
    if (bytes[at] !== finalText) return noText;
    if (at + 1 === bytes.length) return cutText;
    const second = bytes[at + 1]!;
    let length = second & ~isMasked;
    if ((second & isMasked) === 0 || length === length64) return noText;
    let start = at + 6;
    if (length === length16) {
      if (at + 4 > bytes.length) return cutText;
      length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
      if (length > maxQuickBytes) return noText;
      start += 2;
    }
    const end = start + length;
    if (end > bytes.length) return cutText;
    unmask(bytes, words, start, end);
    const text = bytes.subarray(start, end);
    if (!isUtf8(text)) {
      // The library says so to the client.
      unmask(bytes, words, start, end);
      return noText;
    }
    this.#readers.onText(text);
    return end;
  }

  /** A frame of the library, as far as it has come; returns where that ends. */
  #follow(bytes: Buffer, at: number): number {
    let from = at;
    while (this.#left === 0 && from < bytes.length) {
      this.#head.push(bytes[from++]!);
      const left = bytesAfter(this.#head);
      if (left === undefined) continue;
      this.#begin(this.#head);
      this.#head = [];
      this.#left = left;
      // A frame may end with its head.
      if (left === 0) break;
    }
    const came = Math.min(this.#left, bytes.length - from);
    this.#left -= came;
    // What a client sends after its closing frame is nobody's.
    if (this.#isClosing && this.#left === 0) this.#isOver = true;
    return from + came;
  }

  #begin([first = 0, second = 0]: readonly number[]): void {
    const isControl = (first & 0x08) !== 0;
    if (!isControl) this.#isFragmented = (first & 0x80) === 0;
    this.#isClosing = (first & 0x0f) === closing;
    const isHarmless = (first === ping || first === pong) && second >= isMasked && second < (isMasked | length16);
    if (!isHarmless) this.#isHeld = true;
  }
}

/** How much of a frame follows these bytes, of which there are no more than tell it; undefined if they do not. */
function bytesAfter(head: readonly number[]): number | undefined {
  if (head.length < 2) return undefined;
  const length = head[1]! & ~isMasked;
  const maskBytes = (head[1]! & isMasked) === 0 ? 0 : 4;
  const lengthBytes = length === length16 ? 2 : length === length64 ? 8 : 0;
  if (head.length < 2 + lengthBytes) return undefined;
  if (lengthBytes === 0) return maskBytes + length;
  return maskBytes + head.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
}

const noWords = new Int32Array(0);
const key = new Uint8Array(4);
const keyWord = new Int32Array(key.buffer);

/** The same memory, four bytes at a time; none where it does not begin at a word. */
function wordsOf(bytes: Buffer): Int32Array {
  return bytes.byteOffset % 4 === 0 ? new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) : noWords;
}

/** The four bytes before `start` are the mask. */
function unmask(bytes: Buffer, words: Int32Array, start: number, end: number): void {
  const mask = start - 4;
  const wordsFrom = words.length === 0 ? end : Math.min(end, (start + 3) & ~3);
  const wordsTo = words.length === 0 ? end : Math.max(wordsFrom, end & ~3);
  let at = start;
  for (; at < wordsFrom; at++) bytes[at]! ^= bytes[mask + ((at - start) & 3)]!;
  for (let index = 0; index < 4; index++) key[index] = bytes[mask + ((at - start + index) & 3)]!;
  const word = keyWord[0]!;
  for (let index = at >> 2; index < wordsTo >> 2; index++) words[index]! ^= word;
  for (at = wordsTo; at < end; at++) bytes[at]! ^= bytes[mask + ((at - start) & 3)]!;
}
