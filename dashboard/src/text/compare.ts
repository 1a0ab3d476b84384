// Texts of the comparison of access points.
export const compareText = {
  agents: 'Access points',
  metrics: 'Metrics',
  addAgent: 'Add an access point',
  add: 'Add',
  remove: (name: string) => `Remove ${name}`,
  unknown: 'No access point has this name, or several have it: write the name in full, or the id',
  full: (max: number) => `Maximum: ${max}. Remove one to add another.`,
  none: {
    title: 'Choose access points to compare',
    words:
      'Each chart shows one metric, with one line per access point. The address of this page contains your selection, so you can share it.',
  },
  nothingMeasured: 'No reports in this time window. To see older values, choose a longer time window.',
  some: (count: number, of: number) => `${count} of ${of}`,
  pause: 'Pause',
  resume: 'Resume',
};
