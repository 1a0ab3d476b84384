// Who keeps access points to settings: asked by commands that change a parameter, and when an emulated access point starts again.
import type { EmulatorLease } from '@weft/contract';
import { Port } from '../port.ts';

export interface ParameterOwner {
  /** The settings of an agent, of those that it shall have, which commands set by this parameter. */
  settingsOf(ap_id: string, parameter: string): Promise<string[]>;
  /** What the agent says that it runs, by leaf; undefined: it has said nothing. */
  running(ap_id: string): Promise<ReadonlyMap<string, unknown> | undefined>;
  /** What these agents said last that they run, and the hash of what they were given; by ap_id. */
  given(ap_ids: readonly string[]): Promise<NonNullable<EmulatorLease['settings']>>;
}

export function parameterOwner(): Port<ParameterOwner> {
  return new Port<ParameterOwner>({
    settingsOf: async () => [],
    running: async () => undefined,
    given: async () => ({}),
  });
}
