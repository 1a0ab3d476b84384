// The same hours once more, without the commands that put access points to sleep or set their power: from the same seed, with
// the same chances, faults and other commands. What differs is what those commands have saved, and what they have cost.
import type { EmulatorTask } from '@weft/contract';
import { EmulatedRun, type RunEntry, type RunHistory } from './emulated-run.ts';

/** Of all kinds of access points. */
const powerCommands: ReadonlySet<string> = new Set(['sleep', 'wake', 'doze', 'set_tx_power', 'set_dimming']);
/** From the beginning of the network; and how many programs are told apart, the rest is one more. */
export const maxRerunSeconds = 24 * 3600;
const maxPrograms = 3;
const maxBuckets = 96;

export interface RerunOptions {
  task: EmulatorTask;
  history: RunHistory;
  devicePrefix: string;
  /** Seconds of the run: what is between them is compared. */
  from: number;
  until: number;
  /** Which program sent a command; those that it does not know are of nobody. */
  programOf: (command_id: string) => string | undefined;
  /** Asked after each second, with the share that is done. It ends there if the answer is no. */
  mayGoOn: (progress: number) => boolean;
}

/** One of the runs, between the two seconds. */
export interface Course {
  /** By access point, and by bucket. */
  energyJ: number[];
  bucketsJ: number[];
  /** In device-seconds: without service; with something to deliver; and of these within the delay budget. */
  outageS: number;
  dataS: number;
  metS: number;
}

export interface Rerun {
  until: number;
  bucketSeconds: number;
  /** How many were left out. */
  commands: number;
  /** As it was, and without any of those commands. */
  with: Course;
  without: Course;
  /**
   * What each program has saved, in the order in which they began: its commands are left out together with those of the programs
   * before it, so that the sum is what all have saved. Null: of nobody, or of further ones.
   */
  programs: { program: string | null; commands: number; savedJ: number }[];
}

/** Throws RangeError if there is nothing between the two seconds. */
export function rerun(options: RerunOptions): Rerun {
  const { task, history, devicePrefix, until, mayGoOn } = options;
  const { left, programs } = leftOut(options);
  const firstAt = left[0]?.entry.second ?? until;
  const start = (entries: RunEntry[]) => EmulatedRun.repeat(task, { from: history.from, entries }, devicePrefix);
  // Until the first of them all runs are the same one.
  const trunk = new Measured(start(history.entries.filter(({ second }) => second < firstAt)), options);
  let courses = [trunk];
  const total = until - history.from + (until - firstAt) * programs.length;
  let done = 0;
  for (let second = history.from; second < until && mayGoOn(done / total); second++) {
    if (second === firstAt) {
      courses = [0, ...programs.keys().map((n) => n + 1)].map((omitted) => {
        const gone = new Set(left.filter(({ program }) => program < omitted).map(({ entry }) => entry));
        const entries = history.entries.filter((entry) => !gone.has(entry));
        if (firstAt === history.from) return new Measured(start(entries), options);
        const pending = entries.filter((entry) => entry.second >= firstAt);
        return trunk.branch(EmulatedRun.resume(task, () => {}, { ...trunk.run.snapshot(), pending }, []));
      });
    }
    for (const course of courses) course.pass();
    done += courses.length;
  }
  const [first, ...others] = courses.map((course) => course.end());
  const all = [first!, ...others];
  const reached = courses[0]!.run.second;
  return {
    until: reached,
    bucketSeconds: bucketSecondsOf(options),
    commands: left.filter(({ entry }) => entry.second < reached).length,
    with: first!,
    without: all.at(-1)!,
    programs: programs.map((program, n) => ({
      program,
      commands: left.filter((each) => each.program === n && each.entry.second < reached).length,
      savedJ: all[n + 1] ? sum(all[n + 1]!.energyJ) - sum(all[n]!.energyJ) : 0,
    })),
  };
}

/** The commands to leave out, oldest first, and of whom they are. */
function leftOut({ history, until, programOf }: RerunOptions) {
  const found = history.entries
    .filter((entry) => entry.kind === 'command' && powerCommands.has(entry.name) && entry.second < until)
    .map((entry) => ({ entry, name: programOf((entry as RunEntry & { kind: 'command' }).command_id) ?? null }));
  const named = [...new Set(found.map(({ name }) => name))].filter((name) => name !== null).slice(0, maxPrograms);
  const programs = found.every(({ name }) => named.includes(name!)) ? named : [...named, null];
  const indexOf = (name: string | null) => (named.includes(name!) ? programs.indexOf(name) : programs.indexOf(null));
  return { programs, left: found.map(({ entry, name }) => ({ entry, program: indexOf(name) })) };
}

function bucketSecondsOf({ from, until }: RerunOptions): number {
  return Math.max(1, Math.ceil((until - from) / maxBuckets));
}

/** A run, and what it has come to since the first second that counts. */
class Measured {
  readonly run: EmulatedRun;
  readonly #options: RerunOptions;
  #before: Totals | undefined;
  #bucketFromJ = 0;
  #bucketsJ: number[] = [];

  constructor(run: EmulatedRun, options: RerunOptions) {
    this.run = run;
    this.#options = options;
    // Nobody reads its reports.
    run.world.measureFromNow();
    this.#note();
  }

  /** The same past, and from now on another run. */
  branch(run: EmulatedRun): Measured {
    const copy = new Measured(run, this.#options);
    copy.#before = this.#before;
    copy.#bucketFromJ = this.#bucketFromJ;
    copy.#bucketsJ = [...this.#bucketsJ];
    return copy;
  }

  pass(): void {
    this.run.advance();
    this.#note();
  }

  end(): Course {
    const before = this.#before;
    if (!before || this.run.second <= this.#options.from) throw new RangeError('the hours asked for were not reached');
    const after = totalsOf(this.run);
    if ((this.run.second - this.#options.from) % bucketSecondsOf(this.#options) !== 0) this.#endBucket(after);
    return {
      energyJ: [...after.energyJ].map((joules, n) => joules - before.energyJ[n]!),
      bucketsJ: this.#bucketsJ,
      outageS: after.outageS - before.outageS,
      dataS: after.dataS - before.dataS,
      metS: after.metS - before.metS,
    };
  }

  #note(): void {
    const { from } = this.#options;
    const { second } = this.run;
    if (second < from) return;
    if (!this.#before) {
      this.#before = totalsOf(this.run);
      this.#bucketFromJ = sum(this.#before.energyJ);
    } else if ((second - from) % bucketSecondsOf(this.#options) === 0) this.#endBucket(totalsOf(this.run));
  }

  #endBucket({ energyJ }: Totals): void {
    const joules = sum(energyJ);
    this.#bucketsJ.push(joules - this.#bucketFromJ);
    this.#bucketFromJ = joules;
  }
}

type Totals = ReturnType<typeof totalsOf>;

function totalsOf({ world }: EmulatedRun) {
  const { outageS, dataS, metS } = world.totals();
  return { energyJ: world.energyJ(), outageS, dataS, metS };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
