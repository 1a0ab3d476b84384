// Texts of the settings: the account, the appearance of the dashboard, the state of the service.
export const settingsText = {
  profile: {
    title: 'Your account',
    name: 'E-mail address',
    role: 'Role',
    signOut: 'Sign out',
  },
  password: {
    title: 'Change password',
    words: 'All your other sessions are signed out. This one stays signed in.',
    current: 'Current password',
    label: 'New password',
    submit: 'Change password',
    done: 'Password changed',
  },
  sessions: {
    title: 'Sessions',
    words: 'Where you are signed in. End a session that you do not recognise, then change your password.',
  },
  appearance: {
    title: 'Appearance',
    theme: 'Theme',
    motion: 'Motion',
    motions: { system: 'System setting', reduced: 'Reduced' },
    remembered: 'Saved in this browser.',
  },
  notices: {
    title: 'Notifications of this browser',
    label: 'When an alarm begins to fire',
    choices: { off: 'Off', serious: 'Critical and major alarms', all: 'All alarms' },
    words: 'Saved in this browser. They come while a page of Weft is open, also in the background.',
    denied: 'This browser blocks notifications of this page. Allow them in its settings for this page.',
    unsupported: 'This browser shows notifications only for pages over HTTPS or on this machine.',
  },
  devicePrivacy: {
    title: 'Privacy of devices',
    label: 'Administrators see',
    choices: { pseudonyms: 'Pseudonyms only', clear: 'Pseudonyms and addresses' },
    words:
      'For the whole installation. Only pseudonyms are stored, whatever is chosen; addresses are in memory while devices are attached. Each change is recorded in the audit log.',
    titles: { clear: 'Show addresses of devices?', pseudonyms: 'Hide addresses of devices?' },
    consequences: {
      clear:
        'Hardware addresses and subscriber identities are personal data. All administrators will see them at the links of each device, and requests may contain them.',
      pseudonyms: 'Administrators see pseudonyms only, and requests with addresses are refused.',
    },
    actions: { clear: 'Show addresses', pseudonyms: 'Hide addresses' },
    done: { clear: 'Administrators see addresses', pseudonyms: 'Addresses are hidden' },
  },
  interface: {
    title: 'API',
    words:
      'Programs can use all functions of this dashboard over HTTP. In the documentation you can try each request, signed in as you.',
    docs: 'API documentation',
    openApi: 'openapi.json',
    asyncApi: 'asyncapi.json',
    token:
      'Your access token, for tests in a shell. Anyone who has it can act as you until it expires: keep it secret.',
    copyToken: 'Copy access token',
  },
  system: {
    title: 'System',
    ready: 'All systems operational',
    notReady: 'A component is failing',
    notReadyWords: 'Functions that do not need it still work. Run “weft doctor” to find the cause.',
    parts: {
      ...{ disk: 'Disk', database: 'Database', telemetry: 'Telemetry store' },
      ...{ broker: 'Message broker', writes: 'Writes', jobs: 'Jobs' },
    } as Record<string, string>,
    telemetryServer: (position: string) => `Telemetry server ${position}`,
    ok: 'OK',
    failing: 'failing',
    version: 'API version',
    running: 'Uptime',
    memory: 'Memory',
    requests: 'Requests answered',
    noMetrics: 'To see metrics here, allow this machine to read /metrics in the settings of Weft.',
    metrics: 'Show all metrics',
  },
  remove: {
    title: 'Delete account',
    words: 'Your account is deleted immediately. Access points, apps and data are kept.',
    action: 'Delete my account',
    confirm: (name: string) => `Delete ${name}?`,
    confirmWords: 'You are signed out everywhere and cannot sign in again. This cannot be undone.',
    typed: 'Type your e-mail address to confirm',
    lastAdmin: 'You are the only administrator. First make another user an administrator, under Users.',
  },
};
