// Words of the overview.
export const overviewText = {
  online: 'Online',
  late: 'Late',
  offline: 'Offline',
  agents: 'Agents',
  ofAll: (count: string) => `of ${count}`,
  lateWords: 'missed a report',
  offlineWords: 'not heard of',
  byTechnology: 'By technology',
  empty: {
    title: 'Your network is empty',
    words: 'No access point has been registered with this Weft yet.',
  },
};
