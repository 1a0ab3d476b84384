// Parameters that affect the same thing are in one group: callers that change two of them can be in conflict. The default
// groups, and how the group of a parameter is found.
import type { ConflictRules, ParameterGroup, Technology } from '@weft/contract';
import { byTechnology, technologies } from '@weft/contract/technologies';

/** What holds for a group that says nothing else, and for a parameter in no group. */
const groupDefaults = {
  scope: 'agent',
  policy: 'priority',
  loser: 'reject',
  hold_s: 30,
  min_interval_ms: 1000,
} as const satisfies Partial<ParameterGroup>;

/** After a cell is retuned its effect must be seen first: devices must find the cell again. */
const channelHoldSeconds = 300;

export const defaultConflictRules: ConflictRules = {
  groups: [
    group('5g_coverage', '5G', ['tx_power', 'tilt', 'beam_angle'], { scope: 'neighbours' }),
    group('5g_mobility', '5G', ['channel', 'pci', 'cio', 'hysteresis', 'time_to_trigger'], {
      scope: 'neighbours',
      hold_s: channelHoldSeconds,
    }),
    group('5g_capacity', '5G', ['prb_quota', 'slice_share', 'mimo_layers']),
    group('5g_energy', '5G', ['power_state', 'carrier_state', 'symbol_shutdown']),
    group('wifi_channel', 'WiFi', ['channel', 'channel_width', 'dfs', 'band_steering'], {
      scope: 'neighbours',
      hold_s: channelHoldSeconds,
    }),
    group('wifi_coverage', 'WiFi', ['tx_power', 'min_rssi', 'obss_pd']),
    group('wifi_airtime', 'WiFi', ['airtime_weight', 'rate_limit', 'client_limit']),
    group('lifi_light', 'LiFi', ['tx_power', 'dimming', 'beam_angle']),
    group('lifi_cell', 'LiFi', ['channel', 'wavelength', 'fov_zone', 'power_state'], {
      scope: 'neighbours',
      hold_s: channelHoldSeconds,
    }),
    group('steering', null, ['steering', 'offload_threshold']),
    // Together they cost more than their sum; which of two is right is not known, so both are accepted and told.
    group('5g_handover', '5G', ['tilt', 'handover_margin', 'time_to_trigger'], { policy: 'report' }),
    group('capacity', null, ['power_state', 'prb_quota'], { policy: 'report', scope: 'neighbours' }),
  ],
  interference_range_m: byTechnology((name) => technologies[name].interferenceM),
  oscillation: { reversals: 3, window_s: 600, freeze_s: 600 },
  blast_radius: { fraction: 0.1, minimum: 20, window_s: 60 },
};

// Rules are replaced, never changed in place.
const indexes = new WeakMap<ConflictRules, Map<string, ParameterGroup>>();

/**
 * The group of a parameter of agents of this technology: one of the technology's own before one of no technology, and a
 * group of its own, named `parameter:<name>`, for a parameter that is in none.
 */
export function groupOf(rules: ConflictRules, technology: Technology | null, parameter: string): ParameterGroup {
  let index = indexes.get(rules);
  if (!index) {
    index = new Map(
      rules.groups
        .filter(({ policy }) => policy !== 'report')
        .flatMap((each) => each.parameters.map((name) => [indexKey(each.technology, name), each] as const)),
    );
    indexes.set(rules, index);
  }
  return (
    index.get(indexKey(technology, parameter)) ??
    index.get(indexKey(null, parameter)) ??
    group(`parameter:${parameter}`, null, [parameter])
  );
}

/**
 * Parameters that move the same thing as this one, by groups that only report, whatever their own groups say: of its agent, or
 * with `neighbours` of agents at one place with it.
 */
export function relatedTo(
  rules: ConflictRules,
  technology: Technology | null,
  parameter: string,
  scope?: 'neighbours',
): string[] {
  return rules.groups
    .filter((each) => each.policy === 'report' && (each.technology === null || each.technology === technology))
    .filter((each) => scope === undefined || each.scope === scope)
    .flatMap(({ parameters }) => (parameters.includes(parameter) ? parameters : []))
    .filter((name) => name !== parameter);
}

/** How far agents of this technology disturb each other; 0 for one that is not known. */
export function interferenceRange(rules: ConflictRules, technology: Technology | null): number {
  return technology === null ? 0 : rules.interference_range_m[technology];
}

function indexKey(technology: Technology | null, parameter: string): string {
  return `${technology ?? ''} ${parameter}`;
}

function group(
  name: string,
  technology: Technology | null,
  parameters: string[],
  rest: Partial<ParameterGroup> = {},
): ParameterGroup {
  return { name, technology, parameters, ...groupDefaults, ...rest };
}
