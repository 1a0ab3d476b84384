// A network of emulated access points that an App has asked for.
import type {
  EmulatedAgent,
  EmulatorAccepted,
  EmulatorDemand,
  EmulatorEvent,
  EmulatorRun,
  EmulatorRunWithAgents,
  FaultRequest,
  ResolvedPlace,
  StatusAnswer,
  StepAnswer,
} from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import type { CoverageAnswer, CoverageDifference, WhatIfAnswer } from '@weft/contract/lab';
import type { Abortable } from '../core/app/app-options.ts';
import { type JobConnection, jobMessages, jobRecords } from '../core/app/job-messages.ts';
import type { Stream } from '../core/app/stream.ts';
import {
  type RadioMap,
  type RadioMapDifference,
  type RadioMapRequest,
  toRadioMap,
  toRadioMapDifference,
  toRadioMapFields,
} from './radio-map.ts';

/** A copy of the network is run ahead for minutes of model time. */
const whatIfTimeoutMs = 150_000;
/** Weft itself gives up a little earlier. */
const stepTimeoutMs = 180_000;

export interface WantedCommand {
  ap_id: string;
  name: string;
  args?: Record<string, unknown>;
}

/** What `app.emulate` resolves. In the examples it is `network`, and has started: its `progress` has said so. */
export class EmulatedNetwork {
  readonly #connection: JobConnection;
  readonly #path: string;
  readonly job_number: string;
  readonly agents: EmulatedAgent[];
  /** For each location that was a name, which place it is. */
  readonly places: ResolvedPlace[];
  /** What the devices of each entry ask for. */
  readonly demand: EmulatorDemand[];
  readonly seed: number;
  /** The version of the model. */
  readonly model: number;
  readonly ends_at: string;

  constructor(connection: JobConnection, accepted: Omit<EmulatorAccepted, 'status' | 'websocket' | 'profiles'>) {
    this.#connection = connection;
    this.#path = `/api/v1/emulator/${accepted.job_number}`;
    this.job_number = accepted.job_number;
    this.agents = accepted.agents;
    this.places = accepted.places;
    this.demand = accepted.demand;
    this.seed = accepted.seed;
    this.model = accepted.model;
    this.ends_at = accepted.ends_at;
  }

  /**
   * How it goes: `started`, `progress` again and again, `ended`. Throws JobFailure if it does not come to its end, also
   * when it is stopped.
   *
   * ```ts
   * for await (const { event, served, power_w } of network.progress()) {
   *   console.log(event, served, power_w);
   *   break;
   * }
   * ```
   */
  progress({ signal }: Abortable = {}): Stream<EmulatorEvent> {
    const { job_number } = this;
    return this.#connection.rest.stream(
      (ended) => jobRecords(jobMessages(this.#connection, job_number, ended)),
      signal,
    );
  }

  /**
   * The present state of the run.
   *
   * ```ts
   * const { state, access_points } = await network.state();
   * console.log(state, access_points);
   * ```
   */
  state({ signal }: Abortable = {}): Promise<EmulatorRunWithAgents> {
    return this.#connection.rest.ask({ method: 'GET', path: this.#path, signal });
  }

  /**
   * Ends it now. Its agents and their telemetry stay for a day.
   *
   * ```ts
   * await network.stop();
   * ```
   */
  stop({ signal }: Abortable = {}): Promise<EmulatorRun> {
    return this.#connection.rest.ask({ method: 'POST', path: `${this.#path}/stop`, isRepeatable: true, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * What would become of the network with these commands, and without: copies are run ahead and compared, in several
   * futures (default: 8), so that the answer says how certain it is. With one future it is exact: what happens if the
   * commands are sent in this second. The network itself does not notice.
   *
   * ```ts
   * const commands = network.agents.slice(0, 1).map(({ ap_id }) => ({ ap_id, name: 'sleep' }));
   * const { totals } = await network.whatIf(commands, { minutes: 1 });
   * const { power_w } = totals;
   * if (power_w) console.log(`${power_w.with} W instead of ${power_w.without} W: ± ${power_w.plus_minus?.change} W`);
   * ```
   */
  whatIf(
    commands: readonly WantedCommand[],
    options: { minutes?: number; futures?: number; within_seconds?: number } & Abortable = {},
  ): Promise<WhatIfAnswer> {
    const { signal, ...extent } = options;
    return this.#connection.rest.ask({
      method: 'POST',
      path: '/api/v1/emulator/what_if',
      isRepeatable: true,
      timeoutMs: whatIfTimeoutMs,
      signal,
      json: {
        job_number: this.job_number,
        commands: commands.map(({ ap_id, name, args }) => ({ agent_id: ap_id, command: toCommandText(name, args) })),
        ...extent,
      },
    });
  }

