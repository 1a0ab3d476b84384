// Equal questions that are open at the same time are asked once. The question is given up when nobody waits for it any more.
import { TryLaterError } from '../../errors.ts';

interface Open<Value> {
  answer: Promise<Value>;
  control: AbortController;
  waiting: number;
}

export class SharedAsks<Value> {
  readonly #open = new Map<string, Open<Value>>();

  /** Resolves or rejects as `ask` does, for everybody alike; rejects with TryLaterError once `gone` is aborted. */
  async ask(key: string, gone: AbortSignal, ask: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    if (gone.aborted) throw callerGone();
    const open = this.#open.get(key) ?? this.#begin(key, ask);
    open.waiting++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(callerGone());
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([open.answer, left]);
    } finally {
      gone.removeEventListener('abort', leave);
      open.waiting--;
      if (open.waiting === 0) {
        this.#forget(key, open);
        open.control.abort(callerGone());
      }
    }
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<Value>): Open<Value> {
    const control = new AbortController();
    const open: Open<Value> = { answer: ask(control.signal), control, waiting: 0 };
    // Somebody who asks later wants a later answer.
    const forget = () => this.#forget(key, open);
    open.answer.then(forget, forget);
    this.#open.set(key, open);
    return open;
  }

  #forget(key: string, open: Open<Value>): void {
    if (this.#open.get(key) === open) this.#open.delete(key);
  }
}

function callerGone(): TryLaterError {
  return new TryLaterError(503, 'caller_gone', 'The connection was closed before the answer', 1);
}
