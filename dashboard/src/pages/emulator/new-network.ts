// Asks for a network and leads to its page. What the names of places were taken for is kept for that page: only the answer
// tells it.
import { call } from '../../api/client.ts';
import type { EmulatorSpinupRequest, ResolvedPlace } from '../../api/operations.ts';
import { queries } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';

const places = new Map<string, ResolvedPlace[]>();

/** Rejects with Failure; then there is nothing of the network. */
export async function startNetwork(request: EmulatorSpinupRequest): Promise<void> {
  const answer = await call('emulator_spinup', { json: request });
  places.set(answer.job_number, answer.places);
  queries.refresh('list_emulator_runs');
  queries.refresh('metrics_');
  navigate(`/emulator/${answer.job_number}`);
}

/** Empty for a network that was asked for elsewhere. */
export function placesOfRun(job_number: string): ResolvedPlace[] {
  const known = places.get(job_number) ?? [];
  // Each technology names the same places again.
  return [...new Map(known.map((place) => [place.given, place])).values()];
}
