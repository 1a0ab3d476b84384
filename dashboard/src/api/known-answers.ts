// Answers that this page has already, so that Weft need not send them again: each request says which answer is known, and
// 304 means that it still holds. In memory only; answers must not lie in the browser's cache.

const maxAnswers = 50;
const maxCharacters = 4_000_000;

interface Known {
  etag: string;
  text: string;
}

export class KnownAnswers {
  readonly #answers = new Map<string, Known>();
  #characters = 0;

  get size(): number {
    return this.#answers.size;
  }

  /** The tag of the answer that is known for this key. */
  etag(key: string): string | undefined {
    return this.#answers.get(key)?.etag;
  }

  /** The answer itself, or what is known instead of it. */
  async resolve(key: string, response: Response): Promise<Response> {
    if (response.status === 304) {
      const known = this.#answers.get(key);
      // Whoever asks again gets the whole.
      if (!known) throw new TypeError('Weft answered with 304, and the answer is not known any more');
      return new Response(known.text, { status: 200, headers: response.headers });
    }
    const etag = response.headers.get('etag');
    this.#forget(key);
    if (response.status !== 200 || etag === null) return response;
    const text = await response.text();
    this.#keep(key, { etag, text });
    return new Response(text, { status: 200, headers: response.headers });
  }

  clear(): void {
    this.#answers.clear();
    this.#characters = 0;
  }

  #keep(key: string, known: Known): void {
    this.#answers.set(key, known);
    this.#characters += known.text.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= maxAnswers && this.#characters <= maxCharacters) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#answers.get(key);
    if (!known) return;
    this.#answers.delete(key);
    this.#characters -= known.text.length;
  }
}
