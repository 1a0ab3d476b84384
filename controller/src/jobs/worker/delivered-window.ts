// What a live subscription has delivered of the last while: by moment, a bit for each field. Bounded in rows; what is
// older than its beginning is not known.

const maxRows = 2_000;

export class DeliveredWindow {
  readonly #fields = new Map<string, number>();
  readonly #rows = new Map<number, Uint8Array>();
  /** From here on all that was delivered is known. */
  startMs: number;
  /** The newest moment of which something was delivered. */
  newestMs = Number.NEGATIVE_INFINITY;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  /** True the first time, for moments since `startMs`. */
  add(ts: number, field: string): boolean {
    let no = this.#fields.get(field);
    if (no === undefined) {
      no = this.#fields.size;
      this.#fields.set(field, no);
    }
    if (ts > this.newestMs) this.newestMs = ts;
    const byte = no >> 3;
    const bit = 1 << (no & 7);
    let bits = this.#rows.get(ts);
    if (bits === undefined || byte >= bits.length) {
      const larger = new Uint8Array(Math.max(byte + 1, (this.#fields.size + 7) >> 3));
      if (bits) larger.set(bits);
      this.#rows.set(ts, larger);
      bits = larger;
    }
    if ((bits[byte]! & bit) !== 0) return false;
    bits[byte]! |= bit;
    return true;
  }

  /** Forgets what lies before, and more if there are too many moments; says so while it still knows it all. */
  forgetBefore(ms: number, beforehand: (startMs: number) => void): void {
    let from = Math.max(this.startMs, ms);
    if (this.#rows.size > 2 * maxRows) {
      const moments = Float64Array.from(this.#rows.keys()).sort();
      from = Math.max(from, moments[moments.length - maxRows]!);
    }
    if (from === this.startMs) return;
    beforehand(from);
    this.startMs = from;
    for (const ts of this.#rows.keys()) if (ts < from) this.#rows.delete(ts);
  }
}
