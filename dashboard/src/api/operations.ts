// Generated from the server's OpenAPI document by scripts/generate-client.ts: all operations of Weft, with their types.
// Do not edit.

export type Agent = {
  id: string;
  ap_id: string;
  /** Free-form, at most 64 KiB; includes `geolocation`. */
  configuration: Record<string, unknown>;
};

export type AgentCommand = {
  /** The same command may be delivered again with the same id: execute it once. */
  command_id: string;
  /** The text as the caller sent it; where Weft has changed the arguments (a merge), the text of the changed command. */
  command: string;
  /** The name of the command, read from the text. */
  name: string;
  /** Its arguments. The words after the name of free text are the argument `text`. */
  args: Record<string, unknown>;
  issued_at: string;
  expires_at: string;
};

export type AgentConfigView = {
  ap_id: string;
  /** Null: no layer is about it. */
  state: ConfigState | null;
  detail: string | null;
  rollout_id: string | null;
  hash: string | null;
  running_hash: string | null;
  running_at: string | null;
  updated_at: string | null;
  /** A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret. */
  settings?: Record<string, unknown>;
  differences?: ({
    leaf: string;
    desired: unknown;
    running: unknown;
    command_id: string | null;
  })[];
  leaves?: ({
    leaf: string;
    value: unknown;
    layer: string;
    name: string;
    version: number;
    /** What it says that it runs. Null: nothing. */
    running: unknown;
    /** The command that holds it. */
    command_id: string | null;
  })[];
};

export type AgentCreate = {
  /** Identifies the access point in paths and series: letters and digits of any script, . _ : @ + - and single spaces inside; not beginning with -; at most 128 characters. Stored in Unicode NFC. */
  ap_id: string;
  password: string;
  /** Free-form, at most 64 KiB; includes `geolocation`. */
  configuration: Record<string, unknown>;
};

export type AgentData = {
  /** The name of the measurement. */
  key: string;
  /** The ap_id. */
  agent_id: string;
  window_minutes: number;
  /** Width of the buckets; present only if the points are buckets. */
  resolution_seconds?: number;
  /** `ts` and the fields reported then, oldest first. */
  points: (Record<string, unknown>)[];
};

export type AgentDetails = {
  id: string;
  ap_id: string;
  configuration: Record<string, unknown>;
  /** True after the first successful login. */
  onboard: boolean;
};

export type AgentDevice = {
  /** The pseudonym; never in answers to agents. */
  device?: string;
  /** Those of its links, each once. */
  technologies: (string)[];
  /** The access points that it is attached to now, as far as the caller may see them; strongest first. */
  links: (DeviceLink)[];
  /** The access points around it, strongest first. */
  heard: (HeardAccessPoint)[];
  /** Whether it uses an address that was made up, and may come back under another one. */
  randomised: boolean;
  /** The time of the newest list with it. */
  last_seen: string;
  /** Where it was last, if the caller may see that; also while it is not attached. */
  last_ap_id: string | null;
  /** It refused to be moved, or went back at once: steering it is of little use for now. */
  sticky?: {
    /** It is remembered until then. */
    until: string;
    reason: 'refused' | 'moved_back';
    /** The ap_id where it would not stay, if the caller may see it. */
    target?: string;
  };
  /** Pseudonyms that an administrator linked to this device. */
  identities?: (string)[];
  /** Its history is kept until then. */
  watched_until?: string;
};

export type AgentDevices = {
  items: (AgentDevice)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** Null: it has never said which devices it serves. They are unknown, not none. */
  reported_at: string | null;
};

export type AgentHealth = {
  ap_id: string;
  display_name: string | null;
  site: string | null;
  health: HealthWord;
  /** In words, the worst first; at most five. */
  causes: (string)[];
  /** Alarms that are not cleared. */
  alarms: number;
  /** Devices that lost service because of it, in incidents that are open. */
  devices_affected: number;
  /** Of the worst of them. */
  severity: AlarmSeverity | null;
};

export type AgentHealthReport = {
  ap_id: string;
  display_name: string | null;
  site: string | null;
  health: HealthWord;
  /** In words, the worst first; at most five. */
  causes: (string)[];
  /** Alarms that are not cleared. */
  alarms: number;
  /** Devices that lost service because of it, in incidents that are open. */
  devices_affected: number;
  /** Of the worst of them. */
  severity: AlarmSeverity | null;
  window_minutes: number;
  /** Those that it reports about; the window ends now. */
  service: (ServiceLevel)[];
};

export type AgentLabels = {
  ap_id: string;
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  /** Each once, ordered. */
  tags: (string)[];
  /** What the agent says in `configuration.site` and `configuration.tags`, and is not accepted. */
  suggested: {
    site: string | null;
    tags: (string)[];
  };
  /** Of a change: how many access points get other settings by it, at once. */
  reconfigured?: number;
};

export type AgentListItem = {
  id: string;
  ap_id: string;
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  /** Each once, ordered. */
  tags: (string)[];
  /** `configuration.access_point_type`, if that is a text. */
  access_point_type: string | null;
  /** `never`: has not reported yet; `ended`: emulated, and its run is over. */
  state: 'online' | 'late' | 'offline' | 'never' | 'ended';
  /** By its state and its worst alarm; null once its emulated network has ended. */
  health: HealthWord | null;
  /** By its newest value of `active`; null if it reports none. */
  power_state: 'awake' | 'asleep' | null;
  last_seen: string | null;
  /** True after the first successful login. */
  onboard: boolean;
  emulated: boolean;
  created_at: string;
  /** What the caller may do with it: send it commands; label and remove it. */
  may: ('command' | 'manage')[];
  /** With `fields=configuration`. */
  configuration?: Record<string, unknown>;
  /** With `fields=latest`: name -> `{ts, value}`. */
  latest?: Record<string, unknown>;
};

export type AgentMetrics = {
  /** The ap_id. */
  agent_id: string;
  window_minutes: number;
  metrics: ({
    name: string;
    label: string;
  })[];
};

export type AgentMultiMetricData = {
  /** The ap_id. */
  agent_id: string;
  window_minutes: number;
  /** Width of the buckets; present only if the points are buckets. */
  resolution_seconds?: number;
  /** In the order asked for. */
  series: (MetricSeries)[];
};

export type AgentPage = {
  items: (AgentListItem)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** With `count=true`: how many match. */
  count?: number;
};

export type AgentPresence = {
  ap_id: string;
  presence: Presence;
  last_seen: string | null;
  /** When the current state began. */
  since: string | null;
  /** The reason. */
  reason: string;
  /** The expected report interval. */
  report_interval_seconds: number;
  /** Whether its WebSocket is open, on any node. */
  channel: boolean;
  /** Whether a command can be delivered now: over the channel, by a poll within the last minute, or by push. */
  command_ready: boolean;
  /** What is left of what this agent may report at once, on the node that answers; absent while it is full. At 0 reports are answered with 429. */
  report_budget?: {
    points_left: number;
    bytes_left: number;
  };
};

export type AgentUpdate = {
  password?: string | null;
  configuration?: Record<string, unknown> | null;
};

export type AgentUpdateAnswer = {
  status: 'success';
  detail: string;
  /** The number of stored samples, without those in `merged`; 0 if no field could be stored. */
  accepted: number;
  /** How many samples have a field that another one of the same millisecond has too: the later value is kept. Absent if none. */
  merged?: number;
  /** What was left out: each field once, at most 20 of them. Absent if everything was stored. */
  ignored?: (IgnoredField)[];
  /** How many fields were left out of all samples. */
  ignored_count?: number;
  /** Fields, at most 20, whose integers a number holds only approximately (beyond 9,007,199,254,740,991): send them as texts. Absent if none. */
  rounded?: (string)[];
};

/** Free-form. An array `samples` makes it a batch; else an object `payload` (or a text that is one in JSON) contains the fields; else the body itself does. `ap_id`, `ts`, `timestamp`, `time`, `configuration`, `geolocation` and `devices` are never fields. Numbers, booleans (1 and 0) and texts that are plain decimals (`"5"`, `"-0.25"`) are metrics; a text that is not exactly its number (`"1.20"`, `"00101"`) is kept as a text, unchanged; a name may have both. `configuration` and `geolocation` are merged into the agent’s own configuration; `devices` is the whole list of what is attached now, each with `device` and, where known, `rssi_dbm`, `snr_db`, `rx_mbps`, `tx_mbps`, `connected_seconds` and `heard`. What cannot be stored is left out and named in `ignored`. A text under the name of a credential (`password`, `wifi_password`, `apiKey`, `token`) is refused with 422 `credential_in_report`. */
export type AgentUpdateRequest = Record<string, unknown>;

export type Alarm = {
  id: string;
  /** `app:` and the id of the app for one that an app has raised. */
  rule_id: string;
  /** The name of the rule when it fired, or `app` and the name of the app. */
  rule: string;
  /** `agent`, `site`, `storm` (many access points at once), `app` (raised by an app), or part of Weft. */
  subject_kind: string;
  subject: string;
  ap_id: string | null;
  site: string | null;
  severity: AlarmSeverity;
  state: AlarmState;
  /** Since when the condition has held. */
  since: string;
  fired_at: string;
  value: number | null;
  message: string;
  labels: Record<string, unknown>;
  acknowledged_by: string | null;
  acknowledged_at: string | null;
  note: string | null;
  shelved_until: string | null;
  shelved_by: string | null;
  /** The silence that applies now. */
  silenced_by: string | null;
  /** The alarm that is the cause of this one, such as that of its site. */
  inhibited_by: string | null;
  /** How many active alarms have this one as their cause. */
  inhibits: number;
  cleared_at: string | null;
  /** Null if it cleared by itself. */
  cleared_by: string | null;
  /** Whether you may acknowledge, shelve or clear it. */
  may_handle: boolean;
};

export type AlarmClear = {
  /** Clears beyond this limit only (hysteresis). Default: the limit. */
  value?: number;
  /** How long. Default: as for firing. */
  for_seconds?: number;
};

/** One of `{metric, op, value}`, `{metric, op, other_metric}`, `{metric, change, value, within_seconds}`, `{absent_seconds}`, `{state}`, `{state_changes, within_seconds}`, `{share_of_site, op, value}`, `{weft, op, value}`. */
export type AlarmCondition = {
  /** The metric that is watched. */
  metric?: string;
  op?: '>' | '>=' | '<' | '<=' | '==' | '!=';
  /** The limit; with `other_metric`, what is added to that (default: 0). */
  value?: number;
  /** Compared with this metric of the same sample: metric op times × other_metric + value. */
  other_metric?: string;
  /** Factor of `other_metric`. Default: 1. */
  times?: number;
  /** The mean of this long is compared, not each value. */
  over_seconds?: number;
  /** Rises (>), falls (<) or either (<>) by more than `value` within `within_seconds`. */
  change?: '>' | '<' | '<>';
  within_seconds?: number;
  /** No report for this long. */
  absent_seconds?: number;
  state?: 'online' | 'late' | 'offline' | 'never' | 'ended';
  /** Goes away or comes back at least this often within `within_seconds`. */
  state_changes?: number;
  /** The share, 0 to 1, of the access points of a site and below it that are in this state. */
  share_of_site?: {
    state: 'online' | 'late' | 'offline' | 'never' | 'ended';
    /** Sites with fewer access points are not looked at. Default: 2. */
    at_least?: number;
  };
  /** A reading of Weft itself, such as `disk_free_mib`. */
  weft?: string;
};

export type AlarmKey = {
  /** The name of the alarm for the app: at most one with this key is active. */
  key: string;
};

export type AlarmNote = {
  note?: string;
};

export type AlarmPage = {
  items: (Alarm)[];
  /** Send it as `cursor` for the next page; null at the end. A page before the end may be short or empty. */
  next: string | null;
};

export type AlarmPreview = {
  from: string;
  until: string;
  /** How often it would have fired. */
  times: number;
  /** Access points that were looked at. */
  agents: number;
  /** Access points that the selector means. */
  agents_selected: number;
  /** False: there was more to read than a preview may. */
  is_complete: boolean;
  /** The first hundred, oldest first; `until` is null for one that would still be firing. */
  alarms: ({
    ap_id: string | null;
    subject: string;
    from: string;
    until: string | null;
    value: number | null;
  })[];
  detail: string;
};

/** An alarm of the app itself. Raised again under its key, it gets the new text; of another severity or agent it is a new alarm. */
export type AlarmRaise = {
  /** What it is about: an agent that the app may see. */
  ap_id: string;
  /** The name of the alarm for the app: at most one with this key is active. */
  key: string;
  severity: AlarmSeverity;
  /** For people. */
  text: string;
};

export type AlarmRule = {
  id: string;
  name: string;
  /** Which access points, by `site:`, `tag:`, `name:`, `type:` and `emulated:`; empty for all. What changes with every report (state, metrics) belongs into the condition. */
  selector?: string;
  condition: AlarmCondition;
  /** How long the condition must hold. */
  for_seconds?: number;
  clear?: AlarmClear;
  severity: AlarmSeverity;
  /** May hold {name}, {ap_id}, {site}, {metric}, {value}, {limit}, {count}, {of}. Default: made from the condition. */
  message?: string;
  labels?: Record<string, unknown>;
  /** What a sleeping access point (`active` is 0) reports is no fault, unless this is `evaluate`. */
  when_asleep?: 'ignore' | 'evaluate';
  enabled?: boolean;
  /** The key of the rule that comes with Weft; null for rules of administrators. */
  product: string | null;
  /** A rule that comes with Weft and was changed. */
  adjusted: boolean;
  created_at: string;
  updated_at: string;
};

export type AlarmRuleInput = {
  name: string;
  /** Which access points, by `site:`, `tag:`, `name:`, `type:` and `emulated:`; empty for all. What changes with every report (state, metrics) belongs into the condition. */
  selector?: string;
  condition: AlarmCondition;
  /** How long the condition must hold. */
  for_seconds?: number;
  clear?: AlarmClear;
  severity: AlarmSeverity;
  /** May hold {name}, {ap_id}, {site}, {metric}, {value}, {limit}, {count}, {of}. Default: made from the condition. */
  message?: string;
  labels?: Record<string, unknown>;
  /** What a sleeping access point (`active` is 0) reports is no fault, unless this is `evaluate`. */
  when_asleep?: 'ignore' | 'evaluate';
  enabled?: boolean;
};

