// `weft env`: an environment behind frames. Each frame gets one answer, or an error that has changed nothing.
import { BoundedMap } from '@weft/contract/bounded-map';
import { isObject } from '@weft/contract/is-object';
import { type Answer, Environment, EnvironmentError, type EnvironmentSnapshot } from './environment.ts';
import { encodeFrame, type Frame, FrameReader, frameKinds, maxFrameBytes, type NoFrame } from './frames.ts';
import { taskOf } from './tasks.ts';

/** Beyond, the oldest is forgotten. */
const maxSnapshots = 64;
/** What the head of an answer may take of a frame. */
const headroomBytes = 4 * 1024 * 1024;

export class FrameDesk {
  #environment: Environment | undefined;
  /** What is the same in all answers of the environment, as JSON without its last brace. */
  #headStart = '';
  #snapshots = new BoundedMap<number, EnvironmentSnapshot>(maxSnapshots);
  #lastSnapshot = 0;
  /** Whether it was asked to end. */
  isClosed = false;

  /** Never throws. */
  answer(frame: Frame | NoFrame): Buffer {
    try {
      if ('problem' in frame) throw new EnvironmentError('invalid_frame', frame.problem);
      return this.#take(frame);
    } catch (error) {
      if (!(error instanceof EnvironmentError)) return errorFrame('internal_error', `it failed: ${String(error)}`);
      return errorFrame(error.code, error.message, error.world);
    }
  }

  #take({ kind, head, block }: Frame): Buffer {
    if (kind === frameKinds.make) return this.#make(head);
    if (kind === frameKinds.close) {
      this.isClosed = true;
      return encodeFrame(frameKinds.answer, '{}');
    }
    const environment = this.#environment;
    if (!environment) throw new EnvironmentError('not_made', 'there is no environment: make one first');
    switch (kind) {
      case frameKinds.reset: {
        const { seeds, warmup_seconds = 0 } = head;
        if (!Array.isArray(seeds)) throw new EnvironmentError('invalid_reset', 'seeds must be a list');
        return this.#tell(environment.reset(seeds, warmup_seconds as number));
      }
      case frameKinds.step:
        return this.#tell(environment.step(head.seconds as number, block));
      case frameKinds.snapshot:
        this.#snapshots.set(++this.#lastSnapshot, environment.snapshot());
        return encodeFrame(frameKinds.answer, `{"snapshot":${this.#lastSnapshot}}`);
      case frameKinds.restore: {
        const snapshot = this.#snapshots.get(head.snapshot as number);
        if (!snapshot) throw new EnvironmentError('snapshot_not_found', 'there is no such snapshot, or it is too old');
        return this.#tell(environment.restore(snapshot));
      }
      default:
        throw new EnvironmentError('invalid_frame', `there is no kind ${kind}`);
    }
  }

  #make({ spec, worlds = 1 }: Record<string, unknown>): Buffer {
    const { task, ...changes } = isObject(spec) ? spec : {};
    const known = task === undefined ? undefined : taskOf(task);
    const whole = known ? { ...known.spec, ...changes } : spec;
    const environment = new Environment(whole as never, worlds as number);
    const { layout } = environment;
    const { access_points, columns, choices, components, device_columns } = layout;
    const [rows, count] = [access_points.length, layout.worlds];
    const shapes = {
      observations: [count, rows, columns.length],
      valid: [count, rows, columns.length],
      devices: [count, layout.devices, device_columns.length],
      components: [count, components.length],
      masks: [count, rows, choices.length],
    };
    const sizes = Object.values(shapes).map((shape) => shape.reduce((size, length) => size * length, 1));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (4 * total + headroomBytes > maxFrameBytes) {
      throw new EnvironmentError(
        'invalid_spec',
        'the answers would be too large: fewer worlds, or no table of devices',
      );
    }
    const names = { access_points, columns, choices, devices: device_columns };
    const masks_offset = total - sizes.at(-1)!;
    this.#headStart = JSON.stringify({ shapes, names, components, masks_offset }).slice(0, -1);
    this.#environment = environment;
    this.#snapshots = new BoundedMap(maxSnapshots);
    const { spec: _, ...described } = known ?? { spec };
    const head = { shapes, names, components, masks_offset, neighbours: layout.neighbours, task: described };
    return encodeFrame(frameKinds.answer, JSON.stringify(head));
  }

  #tell({ block, terminated, truncated }: Answer): Buffer {
    const head = `${this.#headStart},"terminated":${JSON.stringify(terminated)},"truncated":${JSON.stringify(truncated)}}`;
    return encodeFrame(frameKinds.answer, head, block);
  }
}

function errorFrame(code: string, detail: string, world?: number): Buffer {
  return encodeFrame(frameKinds.error, JSON.stringify({ code, detail, world: world ?? null }));
}

interface Output {
  write(frame: Uint8Array): unknown;
  once?(event: 'drain', listener: () => void): unknown;
}

/** Resolves when it was asked to end, or nothing more comes. */
export async function serveFrames(input: AsyncIterable<Buffer>, output: Output): Promise<void> {
  const reader = new FrameReader();
  const desk = new FrameDesk();
  const say = async (frame: Buffer) => {
    if (output.write(frame) === false) await new Promise<void>((resolve) => output.once?.('drain', resolve));
  };
  for await (const chunk of input) {
    reader.push(chunk);
    for (let frame = reader.next(); frame; frame = reader.next()) {
      await say(desk.answer(frame));
      if (desk.isClosed) return;
    }
  }
  if (reader.isInside) await say(desk.answer({ problem: 'the input ends in the middle of a frame' }));
}
