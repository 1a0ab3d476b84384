// A mean of values that do not count alike, such as the latency of access points by what each delivered.

export class WeightedMean {
  #sum = 0;
  #weight = 0;

  /** A value that was not measured does not count. */
  add(value: number | undefined, weight = 0): void {
    if (value === undefined) return;
    this.#sum += value * weight;
    this.#weight += weight;
  }

  /** NaN without any weight. */
  get value(): number {
    return this.#sum / this.#weight;
  }
}
