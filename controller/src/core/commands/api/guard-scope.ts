// What a guard is about: the access points that it names, as far as the caller may see them, and a metric that they report. A
// guard that could never see a value is refused.

import { didYouMean } from '@weft/contract/closest-name';
import { readDeclaredSettings } from '@weft/contract/declared-settings';
import { parseSelector, SelectorError } from '@weft/contract/selector';
import type { Caller } from '../../base/caller.ts';
import { PermissionError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { AgentRowStore } from '../../network/agent-row-store.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { Port } from '../../port.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import type { Surroundings } from '../arbitration/surroundings.ts';
import { type Guard, parseGuard, storedGuard } from '../grammar/guard-expression.ts';
import type { Want } from '../grammar/requested-value.ts';
import type { NewCommand } from '../ledger/new-command.ts';
import type { RulesKeeper } from '../ledger/rules-keeper.ts';
import type { ParameterOwner } from '../parameter-owner.ts';

const maxAgents = 200;
/** An agent may have very many metrics; a message need not. */
const maxShown = 10;
const loc = ['query', 'guard'];

export interface GuardScopeOptions {
  network: Network;
  agentRows: Pick<AgentRowStore, 'configurations'>;
  surroundings: Pick<Surroundings, 'neighboursOf'>;
  rules: Pick<RulesKeeper, 'current'>;
  telemetry: Pick<TelemetryStore, 'fields' | 'latest'>;
  parameters: Port<ParameterOwner>;
}

export class GuardScope {
  readonly #options: GuardScopeOptions;

  constructor(options: GuardScopeOptions) {
    this.#options = options;
  }

  /** The guard as it is stored. Throws ValidationError if it is about nothing that the caller may see and that is reported. */
  async toStored(caller: Caller, agent: AgentRow, text: string): Promise<string> {
    // How a guard ends says something about values.
    if (rightsOf(caller).limits.read === false) throw new PermissionError();
    const guard = parseGuard(text, loc);
    const ap_ids = await this.#agentsOf(caller, agent, guard);
    await this.#requireReported(guard.metric, ap_ids);
    return guard.selector === undefined ? text : storedGuard({ ...guard, ap_ids });
  }

  /**
   * The command that sets what the access point says that it runs now: by the settings that it declares for the parameter, each
   * of which an argument is named after, or is the only one. Undefined unless it has said them all.
   */
  async reported(
    agent: AgentRow,
    { intent: { name, args, parameter }, sealed }: NewCommand,
  ): Promise<Want | undefined> {
    const { parameters, telemetry, agentRows } = this.#options;
    const keys = Object.keys(args);
    if (keys.length === 0 || sealed !== null) return undefined;
    const configuration = (await agentRows.configurations([agent.ap_id])).get(agent.ap_id) ?? '{}';
    const declared = [...readDeclaredSettings(JSON.parse(configuration))].filter(
      ([, of]) => of.parameter === parameter,
    );
    if (declared.length === 0) return undefined;
    const runs = await parameters.owner.running(agent.ap_id);
    const [latest] = await telemetry.latest([agent.ap_id]);
    const before: Record<string, unknown> = {};
    for (const key of keys) {
      const isAlone = keys.length === 1 && declared.length === 1;
      const named = declared.filter(
        ([leaf]) => isAlone || leaf === key || leaf.endsWith(`.${key}`) || leaf.endsWith(`_${key}`),
      );
      const leaf = named.length === 1 ? named[0]![0] : undefined;
      const value = leaf && (runs?.get(leaf) ?? latest?.metrics.find((metric) => metric.name === leaf)?.value);
      if (!['number', 'string', 'boolean'].includes(typeof value)) return undefined;
      before[key] = value;
    }
    return { name, args: before };
  }

  async #agentsOf(caller: Caller, agent: AgentRow, { selector }: Guard): Promise<string[]> {
    if (selector === undefined) return [agent.ap_id];
    const { network, surroundings, rules } = this.#options;
    const isNear = selector === 'neighbours';
    if (!isNear) requireSelector(selector);
    const isSelected = await network.selection(isNear ? '' : selector, caller);
    const sight = network.sight(caller);
    const named = isNear
      ? surroundings.neighboursOf(rules.current, agent.ap_id, agent.technology)
      : network.agents.map(({ ap_id }) => ap_id);
    const found = named.filter((ap_id) => {
      const row = sight.get(ap_id);
      return row !== undefined && !row.isEnded && isSelected(row);
    });
    if (found.length === 0) throw invalidValue(loc, `no access point that you may see matches ${selector}`);
    if (found.length <= maxAgents) return found;
    throw invalidValue(loc, `${found.length} access points match ${selector}; a guard is about at most ${maxAgents}`);
  }

  async #requireReported(metric: string, ap_ids: readonly string[]): Promise<void> {
    const known = new Set<string>();
    for (const ap_id of ap_ids) {
      for (const { name, kind } of await this.#options.telemetry.fields(ap_id, 0))
        if (kind === 'metric') known.add(name);
      if (known.has(metric)) return;
    }
    const names = [...known].sort();
    const some =
      names.length === 0 ? ' Nothing was reported yet.' : ` Reported are: ${names.slice(0, maxShown).join(', ')}.`;
    const who = ap_ids.length === 1 ? ap_ids[0] : 'none of these access points';
    const what = `${who} has ${ap_ids.length === 1 ? 'never' : 'ever'} reported ${metric}.`;
    throw invalidValue(loc, `${what}${didYouMean(metric, names) || some}`);
  }
}

function requireSelector(text: string): void {
  try {
    parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) throw invalidValue(loc, error.message);
    throw error;
  }
}
