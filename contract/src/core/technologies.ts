// The technologies of access points, and what every package knows of one. What only one package has to say of each
// stands there, in a table by technology that does not compile while one is missing.

interface Facts {
  /** Other ways to write it, in small letters and digits. */
  spellings: readonly string[];
  /** Two of them disturb each other this far apart, unless the conflict rules say otherwise. */
  interferenceM: number;
  /** How far it is taken to reach if its configuration does not say. */
  coverageM: number;
  /** Two of them this far apart can take over devices from each other. */
  takesOverM: number;
  /** One takes over from a technology of shorter reach within this distance: a device must be well inside. */
  helpsM: number;
  /** What it reports of how full it is, in percent. */
  loadMetric: string;
}

/** In the order in which they are listed, and in which lines take their colours. */
const facts = {
  '5G': {
    ...{ spellings: ['nr'], loadMetric: 'prb_load_pct' },
    ...{ interferenceM: 500, coverageM: 250, takesOverM: 350, helpsM: 200 },
  },
  // Access points share a channel: how full that is says more than the own airtime.
  WiFi: {
    ...{ spellings: [], loadMetric: 'channel_utilisation_pct' },
    ...{ interferenceM: 60, coverageM: 30, takesOverM: 30, helpsM: 20 },
  },
  LiFi: {
    ...{ spellings: [], loadMetric: 'airtime_pct' },
    ...{ interferenceM: 8, coverageM: 3, takesOverM: 3, helpsM: 0 },
  },
} as const satisfies Record<string, Facts>;

export type Technology = keyof typeof facts;
export const technologies: Readonly<Record<Technology, Facts>> = facts;
export const technologyNames = Object.keys(facts) as Technology[];

/** A table with an entry for each. */
export function byTechnology<Value>(entryOf: (technology: Technology) => Value): Record<Technology, Value> {
  return Object.fromEntries(technologyNames.map((name) => [name, entryOf(name)])) as Record<Technology, Value>;
}

/** `access_point_type` of a configuration, however it is written; undefined if it is none that is known. */
export function readTechnology(given: unknown): Technology | undefined {
  if (typeof given !== 'string' || given.length > 16) return undefined;
  const word = given.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return technologyNames.find((name) => name.toLowerCase() === word || technologies[name].spellings.includes(word));
}
