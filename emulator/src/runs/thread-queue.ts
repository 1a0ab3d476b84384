// Questions to a run that are computed beside it: one thread, one question at a time, in the order in which they came.
// It stays for a while for the next one, and is ended with a question that nobody waits for or that takes too long: it
// cannot be reached while it computes.
import { Worker } from 'node:worker_threads';

export interface RunProblem {
  error: { code: string; detail: string; field?: string };
}

export function problem(code: string, detail: string, field?: string): RunProblem {
  return { error: { code, detail, ...(field !== undefined && { field }) } };
}

export interface ThreadQueueOptions {
  /** Of a thread that answers each message with one. */
  start?: () => Worker;
  /** How long a thread that has nothing to do is kept. */
  idleMs: number;
  /** What is computed, for whoever it fails: `The radio map`. */
  what: string;
  /** Of such a failure. */
  code: string;
}

/** Made when its turn comes, of the run as it is then. */
type Turn = () => { task: object; withinMs: number } | RunProblem;

interface Question<Answer> {
  turn: Turn;
  end: (answer: Answer | RunProblem) => void;
}

const startQuestions = () => new Worker(new URL('./question-thread.ts', import.meta.url));

export class ThreadQueue<Answer> {
  readonly #options: ThreadQueueOptions;
  /** The thread has the first one, and no other. */
  readonly #waiting = new Set<Question<Answer>>();
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How many were started. */
  threads = 0;

  constructor(options: ThreadQueueOptions) {
    this.#options = options;
  }

  /** Including the one that is computed. */
  get size(): number {
    return this.#waiting.size;
  }

  /** `reply` never rejects; `leave` answers it, if nothing has yet. */
  ask(turn: Turn): { reply: Promise<Answer | RunProblem>; leave: (answer: RunProblem) => void } {
    const { promise: reply, resolve: end } = Promise.withResolvers<Answer | RunProblem>();
    const question = { turn, end };
    this.#waiting.add(question);
    if (this.#waiting.size === 1) this.#next();
    return { reply, leave: (answer) => this.#giveUp(question, answer) };
  }

  /** Ends the thread, and what waits; the next question starts another. */
  close(): void {
    this.#endThread();
    for (const { end } of this.#waiting) end(problem(this.#options.code, 'The run has ended'));
    this.#waiting.clear();
  }

  #next(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (!first) {
      this.#timer = setTimeout(() => this.#endThread(), this.#options.idleMs).unref();
      return;
    }
    const turn = first.turn();
    if ('error' in turn) {
      this.#answer(first, turn);
      return;
    }
    this.#timer = setTimeout(() => this.#fail(first, 'took too long'), turn.withinMs);
    this.#thread ??= this.#start();
    this.#thread.postMessage(turn.task);
  }

  #answer(question: Question<Answer>, answer: Answer | RunProblem): void {
    this.#waiting.delete(question);
    question.end(answer);
    this.#next();
  }

  #fail(question: Question<Answer>, how: string): void {
    this.#giveUp(question, problem(this.#options.code, `${this.#options.what} ${how}`));
  }

  #giveUp(question: Question<Answer>, answer: RunProblem): void {
    if (!this.#waiting.has(question)) return;
    const [first] = this.#waiting;
    if (first !== question) {
      this.#waiting.delete(question);
      question.end(answer);
      return;
    }
    this.#endThread();
    this.#answer(question, answer);
  }

  #start(): Worker {
    this.threads++;
    const thread = (this.#options.start ?? startQuestions)();
    const first = () => (this.#thread === thread ? [...this.#waiting][0] : undefined);
    thread.on('message', (answer: Answer) => {
      const question = first();
      if (question) this.#answer(question, answer);
    });
    const fail = () => {
      const question = first();
      if (question) this.#fail(question, 'could not be computed');
      else if (this.#thread === thread) this.#thread = undefined;
    };
    return thread.on('error', fail).on('exit', fail);
  }

  #endThread(): void {
    clearTimeout(this.#timer);
    void this.#thread?.terminate();
    this.#thread = undefined;
  }
}
