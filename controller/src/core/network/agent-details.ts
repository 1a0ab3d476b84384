// What #26 and #22 say of an access point: its row with its configuration, as JSON. Of a network that is not large the
// texts are kept for as long as the rows: who lists it every second reads only those that have changed.
import type { AgentFilter } from '@weft/contract';
import type { AgentState } from '@weft/contract/selector';
import type { AgentRowStore } from './agent-row-store.ts';
import type { AgentRow } from './agent-rows.ts';
import type { Network } from './network.ts';

/** Configurations have up to 64 KiB each, but are usually much smaller. */
const maxKept = 5_000;

export class AgentDetailTexts {
  readonly #network: Network;
  readonly #store: Pick<AgentRowStore, 'configurations'>;
  /** A row is another one once anything about its access point has changed. */
  readonly #texts = new WeakMap<AgentRow, string>();

  constructor(network: Network, store: Pick<AgentRowStore, 'configurations'>) {
    this.#network = network;
    this.#store = store;
  }

  /** Of each, in their order, without those that are gone by now. */
  async read(agents: readonly AgentRow[]): Promise<string[]> {
    const unknown = agents.filter((agent) => !this.#texts.has(agent)).map(({ ap_id }) => ap_id);
    const read = unknown.length === 0 ? undefined : await this.#store.configurations(unknown);
    const isKept = this.#network.agents.length <= maxKept;
    return agents.flatMap((agent) => {
      const known = this.#texts.get(agent);
      const configuration = known === undefined ? read?.get(agent.ap_id) : undefined;
      if (known !== undefined || configuration === undefined) return known ?? [];
      const text = toText(agent, configuration);
      if (isKept) this.#texts.set(agent, text);
      return text;
    });
  }
}

function toText({ id, ap_id, onboard, emulated }: AgentRow, configuration: string): string {
  const shown = emulated ? JSON.stringify({ ...JSON.parse(configuration), emulated: true }) : configuration;
  return `{"id":"${id}","ap_id":${JSON.stringify(ap_id)},"configuration":${shown},"onboard":${onboard}}`;
}

/**
 * Which access points a list has. Emulated ones whose run has ended stay for a while, thousands of them, so they are
 * listed only for whoever asks; so are agents of devices, which are no access points.
 */
export function isListed(
  agent: AgentRow,
  { state, emulated }: AgentFilter,
  stateOf: (agent: AgentRow) => AgentState,
): boolean {
  if (emulated !== undefined && emulated !== agent.emulated) return false;
  if (state === 'all') return true;
  if (agent.isDevice) return false;
  if (state === undefined || agent.isEnded || state === 'ended') return agent.isEnded === (state === 'ended');
  return stateOf(agent) === state;
}

/** Whether `isListed` asks for states. */
export function needsStates({ state }: AgentFilter): boolean {
  return state !== undefined && state !== 'all' && state !== 'ended';
}
