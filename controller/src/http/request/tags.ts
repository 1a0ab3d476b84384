// The tags of the interface document: each route names one, and each has a description.

/** In the order of the document. */
export const tagDescriptions = {
  Token: 'Log in as a user, an agent or an app, for an access token.',
  Users: 'Accounts of people: sign up, recover a password, manage users.',
  Agents: 'Access points, and the tokens with which they register themselves.',
  Fleet: 'Access points as a fleet: list, labels, sites, selectors, changes of many at once.',
  'Third-party apps': 'Programs of others, with what each of them may do.',
  Audit: 'Who changed what, and when.',
  Events: 'What happened: a log of events, in pages and live.',
  Webhooks: 'Events as requests to other programs.',
  Notifications: 'Who is told of events by e-mail.',
  Telemetry: 'What agents report.',
  Metrics: 'What agents have reported: series, latest values, live values, presence.',
  Devices: 'What attaches to access points: where devices are, what they hear, how they move.',
  Jobs: 'Requests whose results arrive later, over a WebSocket or by polling.',
  Callbacks: 'Where workers deliver the results of jobs.',
  Alarms: 'What is wrong with access points: rules, alarms and silences.',
  Commands: 'Commands to agents, and their results.',
  Conflicts: 'Commands that exclude each other, and the rules that decide.',
  Emulator: 'Emulated networks of access points and devices.',
} as const;

export type Tag = keyof typeof tagDescriptions;