export type AlarmRuleList = {
  items: (AlarmRule)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

/** As in 3GPP TS 28.532. */
export type AlarmSeverity = 'critical' | 'major' | 'minor' | 'warning';

/** One of `seconds` and `until`. Shelving again sets another end. */
export type AlarmShelf = {
  /** At most 30 days. */
  seconds?: number;
  until?: string;
  note?: string;
};

export type AlarmState = 'firing' | 'acknowledged' | 'cleared';

export type Amount = {
  mean: number;
  /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
  plus_minus?: number;
  range?: (number)[];
};

/** What an app may do. An absent key does not restrict; other keys are stored and mean nothing. */
export type AppPermissions = {
  /** Patterns of ap_ids, with `*` and `?`. */
  agents?: (string)[];
  /** Which agents, by `site:`, `tag:` and `name:`; beside `agents`, both must allow. */
  selector?: string;
  /** Whether it may read agents, their data and their metrics. */
  read?: boolean;
  /** false: it may not send commands, run emulated networks, raise alarms or hand in results, whatever those keys say. */
  write?: boolean;
  /** All or none, the names of allowed commands, or each name with limits on its arguments: then the command needs each of them, as a number within its limits, and may have no other. `{}` limits nothing. */
  commands?: boolean | (string)[] | Record<string, unknown>;
  /** Whether it may run emulated networks, or with how many access points at once. */
  emulator?: boolean | {
    max_access_points: number;
  };
  /** Whether it may raise alarms of its own about the agents that it may see. Absent: it may not. */
  alarms?: boolean;
  /** What it may do about what access points shall be: read it, also draft changes, also roll them out. Absent: nothing. */
  config?: 'read' | 'draft' | 'roll_out';
  /** Whether it may hand in the results of jobs of others. Absent: it may not. */
  callbacks?: boolean;
  /** In conflicts with other apps. Default: 50. */
  priority?: number;
  /** From this moment on it may do none of this. */
  expires_at?: string;
} & Record<string, unknown>;

export type AuditEntry = {
  /** Counts from 1 without gaps. */
  seq: number;
  ts: string;
  actor: {
    /** `user`, `agent`, `third_party_app`, `enrolment_token`, `command_line`, `system` (Weft itself) or `anonymous`. */
    kind: string;
    id: string | null;
    name: string;
  };
  /** What happened, such as `user_updated`. */
  action: string;
  target: {
    kind: string;
    name: string;
  };
  /** What changed, by name; never a password, key or token. */
  detail: Record<string, unknown>;
  /** SHA-256 over this entry and the hash of the previous one. */
  hash: string;
};

export type AuditPage = {
  /** Newest first. */
  items: (AuditEntry)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** The same as `items`, for programs that were written before it. */
  entries: (AuditEntry)[];
  /** `next` is not null. */
  has_more: boolean;
};

export type BatchAnswer = {
  batch_id: string | null;
  dry_run: boolean;
  /** The number of targets per verdict. */
  totals: Record<string, unknown>;
  targets: (BatchTarget)[];
};

export type BatchReason = 'agent_not_found' | 'not_permitted' | 'invalid_command' | 'too_many_commands' | 'waits_for_stage';

export type BatchRequest = {
  /** The ap_ids, or one pattern of ap_ids with `*` and `?`. */
  agents: (string)[] | string;
  /** A name, free text that begins with the name, or an object with `name` and the arguments. */
  command: string | Record<string, unknown>;
  /** Duration of the lease in seconds: other callers cannot change the parameter. Default: set by the conflict rules. 0: no lease. */
  hold_seconds?: number;
  /** Seconds. Default: 600. */
  expires_in?: number;
  /** Returns the verdicts and sends nothing. */
  dry_run?: boolean;
  stages?: ({
    /** Share of the targets, from the first on. */
    percent: number;
    /** Wait before the next stage. */
    pause_s: number;
  })[];
};

export type BatchTarget = {
  ap_id: string;
  command_id: string | null;
  job_number: string | null;
  stage: number;
  verdict: VerdictWord;
  reason: VerdictReason | BatchReason;
  /** The reason as a sentence; may change. */
  detail: string;
  rival: Rival | null;
  /** The end of the lease: until then other callers cannot change the parameter. */
  hold_until: string | null;
};

export type BulkAnswer = {
  /** Null for a preview. `DELETE /api/v1/jobs/{job_number}` stops it. */
  job_number: string | null;
  preview: boolean;
  /** How many access points. */
  count: number;
  waves: number;
  /** Of labels: how many access points get other settings by it, each when its turn has come. */
  reconfigured?: number;
  /** In a preview: how many of the listed ones would refuse it, or may not be changed. */
  refused?: number;
  /** In a preview that somebody would refuse: commands that the listed ones declare, the most common first. */
  suggestions?: (string)[];
  /** The first 1,000 of them, by ap_id. */
  targets: (BulkTarget)[];
};

export type BulkProgress = {
  job_number: string;
  selector: string;
  action: 'command' | 'labels' | 'remove';
  is_over: boolean;
  totals: {
    waiting: number;
    done: number;
    refused: number;
    stopped: number;
  };
  /** Of the access points that the caller may still see, or that are gone. */
  items: (BulkTarget)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type BulkRequest = {
  /** Which access points; those that match when it begins. */
  selector: string;
  /** Of these only those with this text in `ap_id`, display name, site or tags, as in `list_agents`. */
  search?: string;
  /** Exactly one of them. */
  action: {
    /** As for `send_command`: a name, or JSON with a name and arguments. */
    command?: string;
    labels?: LabelsUpdate;
    /** Delete them. */
    remove?: boolean;
  };
  /** Only say what would happen. */
  preview?: boolean;
  wave?: {
    /** Access points at once. */
    size: number;
    /** Between waves. */
    pause_seconds?: number;
  };
};

export type BulkTarget = {
  ap_id: string;
  display_name: string | null;
  /** `would`: only a preview, in which `refused` would be. `stopped`: the job ended before its turn. */
  state: 'would' | 'waiting' | 'done' | 'refused' | 'stopped';
  /** What happens or happened, or why not. */
  detail: string | null;
  command_id: string | null;
};

export type CallbackAnswer = {
  status: 'delivered' | 'queued';
  job_number: string;
  detail: string;
  seq: number;
};

export type ChangePreview = {
  /** How many access points would get other settings. */
  changed: number;
  /** Access points with equal differences, the largest group first. */
  groups: ({
    count: number;
    changes: ({
      leaf: string;
      /** Null: not set. */
      before: unknown;
      /** Null: not set any more. */
      after: unknown;
    })[];
    restart: 'none' | 'radio' | 'device';
    /** The first 100 of them. */
    ap_ids: (string)[];
  })[];
  /** How many access points cannot take it. */
  refused: number;
  /** The first 100 of them. */
  refusals: ({
    ap_id: string;
    leaf: string;
    /** The name of the layer. */
    layer: string;
    code: string;
    detail: string;
  })[];
  restarts: {
    radio: number;
    device: number;
  };
  /** Leaves that a command holds: a roll-out leaves them alone. */
  overridden: ({
    ap_id: string;
    leaves: (string)[];
  })[];
  /** It would change access points that you do not manage, now or when they come: you cannot roll it out. */
  not_yours: boolean;
};

export type ChangeSet = {
  id: string;
  title: string;
  state: 'draft' | 'rolled_out';
  layers: ({
    id: string;
    name: string;
    /** Which access points, by `site:`, `tag:` and `name:`; nothing that an agent says about itself. */
    selector: string;
    /** The heavier layer wins. */
    weight: number;
    /** A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret. */
    settings: Record<string, unknown>;
    /** Settings that an access point does not declare are left out for it, instead of refused. */
    optional?: boolean;
  })[];
  remove: (string)[];
  /** The versions of the layers that the draft was made from; 0 for a new layer. */
  base: Record<string, unknown>;
  /** One of these layers has changed meanwhile: it must be rebased. */
  is_outdated: boolean;
  created_by: string;
  created_at: string;
  updated_at: string;
};

export type ChangeSetCreate = {
  title: string;
  layers?: (LayerDraft)[];
  /** Ids of layers. */
  remove?: (string)[];
};

export type ChangeSetPage = {
  items: (ChangeSet)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type ChangedThirdPartyApp = {
  id: string;
  app_name: string;
  api_key: string;
  permissions: AppPermissions;
  /** Only where the key that was given can be guessed. */
  warning?: string;
};

export type Command = {
  command_id: string;
  job_number: string;
  ap_id: string;
  /** The text as the caller sent it. */
  command: string;
  name: string;
  /** The requested arguments. */
  args: Record<string, unknown>;
  /** The arguments that are sent, after a merge. */
  sent_args: Record<string, unknown>;
  parameter: string;
  parameter_group: string;
  caller_kind: string;
  caller_name: string;
  priority: number;
  state: CommandState;
  verdict: VerdictWord;
  reason: VerdictReason;
  /** The reason as a sentence; may change. */
  detail: string;
  rival: Rival | null;
  /** The end of the lease: until then other callers cannot change the parameter. */
  hold_until: string | null;
  created_at: string;
  expires_at: string;
  deliver_after: string | null;
  sent_at: string | null;
  received_at: string | null;
  ended_at: string | null;
  /** The answer of the agent; null without an answer. */
  result: unknown;
  /** The values that the agent has set. */
  applied: Record<string, unknown> | null;
  guard: string | null;
  /** Null without a guard, and before it is watched. */
  guard_state: GuardState | null;
  /** The command that restores what was set before, once the guard is broken. */
  rolled_back_by: string | null;
  /** The command that this one reverts. */
  inverse_of: string | null;
  batch_id: string | null;
};

export type CommandAccepted = {
  job_number: string;
  status: 'queued';
  /** The path of the WebSocket for every change of state. */
  websocket: string;
  command_id: string;
  verdict: VerdictWord;
  reason: VerdictReason;
  /** The reason as a sentence; may change. */
  detail: string;
  rival: Rival | null;
  /** The end of the lease: until then other callers cannot change the parameter. */
  hold_until: string | null;
  sent_args?: Record<string, unknown>;
  deliver_after?: string;
  /** Settings of the access point that the value lies over once the command has succeeded (`overridden`, not drift). Absent: none. */
  overrides?: {
    settings: (string)[];
    /** For people. */
    until: string;
  };
};

/** The verdict at this moment; nothing was sent. */
export type CommandPreview = {
  dry_run: true;
  verdict: VerdictWord;
  reason: VerdictReason;
  /** The reason as a sentence; may change. */
  detail: string;
  rival: Rival | null;
  /** The end of the lease: until then other callers cannot change the parameter. */
  hold_until: string | null;
  sent_args?: Record<string, unknown>;
  deliver_after?: string;
  /** Settings of the access point that the value lies over once the command has succeeded (`overridden`, not drift). Absent: none. */
  overrides?: {
    settings: (string)[];
    /** For people. */
    until: string;
  };
};

export type CommandResult = {
  state: 'received' | 'succeeded' | 'failed';
  /** Anything, at most 64 KiB as JSON. */
  result?: unknown;
  applied?: Record<string, unknown> | null;
};

/** Entered only with evidence: `received` when the agent has acknowledged it. `rolled_back`: its guard was broken, and what was set before is set again; `guard_broken`: that could not be done. */
export type CommandState = 'queued' | 'sent' | 'received' | 'succeeded' | 'failed' | 'rejected' | 'expired' | 'superseded' | 'cancelled' | 'rolled_back' | 'guard_broken';

export type Comparison = {
  with: number;
  without: number;
  /** The mean difference of the two sides of the same future. */
  change: number;
  /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. A change is certain if it is larger than its own. */
  plus_minus?: {
    with: number;
    without: number;
    change: number;
  };
  /** What will be seen: the lowest and the highest value between which nine of ten futures are; absent with one future. */
  range?: {
    with: (number)[];
    without: (number)[];
    change: (number)[];
  };
};

export type ConfigConfirmMessage = {
  type: 'config_confirm';
  id: string;
  hash: string;
};

export type ConfigLayer = {
  id: string;
  version: number;
  name: string;
  /** Which access points, by `site:`, `tag:` and `name:`; nothing that an agent says about itself. */
  selector: string;
  /** The heavier layer wins. */
  weight: number;
  /** A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret. */
  settings: Record<string, unknown>;
  /** Settings that an access point does not declare are left out for it, instead of refused. */
  optional: boolean;
  /** How many it is about, of those that you see. */
  access_points: number;
};

export type ConfigLayerPage = {
  items: (ConfigLayer)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type ConfigLayerVersion = {
  id: string;
  version: number;
  name: string;
  /** Which access points, by `site:`, `tag:` and `name:`; nothing that an agent says about itself. */
  selector: string;
  /** The heavier layer wins. */
  weight: number;
  /** A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret. */
  settings: Record<string, unknown>;
  /** Settings that an access point does not declare are left out for it, instead of refused. */
  optional: boolean;
  /** With this version the layer ended. */
  removed: boolean;
  rollout_id: string;
  created_by: string;
  created_at: string;
};

export type ConfigLayerVersionPage = {
  items: (ConfigLayerVersion)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type ConfigMessage = {
  type: 'config';
  /** The same may be delivered again with the same id: apply it once. */
  id: string;
  /** To be stored, and said again as it is. */
  hash: string;
  /** A secret is `{"secret": name, "version": n, "value": text}`, of a site or an access point with its id as `of`; said again it has no `value`. */
  settings: Record<string, unknown>;
  trial_seconds: number;
};

export type ConfigNext = {
  next: ConfigMessage | ConfigConfirmMessage | null;
};

export type ConfigResult = {
  hash: string;
  state: 'applied' | 'refused' | 'substituted';
  reason?: string;
  /** A secret is `{"secret": name, "version": n}`; `of` may be left out. What is said is data, and names nothing. */
  settings?: Record<string, unknown>;
};

export type ConfigRunning = {
  /** As it was given; null for an agent that was given none. */
  hash: string | null;
  /** A secret is `{"secret": name, "version": n}`; `of` may be left out. What is said is data, and names nothing. */
  settings: Record<string, unknown>;
  /** The id of settings that it runs on trial: their confirmation has not come, and is said again. */
  trial?: string;
  reverted?: {
    id: string;
    reason: string;
  };
};

export type ConfigSecret = {
  /** Of this access point. */
  ap_id: string | null;
  /** Of the access points in this site and below it; null, and no ap_id: of the installation. */
  site: string | null;
  name: string;
  /** Whoever writes a layer may name it. */
  shared: boolean;
  version: number;
  updated_at: string;
};

export type ConfigSecretPage = {
  items: (ConfigSecret)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type ConfigSecretSet = {
  ap_id?: string;
  /** Without it and ap_id: of the installation. */
  site?: string;
  name: string;
  /** Never shown again. Absent: as it is. */
  value?: string;
  /** Whether whoever writes a layer may name it; of one of the installation only an administrator says so. */
  shared?: boolean;
  /** For administrators: it belongs to this site from now on. */
  to_site?: string;
};

export type ConfigState = 'in_sync' | 'pending' | 'sent' | 'on_trial' | 'confirmed' | 'refused' | 'substituted' | 'reverted' | 'overridden' | 'drifted' | 'unreachable';

export type ConfigVariable = {
  /** Of this access point; null if it is that of a site. */
  ap_id: string | null;
  /** Of the access points in this site and below it. */
  site: string | null;
  name: string;
  value: string | number | boolean;
  updated_at: string;
};

export type ConfigVariablePage = {
  items: (ConfigVariable)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type ConfigVariableSet = {
  ap_id?: string;
  site?: string;
  name: string;
  /** Null removes it. */
  value: string | number | boolean | null;
};

export type Conflict = {
  /** Its number in the audit log. */
  seq: number;
  ts: string;
  kind: 'command_decided' | 'parameter_frozen' | 'rolled_back';
  command_id: string | null;
  /** Empty, like `parameter`, if the reader may not see the access point. */
  ap_id: string;
  parameter: string;
  parameter_group: string | null;
  caller_kind: string | null;
  caller_name: string | null;
  verdict: VerdictWord | null;
  reason: string | null;
  detail: string;
  rival: Rival | null;
  /** What the caller asked for, as text. Null for those who may not see the command. */
  command: string | null;
  /** What was sent instead, if a merge made another value. Null for those who may not see the command. */
  sent_command: string | null;
  /** Of the caller. Null for those who may not see the command. */
  priority: number | null;
  /** What the rival asked for, as text. Null for those who may not see the command. */
  rival_command: string | null;
  /** Of the rival. Null for those who may not see the command. */
  rival_priority: number | null;
};

export type ConflictPage = {
  items: (Conflict)[];
  /** Null at the end. A page before the end may be short or empty. */
  next: string | null;
  /** The same as `items`, for programs that were written before it. */
  conflicts: (Conflict)[];
  /** `next` as a number. */
  next_before: number | null;
};

export type ConflictRules = {
  groups: (ParameterGroup)[];
  interference_range_m: {
    '5G': number;
    WiFi: number;
    LiFi: number;
  };
  oscillation: {
    /** Returns to the value before last. */
    reversals: number;
    window_s: number;
    /** 0: never. */
    freeze_s: number;
  };
  blast_radius: {
    /** Share of the agents of a site. */
    fraction: number;
    /** Minimum that is allowed on any site. */
    minimum: number;
    window_s: number;
  };
};

export type CoverageAnswer = {
  job_number: string;
  /** Version of the model. */
  model: number;
  model_time: string;
  /** Model time since the start of the run. */
  second: number;
  layer: CoverageLayer;
  technology: Technology;
  /** Empty for best_server. */
  unit: string;
  /** Metres. */
  height: number;
  bounds: CoverageBounds;
  columns: number;
  rows: number;
  encoding: 'int16' | 'array';
  /** The access points that are best somewhere; values of best_server are positions in this list, from 0. */
  access_points: (string)[];
  /** What an integer of `values` is multiplied with; 1 for an array. */
  scale: number;
  /** Rows from north to south, each from west to east. base64 of signed 16-bit integers, low byte first, -32768 where nothing is heard; or an array with null there. */
  values: string | (number | null)[];
  min: number | null;
  max: number | null;
};

export type CoverageBounds = {
  south: number;
  west: number;
  north: number;
  east: number;
};

/** `difference` is with minus without: null where either is null, except that for rate nothing heard counts as 0; for best_server 1 where another access point is the best, else 0. */
export type CoverageDifference = {
  job_number: string;
  /** Version of the model. */
  model: number;
  model_time: string;
  /** Model time since the start of the run. */
  second: number;
  layer: CoverageLayer;
  technology: Technology;
  /** Empty for best_server. */
  unit: string;
  /** Metres. */
  height: number;
  bounds: CoverageBounds;
  columns: number;
  rows: number;
  encoding: 'int16' | 'array';
  /** The access points that are best somewhere; values of best_server are positions in this list, from 0. */
  access_points: (string)[];
  after_seconds: number;
  /** The result of each command, in their order. */
  results: (Record<string, unknown>)[];
  with: CoverageRaster;
  without: CoverageRaster;
  difference: CoverageRaster;
};

export type CoverageDifferenceRequest = {
  layer: CoverageLayer;
  technology: Technology;
  /** Metres above the floor. Default: 1.5; LiFi: 0.85, a desk. WiFi is the same at every height. */
  height?: number;
  /** `south,west,north,east` in degrees. Default: around the access points of the technology. */
  bounds?: string;
  /** Columns of the raster. */
  columns?: number;
  /** Rows of the raster. */
  rows?: number;
  /** How `values` is written: base64 of 16-bit integers, or an array of numbers and null. */
  encoding?: 'int16' | 'array';
  commands: ({
    /** The ap_id. */
    agent_id: string;
    /** A name, or JSON of a name with arguments, as for send_command. */
    command: string;
  })[];
  /** How far the two copies of the network run ahead, in model time, so that the commands take effect. */
  after_seconds?: number;
};

/** best_server: which access point is received best; signal: its mean received power in dBm (5G: per resource element); sinr: signal over interference and noise in dB; rate: what a single device would get of it in Mb/s. */
export type CoverageLayer = 'best_server' | 'signal' | 'sinr' | 'rate';

export type CoverageRaster = {
  /** What an integer of `values` is multiplied with; 1 for an array. */
  scale: number;
  /** Rows from north to south, each from west to east. base64 of signed 16-bit integers, low byte first, -32768 where nothing is heard; or an array with null there. */
  values: string | (number | null)[];
  min: number | null;
  max: number | null;
};

export type Device = {
  /** The pseudonym: the same as long as the installation keeps its key. */
  device: string;
  /** Those of its links, each once. */
  technologies: (string)[];
  /** The access points that it is attached to now, as far as the caller may see them; strongest first. */
  links: (DeviceLink)[];
  /** The access points around it, strongest first. */
  heard: (HeardAccessPoint)[];
  /** Whether it uses an address that was made up, and may come back under another one. */
  randomised: boolean;
  /** The time of the newest list with it. */
  last_seen: string;
  /** Where it was last, if the caller may see that; also while it is not attached. */
  last_ap_id: string | null;
  /** It refused to be moved, or went back at once: steering it is of little use for now. */
  sticky?: {
    /** It is remembered until then. */
    until: string;
    reason: 'refused' | 'moved_back';
    /** The ap_id where it would not stay, if the caller may see it. */
    target?: string;
  };
  /** Pseudonyms that an administrator linked to this device. */
  identities?: (string)[];
  /** Its history is kept until then. */
  watched_until?: string;
};

export type DeviceDetails = {
  /** The pseudonym: the same as long as the installation keeps its key. */
  device: string;
  /** Those of its links, each once. */
  technologies: (string)[];
  /** The access points that it is attached to now, as far as the caller may see them; strongest first. */
  links: (DeviceLink)[];
  /** The access points around it, strongest first. */
  heard: (HeardAccessPoint)[];
  /** Whether it uses an address that was made up, and may come back under another one. */
  randomised: boolean;
  /** The time of the newest list with it. */
  last_seen: string;
  /** Where it was last, if the caller may see that; also while it is not attached. */
  last_ap_id: string | null;
  /** It refused to be moved, or went back at once: steering it is of little use for now. */
  sticky?: {
    /** It is remembered until then. */
    until: string;
    reason: 'refused' | 'moved_back';
    /** The ap_id where it would not stay, if the caller may see it. */
    target?: string;
  };
  /** Pseudonyms that an administrator linked to this device. */
  identities?: (string)[];
  /** Its history is kept until then. */
  watched_until?: string;
  /** The newest of the last 24 hours, newest first. */
  moves: (DeviceMove)[];
  /** The newest attempts to move it, newest first. */
  steering: (SteeringAttempt)[];
};

export type DeviceHistoryPage = {
  /** Oldest first. */
  items: ({
    /** When it was reported. */
    ts: string;
    /** The access point that served it. */
    ap_id: string;
    rssi_dbm?: number;
    snr_db?: number;
    rx_mbps?: number;
    tx_mbps?: number;
  })[];
  /** Send it as `since` for the next page; null at the end. */
  next: string | null;
};

export type DeviceIdentityLink = {
  /** Another pseudonym, or the name of an emulated device. */
  identity: string;
};

export type DeviceLink = {
  ap_id: string;
  access_point_type: string | null;
  /** The signal, as the access point hears the device. */
  rssi_dbm: number | null;
  /** The ratio of signal to noise. */
  snr_db: number | null;
  /** The rate from the device. */
  rx_mbps: number | null;
  /** The rate to the device. */
  tx_mbps: number | null;
  /** When it joined this access point. */
  since: string;
  /** The time of the newest list of this access point with the device in it. */
  seen: string;
  /** The identity as this access point reports it. Only for administrators, while clear addresses are allowed. */
  address?: string;
};

export type DeviceMove = {
  /** When it happened. */
  ts: string;
  kind: 'joined' | 'left' | 'moved';
  /** The access point that it joined or left. */
  ap_id: string;
  /** Where it came from, if the caller may see that. */
  from?: string;
};

export type DevicePage = {
  items: (Device)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** How many match, if it was asked for. */
  count?: number;
};

export type DevicePrivacy = {
  /** Whether administrators see the identities of devices as they are reported, and requests may use them. */
  clear_addresses: boolean;
};

export type DeviceWatchRequest = {
  /** Seconds. At most a week. */
  expires_in?: number;
};

export type Diagnosis = {
  /** The alarm that was looked at. */
  alarm_id: string;
  /** Its access point. */
  ap_id: string | null;
  cause: IncidentCause;
  /** The cause in words; `No cause found` is one of the answers. */
  text: string;
  /** Whether others of the same kind at its site have the same trouble. */
  scope: 'one' | 'some' | 'all' | 'unknown';
  /** Most telling first. */
  evidence: (Evidence)[];
  /** None without evidence. */
  proposals: (Proposal)[];
};

export type DisabledUser = {
  username: string;
  disabled_at: string;
  /** A username; for the command line, the account of the shell. */
  disabled_by: string;
};

export type EmulatedAgent = {
  ap_id: string;
  access_point_type: string;
  location: {
    latitude: number;
    longitude: number;
  };
};

export type EmulatorAccepted = {
  job_number: string;
  status: 'queued';
  /** The path of the WebSocket for progress and the end. */
  websocket: string;
  agents: (EmulatedAgent)[];
  /** The place of each location that is a name. */
  places: (ResolvedPlace)[];
  /** The profile of each entry of `emulators`. */
  profiles: (EmulatorProfile)[];
  /** The demand of each entry of `emulators`. */
  demand: (EmulatorDemand)[];
  seed: number;
  /** The version of the model: the same seed and request give other values in another version. */
  model: number;
  ends_at: string;
};

export type EmulatorDemand = {
  mbps_per_device: number;
  /** Shares of the devices, which sum to 1. */
  mix: Record<string, unknown>;
};

export type EmulatorFaultKind = 'crash' | 'backhaul_cut' | 'clock_skew' | 'duplicate_samples' | 'late_samples' | 'jammed_channel' | 'command_ignored';

export type EmulatorLease = {
  /** Ask again before; else another process takes the run over. */
  lease_seconds: number;
  /** The clock of Weft. */
  now: string;
  /** The highest `chunk` of the callbacks so far; 0 without one. */
  last_chunk: number;
  requests: (EmulatorRequest)[];
  /** By `ap_id`: what one ran that has said so, and the hash of what it was given. Whoever has nothing from before begins with it. */
  settings?: Record<string, unknown>;
};

export type EmulatorLeaseRequest = {
  /** A name of the process’s own making. */
  holder: string;
  /** Gives the run back: somebody else goes on. */
  release?: boolean;
  /** How many runs the process takes at once, and how many more it takes now. Beyond these it may ask for one of an administrator. */
  slots?: {
    total: number;
    free: number;
  };
  /** What time it is in the network now. */
  model_time?: string;
  /** Answer with what access points run, as they said last. */
  settings?: boolean;
  /** Seconds to wait for requests. */
  wait?: number;
  /** To requests that came with an earlier lease. */
  answers?: ({
    id: string;
    answer: unknown;
  })[];
};

/** Devices hold a link of each technology at once, and this says how their traffic uses them. Default: one link, the best technology first. */
export type EmulatorLinkPolicy = {
  /** The steering modes of TS 23.501 (5.32.8). */
  mode: 'active_standby' | 'priority' | 'load_balancing' | 'smallest_delay' | 'redundant';
  /** The link that comes first. Default: LiFi, then WiFi, then 5G. */
  primary?: '5G' | 'WiFi' | 'LiFi';
  /** For `load_balancing`, by technology. Default: by what each link can carry. */
  weights?: Record<string, unknown>;
  /** The share of the devices that hold several links. */
  share?: number;
};

/** Shares of the devices by what they do: voice, video, gaming, web, bulk, sensor. They need not sum to 1; one must be above 0. */
export type EmulatorMix = Record<string, unknown>;

/** Traffic demand over a day; `always`: constant and lively, whatever the hour. Default: city for 5G, office for the others. */
export type EmulatorProfile = 'office' | 'home' | 'city' | 'stadium' | 'always';

export type EmulatorRequest = {
  id: string;
  /** `cancel`: nobody waits for the request `id` of its body any more; it needs no answer. */
  kind: 'what_if' | 'fault' | 'coverage' | 'step' | 'rerun' | 'cancel';
  body: Record<string, unknown>;
};

export type EmulatorRun = {
  job_number: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  detail: string | null;
  /** From 0 to 1. */
  progress: number | null;
  owner: string;
  access_points: number;
  devices: number;
  by_type: Record<string, unknown>;
  seed: number;
  /** The version of the model: the same seed and request give other values in another version. */
  model: number;
  speed: number;
  model_start: string;
  /** Seconds of model time. */
  duration: number;
  created_at: string;
  /** When it ends, or has ended. */
  ends_at: string;
  is_over: boolean;
  /** When its agents and their telemetry are deleted; null while it runs. */
  remove_at: string | null;
  /** The last progress report: served devices, power, agents online; `late_by_seconds` in seconds of model time. */
  latest: Record<string, unknown> | null;
  websocket: string;
};

export type EmulatorRunWithAgents = {
  job_number: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  detail: string | null;
  /** From 0 to 1. */
  progress: number | null;
  owner: string;
  access_points: number;
  devices: number;
  by_type: Record<string, unknown>;
  seed: number;
  /** The version of the model: the same seed and request give other values in another version. */
  model: number;
  speed: number;
  model_start: string;
  /** Seconds of model time. */
  duration: number;
  created_at: string;
  /** When it ends, or has ended. */
  ends_at: string;
  is_over: boolean;
  /** When its agents and their telemetry are deleted; null while it runs. */
  remove_at: string | null;
  /** The last progress report: served devices, power, agents online; `late_by_seconds` in seconds of model time. */
  latest: Record<string, unknown> | null;
  websocket: string;
  /** The agents that still exist. */
  agents: (string)[];
};

export type EmulatorSpec = {
  access_point_type: string;
  num_access_points: number;
  /** Coordinates or place names, assigned in turn. */
  locations: (string | Record<string, unknown>)[];
  /** Per access point. A request has at most 200,000 devices in all. */
  num_devices: number;
  /** Seconds of model time. */
  duration: number;
  /** The environment of 5G cells. Default: UMi. */
  scenario?: 'UMa' | 'UMi' | 'InH';
  profile?: EmulatorProfile;
  /** Demand of one device in Mb/s, the mean over the busiest hour of its profile. Default: 0.8. */
  mbps_per_device?: number;
  mix?: EmulatorMix;
  link_policy?: EmulatorLinkPolicy;
};

export type EmulatorSpinupRequest = {
  emulators: (EmulatorSpec)[];
  /** The same seed gives the same network. */
  seed?: number;
  /** Seconds of model time per second. */
  speed?: number;
  /** `stepped`: the network stands still until it is told to go on, see emulator_step. It may do so for as long as it would take by the clock, at least an hour. */
  pace?: 'clock' | 'stepped';
  /** Model time at the start. Default: now; with a speed above 1, so far in the past that the run ends at the present. */
  start_time?: string;
  report_interval_seconds?: number;
  faults?: (PlannedFault)[];
  /** Each access point stands at the site of its place, `bristol`, which is made where there is none; administrators only. */
  sites?: boolean;
};

export type Energy = {
  start: string;
  end: string;
  currency: string;
  price_per_kwh: number;
  co2_g_per_kwh: number;
  /** Gaps shorter than this are not seen; null where every sample was read. */
  resolution_seconds: number | null;
  total: EnergyUse;
  /** Access points that reported no `power_w` in this time. */
  unmeasured: number;
  /** `real` and `emulated` access points. */
  kinds: (EnergyUse)[];
  /** Most first; null: in no site. */
  sites: (EnergyUse)[];
  technologies: (EnergyUse)[];
  /** Who has sent commands about sleep and power that succeeded. Names are for administrators and oneself; null: all others. */
  programs: ({
    kind: string | null;
    name: string | null;
    commands: number;
    access_points: number;
  })[];
  bucket_seconds: number;
  /** When each bucket begins. */
  times: (string)[];
  /** By technology, the mean of each bucket; null where nothing was measured. */
  power_w: Record<string, unknown>;
};

export type EnergyRerunRequest = {
  /** Of the emulated network, which must be running. */
  job_number: string;
  /** Model time up to now, as minutes, `90m` or `24h`. Default: all of it. */
  window?: string;
};

export type EnergyUse = {
  name: string | null;
  /** Those that reported their power. */
  access_points: number;
  kwh: number;
  /** By `price_per_kwh`. */
  cost: number;
  /** By `co2_g_per_kwh`. */
  co2_kg: number;
  /** Of all of them together, in which their power is known. */
  measured_hours: number;
  /** In which nothing was reported: they are not in `kwh`. */
  missing_hours: number;
};

export type EnrolmentToken = {
  id: string;
  ap_id_pattern: string;
  expires_at: string;
  max_uses: number;
  uses: number;
  /** The administrator or manager who created it. */
  created_by: string;
  /** Where its access points stand. */
  site: string | null;
  tags: (string)[];
  /** Only in the answer that creates it. */
  token?: string;
  /** Only in the answer that creates it: where other machines reach Weft, the best first. Empty if it listens on loopback only. */
  urls?: (string)[];
};

export type EnrolmentTokenCreate = {
  /** The ap_ids that it may register; `*` matches any characters, `?` any one. */
  ap_id_pattern: string;
  /** Seconds. */
  expires_in?: number;
  max_uses?: number;
  /** The path of the site in which the access points stand. */
  site?: string;
  /** The tags that they begin with. */
  tags?: (string)[];
};

export type EnvelopeType = 'agent_data' | 'agent_details' | 'emulator' | 'command' | 'energy' | 'status';

export type ErrorAnswer = {
  /** For people; may change. */
  detail: string;
  /** For programs; a stable snake_case word. */
  code: string;
  /** The id of the request in the log. */
  request_id?: string;
};

export type EventItem = {
  /** Grows from event to event; may leave gaps. */
  id: number;
  /** When it was logged; never before that of a lower id. */
  ts: string;
  /** What happened, such as `agent.offline`. */
  kind: string;
  /** What it is about: `agent`, `command`, `alarm`, `site` and so on. */
  subject_kind: string;
  /** Its name or id. */
  subject: string;
  /** The agent that it is about, whatever the subject is; null if it is about none, or about many. */
  ap_id: string | null;
  /** The path of the site at that time. */
  site: string | null;
  severity: EventSeverity;
  /** A sentence for people. */
  text: string;
  /** For programs; by kind. */
  data: Record<string, unknown>;
};

export type EventList = {
  items: (EventItem)[];
  /** Pass it as `cursor` for the next page; null at the end. A page may be empty and not the last one: one call looks at a bounded number of events. */
  next: string | null;
};

export type EventSeverity = 'info' | 'warning' | 'minor' | 'major' | 'critical';

export type Evidence = {
  /** What was looked at, for people. */
  text: string;
  /** The number, if it is one. */
  value: number | null;
  /** Empty if it has none. */
  unit: string;
  /** Where to see it: a path of the dashboard. */
  link: string | null;
};

export type FaultRequest = {
  /** The ap_id. */
  agent_id: string;
  kind: EmulatorFaultKind;
  /** Duration in model time. */
  seconds: number;
  /** Severity: seconds ahead (clock_skew), seconds of delay (late_samples), share of samples sent twice (duplicate_samples), power of the jammer in dBm (jammed_channel). The others have none. */
  amount?: number;
};

export type FleetPresence = {
  agents: (AgentPresence)[];
};

export type FleetSeries = {
  /** In the order asked for. */
  agents: (AgentMultiMetricData)[];
  /** With `band=true`: the minimum of each bucket. */
  lows?: (AgentMultiMetricData)[];
  /** With `band=true`: the maximum of each bucket. */
  highs?: (AgentMultiMetricData)[];
  /** With `texts=true`: the texts of these names, never in buckets. */
  texts?: ({
    /** The ap_id. */
    agent_id: string;
    /** False: there are more texts in the window than `max_points` of a name, or 8,000,000 characters of the answer. */
    is_complete: boolean;
    series: ({
      metric: string;
      /** The oldest first. */
      points: ({
        ts: string;
        value: string;
      })[];
    })[];
  })[];
};

export type Grant = {
  /** viewer reads; operator also sends commands and acknowledges alarms; manager also labels, enrols and removes; auditor reads everything and the audit log, and changes nothing; none has no right at all, where no grant would mean to read everything. */
  role: 'viewer' | 'operator' | 'manager' | 'auditor' | 'none';
  /** Which access points, by `site:`, `tag:` and `name:`, which only administrators and managers can change. Absent: all. Auditors and `none` have none. */
  selector?: string;
};

export type GrantedUsers = ({
  username: string;
  grants: Grants;
})[];

export type Grants = (Grant)[];

/** `never_seen`: the metric was not reported while it was watched, so nothing was guarded; `ended`: watched no longer, because somebody has changed the parameter since, or the access point is gone. */
export type GuardState = 'watching' | 'held' | 'broken' | 'never_seen' | 'ended';

export type HTTPValidationError = {
  detail: (ValidationError)[];
  code?: string;
};

/** bad: users are not served (a critical or major alarm); degraded: they are served worse than they should be; unknown: nothing has been heard yet. */
export type HealthWord = 'good' | 'degraded' | 'bad' | 'unknown';

export type HeardAccessPoint = {
  /** If it is an access point of this network. */
  ap_id?: string;
  /** If only the address of its radio is known. */
  bssid?: string;
  /** How strongly the device hears it. */
  rssi_dbm: number | null;
  /** The ap_id of the access point that reported it. */
  by: string;
};

export type IgnoredField = {
  /** The name that it would have had, cut to 256 characters. */
  field: string;
  /** `name`: longer than 256 characters, empty, or with a comma or a control character. `repeated`: another field of the sample has this name. `text`: a payload that is no object. `not_an_object`, `not_a_place`: a geolocation. `beside_payload`, `beside_samples`: the fields are inside of that key. `unreadable_time`: the sample of this time was not stored. `not_a_list`: devices, or what one hears. `no_device`: a device without an identity of 1 to 128 printable characters, or heard access points without a name. `not_a_number`: a value of a device. `too_many_devices`: Weft keeps no more of them. `too_many_new_devices`: more have joined this access point than it may report for now; they count once they are reported later. `too_many_changes`: a configuration that differs from the last one, after 60 changes at once and one in 5 s. */
  reason: 'array' | 'name' | 'repeated' | 'text' | 'not_an_object' | 'not_a_place' | 'beside_payload' | 'beside_samples' | 'unreadable_time' | 'not_a_list' | 'no_device' | 'not_a_number' | 'too_many_devices' | 'too_many_new_devices' | 'too_many_changes';
};

/** As far as the caller may see it: the alarms, the access points and all counts. */
export type Incident = {
  /** That of its first alarm that the caller may see. */
  id: string;
  /** A sentence for people. */
  title: string;
  cause: IncidentCause;
  /** How sure that cause is; 0 for `unknown`. */
  confidence: number;
  /** The path of the site that has all of it; null if there is none. */
  site: string | null;
  /** Since when the first condition has held. */
  started_at: string;
  ended_at: string | null;
  state: IncidentState;
  /** How many it is about. */
  access_points: number;
  /** Devices whose link ended, or got nothing any more, because of these access points. */
  devices_affected: number;
  /** Of all these devices together. */
  minutes_lost: number;
  /** Their ids, oldest first; at most 1,000. */
  alarms: (string)[];
  /** The incident that it turned out to belong to; its alarms are there. */
  merged_into: string | null;
  /** Whether the caller may acknowledge and silence any of its alarms. */
  may_handle: boolean;
};

/** `unknown`: no cause was found. */
export type IncidentCause = 'site_away' | 'access_point_away' | 'backhaul' | 'crash' | 'jammed_channel' | 'failed_rollout' | 'conflict' | 'overload' | 'weak_signal' | 'blocked' | 'power' | 'clock' | 'reports' | 'weft' | 'unknown';

export type IncidentDetails = {
  /** That of its first alarm that the caller may see. */
  id: string;
  /** A sentence for people. */
  title: string;
  cause: IncidentCause;
  /** How sure that cause is; 0 for `unknown`. */
  confidence: number;
  /** The path of the site that has all of it; null if there is none. */
  site: string | null;
  /** Since when the first condition has held. */
  started_at: string;
  ended_at: string | null;
  state: IncidentState;
  /** How many it is about. */
  access_points: number;
  /** Devices whose link ended, or got nothing any more, because of these access points. */
  devices_affected: number;
  /** Of all these devices together. */
  minutes_lost: number;
  /** Their ids, oldest first; at most 1,000. */
  alarms: (string)[];
  /** The incident that it turned out to belong to; its alarms are there. */
  merged_into: string | null;
  /** Whether the caller may acknowledge and silence any of its alarms. */
  may_handle: boolean;
  /** What happened to its access points from ten minutes before it to its end, oldest first; at most 200. */
  timeline: (EventItem)[];
  /** Its access points, those with most devices first; at most 200. */
  affected: ({
    ap_id: string;
    devices_affected: number;
    minutes_lost: number;
  })[];
  /** Its alarms, oldest first; at most 100. */
  alarm_list: ({
    id: string;
    /** Null if it is about more than one. */
    ap_id: string | null;
    severity: AlarmSeverity;
    state: AlarmState;
    message: string;
    /** Since when its condition has held. */
    since: string;
    cleared_at: string | null;
  })[];
  /** Of the alarm that says most. */
  diagnosis: Diagnosis | null;
};

export type IncidentPage = {
  /** The newest first. */
  items: (Incident)[];
  /** Send it as `cursor` for the next page; null at the end. A page before the end may be short or empty. */
  next: string | null;
};

export type IncidentSilence = {
  /** Nobody is told of its alarms until then; at most 30 days from now. */
  until: string;
};

export type IncidentState = 'open' | 'acknowledged' | 'ended';

export type Job = {
  job_number: string;
  /** The kind of request; `adopted` for a job that an administrator opened. */
  task_type: string;
  /** Whose job it is; of an adopted one, the administrator who opened it. */
  requested_by: {
    kind: string;
    name: string;
  };
  state: JobState;
  /** Why it failed, expired or was cancelled. */
  detail: string | null;
  /** From 0 to 1, if known. */
  progress: number | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  /** While it runs, when it expires; after its end, when its messages are deleted. */
  expires_at: string;
  /** The number of its latest message; 0 without messages. */
  last_seq: number;
  /** Of all its messages. */
  bytes: number;
  websocket: string;
};

export type JobAccepted = {
  job_number: string;
  status: 'queued';
  /** The path of the WebSocket for the results. */
  websocket: string;
};

export type JobEnvelope = {
  job_number: string;
  /** Counts the messages of the job from 1, without gaps. */
  seq: number;
  type: EnvelopeType;
  data: (unknown)[];
  /** True on the last message of the job. */
  final: boolean;
  ts: string;
};

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

export type JobWithMessages = {
  job_number: string;
  /** The kind of request; `adopted` for a job that an administrator opened. */
  task_type: string;
  /** Whose job it is; of an adopted one, the administrator who opened it. */
  requested_by: {
    kind: string;
    name: string;
  };
  state: JobState;
  /** Why it failed, expired or was cancelled. */
  detail: string | null;
  /** From 0 to 1, if known. */
  progress: number | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  /** While it runs, when it expires; after its end, when its messages are deleted. */
  expires_at: string;
  /** The number of its latest message; 0 without messages. */
  last_seq: number;
  /** Of all its messages. */
  bytes: number;
  websocket: string;
  /** Messages after `after`, as many as fit. */
  messages: (JobEnvelope)[];
  /** True if there are more: request them with `after` set to the last `seq`. */
  has_more: boolean;
};

/** What is absent stays. `tags` comes first, then `add_tags`, then `remove_tags`. */
export type LabelsUpdate = {
  /** What people read instead of the ap_id; null: none. */
  display_name?: string | null;
  /** The path of a site that exists; null: none. */
  site?: string | null;
  /** All of them, in place of those that it has. */
  tags?: (string)[];
  /** Beside those that it has. */
  add_tags?: (string)[];
  /** Those that it does not have are ignored. */
  remove_tags?: (string)[];
};

export type LatestMetrics = {
  agents: ({
    ap_id: string;
    presence: Presence;
    /** Name -> `{ts, value}`. */
    metrics: Record<string, unknown>;
    /** With `texts=true`: name -> `{ts, value}`. */
    texts?: Record<string, unknown>;
  })[];
};

export type LayerDraft = {
  /** Of the layer that it changes; absent: a new one. */
  id?: string;
  name: string;
  /** Which access points, by `site:`, `tag:` and `name:`; nothing that an agent says about itself. */
  selector: string;
  /** The heavier layer wins. */
  weight: number;
  /** A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret. */
  settings: Record<string, unknown>;
  /** Settings that an access point does not declare are left out for it, instead of refused. */
  optional?: boolean;
};

export type LoginForm = {
  grant_type?: string | null;
  /** A user's e-mail address, an agent's ap_id or an app's app_name. */
  username: string;
  /** A user's or agent's password, or an app's api_key. */
  password: string;
  scope?: string;
  client_id?: string | null;
  client_secret?: string | null;
};

/** The kind of caller that logs in. */
export type LoginType = 'user' | 'agent' | 'third_party_app';

export type MetricComparison = {
  with?: number;
  without?: number;
  change?: number;
  plus_minus?: {
    with?: number;
    without?: number;
    change?: number;
  };
  /** What will be seen: the lowest and the highest value between which nine of ten futures are; absent with one future. */
  range?: {
    with?: (number)[];
    without?: (number)[];
    change?: (number)[];
  };
};

export type MetricSeries = {
  metric: string;
  points: ({
    ts: string;
    value: number;
  })[];
};

export type NetworkFigures = {
  at: string;
  step_seconds: number;
  /** How many it is about. */
  access_points: number;
  /** Whose last day was read; of many, a part stands for all. */
  read: number;
  /** Devices that are served; where an access point does not say, that are connected. */
  served_devices: {
    /** Null if nobody says. */
    now: number | null;
    /** Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun. */
    day: (number | null)[];
  };
  /** The share of devices whose data comes within the delay budget, by `qos_met_pct`. */
  within_budget_pct: {
    /** Null if nobody says. */
    now: number | null;
    /** Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun. */
    day: (number | null)[];
  };
  /** In Mb/s, of all together. */
  throughput_mbps: {
    /** Null if nobody says. */
    now: number | null;
    /** Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun. */
    day: (number | null)[];
  };
  /** In watts, of all together. */
  power_w: {
    /** Null if nobody says. */
    now: number | null;
    /** Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun. */
    day: (number | null)[];
  };
  /** The share of access points that report; of the past, in steps of five minutes. */
  availability_pct: {
    /** Null if nobody says. */
    now: number | null;
    /** Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun. */
    day: (number | null)[];
  };
};

export type NetworkHealth = {
  health: HealthWord;
  /** In words, the worst first; at most five. */
  causes: (string)[];
  access_points: {
    good: number;
    degraded: number;
    bad: number;
    unknown: number;
  };
  /** Active alarms that are not silenced or shelved, and not caused by another one. */
  alarms: {
    critical: number;
    major: number;
    minor: number;
    warning: number;
  };
  /** Of these alarms, those that nobody has acknowledged. */
  unacknowledged: number;
  /** At most ten that are not good: first those of which most devices lost service, then the worst. */
  worst: (AgentHealth)[];
  /** At most 100, the worst first. */
  sites: (SiteHealth)[];
};

export type Notification = {
  id: string;
  name: string;
  email: string;
  events: (string)[];
  severities: (EventSeverity)[];
  selector: string;
  digest_minutes: number;
  quiet: QuietHours | null;
  time_zone: string;
  enabled: boolean;
  created_by: string;
  created_at: string;
  last_sent_at: string | null;
  failing_since: string | null;
};

export type NotificationInput = {
  name: string;
  email: string;
  /** Kinds of events (`agent.offline`), families (`alarm.*`) or all (`*`). */
  events?: (string)[];
  /** Of the event; for an alarm, of the alarm. */
  severities?: (EventSeverity)[];
  selector?: string;
  /** Collects events for this long after the first one. 0: told at once, together with what comes within seconds. */
  digest_minutes?: number;
  quiet?: QuietHours | null;
  /** An IANA name, such as `Europe/London`. */
  time_zone?: string;
  enabled?: boolean;
};

export type NotificationList = {
  items: (Notification)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** Whether WEFT_SMTP_URL is set; if not, mails are written to files in `outbox/` of the data folder. */
  has_mail_server: boolean;
};

export type NotificationTest = {
  sent: boolean;
  error: string | null;
};

export type ParameterGroup = {
  name: string;
  /** null: agents of any type. */
  technology?: Technology | null;
  parameters: (string)[];
  /** Whether a lease also applies to the agents within interference range. */
  scope?: 'agent' | 'neighbours';
  /** `report`: commands of several callers are accepted, and each says who holds what moves the same thing. Its parameters may be in another group too, which decides. */
  policy: 'priority' | 'first_wins' | 'last_wins' | 'merge' | 'report';
  /** Required with policy `merge`, and only allowed there. */
  merge?: 'min' | 'max' | 'mean';
  /** `queue`: the command waits until the lease ends, unless it expires before. */
  loser?: 'reject' | 'queue';
  hold_s?: number;
  min_interval_ms?: number;
};

export type PasswordChange = {
  current_password: string;
  new_password: string;
};

export type PasswordRecoveryRequest = {
  /** An e-mail address, converted to lower case. */
  username: string;
};

export type PasswordReset = {
  /** From the recovery mail; valid for one use. */
  token: string;
  new_password: string;
};

export type PlannedFault = {
  /** The number at the end of its name. */
  access_point: number;
  /** When it begins, in model time after the start. */
  after_seconds?: number;
  kind: EmulatorFaultKind;
  /** Duration in model time. */
  seconds: number;
  /** Severity: seconds ahead (clock_skew), seconds of delay (late_samples), share of samples sent twice (duplicate_samples), power of the jammer in dBm (jammed_channel). The others have none. */
  amount?: number;
};

export type Presence = 'online' | 'late' | 'offline';

export type Proposal = {
  /** What to do, for people. */
  text: string;
  ap_id: string;
  /** As `send_command` takes it; its `dry_run` shows what would happen. Null for something else. */
  command: string | null;
  /** The page where it is done, if it is no command. */
  link: string | null;
};

export type PushSecret = {
  ap_id: string;
  /** Shown only once. Pushes are signed with it; a new secret replaces it at once. */
  secret: string;
};

/** What happens in these hours is told at their end. */
export type QuietHours = {
  /** On the clock of the time zone, such as `22:00`. */
  from: string;
  /** On the clock of the time zone, such as `22:00`. */
  until: string;
  /** Severities that are told all the same, with what waits. */
  except?: (EventSeverity)[];
};

export type Reconfigured = {
  /** How many access points get other settings by this. */
  reconfigured: number;
};

export type ResolvedPlace = {
  /** Index in `emulators`. */
  emulator: number;
  /** Index in its `locations`. */
  location: number;
  given: string;
  name: string;
  /** Two letters. */
  country: string;
  latitude: number;
  longitude: number;
  /** The number of smaller places with the same name. */
  others: number;
};

export type RetentionReport = {
  /** paused: the clock has jumped, and nothing is removed. */
  state: 'running' | 'paused';
  /** For how long the clock has been steady since it jumped; an hour is needed. Null unless it is paused. */
  steady_seconds: number | null;
  /** How often this node has looked for what is old since it started. */
  rounds: number;
  kinds: ({
    name: string;
    /** The longest time for which one of them is kept. */
    kept_seconds: number;
    /** The time that counts for these: behind the clock where not all of its time is known to have passed. */
    now: string | null;
  })[];
};

/** The caller that holds, or held, the lease on the parameter. If it is on an access point that the reader may not see, `caller_name` is `another caller` and the other texts are empty. */
export type Rival = {
  command_id: string;
  caller_kind: string;
  caller_name: string;
  ap_id: string;
  parameter: string;
  /** When its lease ends or would have ended. */
  until: string;
};

export type Rollout = {
  id: string;
  change_set_id: string;
  title: string;
  state: RolloutState;
  /** Why it stands or has ended, for people. */
  reason: string | null;
  /** How it stands, for people. */
  sentence: string;
  plan: RolloutPlan;
  /** Counts from 1. */
  wave: number;
  waves: ({
    access_points: number;
    treated: number;
    succeeded: number;
    failed: number;
  })[];
  total: number;
  /** How many access points are in which state. */
  states: Record<string, unknown>;
  /** Whether you may pause it, resume it, take it back or give it up. */
  may_change: boolean;
  measured: ({
    wave: number;
    metric: string;
    treated_before: number | null;
    treated_after: number | null;
    untreated_before: number | null;
    untreated_after: number | null;
    worse_by: number | null;
    compared_with: 'untreated' | 'own_hour_before';
    passed: boolean;
  })[];
  created_by: string;
  created_at: string;
  ended_at: string | null;
};

export type RolloutAgent = {
  ap_id: string;
  display_name: string | null;
  wave: number;
  state: ConfigState;
  detail: string | null;
  treated_at: string | null;
};

export type RolloutAgentPage = {
  items: (RolloutAgent)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type RolloutPage = {
  items: (Rollout)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type RolloutPlan = {
  /** Default: one, with all. */
  waves?: ({
    select?: string;
    /** Of all, up to this wave. */
    percent?: number;
  })[];
  gates?: ({
    metric?: string;
    /** Against untreated access points of the same type that its owner sees, in the same minutes. */
    worse_by?: number;
    over_seconds?: number;
    /** How many new alarms of treated ones are too many to go on: more than this. */
    alarms?: number;
    /** The share of the devices from before that must be back. */
    devices_back?: number;
  })[];
  failure_limit?: {
    /** It stops once more than these have failed. Default: 0. */
    agents: number;
  };
  window?: {
    days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    from: string;
    until: string;
    /** A name of IANA, or `site`: that of the site of each access point. */
    time_zone?: string;
  };
  at_once_per_site?: number;
  trial_seconds?: number;
};

export type RolloutSeries = {
  metric: string;
  resolution_seconds: number;
  treated: {
    /** How many were measured: at most 50. */
    access_points: number;
    points: ({
      ts: string;
      mean: number;
      /** Of the access point where it was lowest. */
      low: number;
      high: number;
    })[];
  };
  untreated: {
    /** How many were measured: at most 50. */
    access_points: number;
    points: ({
      ts: string;
      mean: number;
      /** Of the access point where it was lowest. */
      low: number;
      high: number;
    })[];
  };
};

export type RolloutState = 'running' | 'paused' | 'stopped' | 'completed' | 'reverting' | 'reverted' | 'aborted';

export type SelectorExplain = {
  /** Empty: all. */
  selector: string;
};

export type SelectorExplanation = {
  selector: string;
  /** In words. */
  meaning: string;
  /** How many access points that the caller may see match now. */
  matches: number;
  /** The ap_ids of the first of them. */
  examples: (string)[];
  /** Whether it depends only on sites, tags and names, as rights must. */
  only_labels: boolean;
};

export type ServiceLevel = {
  level: ServiceLevelName;
  /** Minutes in which users were served well. */
  good_minutes: number;
  /** Minutes that were counted. */
  minutes: number;
  /** The share of good minutes below which it is a cause. */
  goal: number;
};

export type ServiceLevelName = 'availability' | 'coverage' | 'capacity' | 'latency' | 'handover' | 'energy';

export type Session = {
  id: string;
  /** When the user logged in. */
  created_at: string;
  /** When its newest token was issued. */
  renewed_at: string;
  /** When its newest token expires. */
  expires_at: string;
  /** Until when it can be renewed. */
  ends_at: string;
  /** Where its newest token was requested from. */
  address: string;
  /** The User-Agent of that request. */
  client: string;
  /** Whether the token of this request belongs to it. */
  is_current: boolean;
};

export type Silence = {
  id: string;
  /** Which access points, by `site:`, `tag:`, `name:`, `type:` and `emulated:`; empty for all. What changes with every report (state, metrics) belongs into the condition. */
  selector?: string;
  /** Names of rules; `*` stands for any characters. */
  rules?: (string)[];
  from?: string;
  until?: string;
  weekly?: {
    days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    from: string;
    /** At or before `from`: on the next day. */
    until: string;
  };
  /** `site` (the zone of each site, UTC where it has none) or an IANA zone such as Europe/London. Default: site. */
  time_zone?: string;
  comment?: string;
  /** Empty, and without selector and comment, where it is also about what the reader may not see. */
  created_by: string;
  created_at: string;
  /** Of a manager: it applies only to what one of these selectors means; null: to all that its own means. */
  within: (string)[] | null;
  /** Whether it applies now (in UTC, if each site has its own zone). */
  active: boolean;
  /** The window that is open or comes next; null if none comes. */
  next: {
    from: string;
    until: string;
  } | null;
};

/** Once (`from`, `until`) or `weekly`; a weekly one may also begin and end (`from`, `until`). */
export type SilenceInput = {
  /** Which access points, by `site:`, `tag:`, `name:`, `type:` and `emulated:`; empty for all. What changes with every report (state, metrics) belongs into the condition. */
  selector?: string;
  /** Names of rules; `*` stands for any characters. */
  rules?: (string)[];
  from?: string;
  until?: string;
  weekly?: {
    days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    from: string;
    /** At or before `from`: on the next day. */
    until: string;
  };
  /** `site` (the zone of each site, UTC where it has none) or an IANA zone such as Europe/London. Default: site. */
  time_zone?: string;
  comment?: string;
};

export type SilenceList = {
  items: (Silence)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type Site = {
  id: string;
  path: string;
  name: string;
  geolocation: {
    latitude: number;
    longitude: number;
  } | null;
  time_zone: string | null;
  notes: string;
  /** How many are directly in it. */
  access_points: number;
  created_at: string;
};

export type SiteCreate = {
  /** At most 10 steps, separated by slashes. The sites above it need not exist. */
  path: string;
  /** Default: the last step of the path. */
  name?: string | null;
  geolocation?: {
    latitude: number;
    longitude: number;
  } | null;
  /** Default: that of the nearest site above it that has one. */
  time_zone?: string | null;
  notes?: string | null;
};

/** Of the site and what is below it. */
export type SiteHealth = {
  path: string;
  name: string;
  health: HealthWord;
  /** In words, the worst first; at most five. */
  causes: (string)[];
  access_points: {
    good: number;
    degraded: number;
    bad: number;
    unknown: number;
  };
  /** Active alarms that are not silenced or shelved, and not caused by another one. */
  alarms: {
    critical: number;
    major: number;
    minor: number;
    warning: number;
  };
};

export type SitePage = {
  items: (Site)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

export type StatusAnswer = {
  status: 'success';
  detail: string;
};

export type SteeringAttempt = {
  /** When it ended. */
  ts: string;
  /** The access point that it was attached to. */
  ap_id: string;
  /** Where it was to go, if the caller may see that. */
  target?: string;
  outcome: 'moved' | 'refused' | 'unreachable' | 'ignored';
  command_id: string;
};

export type StepAnswer = {
  job_number: string;
  model_time: string;
  /** Model time since the start of the run. */
  second: number;
  /** The network has come to its end, perhaps before all seconds had passed. */
  ended: boolean;
};

export type StepRequest = {
  /** Model time to pass. */
  seconds: number;
};

export type TakeOver = {
  /** An access point that gets a command. */
  agent_id: string;
  /** How many devices leave it, less those that come. */
  devices: {
    mean: number;
    /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
    plus_minus?: number;
    range?: (number)[];
  };
  /** By how much its throughput changes. */
  delivered_mbps: {
    mean: number;
    /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
    plus_minus?: number;
    range?: (number)[];
  };
  /** Those with most of its devices, at most five. */
  to: ({
    agent_id: string;
    /** How many of its devices are here instead; negative: how many come from here. */
    devices: {
      mean: number;
      /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
      plus_minus?: number;
      range?: (number)[];
    };
    /** By how much the throughput here changes, by all commands together. */
    delivered_mbps: {
      mean: number;
      /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
      plus_minus?: number;
      range?: (number)[];
    };
  })[];
  /** All others that have any, together. */
  others?: {
    access_points: number;
    devices: Amount;
    delivered_mbps: Amount;
  };
  /** How many of its devices no access point has. */
  unserved: {
    mean: number;
    /** Half of the 90 % interval of each mean, by Student’s t over the futures; absent with one future. */
    plus_minus?: number;
    range?: (number)[];
  };
};

export type Technology = '5G' | 'WiFi' | 'LiFi';

export type ThirdPartyApp = {
  id: string;
  app_name: string;
  api_key: string;
  permissions: AppPermissions;
};

export type ThirdPartyAppCreate = {
  /** Identifies the app at login and, percent-encoded, in paths: 1 to 128 printable characters in Unicode NFC, without a space at either end. Compared exactly. */
  app_name: string;
  /** From 16 random characters on it cannot be guessed. */
  api_key: string;
  permissions: AppPermissions;
};

export type ThirdPartyAppSummary = {
  id: string;
  app_name: string;
  permissions: AppPermissions;
};

export type ThirdPartyAppUpdate = {
  api_key?: string | null;
  permissions?: AppPermissions | null;
};

export type Token = {
  access_token: string;
  /** Always `bearer`. */
  token_type: string;
  /** Seconds. */
  expires_in: number;
};

export type TokenData = {
  username?: string | null;
  /** The roles, joined by commas. */
  roles: string;
  scopes?: (string)[];
};

export type UserCreate = {
  /** An e-mail address, converted to lower case. */
  username: string;
  password: string;
  roles: ('admin' | 'user')[];
};

export type UserRegister = {
  /** An e-mail address, converted to lower case. */
  username: string;
  password: string;
};

export type UserUpdate = {
  password?: string | null;
  roles?: ('admin' | 'user')[] | null;
};

export type ValidationError = {
  /** Location: `body`, `query` or `path`, then keys and indexes. */
  loc: (string | number)[];
  msg: string;
  /** The kind of problem; stable. */
  type: string;
  /** The violated limit or rule. */
  ctx?: Record<string, unknown>;
};

export type VerdictReason = 'free' | 'own_lease' | 'same_value' | 'higher_rank' | 'higher_priority' | 'last_wins' | 'merged' | 'related' | 'held_by_other' | 'held_in_group' | 'waits_for_lease' | 'too_soon' | 'frozen' | 'blast_radius';

/** `accepted_modified`: sent with another value than requested; `queued`: waits until a lease ends. */
export type VerdictWord = 'accepted' | 'accepted_modified' | 'queued' | 'rejected';

export type WaitingUser = {
  username: string;
  waiting_since: string;
  /** Another account whose name people may take for this one, such as with Cyrillic letters. */
  looks_like?: string;
};

export type Webhook = {
  id: string;
  name: string;
  url: string;
  events: (string)[];
  selector: string;
  format: WebhookFormat;
  enabled: boolean;
  created_by: string;
  created_at: string;
  /** `retrying`: attempts fail now; `failing`: none has succeeded for an hour. */
  state: 'ok' | 'retrying' | 'failing' | 'disabled';
  failing_since: string | null;
  /** Everything up to this event was delivered, parked, or waits for another attempt. */
  position: number;
  /** Events that wait for another attempt, or behind one of the same subject. */
  waiting: number;
  /** Events that were given up after 24 hours. */
  parked: number;
};

export type WebhookDelivery = {
  id: string;
  ts: string;
  /** Null for a test. */
  event_id: number | null;
  kind: string;
  attempt: number;
  outcome: 'delivered' | 'failed' | 'parked';
  /** Of the answer; null if there was none. */
  status: number | null;
  error: string | null;
  duration_ms: number;
};

export type WebhookDeliveryList = {
  /** Newest first; the last 1,000 attempts are kept. */
  items: (WebhookDelivery)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
};

/** `json`: the event as it is; `alertmanager`: for `/api/v2/alerts` of Prometheus Alertmanager; `slack`, `mattermost`, `teams`: a message, in which texts are only texts. */
export type WebhookFormat = 'json' | 'alertmanager' | 'slack' | 'mattermost' | 'teams';

export type WebhookInput = {
  name: string;
  /** http or https; its host must be allowed by WEFT_WEBHOOK_ALLOW. */
  url: string;
  /** Kinds of events (`agent.offline`), families (`alarm.*`) or all (`*`). */
  events?: (string)[];
  /** Only events about access points that it selects, and about their sites. Default: all. */
  selector?: string;
  format?: WebhookFormat;
  /** False: nothing is sent; it goes on where it stopped. */
  enabled?: boolean;
};

export type WebhookList = {
  items: (Webhook)[];
  /** Send it as `cursor` for the next page; null at the end. */
  next: string | null;
  /** Where webhooks may send to, as WEFT_WEBHOOK_ALLOW says; empty: nowhere. */
  allowed: (string)[];
};

export type WebhookWithSecret = {
  id: string;
  name: string;
  url: string;
  events: (string)[];
  selector: string;
  format: WebhookFormat;
  enabled: boolean;
  created_by: string;
  created_at: string;
  /** `retrying`: attempts fail now; `failing`: none has succeeded for an hour. */
  state: 'ok' | 'retrying' | 'failing' | 'disabled';
  failing_since: string | null;
  /** Everything up to this event was delivered, parked, or waits for another attempt. */
  position: number;
  /** Events that wait for another attempt, or behind one of the same subject. */
  waiting: number;
  /** Events that were given up after 24 hours. */
  parked: number;
  /** Signs the requests. Shown only now. */
  secret: string;
};

export type WeftVersion = {
  /** Semantic: what changed is in CHANGELOG.md. */
  version: string;
  /** What it was built of. Null if it runs from its sources. */
  commit: string | null;
};

export type WhatIfAnswer = {
  job_number: string;
  /** The version of the model. */
  model: number;
  /** The start of the copies, in model time. */
  model_time: string;
  /** How far it was run ahead. */
  minutes: number;
  /** One future was asked for: it is what happens if the commands are sent in this second. Else all futures have other chances than the network itself. */
  exact: boolean;
  asked: {
    minutes: number;
    futures: number;
    /** Access points in `agents`. */
    agents: number;
  };
  ran: {
    minutes: number;
    futures: number;
    /** Access points in `agents`. */
    agents: number;
  };
  /** Why less was run than asked for: fewer futures, down to three, then fewer minutes (`computing_time`); access points without commands for which least changes are left out (`answer_size`). */
  limited_by: ('computing_time' | 'answer_size')[];
  /** The result of each command, in their order. */
  results: (Record<string, unknown>)[];
  /** Of the network, means over the whole time: served devices, power, throughput. */
  totals: {
    devices: number;
    served: Comparison;
    power_w: Comparison;
    delivered_mbps: Comparison;
  };
  /** For each access point that gets a command, who has its devices. */
  took_over: (TakeOver)[];
  /** The mean of each metric over that time, with the commands and without. */
  agents: ({
    agent_id: string;
    metrics: Record<string, unknown>;
  })[];
  /** Totals of the network, minute by minute. */
  timeline: ({
    minute: number;
    served: Comparison;
    power_w: Comparison;
    delivered_mbps: Comparison;
  })[];
};

export type WhatIfRequest = {
  /** The running emulation. */
  job_number: string;
  commands: ({
    /** The ap_id. */
    agent_id: string;
    /** A name, or JSON of a name with arguments, as for send_command. */
    command: string;
  })[];
  /** How far to run ahead. */
  minutes?: number;
  /** How many futures to run, from the same present. 1: the one that this network will have, exactly, if the commands are sent in this second. */
  futures?: number;
  /** How long it may compute (default: 40), with its waiting for others: for people, who want an answer at once. */
  within_seconds?: number;
};

export interface Operations {
  abort_rollout: { path: { id: string }; answer: Rollout };
  acknowledge_alarm: { path: { alarm_id: string }; json: AlarmNote; answer: Alarm };
  acknowledge_incident: { path: { incident_id: string }; answer: Incident };
  adopt_agent_config: { path: { ap_id: string }; json: {
  why: string;
}; answer: AgentConfigView };
  agent_health: { path: { ap_id: string }; answer: AgentHealthReport };
  agent_metrics_text: { query?: { selector?: string; metrics?: (string)[] }; answer: unknown };
  agent_update: { json: AgentUpdateRequest; answer: AgentUpdateAnswer };
  answer_command: { path: { ap_id: string; command_id: string }; json: CommandResult; answer: Command };
  answer_config: { path: { ap_id: string; id: string }; json: ConfigResult; answer: ConfigNext };
  apply_agent_config: { path: { ap_id: string }; answer: AgentConfigView };
  approve_user: { path: { username: string }; answer: TokenData };
  callback_agent_data: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (unknown)[]; answer: CallbackAnswer };
  callback_agent_details: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (Record<string, unknown>)[]; answer: CallbackAnswer };
  callback_emulator: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (Record<string, unknown>)[]; answer: CallbackAnswer };
  callback_emulator_lease: { query: { job_number: string }; json: EmulatorLeaseRequest; answer: EmulatorLease };
  cancel_command: { path: { command_id: string }; answer: Command };
  cancel_job: { path: { job_number: string }; answer: Job };
  change_password: { json: PasswordChange; answer: Token };
  clear_alarm: { path: { alarm_id: string }; json: AlarmNote; answer: Alarm };
  clear_raised_alarm: { json: AlarmKey; answer: StatusAnswer };
  command_batch: { json: BatchRequest; answer: BatchAnswer };
  create_agent: { json: AgentCreate; answer: Agent };
  create_agent_public: { json: AgentCreate; answer: Agent };
  create_alarm_rule: { json: AlarmRuleInput; answer: AlarmRule };
  create_change_set: { json: ChangeSetCreate; answer: ChangeSet };
  create_enrolment_token: { json: EnrolmentTokenCreate; answer: EnrolmentToken };
  create_notification: { json: NotificationInput; answer: Notification };
  create_push_secret: { path: { ap_id: string }; answer: PushSecret };
  create_silence: { json: SilenceInput; answer: Silence };
  create_site: { json: SiteCreate; answer: Site };
  create_third_party_app: { json: ThirdPartyAppCreate; answer: ChangedThirdPartyApp };
  create_token: { query: { login_type: LoginType }; form: LoginForm; answer: Token };
  create_user: { json: UserCreate; answer: TokenData };
  create_user_public: { query?: { code?: string }; json: UserCreate; answer: TokenData };
  create_webhook: { json: WebhookInput; answer: WebhookWithSecret };
  device_history: { path: { device: string }; query?: { since?: string; limit?: number }; answer: DeviceHistoryPage };
  diagnose_alarm: { path: { alarm_id: string }; answer: Diagnosis };
  disable_user: { path: { username: string }; answer: DisabledUser };
  emulator_coverage: { path: { job_number: string }; query: { layer: CoverageLayer; technology: Technology; height?: number; bounds?: string; columns?: number; rows?: number; encoding?: 'int16' | 'array' }; answer: CoverageAnswer };
  emulator_coverage_difference: { path: { job_number: string }; json: CoverageDifferenceRequest; answer: CoverageDifference };
  emulator_fault: { path: { job_number: string }; json: FaultRequest; answer: StatusAnswer };
  emulator_spinup: { json: EmulatorSpinupRequest; answer: EmulatorAccepted };
  emulator_step: { path: { job_number: string }; json: StepRequest; answer: StepAnswer };
  emulator_what_if: { json: WhatIfRequest; answer: WhatIfAnswer };
  enable_user: { path: { username: string }; answer: StatusAnswer };
  end_session: { path: { username: string; id: string }; answer: StatusAnswer };
  end_token: { answer: StatusAnswer };
  erase_device: { path: { device: string }; answer: StatusAnswer };
  event_stream: { query?: { kinds?: (string)[]; selector?: string; agent?: string; after?: number; token?: string }; answer: unknown };
  explain_selector: { json: SelectorExplain; answer: SelectorExplanation };
  export_energy: { query?: { window?: string; end?: string; selector?: string }; answer: unknown };
  extend_session: { path: { username: string; id: string }; answer: Session };
  get_agent: { path: { ap_id: string }; answer: Agent };
  get_agent_config: { path: { ap_id: string }; query?: { view?: 'desired' | 'running' | 'diff' | 'why' }; answer: AgentConfigView };
  get_alarm: { path: { alarm_id: string }; answer: Alarm };
  get_alarm_rule: { path: { rule_id: string }; answer: AlarmRule };
  get_bulk: { path: { job_number: string }; query?: { cursor?: string; limit?: number }; answer: BulkProgress };
  get_change_set: { path: { id: string }; answer: ChangeSet };
  get_command: { path: { command_id: string }; answer: Command };
  get_config_layer: { path: { id: string }; answer: ConfigLayer };
  get_conflict_rules: { answer: ConflictRules };
  get_device: { path: { device: string }; answer: DeviceDetails };
  get_device_privacy: { answer: DevicePrivacy };
  get_emulator_run: { path: { job_number: string }; answer: EmulatorRunWithAgents };
  get_energy: { query?: { window?: string; end?: string; selector?: string }; answer: Energy };
  get_grants: { path: { username: string }; answer: Grants };
  get_incident: { path: { incident_id: string }; answer: IncidentDetails };
  get_job: { path: { job_number: string }; query?: { after?: number }; answer: JobWithMessages };
  get_labels: { path: { ap_id: string }; answer: AgentLabels };
  get_me: { answer: TokenData };
  get_notification: { path: { id: string }; answer: Notification };
  get_retention: { answer: RetentionReport };
  get_rollout: { path: { id: string }; answer: Rollout };
  get_silence: { path: { silence_id: string }; answer: Silence };
  get_site: { path: { id: string }; answer: Site };
  get_third_party_app: { path: { app_name: string }; answer: ThirdPartyApp };
  get_user: { path: { username: string }; answer: TokenData };
  get_webhook: { path: { id: string }; answer: Webhook };
  link_device_identity: { path: { device: string }; json: DeviceIdentityLink; answer: Device };
  list_agent_devices: { path: { ap_id: string }; query?: { cursor?: string; limit?: number }; answer: AgentDevices };
  list_agents: { query?: { selector?: string; search?: string; sort?: string; cursor?: string; limit?: number; fields?: (string)[]; count?: boolean }; answer: AgentPage };
  list_alarm_rules: { answer: AlarmRuleList };
  list_alarms: { query?: { state?: string; severity?: string; selector?: string; agent?: string; rule_id?: string; shelved?: boolean; caused?: boolean; sort?: 'newest' | 'severity'; since?: string; until?: string; cursor?: string; limit?: number }; answer: AlarmPage };
  list_audit_entries: { query?: { actor?: string; action?: string; target?: string; since?: string; until?: string; cursor?: string; before?: number; limit?: number }; answer: AuditPage };
  list_change_sets: { query?: { cursor?: string; limit?: number }; answer: ChangeSetPage };
  list_commands: { query?: { agent?: string; state?: CommandState; batch_id?: string; before?: string; limit?: number }; answer: (Command)[] };
  list_config_layer_versions: { path: { id: string }; query?: { cursor?: string; limit?: number }; answer: ConfigLayerVersionPage };
  list_config_layers: { query?: { cursor?: string; limit?: number }; answer: ConfigLayerPage };
  list_config_secrets: { query?: { cursor?: string; limit?: number }; answer: ConfigSecretPage };
  list_config_variables: { query?: { cursor?: string; limit?: number }; answer: ConfigVariablePage };
  list_conflicts: { query?: { agent?: string; reason?: string; caller?: string; since?: string; until?: string; cursor?: string; before?: number; limit?: number }; answer: ConflictPage };
  list_devices: { query?: { selector?: string; search?: string; sort?: string; cursor?: string; limit?: number; count?: boolean }; answer: DevicePage };
  list_disabled_users: { answer: (DisabledUser)[] };
  list_emulator_runs: { query?: { all?: boolean; before?: string; limit?: number }; answer: (EmulatorRun)[] };
  list_enrolment_tokens: { answer: (EnrolmentToken)[] };
  list_events: { query?: { kinds?: (string)[]; selector?: string; agent?: string; search?: string; subject?: string; site?: string; from?: string; until?: string; after?: number; order?: 'newest_first' | 'oldest_first'; cursor?: string; limit?: number }; answer: EventList };
  list_grants: { answer: GrantedUsers };
  list_incidents: { query?: { state?: string; selector?: string; window?: string; cursor?: string; limit?: number }; answer: IncidentPage };
  list_jobs: { query?: { all?: boolean; state?: JobState; before?: string; limit?: number }; answer: (Job)[] };
  list_notifications: { answer: NotificationList };
  list_rollout_agents: { path: { id: string }; query?: { cursor?: string; limit?: number }; answer: RolloutAgentPage };
  list_rollouts: { query?: { cursor?: string; limit?: number }; answer: RolloutPage };
  list_sessions: { path: { username: string }; answer: (Session)[] };
  list_silences: { answer: SilenceList };
  list_sites: { query?: { path?: string; cursor?: string; limit?: number }; answer: SitePage };
  list_third_party_apps: { answer: (ThirdPartyAppSummary)[] };
  list_users: { answer: (TokenData)[] };
  list_waiting_users: { answer: (WaitingUser)[] };
  list_webhook_deliveries: { path: { id: string }; query?: { cursor?: string; limit?: number }; answer: WebhookDeliveryList };
  list_webhooks: { answer: WebhookList };
  metrics_agent_data: { query: { agent: string; window?: number | string; max_points?: number; aggregate?: 'mean' | 'min' | 'max' | 'last' | 'sum' | 'count'; end?: string }; answer: AgentData };
  metrics_agent_details: { query?: { state?: 'online' | 'late' | 'offline' | 'never' | 'ended' | 'all'; emulated?: boolean }; answer: (AgentDetails)[] };
  metrics_agent_metrics: { query: { agent: string; window?: number | string }; answer: AgentMetrics };
  metrics_agent_multi_metric_data: { query: { agent: string; metrics: (string)[]; window?: number | string; max_points?: number; aggregate?: 'mean' | 'min' | 'max' | 'last' | 'sum' | 'count'; end?: string }; answer: AgentMultiMetricData };
  metrics_export: { query: { agent: string; start?: string; end?: string; format?: 'csv' | 'ndjson'; metrics?: (string)[] }; answer: unknown };
  metrics_latest: { query?: { agents?: (string)[]; metrics?: (string)[]; texts?: boolean }; answer: LatestMetrics };
  metrics_presence: { query?: { agents?: (string)[] }; answer: FleetPresence };
  metrics_series: { query: { agents: (string)[]; metrics: (string)[]; window?: number | string; max_points?: number; aggregate?: 'mean' | 'min' | 'max' | 'last' | 'sum' | 'count'; end?: string; band?: boolean; texts?: boolean }; answer: FleetSeries };
  metrics_stream: { query?: { agents?: (string)[]; metrics?: (string)[]; after?: string; token?: string }; answer: unknown };
  network_figures: { query?: { selector?: string }; answer: NetworkFigures };
  network_health: { answer: NetworkHealth };
  next_agent_config: { path: { ap_id: string }; query?: { wait?: number }; answer: ConfigNext };
  pause_rollout: { path: { id: string }; answer: Rollout };
  poll_commands: { path: { ap_id: string }; query?: { wait?: number }; answer: (AgentCommand)[] };
  preview_alarm_rule: { query?: { window?: number }; json: AlarmRuleInput; answer: AlarmPreview };
  preview_change_set: { path: { id: string }; answer: ChangePreview };
  raise_alarm: { json: AlarmRaise; answer: Alarm };
  refuse_user: { path: { username: string }; answer: StatusAnswer };
  remove_agent: { path: { ap_id: string }; answer: StatusAnswer };
  remove_alarm_rule: { path: { rule_id: string }; answer: StatusAnswer };
  remove_change_set: { path: { id: string }; answer: StatusAnswer };
  remove_config_secret: { path: { name: string }; query?: { ap_id?: string; site?: string }; answer: StatusAnswer };
  remove_enrolment_token: { path: { id: string }; answer: StatusAnswer };
  remove_notification: { path: { id: string }; answer: StatusAnswer };
  remove_silence: { path: { silence_id: string }; answer: StatusAnswer };
  remove_site: { path: { id: string }; answer: StatusAnswer };
  remove_third_party_app: { path: { app_name: string }; answer: StatusAnswer };
  remove_user: { path: { username: string }; answer: StatusAnswer };
  remove_webhook: { path: { id: string }; answer: StatusAnswer };
  renew_token: { answer: Token };
  renew_webhook_secret: { path: { id: string }; answer: WebhookWithSecret };
  replace_change_set: { path: { id: string }; json: ChangeSetCreate; answer: ChangeSet };
  replay_webhook: { path: { id: string }; query: { after: number }; answer: Webhook };
  report_running_config: { path: { ap_id: string }; json: ConfigRunning; answer: ConfigNext };
  request_agent_data: { query: { agent_id: string; start_time: string; end_time: string }; answer: JobAccepted };
  request_all_agents_details: { query?: { state?: 'online' | 'late' | 'offline' | 'never' | 'ended' | 'all'; emulated?: boolean }; answer: JobAccepted };
  request_password_recovery: { json: PasswordRecoveryRequest; answer: StatusAnswer };
  rerun_energy: { json: EnergyRerunRequest; answer: JobAccepted };
  reset_alarm_rule: { path: { rule_id: string }; answer: AlarmRule };
  reset_password: { json: PasswordReset; answer: StatusAnswer };
  resume_retention: { answer: StatusAnswer };
  resume_rollout: { path: { id: string }; answer: Rollout };
  revert_rollout: { path: { id: string }; answer: Rollout };
  roll_out_change_set: { path: { id: string }; json: RolloutPlan; answer: Rollout };
  rollout_series: { path: { id: string }; query: { metric: string }; answer: RolloutSeries };
  send_command: { query: { agent_id: string; command: string; hold_seconds?: number; expires_in?: number; idempotency_key?: string; guard?: string; dry_run?: boolean }; answer: CommandAccepted | CommandPreview };
  set_config_secret: { json: ConfigSecretSet; answer: ConfigSecret };
  set_config_variable: { json: ConfigVariableSet; answer: Reconfigured };
  set_device_privacy: { json: DevicePrivacy; answer: DevicePrivacy };
  set_grants: { path: { username: string }; json: Grants; answer: Grants };
  shelve_alarm: { path: { alarm_id: string }; json: AlarmShelf; answer: Alarm };
  sign_up: { json: UserRegister; answer: TokenData };
  silence_incident: { path: { incident_id: string }; json: IncidentSilence; answer: Incident };
  start_bulk: { json: BulkRequest; answer: BulkAnswer };
  stop_emulator_run: { path: { job_number: string }; answer: EmulatorRun };
  test_notification: { path: { id: string }; answer: NotificationTest };
  test_webhook: { path: { id: string }; answer: WebhookDelivery };
  unshelve_alarm: { path: { alarm_id: string }; answer: Alarm };
  unwatch_device: { path: { device: string }; answer: Device };
  update_agent: { path: { ap_id: string }; json: AgentUpdate; answer: Agent };
  update_alarm_rule: { path: { rule_id: string }; json: AlarmRuleInput; answer: AlarmRule };
  update_conflict_rules: { json: ConflictRules; answer: ConflictRules };
  update_labels: { path: { ap_id: string }; json: LabelsUpdate; answer: AgentLabels };
  update_notification: { path: { id: string }; json: NotificationInput; answer: Notification };
  update_silence: { path: { silence_id: string }; json: SilenceInput; answer: Silence };
  update_site: { path: { id: string }; json: SiteCreate; answer: Site };
  update_third_party_app: { path: { app_name: string }; json: ThirdPartyAppUpdate; answer: ChangedThirdPartyApp };
  update_user: { path: { username: string }; json: UserUpdate; answer: TokenData };
  update_webhook: { path: { id: string }; json: WebhookInput; answer: Webhook };
  watch_device: { path: { device: string }; json: DeviceWatchRequest; answer: Device };
  weft_version: { answer: WeftVersion };
  write_line_protocol: { query?: { agent?: string; u?: string; p?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
  write_line_protocol_2: { query?: { agent?: string; u?: string; p?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
  write_line_protocol_3: { query?: { agent?: string; u?: string; p?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
}

export const operations = {
  abort_rollout: 'POST /api/v1/rollouts/{id}/abort',
  acknowledge_alarm: 'POST /api/v1/alarms/{alarm_id}/acknowledge',
  acknowledge_incident: 'POST /api/v1/incidents/{incident_id}/acknowledge',
  adopt_agent_config: 'POST /api/v1/agents/{ap_id}/config/adopt',
  agent_health: 'GET /api/v1/health/agents/{ap_id}',
  agent_metrics_text: 'GET /metrics/agents',
  agent_update: 'POST /api/v1/agent_update/update',
  answer_command: 'POST /api/v1/agents/{ap_id}/commands/{command_id}',
  answer_config: 'POST /api/v1/agents/{ap_id}/config/{id}/result',
  apply_agent_config: 'POST /api/v1/agents/{ap_id}/config/apply',
  approve_user: 'POST /api/v1/waiting_users/{username}/approve',
  callback_agent_data: 'POST /api/v1/callback/agent_data',
  callback_agent_details: 'POST /api/v1/callback/agent_details',
  callback_emulator: 'POST /api/v1/callback/emulator',
  callback_emulator_lease: 'POST /api/v1/callback/emulator/lease',
  cancel_command: 'DELETE /api/v1/commands/{command_id}',
  cancel_job: 'DELETE /api/v1/jobs/{job_number}',
  change_password: 'POST /api/v1/users/me/password',
  clear_alarm: 'POST /api/v1/alarms/{alarm_id}/clear',
  clear_raised_alarm: 'POST /api/v1/alarms/clear',
  command_batch: 'POST /api/v1/commands/batch',
  create_agent: 'POST /api/v1/agents/',
  create_agent_public: 'POST /api/v1/agents/public',
  create_alarm_rule: 'POST /api/v1/alarm_rules',
  create_change_set: 'POST /api/v1/config/change_sets',
  create_enrolment_token: 'POST /api/v1/enrolment_tokens',
  create_notification: 'POST /api/v1/notifications',
  create_push_secret: 'POST /api/v1/agents/{ap_id}/push_secret',
  create_silence: 'POST /api/v1/silences',
  create_site: 'POST /api/v1/sites',
  create_third_party_app: 'POST /api/v1/third_party_apps/',
  create_token: 'POST /api/v1/token/',
  create_user: 'POST /api/v1/users/',
  create_user_public: 'POST /api/v1/users/public',
  create_webhook: 'POST /api/v1/webhooks',
  device_history: 'GET /api/v1/devices/{device}/history',
  diagnose_alarm: 'GET /api/v1/alarms/{alarm_id}/diagnosis',
  disable_user: 'PUT /api/v1/disabled_users/{username}',
  emulator_coverage: 'GET /api/v1/emulator/{job_number}/coverage',
  emulator_coverage_difference: 'POST /api/v1/emulator/{job_number}/coverage',
  emulator_fault: 'POST /api/v1/emulator/{job_number}/faults',
  emulator_spinup: 'POST /api/v1/emulator/spinup',
  emulator_step: 'POST /api/v1/emulator/{job_number}/step',
  emulator_what_if: 'POST /api/v1/emulator/what_if',
  enable_user: 'DELETE /api/v1/disabled_users/{username}',
  end_session: 'DELETE /api/v1/users/{username}/sessions/{id}',
  end_token: 'DELETE /api/v1/token/',
  erase_device: 'DELETE /api/v1/devices/{device}',
  event_stream: 'GET /api/v1/events/stream',
  explain_selector: 'POST /api/v1/selectors/explain',
  export_energy: 'GET /api/v1/energy/export',
  extend_session: 'POST /api/v1/users/{username}/sessions/{id}/extend',
  get_agent: 'GET /api/v1/agents/{ap_id}',
  get_agent_config: 'GET /api/v1/agents/{ap_id}/config',
  get_alarm: 'GET /api/v1/alarms/{alarm_id}',
  get_alarm_rule: 'GET /api/v1/alarm_rules/{rule_id}',
  get_bulk: 'GET /api/v1/bulk/{job_number}',
  get_change_set: 'GET /api/v1/config/change_sets/{id}',
  get_command: 'GET /api/v1/commands/{command_id}',
  get_config_layer: 'GET /api/v1/config/layers/{id}',
  get_conflict_rules: 'GET /api/v1/conflicts/rules',
  get_device: 'GET /api/v1/devices/{device}',
  get_device_privacy: 'GET /api/v1/device_privacy',
  get_emulator_run: 'GET /api/v1/emulator/{job_number}',
  get_energy: 'GET /api/v1/energy',
  get_grants: 'GET /api/v1/users/{username}/grants',
  get_incident: 'GET /api/v1/incidents/{incident_id}',
  get_job: 'GET /api/v1/jobs/{job_number}',
  get_labels: 'GET /api/v1/agents/{ap_id}/labels',
  get_me: 'GET /api/v1/users/me',
  get_notification: 'GET /api/v1/notifications/{id}',
  get_retention: 'GET /api/v1/retention',
  get_rollout: 'GET /api/v1/rollouts/{id}',
  get_silence: 'GET /api/v1/silences/{silence_id}',
  get_site: 'GET /api/v1/sites/{id}',
  get_third_party_app: 'GET /api/v1/third_party_apps/{app_name}',
  get_user: 'GET /api/v1/users/{username}',
  get_webhook: 'GET /api/v1/webhooks/{id}',
  link_device_identity: 'POST /api/v1/devices/{device}/identities',
  list_agent_devices: 'GET /api/v1/agents/{ap_id}/devices',
  list_agents: 'GET /api/v1/agents/',
  list_alarm_rules: 'GET /api/v1/alarm_rules',
  list_alarms: 'GET /api/v1/alarms',
  list_audit_entries: 'GET /api/v1/audit',
  list_change_sets: 'GET /api/v1/config/change_sets',
  list_commands: 'GET /api/v1/commands',
  list_config_layer_versions: 'GET /api/v1/config/layers/{id}/versions',
  list_config_layers: 'GET /api/v1/config/layers',
  list_config_secrets: 'GET /api/v1/config/secrets',
  list_config_variables: 'GET /api/v1/config/variables',
  list_conflicts: 'GET /api/v1/conflicts',
  list_devices: 'GET /api/v1/devices',
  list_disabled_users: 'GET /api/v1/disabled_users',
  list_emulator_runs: 'GET /api/v1/emulator',
  list_enrolment_tokens: 'GET /api/v1/enrolment_tokens',
  list_events: 'GET /api/v1/events',
  list_grants: 'GET /api/v1/grants',
  list_incidents: 'GET /api/v1/incidents',
  list_jobs: 'GET /api/v1/jobs',
  list_notifications: 'GET /api/v1/notifications',
  list_rollout_agents: 'GET /api/v1/rollouts/{id}/agents',
  list_rollouts: 'GET /api/v1/rollouts',
  list_sessions: 'GET /api/v1/users/{username}/sessions',
  list_silences: 'GET /api/v1/silences',
  list_sites: 'GET /api/v1/sites',
  list_third_party_apps: 'GET /api/v1/third_party_apps/',
  list_users: 'GET /api/v1/users/',
  list_waiting_users: 'GET /api/v1/waiting_users',
  list_webhook_deliveries: 'GET /api/v1/webhooks/{id}/deliveries',
  list_webhooks: 'GET /api/v1/webhooks',
  metrics_agent_data: 'GET /api/v1/metrics/agent_data',
  metrics_agent_details: 'GET /api/v1/metrics/agent_details',
  metrics_agent_metrics: 'GET /api/v1/metrics/agent_metrics',
  metrics_agent_multi_metric_data: 'GET /api/v1/metrics/agent_multi_metric_data',
  metrics_export: 'GET /api/v1/metrics/export',
  metrics_latest: 'GET /api/v1/metrics/latest',
  metrics_presence: 'GET /api/v1/metrics/presence',
  metrics_series: 'GET /api/v1/metrics/series',
  metrics_stream: 'GET /api/v1/metrics/stream',
  network_figures: 'GET /api/v1/health/figures',
  network_health: 'GET /api/v1/health',
  next_agent_config: 'GET /api/v1/agents/{ap_id}/config/next',
  pause_rollout: 'POST /api/v1/rollouts/{id}/pause',
  poll_commands: 'GET /api/v1/agents/{ap_id}/commands',
  preview_alarm_rule: 'POST /api/v1/alarm_rules/preview',
  preview_change_set: 'POST /api/v1/config/change_sets/{id}/preview',
  raise_alarm: 'POST /api/v1/alarms/raise',
  refuse_user: 'DELETE /api/v1/waiting_users/{username}',
  remove_agent: 'DELETE /api/v1/agents/{ap_id}',
  remove_alarm_rule: 'DELETE /api/v1/alarm_rules/{rule_id}',
  remove_change_set: 'DELETE /api/v1/config/change_sets/{id}',
  remove_config_secret: 'DELETE /api/v1/config/secrets/{name}',
  remove_enrolment_token: 'DELETE /api/v1/enrolment_tokens/{id}',
  remove_notification: 'DELETE /api/v1/notifications/{id}',
  remove_silence: 'DELETE /api/v1/silences/{silence_id}',
  remove_site: 'DELETE /api/v1/sites/{id}',
  remove_third_party_app: 'DELETE /api/v1/third_party_apps/{app_name}',
  remove_user: 'DELETE /api/v1/users/{username}',
  remove_webhook: 'DELETE /api/v1/webhooks/{id}',
  renew_token: 'POST /api/v1/token/renew',
  renew_webhook_secret: 'POST /api/v1/webhooks/{id}/secret',
  replace_change_set: 'PUT /api/v1/config/change_sets/{id}',
  replay_webhook: 'POST /api/v1/webhooks/{id}/replay',
  report_running_config: 'POST /api/v1/agents/{ap_id}/config/running',
  request_agent_data: 'POST /api/v1/agent_data/request_agent_data',
  request_all_agents_details: 'POST /api/v1/agent_details/request_all_agents_details',
  request_password_recovery: 'POST /api/v1/users/password-recovery',
  rerun_energy: 'POST /api/v1/energy/rerun',
  reset_alarm_rule: 'POST /api/v1/alarm_rules/{rule_id}/reset',
  reset_password: 'POST /api/v1/users/reset-password',
  resume_retention: 'POST /api/v1/retention/resume',
  resume_rollout: 'POST /api/v1/rollouts/{id}/resume',
  revert_rollout: 'POST /api/v1/rollouts/{id}/revert',
  roll_out_change_set: 'POST /api/v1/config/change_sets/{id}/rollout',
  rollout_series: 'GET /api/v1/rollouts/{id}/series',
  send_command: 'POST /api/v1/send_command',
  set_config_secret: 'PUT /api/v1/config/secrets',
  set_config_variable: 'PUT /api/v1/config/variables',
  set_device_privacy: 'PUT /api/v1/device_privacy',
  set_grants: 'PUT /api/v1/users/{username}/grants',
  shelve_alarm: 'POST /api/v1/alarms/{alarm_id}/shelve',
  sign_up: 'POST /api/v1/users/signup',
  silence_incident: 'POST /api/v1/incidents/{incident_id}/silence',
  start_bulk: 'POST /api/v1/bulk',
  stop_emulator_run: 'POST /api/v1/emulator/{job_number}/stop',
  test_notification: 'POST /api/v1/notifications/{id}/test',
  test_webhook: 'POST /api/v1/webhooks/{id}/test',
  unshelve_alarm: 'POST /api/v1/alarms/{alarm_id}/unshelve',
  unwatch_device: 'DELETE /api/v1/devices/{device}/watch',
  update_agent: 'PUT /api/v1/agents/{ap_id}',
  update_alarm_rule: 'PUT /api/v1/alarm_rules/{rule_id}',
  update_conflict_rules: 'PUT /api/v1/conflicts/rules',
  update_labels: 'PATCH /api/v1/agents/{ap_id}/labels',
  update_notification: 'PUT /api/v1/notifications/{id}',
  update_silence: 'PUT /api/v1/silences/{silence_id}',
  update_site: 'PUT /api/v1/sites/{id}',
  update_third_party_app: 'PUT /api/v1/third_party_apps/{app_name}',
  update_user: 'PUT /api/v1/users/{username}',
  update_webhook: 'PUT /api/v1/webhooks/{id}',
  watch_device: 'POST /api/v1/devices/{device}/watch',
  weft_version: 'GET /api/v1/version',
  write_line_protocol: 'POST /api/v1/write',
  write_line_protocol_2: 'POST /write',
  write_line_protocol_3: 'POST /api/v2/write',
} as const satisfies Record<keyof Operations, string>;
