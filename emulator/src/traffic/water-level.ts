// Max-min fair shares of one resource, in the fluid limit: everybody gets the same, nobody more than needed, and what one
// does not need is shared by the others. This is what a proportional-fair scheduler gives in resource blocks, and what equal
// chances to send give in airtime.

/** The shares of one resource in one second. Filled again for each resource; keeps its memory. */
export class WaterLevel {
  #needs = new Float64Array(64);
  /** Sums of the needs before each, from the smallest on. */
  #sums = new Float64Array(65);
  #count = 0;
  #capacity = 0;
  /** What those get who do not get all they need; Infinity if everybody does. */
  #level = Infinity;

  begin(): void {
    this.#count = 0;
  }

  add(need: number): void {
    if (this.#count === this.#needs.length) this.#grow();
    this.#needs[this.#count++] = need;
  }

  /** After the last need: how much there is of the resource. */
  settle(capacity: number): void {
    const needs = this.#needs.subarray(0, this.#count).sort();
    for (let n = 0; n < this.#count; n++) this.#sums[n + 1] = this.#sums[n]! + needs[n]!;
    this.#capacity = capacity;
    this.#level = this.#sums[this.#count]! <= capacity ? Infinity : this.#solve(capacity, 0);
  }

  /**
   * The share that one of them, who needs this much, would get if it needed without end. Who needs less than that gets what
   * it needs, and is done the sooner the larger this is.
   */
  shareOf(need: number): number {
    return need >= this.#level ? this.#level : this.#solve(this.#capacity + need, 1);
  }

  /** The level at which all needs up to it, and `more` times the level itself, make the target. */
  #solve(target: number, more: number): number {
    const count = this.#count;
    let low = 0;
    let high = count;
    // The first need that is not met in full.
    while (low < high) {
      const middle = (low + high) >> 1;
      const need = this.#needs[middle]!;
      if (this.#sums[middle]! + (count - middle + more) * need <= target) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, target - this.#sums[low]!) / (count - low + more);
  }

  #grow(): void {
    const needs = new Float64Array(this.#needs.length * 2);
    needs.set(this.#needs);
    this.#needs = needs;
    this.#sums = new Float64Array(needs.length + 1);
  }
}
