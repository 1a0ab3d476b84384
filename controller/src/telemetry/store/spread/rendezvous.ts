// Which of several servers an agent belongs on: the one with the highest hash of both names (rendezvous hashing). It does not
// depend on the order of the servers. A server that is added takes its share from all others, and nothing else moves.
import { createHash } from 'node:crypto';

/** There must be at least one server; all have different ids. */
export function chooseServer(ap_id: string, servers: readonly string[]): string {
  let best: { id: string; weight: string } | undefined;
  for (const id of servers) {
    const weight = createHash('sha256')
      .update(JSON.stringify([id, ap_id]))
      .digest('hex');
    if (best === undefined || weight > best.weight) best = { id, weight };
  }
  return best!.id;
}
