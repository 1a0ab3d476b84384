// Words of comparing agents.
export const compareText = {
  agents: 'Agents',
  metrics: 'Measurements',
  addAgent: 'Add an agent',
  add: 'Add',
  remove: (name: string) => `Leave out ${name}`,
  unknown: 'There is no agent of this name',
  full: (max: number) => `At most ${max} at once: leave one out to add another.`,
  none: {
    title: 'Choose agents to compare',
    words:
      'Their measurements are drawn over one axis of time: one chart a measurement, one line an agent. The address keeps the choice, so it can be shared.',
  },
  noMetrics: {
    title: 'Choose what to compare',
    words: 'Pick one or more measurements above.',
  },
  nothingMeasured: 'These agents have reported nothing in this window. Choose a longer one to look further back.',
  common: 'all',
  some: (count: number, of: number) => `${count} of ${of}`,
  pause: 'Pause',
  resume: 'Go on',
};
