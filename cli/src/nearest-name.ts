// Helps somebody who mistyped the name of an access point.
import { didYouMean } from '@weft/contract/closest-name';
import { type App, WeftRefusal } from '@weft/sdk';
import { CommandFailure } from './surroundings.ts';

/** What is asked for; if there is no such access point, the failure names the closest one. */
export async function withNearestName<T>(app: App, ap_id: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof WeftRefusal) || error.code !== 'agent_not_found') throw error;
    const agents = await app.agents().catch(() => []);
    const hint = didYouMean(
      ap_id,
      agents.map((agent) => agent.ap_id),
    );
    throw new CommandFailure(`There is no access point ${ap_id}.${hint} weft agents lists them.`);
  }
}
