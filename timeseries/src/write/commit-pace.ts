// When a commit begins: at once, unless waiting has been seen to pay. A flush to disk takes a fraction of a millisecond,
// and what arrives meanwhile shares the next one; but at some hundred appends a second hardly two meet in that time, and
// each would cost a flush and two messages between threads. Then appends wait a moment for others, as long as others come.

export interface PaceOptions {
  /** The longest wait for others. */
  waitMs: number;
  /** This many appends do not wait for more. */
  fullGroup: number;
  /** Waiting is tried when commits come faster than this. */
  frequentPerMs: number;
}

/** For a flush of a file here: it takes a fraction of a millisecond. */
const usual: PaceOptions = { waitMs: 4, fullGroup: 8, frequentPerMs: 0.4 };
/** Fewer than this in a commit that has waited: nobody else is there to wait for. */
const company = 3;
/** After a wait in vain, this many commits begin at once before another is tried. */
const restCommits = 256;
/** Waiting is tried when this many commits in a row came too fast, with few appends in each. */
const windowCommits = 32;

export class CommitPace {
  readonly #options: PaceOptions;
  #isGathering = false;
  #restLeft = 0;
  #commits = 0;
  #appends = 0;
  #since = Number.NEGATIVE_INFINITY;

  constructor(options = usual) {
    this.#options = options;
  }

  /** How long these appends, which no commit is under way for, wait for more. */
  waitMs(appends: number): number {
    return this.#isGathering && appends < this.#options.fullGroup ? this.#options.waitMs : 0;
  }

  /** A commit of this many appends begins. */
  begun(appends: number, nowMs: number): void {
    if (this.#isGathering) {
      if (appends >= company) return;
      this.#isGathering = false;
      this.#restLeft = restCommits;
    }
    if (this.#restLeft > 0) this.#restLeft--;
    this.#commits++;
    this.#appends += appends;
    if (this.#commits < windowCommits) return;
    const isFrequent = this.#commits / (nowMs - this.#since) > this.#options.frequentPerMs;
    this.#isGathering = this.#restLeft === 0 && isFrequent && this.#appends < company * this.#commits;
    this.#commits = 0;
    this.#appends = 0;
    this.#since = nowMs;
  }
}
