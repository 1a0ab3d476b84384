// Texts of the page of energy.

export const energyText = {
  exportCsv: 'Export CSV',
  exported: 'The energy of each access point was exported',
  used: 'Used',
  cost: 'Cost',
  co2: 'CO₂',
  saved: 'Saved',
  rates: (price: string, co2: string) => ({ price: `at ${price} a kWh`, co2: `at ${co2} a kWh` }),
  of: (count: string) => `by ${count}`,
  share: (percent: string) => `${percent} less than without the commands`,
  more: (percent: string) => `${percent} more than without the commands`,
  noDifference: 'No commands about sleep or power',
  working: (percent: string) => `Running the hours again: ${percent}`,
  unknown: 'Known on emulated networks only',
  missing: (missing: string, share: string) =>
    `Power is known for ${share} of this time. The rest, ${missing} of all access points together, is not counted.`,
  unmeasured: (count: string) => `${count} reported no power (power_w).`,
  power: 'Power by technology',
  none: {
    title: 'No energy was measured in this time',
    words: 'Access points report their power as power_w, in watts. Choose a longer time, or start an emulated network.',
  },
  savings: {
    title: 'What sleep and power commands have saved',
    network: 'Emulated network',
    networkName: (number: string, count: string) => `${number}: ${count}`,
    onlyEmulated:
      'What real access points would have drawn without the commands is unknown. On an emulated network the same hours are run again from the same seed, without them.',
    running: 'The same hours are run again without the commands',
    sentence: (span: string, without: string, used: string) =>
      `${span}: ${used} with the commands, ${without} without them.`,
    commands: (count: string) => `${count} left out; all other commands and faults are the same.`,
    basis: (measured: string) =>
      `Both are computed, for this network and these hours alone. “Used” (${measured}) is something else: what all access points have reported in the time chosen above.`,
    cut: {
      model_time: 'Only the first 24 hours of the network were run again.',
      computing_time: 'Computing ended after ten minutes: the result ends early.',
    },
    service: 'What it cost in service',
    outage: 'Time without service, all devices together',
    budget: 'Time within the delay budget',
    power: 'Power of the network',
    lines: { with: 'As it was', without: 'Without the commands' },
    failed: 'It could not be worked out',
    nothing: 'No program has sent commands about sleep or power here.',
  },
  tables: { programs: 'By program', sites: 'By site', technologies: 'By technology', kinds: 'Real and emulated' },
  columns: {
    name: 'Name',
    accessPoints: 'Access points',
    energy: 'Energy',
    measured: 'Measured',
    commands: 'Commands',
  },
  names: { real: 'Real', emulated: 'Emulated' } as Record<string, string>,
  noSite: 'In no site',
  others: 'Others',
};
