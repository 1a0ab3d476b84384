// The network as a part, on the ground floor: it knows the access points from their table, and everybody else asks it.
import type { Caller } from '../base/caller.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { AgentDetailTexts } from './agent-details.ts';
import { AgentRowStore } from './agent-row-store.ts';
import { Network } from './network.ts';

export function createNetworkPart({ database, onError }: Pick<Platform, 'database' | 'onError'>, events: Events) {
  const store = new AgentRowStore(database);
  const network = new Network(store);
  network.taken.on(({ ap_id, isEnded }) => {
    if (isEnded) events.agentEnded.emit(ap_id);
  });
  const look = () => {
    network.changed();
    void network.fresh().catch((error) => onError(error, 'the access points could not be read'));
  };
  // What is asked without a wait, as the site of an event is, is as fresh as this.
  for (const event of [events.networkEnded, events.agentConfigured, events.labelsChanged, events.sitesChanged])
    event.on(look);
  events.recordsChanged.on(() => network.changed());
  events.callerChanged.on(({ kind }) => {
    if (kind === 'agent') network.changed();
  });
  return {
    network,
    agentRows: store,
    agentDetails: new AgentDetailTexts(network, store),
    replicas: { agents: network },
    async idsOf(caller: Caller, display_name: string) {
      const called = await network.called(display_name);
      return called.filter((ap_id) => network.sight(caller).has(ap_id));
    },
    prepare: () => network.fresh(),
  } satisfies Part & Record<string, unknown>;
}
