// Reads a stream of chunks in parts of known length.

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
