// One future of a world, twice: with the commands and without, second by second beside each other. Both copies draw the same
// chances, so that all differences come from the commands.
import type { CommandArguments, CommandResult } from '../access-points/commands.ts';
import type { Totals, World } from '../world/world.ts';

export interface PlannedCommand {
  ap_id: string;
  name: string;
  args?: CommandArguments;
}

/** Means of the whole network over a minute, or over what was run of it. */
export interface MinuteMeans {
  /** When it ends, in seconds from the beginning. */
  second: number;
  served: number;
  powerW: number;
  deliveredMbps: number;
}

/** The result of one of the two copies. */
export interface Side {
  /** By access point and metric, over the whole time. */
  means: Map<string, Map<string, number>>;
  minutes: MinuteMeans[];
  /** Of the whole network, over the whole time. */
  served: number;
  powerW: number;
  deliveredMbps: number;
}

export interface Future {
  results: CommandResult[];
  with: Side;
  without: Side;
  /**
   * By index of a commanded access point and of another: how many devices, on average, are at the other with the commands
   * and at the commanded one without them, less those that are the other way round. The other is -1 for no access point.
   */
  moved: Map<number, Map<number, number>>;
}

export class RunningFuture {
  readonly #results: CommandResult[];
  readonly #worlds: readonly [changed: World, untouched: World];
  readonly #sides: readonly [after: SideTally, otherwise: SideTally];
  readonly #moves: Moves;
  #second = 0;

  /**
   * Of copies: the world itself is not touched. `number`: which chances; without one, those that the world itself will have.
   * Throws RangeError for an access point that is not in it.
   */
  constructor(world: World, commands: readonly PlannedCommand[], number: number | undefined) {
    const [changed, untouched] = [world.clone(), world.clone()];
    if (number !== undefined) for (const twin of [changed, untouched]) twin.reseed(number);
    this.#results = commands.map(({ ap_id, name, args }) => changed.command(ap_id, name, args));
    this.#worlds = [changed, untouched];
    this.#sides = [new SideTally(changed), new SideTally(untouched)];
    this.#moves = new Moves(world, commands);
  }

  step(): void {
    this.#second++;
    for (const side of this.#sides) side.step(this.#second);
    const [changed, untouched] = this.#worlds;
    this.#moves.note(changed.servedBy(), untouched.servedBy());
  }

  /** After one second at least. */
  end(): Future {
    const second = this.#second;
    const [after, otherwise] = this.#sides;
    const sides = { with: after.end(second), without: otherwise.end(second) };
    return { results: this.#results, ...sides, moved: this.#moves.per(second) };
  }
}

class SideTally {
  readonly #world: World;
  readonly #ids: string[];
  readonly #minutes: MinuteMeans[] = [];
  readonly #deliveredBefore: number;
  #minute: { begunAt: number; served: number; powerW: number; deliveredBits: number };
  #totals: Totals;
  #served = 0;
  #powerW = 0;

  constructor(world: World) {
    this.#world = world;
    this.#ids = world.accessPoints.map(({ ap_id }) => ap_id);
    this.#totals = world.totals();
    this.#deliveredBefore = this.#totals.deliveredBits;
    this.#minute = { begunAt: 0, served: 0, powerW: 0, deliveredBits: this.#deliveredBefore };
    // One report over the whole time: ratios are of sums, not means of each second's ratio.
    world.measureFromNow();
  }

  step(second: number): void {
    this.#world.step();
    this.#totals = this.#world.totals();
    this.#minute.served += this.#totals.served;
    this.#minute.powerW += this.#totals.powerW;
    this.#served += this.#totals.served;
    this.#powerW += this.#totals.powerW;
    if (second % 60 === 0) this.#endMinute(second);
  }

  end(second: number): Side {
    if (second > this.#minute.begunAt) this.#endMinute(second);
    const means = new Map(this.#ids.map((ap_id) => [ap_id, new Map(Object.entries(this.#world.measured(ap_id)))]));
    const deliveredMbps = (this.#totals.deliveredBits - this.#deliveredBefore) / second / 1e6;
    const [served, powerW] = [this.#served / second, this.#powerW / second];
    return { means, minutes: this.#minutes, served, powerW, deliveredMbps };
  }

  #endMinute(second: number): void {
    const { begunAt, served, powerW, deliveredBits } = this.#minute;
    const length = second - begunAt;
    this.#minutes.push({
      second,
      served: served / length,
      powerW: powerW / length,
      deliveredMbps: (this.#totals.deliveredBits - deliveredBits) / length / 1e6,
    });
    this.#minute = { begunAt: second, served: 0, powerW: 0, deliveredBits: this.#totals.deliveredBits };
  }
}

/** Follows the devices that are somewhere else because of the commands. */
class Moves {
  readonly #isCommanded: Uint8Array;
  readonly #net = new Map<number, Map<number, number>>();

  constructor(world: World, commands: readonly PlannedCommand[]) {
    const commanded = new Set(commands.map(({ ap_id }) => ap_id));
    const { accessPoints } = world;
    this.#isCommanded = Uint8Array.from(accessPoints, ({ ap_id }) => (commanded.has(ap_id) ? 1 : 0));
    for (const [index, isCommanded] of this.#isCommanded.entries()) if (isCommanded) this.#net.set(index, new Map());
  }

  note(changed: Int32Array, untouched: Int32Array): void {
    for (let device = 0; device < changed.length; device++) {
      const [to, from] = [changed[device]!, untouched[device]!];
      if (to === from) continue;
      if (this.#isCommanded[from]) this.#count(from, to, 1);
      if (this.#isCommanded[to]) this.#count(to, from, -1);
    }
  }

  per(seconds: number): Future['moved'] {
    return new Map(
      [...this.#net].map(([index, others]) => [
        index,
        new Map([...others].map(([other, count]) => [other, count / seconds])),
      ]),
    );
  }

  #count(commanded: number, other: number, count: number): void {
    const others = this.#net.get(commanded)!;
    others.set(other, (others.get(other) ?? 0) + count);
  }
}
