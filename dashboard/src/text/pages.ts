// Texts that several files of the pages show.

export const agentsText = {
  columns: { tags: 'Tags' },
  bulk: {
    /** A command is only on its way: what the access points answer stands with the commands. */
    finished: { command: 'sent', labels: 'done', remove: 'done' } as Record<string, string>,
  },
  labels: { add: 'Tags to add', remove: 'Tags to remove' },
  healthWords: { good: 'Good', degraded: 'Degraded', bad: 'Bad', unknown: 'Unknown' },
  allStates: 'All states',
  allTypes: 'All types',
  stateFilter: 'State',
  typeFilter: 'Type',
  manage: {
    tags: 'Tags',
    tagsHint: 'Separated by commas',
    save: 'Save',
    saved: (name: string) => `${name} saved`,
    unchanged: 'Nothing was changed',
    undo: 'Undo',
  },
  one: { compare: 'Compare', sendCommand: 'Send a command', site: 'Site', filterMetrics: 'Filter metrics' },
};

export const jobsText = {
  states: {
    queued: 'Queued',
    running: 'Running',
    succeeded: 'Succeeded',
    failed: 'Failed',
    expired: 'Expired',
    cancelled: 'Cancelled',
  },
  data: { title: 'Request data of an access point' },
};

export const emulatorText = {
  columns: { progress: 'Progress' },
  states: { ...jobsText.states, succeeded: 'Completed', cancelled: 'Stopped' },
  times: (speed: string) => `${speed}×`,
  faultWords: {
    crash: 'Stops; reports not yet sent are lost',
    backhaul_cut: 'Cannot send reports or receive commands',
    clock_skew: 'Its timestamps are wrong',
    duplicate_samples: 'Some samples are sent twice',
    late_samples: 'Samples are sent with a delay',
    jammed_channel:
      'A jammer nearby sends on its channel 60 % of the time: more noise, and WiFi finds the channel busy',
    command_ignored: 'Receives commands but does not execute them',
  },
  amounts: {
    clock_skew: { label: 'Seconds ahead', hint: '−86400 to 86400; default: 30' },
    late_samples: { label: 'Seconds late', hint: '1 to 3600; default: 30' },
    duplicate_samples: { label: 'Share', hint: '0 to 1; default: 0.5' },
    jammed_channel: { label: 'Power of the jammer in dBm', hint: '1 to 60; default: 20' },
  } as Record<string, { label: string; hint: string }>,
  whatIf: {
    ofFutures: (futures: string) => `Mean of ${futures}; in brackets what nine of ten are between.`,
    failed: (reason: string) => `failed: ${reason}`,
    nobody: 'No device changes its access point.',
    realMany: 'On real access points nothing can be predicted.',
  },
};

export const overviewText = {
  empty: { register: 'Register an access point' },
  register: {
    locationHint: 'Latitude and longitude, such as 51.4552, -2.5966.',
    locationWrong: 'Enter latitude and longitude separated by a comma, such as 51.4552, -2.5966.',
  },
};

export const incidentsText = {
  states: { open: 'Open', acknowledged: 'Acknowledged', ended: 'Ended' },
};

export const alarmsText = {
  views: { active: 'Active', history: 'History', rules: 'Rules', silences: 'Silences' },
  states: { firing: 'Firing', acknowledged: 'Acknowledged', cleared: 'Cleared' },
  noMatch: 'No alarms match this filter.',
  acknowledge: 'Acknowledge',
  shelve: 'Shelve',
  clearAlarm: 'Clear',
  alarms: (count: string) => `${count} alarm${count === '1' ? '' : 's'}`,
  rules: { everywhere: 'all access points' },
  rule: {
    kinds: {
      limit: 'a metric crosses a limit',
      change: 'a metric changes quickly',
      compare: 'one metric crosses another',
      absent: 'no report comes',
      state: 'it is in a state',
      flapping: 'its state changes often',
      share: 'many of a site are in a state',
      weft: 'Weft itself has a problem',
    },
    ops: { '>': 'above', '>=': 'at or above', '<': 'below', '<=': 'at or below', '==': 'exactly', '!=': 'not' },
    changes: { '>': 'rises', '<': 'falls', '<>': 'rises or falls' },
    enabled: 'On',
  },
};

export const devicesText = {
  columns: { device: 'Device', agent: 'Access point', signal: 'Signal', rate: 'Rate (down / up)', since: 'Since' },
  address:
    'This looks like the address of a device. Addresses are personal data and are not searched for: use the pseudonym (dev-…) instead.',
  attachedNowhere: 'not attached',
  past: { steered: 'Steering ', to: ' to ' },
  outcomes: {
    moved: 'moved',
    refused: 'refused by the device',
    unreachable: 'not reachable',
    ignored: 'ignored by the device',
  },
};

