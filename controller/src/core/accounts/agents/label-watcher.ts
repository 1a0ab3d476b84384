// The access points whose settings a change of labels would change too: previews and answers say how many.
import { Port } from '../../port.ts';

/** The labels of an agent that settings depend on, as they were and as they are or would be. */
export interface Relabelled {
  ap_id: string;
  before: { site: string | null; tags: readonly string[] };
  after: { site: string | null; tags: readonly string[] };
}

export interface LabelWatcher {
  /** Whose settings these labels change; of all of them, the ap_ids. */
  reconfigured(changes: readonly Relabelled[]): Promise<ReadonlySet<string>>;
}

export function labelWatcher(): Port<LabelWatcher> {
  return new Port<LabelWatcher>({ reconfigured: async () => new Set() });
}
