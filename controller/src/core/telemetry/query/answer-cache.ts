// Lets identical requests of the same moment share one answer: hundreds of charts poll the same series every second.
// Who may see an answer is decided before it is looked up here.

const freshMs = 1000;
const maxEntries = 2000;
/** Little: what outlives two collections of young garbage is expensive to get rid of, and few answers are asked for twice. */
const maxBytes = 2 * 1024 * 1024;
/** What is larger is computed again each time. */
const maxAnswerLength = 512 * 1024;

interface Entry<T> {
  answer: Promise<T>;
  madeAt: number;
}

/** Holds answers for at most a second, and never one that was begun before the agent's last recorded post. */
export class AnswerCache<T> {
  readonly #byAgent = new Map<string, Map<string, Entry<T>>>();
  readonly #lengthOf: (answer: T) => number;
  readonly #now: () => number;
  #entries = 0;
  #bytes = 0;

  constructor(lengthOf: (answer: T) => number, now: () => number = () => performance.now()) {
    this.#lengthOf = lengthOf;
    this.#now = now;
  }

  get(ap_id: string, key: string, make: () => Promise<T>): Promise<T> {
    let answers = this.#byAgent.get(ap_id);
    const known = answers?.get(key);
    const now = this.#now();
    if (known && now - known.madeAt < freshMs) return known.answer;
    // Everything in here is a second old at most: starting over costs little, and keeps no account of age.
    if (this.#entries >= maxEntries || this.#bytes > maxBytes) {
      this.#clear();
      answers = undefined;
    }
    if (!answers) {
      answers = new Map();
      this.#byAgent.set(ap_id, answers);
    }
    const answer = make();
    const entry = { answer, madeAt: now };
    answers.set(key, entry);
    this.#entries++;
    const drop = () => {
      if (answers.get(key) === entry) answers.delete(key);
    };
    answer.then((made) => {
      const length = this.#lengthOf(made);
      if (length > maxAnswerLength) drop();
      else this.#bytes += length;
    }, drop);
    return answer;
  }

  /** What is known of this agent is no longer the newest. */
  invalidate(ap_id: string): void {
    this.#byAgent.delete(ap_id);
  }

  #clear(): void {
    this.#byAgent.clear();
    this.#entries = 0;
    this.#bytes = 0;
  }
}