  /**
   * The radio map at the present second: what a device would receive at each point of a raster.
   *
   * ```ts
   * const { values, unit, max } = await network.coverage({ layer: 'signal', technology: 'WiFi', columns: 32, rows: 32 });
   * const covered = values.filter((value) => value > -70).length / values.length;
   * console.log(`at most ${max} ${unit}; ${Math.round(covered * 100)} % above -70 dBm`);
   * ```
   */
  async coverage(request: RadioMapRequest, { signal }: Abortable = {}): Promise<RadioMap> {
    const query = toRadioMapFields(request);
    return toRadioMap(
      await this.#connection.rest.ask<CoverageAnswer>({ method: 'GET', path: `${this.#path}/coverage`, query, signal }),
    );
  }

  /**
   * How these commands would change the radio map: two copies of the network run ahead, for 30 seconds of model time unless
   * `afterSeconds` says otherwise.
   *
   * ```ts
   * const sleep = network.agents.slice(0, 1).map(({ ap_id }) => ({ ap_id, name: 'sleep' }));
   * const { difference } = await network.coverageDifference(sleep, { layer: 'signal', technology: '5G' });
   * console.log(`up to ${difference.min} dB less`);
   * ```
   */
  async coverageDifference(
    commands: readonly WantedCommand[],
    { afterSeconds, signal, ...wanted }: RadioMapRequest & { afterSeconds?: number } & Abortable,
  ): Promise<RadioMapDifference> {
    const json = {
      ...toRadioMapFields(wanted),
      commands: commands.map(({ ap_id, name, args }) => ({ agent_id: ap_id, command: toCommandText(name, args) })),
      ...(afterSeconds !== undefined && { after_seconds: afterSeconds }),
    };
    const request = { method: 'POST', path: `${this.#path}/coverage`, isRepeatable: true, json, signal } as const;
    const timeoutMs = whatIfTimeoutMs;
    return toRadioMapDifference(await this.#connection.rest.ask<CoverageDifference>({ ...request, timeoutMs }));
  }

  /**
   * Lets so many seconds of model time pass in a network that was asked for with `pace: 'stepped'` and stands still in between.
   * Resolves when its access points have reported them, and have taken every command that was sent before: what a program then
   * reads is the same in every run of the same seed and `start_time`.
   *
   * ```ts
   * const network = await app.emulate({
   *   pace: 'stepped',
   *   emulators: [
   *     { access_point_type: 'WiFi', num_access_points: 1, locations: ['Bristol'], num_devices: 2, duration: 600 },
   *   ],
   * });
   * for await (const { event } of network.progress()) if (event === 'started') break;
   * const { second, model_time } = await network.step(10);
   * console.log(second, model_time);
   * await network.stop();
   * ```
   */
  step(seconds: number, { signal }: Abortable = {}): Promise<StepAnswer> {
    const [path, timeoutMs] = [`${this.#path}/step`, stepTimeoutMs];
    return this.#connection.rest.ask({ method: 'POST', path, timeoutMs, signal, json: { seconds } });
  }

  /**
   * Makes something go wrong in the running network.
   *
   * ```ts
   * for (const { ap_id } of network.agents) await network.fault({ agent_id: ap_id, kind: 'jammed_channel', seconds: 60 });
   * ```
   */
  fault(fault: FaultRequest, { signal }: Abortable = {}): Promise<StatusAnswer> {
    return this.#connection.rest.ask({ method: 'POST', path: `${this.#path}/faults`, json: fault, signal });
  }
}
