// One second of a resource that transfers share equally: each arrives at its own time, and whatever the resource can give goes to
// those that have data at that moment. What is left and how long data waited is exact, not an average over the second.

/** Filled again for each resource and second; keeps its memory. Work and capacity in seconds of the resource. */
export class ProcessorSharing {
  #count = 0;
  #arrivals = 0;
  #left = new Float64Array(64);
  #served = new Float64Array(64);
  #waited = new Float64Array(64);
  #busy = new Float64Array(64);
  #at = new Float64Array(64);
  #work = new Float64Array(64);
  #of = new Int32Array(64);

  begin(): void {
    this.#count = 0;
    this.#arrivals = 0;
  }

  /** One that has this much work at the beginning; returns its number. */
  add(work: number): number {
    if (this.#count === this.#left.length) this.#grow();
    const job = this.#count++;
    this.#left[job] = work;
    this.#served[job] = 0;
    this.#waited[job] = 0;
    this.#busy[job] = 0;
    return job;
  }

  /** More work for it, at a time between 0 and 1. */
  arrive(job: number, at: number, work: number): void {
    if (this.#arrivals === this.#at.length) this.#growArrivals();
    let place = this.#arrivals++;
    for (; place > 0 && this.#at[place - 1]! > at; place--) {
      this.#at[place] = this.#at[place - 1]!;
      this.#work[place] = this.#work[place - 1]!;
      this.#of[place] = this.#of[place - 1]!;
    }
    this.#at[place] = at;
    this.#work[place] = work;
    this.#of[place] = job;
  }

  play(capacity: number): void {
    const left = this.#left;
    let [now, next] = [0, 0];
    while (now < 1) {
      let active = 0;
      let least = Infinity;
      for (let job = 0; job < this.#count; job++) {
        if (left[job] === 0) continue;
        active++;
        if (left[job]! < least) least = left[job]!;
      }
      const arrivesAt = next < this.#arrivals ? this.#at[next]! : 1;
      const share = active > 0 ? capacity / active : 0;
      const emptyAt = share > 0 ? now + least / share : Infinity;
      const until = Math.min(arrivesAt, emptyAt);
      const passed = until - now;
      if (active > 0 && passed > 0) this.#serve(passed, emptyAt <= arrivesAt ? least : share * passed);
      // A remainder that is too small for time to move on is gone, too.
      else if (emptyAt <= arrivesAt) this.#serve(0, least);
      now = until;
      if (arrivesAt <= emptyAt && next < this.#arrivals) {
        left[this.#of[next]!]! += this.#work[next]!;
        next++;
      } else if (active === 0) now = arrivesAt;
    }
    for (; next < this.#arrivals; next++) left[this.#of[next]!]! += this.#work[next]!;
  }

  #serve(passed: number, work: number): void {
    const left = this.#left;
    for (let job = 0; job < this.#count; job++) {
      if (left[job] === 0) continue;
      const part = Math.min(left[job]!, work);
      this.#waited[job]! += (left[job]! - part / 2) * passed;
      this.#busy[job]! += passed;
      this.#served[job]! += part;
      left[job]! -= part;
    }
  }

  leftOf(job: number): number {
    return this.#left[job]!;
  }

  servedOf(job: number): number {
    return this.#served[job]!;
  }

  /** Work times seconds that it waited; and for how long it had any. */
  waitedOf(job: number): number {
    return this.#waited[job]!;
  }

  busyOf(job: number): number {
    return this.#busy[job]!;
  }

  #grow(): void {
    this.#left = doubled(this.#left);
    this.#served = doubled(this.#served);
    this.#waited = doubled(this.#waited);
    this.#busy = doubled(this.#busy);
  }

  #growArrivals(): void {
    this.#at = doubled(this.#at);
    this.#work = doubled(this.#work);
    const of = new Int32Array(this.#of.length * 2);
    of.set(this.#of);
    this.#of = of;
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}