export const commandsText = {
  rejected: 'Rejected',
  older: 'Show older commands',
  states: {
    queued: 'Queued',
    sent: 'Sent',
    received: 'Received',
    succeeded: 'Succeeded',
    failed: 'Failed',
    rejected: 'Rejected',
    expired: 'Expired',
    superseded: 'Superseded',
    cancelled: 'Cancelled',
    rolled_back: 'Rolled back',
    guard_broken: 'Guard broken',
  },
  verdicts: { accepted: 'Accepted', accepted_modified: 'Modified', queued: 'Queued', rejected: 'Rejected' } as Record<
    string,
    string
  >,
  picker: { label: 'Access points' },
  one: { back: 'All commands' },
};

export const configurationText = {
  create: 'New change set',
  layers: { change: 'Change', remove: 'Remove' },
  changes: { states: { draft: 'Draft', outdated: 'Outdated draft', rolled_out: 'Rolled out' } },
  rollouts: {
    words: 'A roll-out brings a change set into force, wave by wave.',
    none: 'No roll-outs yet',
    noneWords: 'Open a change set and roll it out: a few access points first, then the others.',
    states: {
      running: 'Running',
      paused: 'Paused',
      stopped: 'Stopped',
      completed: 'Completed',
      reverting: 'Being taken back',
      reverted: 'Taken back',
      aborted: 'Given up',
    },
  },
  rollout: { actions: { pause: 'Pause', resume: 'Resume', revert: 'Take back', abort: 'Give up' } },
  /** Of an access point: a word, and what it means. */
  states: {
    in_sync: ['In sync', 'It says that it runs these settings.'],
    pending: ['Waiting', 'Waits for its turn, or to come online.'],
    sent: ['Sent', 'Sent to it; it has not answered yet.'],
    on_trial: ['On trial', 'It has applied them, and must come back over a new connection.'],
    confirmed: ['Confirmed', 'It came back with them; the confirmation is on its way.'],
    refused: ['Refused', 'It cannot take them.'],
    substituted: ['Substituted', 'It runs the nearest that it can.'],
    reverted: ['Went back', 'It went back to its old settings by itself.'],
    overridden: ['Held by a command', 'A command has set a value: it holds until the settings are applied again.'],
    drifted: ['Drifted', 'It runs something else.'],
    unreachable: ['Unreachable', 'Nothing was heard of it since.'],
  } as const,
};

export const energyText = {
  cost: 'Cost',
  co2: 'CO₂',
  saved: 'Saved',
  tables: { programs: 'By program' },
  columns: { name: 'Name', commands: 'Commands' },
  others: 'Others',
};

export const conflictsText = {
  rules: {
    edit: 'Edit rules',
    save: 'Save rules',
    saved: 'Conflict rules saved',
    columns: {
      name: 'Group',
      parameters: 'Parameters',
      policy: 'Policy',
      scope: 'Scope',
      loser: 'Losing command',
      hold: 'Lease duration',
      interval: 'Minimum interval',
    },
    policies: {
      priority: 'Higher priority wins',
      first_wins: 'First caller wins',
      last_wins: 'Last caller wins',
      merge: 'Merge',
      report: 'Accept and report',
    } as Record<string, string>,
    merges: { min: 'minimum', max: 'maximum', mean: 'mean' } as Record<string, string>,
    scopes: { agent: 'this access point', neighbours: 'with neighbours' } as Record<string, string>,
    losers: { reject: 'rejected', queue: 'queued' } as Record<string, string>,
    range: 'Interference range',
    oscillation: 'Oscillation',
    blast: 'Limit per site',
  },
};

export const sitesText = {
  create: 'New site',
  editOf: (name: string) => `Edit ${name}`,
};

export const usersText = {
  roles: { admin: 'Administrator', user: 'User' } as Record<string, string>,
  invite: 'Add a user',
};

export const appsText = {
  register: 'Register an app',
  back: 'All apps',
  may: { title: 'Permissions' },
};

export const notificationsText = {
  create: { email: 'New recipient', webhooks: 'New webhook' },
  formats: { json: 'JSON', alertmanager: 'Alertmanager', slack: 'Slack', mattermost: 'Mattermost', teams: 'Teams' },
  quietFrom: 'Quiet from',
  editOf: (name: string) => `Edit ${name}`,
  deliveriesOf: (name: string) => `Deliveries to ${name}`,
};
