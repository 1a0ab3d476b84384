// Generated from the server's OpenAPI document by scripts/generate-client.ts: all operations of Weft, with their types.
// Do not edit.

export type Agent = { id: string; ap_id: string; configuration: Record<string, unknown> };

export type AgentCommand = { command_id: string; command: string; name: string; args: Record<string, unknown>; issued_at: string; expires_at: string };

export type AgentCreate = { ap_id: string; password: string; configuration: Record<string, unknown> };

export type AgentData = { key: string; agent_id: string; window_minutes: number; resolution_seconds?: number; points: (Record<string, unknown>)[] };

export type AgentDetails = { id: string; ap_id: string; configuration: Record<string, unknown>; onboard: boolean };

export type AgentDevices = { items: (Device)[]; next: string | null; reported_at: string | null };

export type AgentHealth = { ap_id: string; display_name: string | null; site: string | null; health: HealthWord; causes: (string)[]; alarms: number; severity: AlarmSeverity | null };

export type AgentHealthReport = { ap_id: string; display_name: string | null; site: string | null; health: HealthWord; causes: (string)[]; alarms: number; severity: AlarmSeverity | null; window_minutes: number; service: (ServiceLevel)[] };

export type AgentLabels = { ap_id: string; display_name: string | null; site: string | null; tags: (string)[]; suggested: { site: string | null; tags: (string)[] } };

export type AgentListItem = { id: string; ap_id: string; display_name: string | null; site: string | null; tags: (string)[]; access_point_type: string | null; state: 'online' | 'late' | 'offline' | 'never' | 'ended'; health: HealthWord | null; power_state: 'awake' | 'asleep' | null; last_seen: string | null; onboard: boolean; emulated: boolean; created_at: string; may: ('command' | 'manage')[]; configuration?: Record<string, unknown>; latest?: Record<string, unknown> };

export type AgentMetrics = { agent_id: string; window_minutes: number; metrics: ({ name: string; label: string })[] };

export type AgentMultiMetricData = { agent_id: string; window_minutes: number; resolution_seconds?: number; series: (MetricSeries)[] };

export type AgentPage = { items: (AgentListItem)[]; next: string | null; count?: number };

export type AgentPresence = { ap_id: string; presence: Presence; last_seen: string | null; since: string | null; reason: string; report_interval_seconds: number; channel: boolean; command_ready: boolean; report_budget?: { points_left: number; bytes_left: number } };

export type AgentUpdate = { password?: string | null; configuration?: Record<string, unknown> | null };

export type AgentUpdateAnswer = { status: 'success'; detail: string; accepted: number; ignored?: (IgnoredField)[]; ignored_count?: number };

export type AgentUpdateRequest = Record<string, unknown>;

export type Alarm = { id: string; rule_id: string; rule: string; subject_kind: string; subject: string; ap_id: string | null; site: string | null; severity: AlarmSeverity; state: AlarmState; since: string; fired_at: string; value: number | null; message: string; labels: Record<string, unknown>; acknowledged_by: string | null; acknowledged_at: string | null; note: string | null; shelved_until: string | null; shelved_by: string | null; silenced_by: string | null; inhibited_by: string | null; inhibits: number; cleared_at: string | null; cleared_by: string | null };

export type AlarmClear = { value?: number; for_seconds?: number };

export type AlarmCondition = { metric?: string; op?: '>' | '>=' | '<' | '<=' | '==' | '!='; value?: number; other_metric?: string; times?: number; over_seconds?: number; change?: '>' | '<' | '<>'; within_seconds?: number; absent_seconds?: number; state?: 'online' | 'late' | 'offline' | 'never' | 'ended'; state_changes?: number; share_of_site?: { state: 'online' | 'late' | 'offline' | 'never' | 'ended'; at_least?: number }; weft?: string };

export type AlarmNote = { note?: string };

export type AlarmPage = { items: (Alarm)[]; next: string | null };

export type AlarmPreview = { from: string; until: string; times: number; agents: number; agents_selected: number; is_complete: boolean; alarms: ({ ap_id: string | null; subject: string; from: string; until: string | null; value: number | null })[]; detail: string };

export type AlarmRule = { id: string; name: string; selector?: string; condition: AlarmCondition; for_seconds?: number; clear?: AlarmClear; severity: AlarmSeverity; message?: string; labels?: Record<string, unknown>; when_asleep?: 'ignore' | 'evaluate'; enabled?: boolean; product: string | null; adjusted: boolean; created_at: string; updated_at: string };

export type AlarmRuleInput = { name: string; selector?: string; condition: AlarmCondition; for_seconds?: number; clear?: AlarmClear; severity: AlarmSeverity; message?: string; labels?: Record<string, unknown>; when_asleep?: 'ignore' | 'evaluate'; enabled?: boolean };

export type AlarmRuleList = { items: (AlarmRule)[]; next: null };

export type AlarmSeverity = 'critical' | 'major' | 'minor' | 'warning';

export type AlarmShelf = { seconds?: number; until?: string; note?: string };

export type AlarmState = 'firing' | 'acknowledged' | 'cleared';

export type Amount = { mean: number; plus_minus?: number };

export type AppPermissions = { agents?: (string)[]; selector?: string; read?: boolean; write?: boolean; commands?: boolean | (string)[] | Record<string, unknown>; emulator?: boolean | { max_access_points: number }; priority?: number; expires_at?: string } & Record<string, unknown>;

export type AuditEntry = { seq: number; ts: string; actor: { kind: string; id: string | null; name: string }; action: string; target: { kind: string; name: string }; detail: Record<string, unknown>; hash: string };

export type AuditPage = { entries: (AuditEntry)[]; has_more: boolean };

export type BatchAnswer = { batch_id: string | null; dry_run: boolean; totals: Record<string, unknown>; targets: (BatchTarget)[] };

export type BatchReason = 'agent_not_found' | 'not_permitted' | 'invalid_command' | 'too_many_commands' | 'waits_for_stage';

export type BatchRequest = { agents: (string)[] | string; command: string | Record<string, unknown>; hold_seconds?: number; expires_in?: number; dry_run?: boolean; stages?: ({ percent: number; pause_s: number })[] };

export type BatchTarget = { ap_id: string; command_id: string | null; job_number: string | null; stage: number; verdict: VerdictWord; reason: VerdictReason | BatchReason; detail: string; rival: Rival | null; hold_until: string | null };

export type BulkAnswer = { job_number: string | null; preview: boolean; count: number; waves: number; refused?: number; suggestions?: (string)[]; targets: (BulkTarget)[] };

export type BulkProgress = { job_number: string; selector: string; action: 'command' | 'labels' | 'remove'; is_over: boolean; totals: { waiting: number; done: number; refused: number; stopped: number }; items: (BulkTarget)[]; next: string | null };

export type BulkRequest = { selector: string; action: { command?: string; labels?: LabelsUpdate; remove?: boolean }; preview?: boolean; wave?: { size: number; pause_seconds?: number } };

export type BulkTarget = { ap_id: string; display_name: string | null; state: 'would' | 'waiting' | 'done' | 'refused' | 'stopped'; detail: string | null; command_id: string | null };

export type CallbackAnswer = { status: 'delivered' | 'queued'; job_number: string; detail: string; seq: number };

export type Command = { command_id: string; job_number: string; ap_id: string; command: string; name: string; args: Record<string, unknown>; sent_args: Record<string, unknown>; parameter: string; parameter_group: string; caller_kind: string; caller_name: string; priority: number; state: CommandState; verdict: VerdictWord; reason: VerdictReason; detail: string; rival: Rival | null; hold_until: string | null; created_at: string; expires_at: string; deliver_after: string | null; sent_at: string | null; received_at: string | null; ended_at: string | null; result: unknown; applied: Record<string, unknown> | null; guard: string | null; inverse_of: string | null; batch_id: string | null };

export type CommandAccepted = { job_number: string; status: 'queued'; websocket: string; command_id: string; verdict: VerdictWord; reason: VerdictReason; detail: string; rival: Rival | null; hold_until: string | null; sent_args?: Record<string, unknown>; deliver_after?: string };

export type CommandPreview = { dry_run: true; verdict: VerdictWord; reason: VerdictReason; detail: string; rival: Rival | null; hold_until: string | null; sent_args?: Record<string, unknown>; deliver_after?: string };

export type CommandResult = { state: 'received' | 'succeeded' | 'failed'; result?: unknown; applied?: Record<string, unknown> | null };

export type CommandState = 'queued' | 'sent' | 'received' | 'succeeded' | 'failed' | 'rejected' | 'expired' | 'superseded' | 'cancelled';

export type Comparison = { with: number; without: number; change: number; plus_minus?: { with: number; without: number; change: number } };

export type Conflict = { seq: number; ts: string; kind: 'command_decided' | 'parameter_frozen' | 'rolled_back'; command_id: string | null; ap_id: string; parameter: string; parameter_group: string | null; caller_kind: string | null; caller_name: string | null; verdict: VerdictWord | null; reason: string | null; detail: string; rival: Rival | null; command: string | null; sent_command: string | null; priority: number | null; rival_command: string | null; rival_priority: number | null };

export type ConflictPage = { conflicts: (Conflict)[]; next_before: number | null };

export type ConflictRules = { groups: (ParameterGroup)[]; interference_range_m: { '5G': number; WiFi: number; LiFi: number }; oscillation: { reversals: number; window_s: number; freeze_s: number }; blast_radius: { fraction: number; minimum: number; window_s: number } };

export type CoverageAnswer = { job_number: string; model: number; model_time: string; second: number; layer: CoverageLayer; technology: Technology; unit: string; height: number; bounds: CoverageBounds; columns: number; rows: number; encoding: 'int16' | 'array'; access_points: (string)[]; scale: number; values: string | (number | null)[]; min: number | null; max: number | null };

export type CoverageBounds = { south: number; west: number; north: number; east: number };

export type CoverageDifference = { job_number: string; model: number; model_time: string; second: number; layer: CoverageLayer; technology: Technology; unit: string; height: number; bounds: CoverageBounds; columns: number; rows: number; encoding: 'int16' | 'array'; access_points: (string)[]; after_seconds: number; results: (Record<string, unknown>)[]; with: CoverageRaster; without: CoverageRaster; difference: CoverageRaster };

export type CoverageDifferenceRequest = { layer: CoverageLayer; technology: Technology; height?: number; bounds?: string; columns?: number; rows?: number; encoding?: 'int16' | 'array'; commands: ({ agent_id: string; command: string })[]; after_seconds?: number };

export type CoverageLayer = 'best_server' | 'signal' | 'sinr' | 'rate';

export type CoverageRaster = { scale: number; values: string | (number | null)[]; min: number | null; max: number | null };

export type Device = { device: string; technologies: (string)[]; links: (DeviceLink)[]; heard: (HeardAccessPoint)[]; randomised: boolean; last_seen: string; last_ap_id: string | null; sticky?: { until: string; reason: 'refused' | 'moved_back'; target?: string }; identities?: (string)[]; watched_until?: string };

export type DeviceDetails = { device: string; technologies: (string)[]; links: (DeviceLink)[]; heard: (HeardAccessPoint)[]; randomised: boolean; last_seen: string; last_ap_id: string | null; sticky?: { until: string; reason: 'refused' | 'moved_back'; target?: string }; identities?: (string)[]; watched_until?: string; moves: (DeviceMove)[]; steering: (SteeringAttempt)[] };

export type DeviceHistoryPage = { items: ({ ts: string; ap_id: string; rssi_dbm?: number; snr_db?: number; rx_mbps?: number; tx_mbps?: number })[]; next: string | null };

export type DeviceIdentityLink = { identity: string };

export type DeviceLink = { ap_id: string; access_point_type: string | null; rssi_dbm: number | null; snr_db: number | null; rx_mbps: number | null; tx_mbps: number | null; since: string; seen: string; address?: string };

export type DeviceMove = { ts: string; kind: 'joined' | 'left' | 'moved'; ap_id: string; from?: string };

export type DevicePage = { items: (Device)[]; next: string | null; count?: number };

export type DevicePrivacy = { clear_addresses: boolean };

export type DeviceWatchRequest = { expires_in?: number };

export type DisabledUser = { username: string; disabled_at: string; disabled_by: string };

export type EmulatedAgent = { ap_id: string; access_point_type: string; location: { latitude: number; longitude: number } };

export type EmulatorAccepted = { job_number: string; status: 'queued'; websocket: string; agents: (EmulatedAgent)[]; places: (ResolvedPlace)[]; profiles: (EmulatorProfile)[]; demand: (EmulatorDemand)[]; seed: number; model: number; ends_at: string };

export type EmulatorDemand = { mbps_per_device: number; mix: Record<string, unknown> };

export type EmulatorFaultKind = 'crash' | 'backhaul_cut' | 'clock_skew' | 'duplicate_samples' | 'late_samples' | 'jammed_channel' | 'command_ignored';

export type EmulatorLease = { lease_seconds: number; now: string; last_chunk: number; requests: (EmulatorRequest)[] };

export type EmulatorLeaseRequest = { holder: string; release?: boolean; slots?: { total: number; free: number }; wait?: number; answers?: ({ id: string; answer: unknown })[] };

export type EmulatorLinkPolicy = { mode: 'active_standby' | 'priority' | 'load_balancing' | 'smallest_delay' | 'redundant'; primary?: '5G' | 'WiFi' | 'LiFi'; weights?: Record<string, unknown>; share?: number };

export type EmulatorMix = Record<string, unknown>;

export type EmulatorProfile = 'office' | 'home' | 'city' | 'stadium' | 'always';

export type EmulatorRequest = { id: string; kind: 'what_if' | 'fault' | 'coverage'; body: Record<string, unknown> };

export type EmulatorRun = { job_number: string; state: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled'; detail: string | null; progress: number | null; owner: string; access_points: number; devices: number; by_type: Record<string, unknown>; seed: number; model: number; speed: number; model_start: string; duration: number; created_at: string; ends_at: string; is_over: boolean; remove_at: string | null; latest: Record<string, unknown> | null; websocket: string };

export type EmulatorRunWithAgents = { job_number: string; state: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled'; detail: string | null; progress: number | null; owner: string; access_points: number; devices: number; by_type: Record<string, unknown>; seed: number; model: number; speed: number; model_start: string; duration: number; created_at: string; ends_at: string; is_over: boolean; remove_at: string | null; latest: Record<string, unknown> | null; websocket: string; agents: (string)[] };

export type EmulatorSpec = { access_point_type: string; num_access_points: number; locations: (string | Record<string, unknown>)[]; num_devices: number; duration: number; scenario?: 'UMa' | 'UMi' | 'InH'; profile?: EmulatorProfile; mbps_per_device?: number; mix?: EmulatorMix; link_policy?: EmulatorLinkPolicy };

export type EmulatorSpinupRequest = { emulators: (EmulatorSpec)[]; seed?: number; speed?: number; start_time?: string; report_interval_seconds?: number; faults?: (PlannedFault)[] };

export type EnrolmentToken = { id: string; ap_id_pattern: string; expires_at: string; max_uses: number; uses: number; created_by: string; site: string | null; tags: (string)[]; token?: string; urls?: (string)[] };

export type EnrolmentTokenCreate = { ap_id_pattern: string; expires_in?: number; max_uses?: number; site?: string; tags?: (string)[] };

export type EnvelopeType = 'agent_data' | 'agent_details' | 'emulator' | 'command' | 'status';

export type ErrorAnswer = { detail: string; code: string; request_id?: string };

export type EventItem = { id: number; ts: string; kind: string; subject_kind: string; subject: string; ap_id: string | null; site: string | null; severity: EventSeverity; text: string; data: Record<string, unknown> };

export type EventList = { items: (EventItem)[]; next: string | null };

export type EventSeverity = 'info' | 'warning' | 'minor' | 'major' | 'critical';

export type FaultRequest = { agent_id: string; kind: EmulatorFaultKind; seconds: number; amount?: number };

export type FleetPresence = { agents: (AgentPresence)[] };

export type Grant = { role: 'viewer' | 'operator' | 'manager' | 'auditor'; selector?: string };

export type Grants = (Grant)[];

export type HTTPValidationError = { detail: (ValidationError)[]; code?: string };

export type HealthWord = 'good' | 'degraded' | 'bad' | 'unknown';

export type HeardAccessPoint = { ap_id?: string; bssid?: string; rssi_dbm: number | null; by: string };

export type IgnoredField = { field: string; reason: 'array' | 'text_for_metric' | 'metric_for_text' | 'name' | 'repeated' | 'not_finite' | 'text' | 'empty' | 'not_an_object' | 'not_a_place' | 'beside_payload' | 'beside_samples' | 'not_a_list' | 'no_device' | 'not_a_number' | 'too_many_devices' };

export type Job = { job_number: string; task_type: string; state: JobState; detail: string | null; progress: number | null; created_at: string; updated_at: string; ended_at: string | null; expires_at: string; last_seq: number; bytes: number; websocket: string };

export type JobAccepted = { job_number: string; status: 'queued'; websocket: string };

export type JobEnvelope = { job_number: string; seq: number; type: EnvelopeType; data: (unknown)[]; final: boolean; ts: string };

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

export type JobWithMessages = { job_number: string; task_type: string; state: JobState; detail: string | null; progress: number | null; created_at: string; updated_at: string; ended_at: string | null; expires_at: string; last_seq: number; bytes: number; websocket: string; messages: (JobEnvelope)[]; has_more: boolean };

export type LabelsUpdate = { display_name?: string | null; site?: string | null; tags?: (string)[]; add_tags?: (string)[]; remove_tags?: (string)[] };

export type LatestMetrics = { agents: ({ ap_id: string; presence: Presence; metrics: Record<string, unknown> })[] };

export type LoginForm = { grant_type?: string | null; username: string; password: string; scope?: string; client_id?: string | null; client_secret?: string | null };

export type LoginType = 'user' | 'agent' | 'third_party_app';

export type MetricComparison = { with?: number; without?: number; change?: number; plus_minus?: { with?: number; without?: number; change?: number } };

export type MetricSeries = { metric: string; points: ({ ts: string; value: number })[] };

export type NetworkHealth = { health: HealthWord; causes: (string)[]; access_points: { good: number; degraded: number; bad: number; unknown: number }; alarms: { critical: number; major: number; minor: number; warning: number }; unacknowledged: number; worst: (AgentHealth)[]; sites: (SiteHealth)[] };

export type Notification = { id: string; name: string; email: string; events: (string)[]; severities: (EventSeverity)[]; selector: string; digest_minutes: number; quiet: QuietHours | null; time_zone: string; enabled: boolean; created_by: string; created_at: string; last_sent_at: string | null; failing_since: string | null };

export type NotificationInput = { name: string; email: string; events?: (string)[]; severities?: (EventSeverity)[]; selector?: string; digest_minutes?: number; quiet?: QuietHours | null; time_zone?: string; enabled?: boolean };

export type NotificationList = { items: (Notification)[]; next: null };

export type NotificationTest = { sent: boolean; error: string | null };

export type ParameterGroup = { name: string; technology?: Technology | null; parameters: (string)[]; scope?: 'agent' | 'neighbours'; policy: 'priority' | 'first_wins' | 'last_wins' | 'merge'; merge?: 'min' | 'max' | 'mean'; loser?: 'reject' | 'queue'; hold_s?: number; min_interval_ms?: number };

export type PasswordChange = { current_password: string; new_password: string };

export type PasswordRecoveryRequest = { username: string };

export type PasswordReset = { token: string; new_password: string };

export type PlannedFault = { access_point: number; after_seconds?: number; kind: EmulatorFaultKind; seconds: number; amount?: number };

export type Presence = 'online' | 'late' | 'offline';

export type PushSecret = { ap_id: string; secret: string };

export type QuietHours = { from: string; until: string; except?: (EventSeverity)[] };

export type ResolvedPlace = { emulator: number; location: number; given: string; name: string; country: string; latitude: number; longitude: number; others: number };

export type Rival = { command_id: string; caller_kind: string; caller_name: string; ap_id: string; parameter: string; until: string };

export type SelectorExplain = { selector: string };

export type SelectorExplanation = { selector: string; meaning: string; matches: number; examples: (string)[]; only_labels: boolean };

export type ServiceLevel = { level: ServiceLevelName; good_minutes: number; minutes: number; goal: number };

export type ServiceLevelName = 'availability' | 'coverage' | 'capacity' | 'latency' | 'handover' | 'energy';

export type Session = { id: string; created_at: string; renewed_at: string; expires_at: string; ends_at: string; address: string; client: string; is_current: boolean };

export type Silence = { id: string; selector?: string; rules?: (string)[]; from?: string; until?: string; weekly?: { days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; until: string }; time_zone?: string; comment?: string; created_by: string; created_at: string; within: (string)[] | null; active: boolean; next: { from: string; until: string } | null };

export type SilenceInput = { selector?: string; rules?: (string)[]; from?: string; until?: string; weekly?: { days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; until: string }; time_zone?: string; comment?: string };

export type SilenceList = { items: (Silence)[]; next: null };

export type Site = { id: string; path: string; name: string; geolocation: { latitude: number; longitude: number } | null; time_zone: string | null; notes: string; access_points: number; created_at: string };

export type SiteCreate = { path: string; name?: string | null; geolocation?: { latitude: number; longitude: number } | null; time_zone?: string | null; notes?: string | null };

export type SiteHealth = { path: string; name: string; health: HealthWord; causes: (string)[]; access_points: { good: number; degraded: number; bad: number; unknown: number }; alarms: { critical: number; major: number; minor: number; warning: number } };

export type SitePage = { items: (Site)[]; next: string | null };

export type StatusAnswer = { status: 'success'; detail: string };

export type SteeringAttempt = { ts: string; ap_id: string; target?: string; outcome: 'moved' | 'refused' | 'unreachable' | 'ignored'; command_id: string };

export type TakeOver = { agent_id: string; devices: { mean: number; plus_minus?: number }; delivered_mbps: { mean: number; plus_minus?: number }; to: ({ agent_id: string; devices: { mean: number; plus_minus?: number }; delivered_mbps: { mean: number; plus_minus?: number } })[]; others?: { access_points: number; devices: Amount; delivered_mbps: Amount }; unserved: { mean: number; plus_minus?: number } };

export type Technology = '5G' | 'WiFi' | 'LiFi';

export type ThirdPartyApp = { id: string; app_name: string; api_key: string; permissions: AppPermissions };

export type ThirdPartyAppCreate = { app_name: string; api_key: string; permissions: AppPermissions };

export type ThirdPartyAppSummary = { id: string; app_name: string; permissions: AppPermissions };

export type ThirdPartyAppUpdate = { api_key?: string | null; permissions?: AppPermissions | null };

export type Token = { access_token: string; token_type: string; expires_in: number };

export type TokenData = { username?: string | null; roles: string; scopes?: (string)[] };

export type UserCreate = { username: string; password: string; roles: ('admin' | 'user')[] };

export type UserRegister = { username: string; password: string };

export type UserUpdate = { password?: string | null; roles?: ('admin' | 'user')[] | null };

export type ValidationError = { loc: (string | number)[]; msg: string; type: string; ctx?: Record<string, unknown> };

export type VerdictReason = 'free' | 'own_lease' | 'same_value' | 'higher_rank' | 'higher_priority' | 'last_wins' | 'merged' | 'held_by_other' | 'held_in_group' | 'waits_for_lease' | 'too_soon' | 'frozen' | 'blast_radius';

export type VerdictWord = 'accepted' | 'accepted_modified' | 'queued' | 'rejected';

export type WaitingUser = { username: string; waiting_since: string };

export type Webhook = { id: string; name: string; url: string; events: (string)[]; selector: string; format: WebhookFormat; enabled: boolean; created_by: string; created_at: string; state: 'ok' | 'retrying' | 'failing' | 'disabled'; failing_since: string | null; position: number; waiting: number; parked: number };

export type WebhookDelivery = { id: string; ts: string; event_id: number | null; kind: string; attempt: number; outcome: 'delivered' | 'failed' | 'parked'; status: number | null; error: string | null; duration_ms: number };

export type WebhookDeliveryList = { items: (WebhookDelivery)[]; next: string | null };

export type WebhookFormat = 'json' | 'alertmanager' | 'slack' | 'teams';

export type WebhookInput = { name: string; url: string; events?: (string)[]; selector?: string; format?: WebhookFormat; enabled?: boolean };

export type WebhookList = { items: (Webhook)[]; next: null };

export type WebhookWithSecret = { id: string; name: string; url: string; events: (string)[]; selector: string; format: WebhookFormat; enabled: boolean; created_by: string; created_at: string; state: 'ok' | 'retrying' | 'failing' | 'disabled'; failing_since: string | null; position: number; waiting: number; parked: number; secret: string };

export type WhatIfAnswer = { job_number: string; model: number; model_time: string; minutes: number; exact: boolean; asked: { minutes: number; futures: number; agents: number }; ran: { minutes: number; futures: number; agents: number }; limited_by: ('computing_time' | 'answer_size')[]; results: (Record<string, unknown>)[]; totals: { devices: number; served: Comparison; power_w: Comparison; delivered_mbps: Comparison }; took_over: (TakeOver)[]; agents: ({ agent_id: string; metrics: Record<string, unknown> })[]; timeline: ({ minute: number; served: Comparison; power_w: Comparison; delivered_mbps: Comparison })[] };

export type WhatIfRequest = { job_number: string; commands: ({ agent_id: string; command: string })[]; minutes?: number; futures?: number };

export interface Operations {
  acknowledge_alarm: { path: { alarm_id: string }; json: AlarmNote; answer: Alarm };
  agent_health: { path: { ap_id: string }; answer: AgentHealthReport };
  agent_metrics_text: { query?: { selector?: string; metrics?: (string)[] }; answer: unknown };
  agent_update: { json: AgentUpdateRequest; answer: AgentUpdateAnswer };
  answer_command: { path: { ap_id: string; command_id: string }; json: CommandResult; answer: Command };
  approve_user: { path: { username: string }; answer: TokenData };
  callback_agent_data: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (unknown)[]; answer: CallbackAnswer };
  callback_agent_details: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (Record<string, unknown>)[]; answer: CallbackAnswer };
  callback_emulator: { query: { job_number: string; final?: boolean; chunk?: number; error?: string; progress?: number }; json: (Record<string, unknown>)[]; answer: CallbackAnswer };
  callback_emulator_lease: { query: { job_number: string }; json: EmulatorLeaseRequest; answer: EmulatorLease };
  cancel_command: { path: { command_id: string }; answer: Command };
  cancel_job: { path: { job_number: string }; answer: Job };
  change_password: { json: PasswordChange; answer: Token };
  clear_alarm: { path: { alarm_id: string }; json: AlarmNote; answer: Alarm };
  command_batch: { json: BatchRequest; answer: BatchAnswer };
  create_agent: { json: AgentCreate; answer: Agent };
  create_agent_public: { json: AgentCreate; answer: Agent };
  create_alarm_rule: { json: AlarmRuleInput; answer: AlarmRule };
  create_enrolment_token: { json: EnrolmentTokenCreate; answer: EnrolmentToken };
  create_notification: { json: NotificationInput; answer: Notification };
  create_push_secret: { path: { ap_id: string }; answer: PushSecret };
  create_silence: { json: SilenceInput; answer: Silence };
  create_site: { json: SiteCreate; answer: Site };
  create_third_party_app: { json: ThirdPartyAppCreate; answer: ThirdPartyApp };
  create_token: { query: { login_type: LoginType }; form: LoginForm; answer: Token };
  create_user: { json: UserCreate; answer: TokenData };
  create_user_public: { query?: { code?: string }; json: UserCreate; answer: TokenData };
  create_webhook: { json: WebhookInput; answer: WebhookWithSecret };
  device_history: { path: { device: string }; query?: { since?: string; limit?: number }; answer: DeviceHistoryPage };
  disable_user: { path: { username: string }; answer: DisabledUser };
  emulator_coverage: { path: { job_number: string }; query: { layer: CoverageLayer; technology: Technology; height?: number; bounds?: string; columns?: number; rows?: number; encoding?: 'int16' | 'array' }; answer: CoverageAnswer };
  emulator_coverage_difference: { path: { job_number: string }; json: CoverageDifferenceRequest; answer: CoverageDifference };
  emulator_fault: { path: { job_number: string }; json: FaultRequest; answer: StatusAnswer };
  emulator_spinup: { json: EmulatorSpinupRequest; answer: EmulatorAccepted };
  emulator_what_if: { json: WhatIfRequest; answer: WhatIfAnswer };
  enable_user: { path: { username: string }; answer: StatusAnswer };
  end_session: { path: { username: string; id: string }; answer: StatusAnswer };
  end_token: { answer: StatusAnswer };
  erase_device: { path: { device: string }; answer: StatusAnswer };
  event_stream: { query?: { kinds?: (string)[]; selector?: string; ap_id?: string; after?: number; token?: string }; answer: unknown };
  explain_selector: { json: SelectorExplain; answer: SelectorExplanation };
  extend_session: { path: { username: string; id: string }; answer: Session };
  get_agent: { path: { ap_id: string }; answer: Agent };
  get_alarm: { path: { alarm_id: string }; answer: Alarm };
  get_alarm_rule: { path: { rule_id: string }; answer: AlarmRule };
  get_bulk: { path: { job_number: string }; query?: { cursor?: string; limit?: number }; answer: BulkProgress };
  get_command: { path: { command_id: string }; answer: Command };
  get_conflict_rules: { answer: ConflictRules };
  get_device: { path: { device: string }; answer: DeviceDetails };
  get_device_privacy: { answer: DevicePrivacy };
  get_emulator_run: { path: { job_number: string }; answer: EmulatorRunWithAgents };
  get_grants: { path: { username: string }; answer: Grants };
  get_job: { path: { job_number: string }; query?: { after?: number }; answer: JobWithMessages };
  get_labels: { path: { ap_id: string }; answer: AgentLabels };
  get_me: { answer: TokenData };
  get_notification: { path: { id: string }; answer: Notification };
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
  list_audit_entries: { query?: { actor?: string; action?: string; target?: string; since?: string; until?: string; before?: number; limit?: number }; answer: AuditPage };
  list_commands: { query?: { agent?: string; state?: CommandState; batch_id?: string; before?: string; limit?: number }; answer: (Command)[] };
  list_conflicts: { query?: { agent?: string; reason?: string; since?: string; until?: string; before?: number; limit?: number }; answer: ConflictPage };
  list_devices: { query?: { selector?: string; search?: string; sort?: string; cursor?: string; limit?: number; count?: boolean }; answer: DevicePage };
  list_disabled_users: { answer: (DisabledUser)[] };
  list_emulator_runs: { query?: { all?: boolean; before?: string; limit?: number }; answer: (EmulatorRun)[] };
  list_enrolment_tokens: { answer: (EnrolmentToken)[] };
  list_events: { query?: { kinds?: (string)[]; selector?: string; ap_id?: string; search?: string; subject?: string; site?: string; from?: string; until?: string; after?: number; order?: 'newest_first' | 'oldest_first'; cursor?: string; limit?: number }; answer: EventList };
  list_jobs: { query?: { all?: boolean; state?: JobState; before?: string; limit?: number }; answer: (Job)[] };
  list_notifications: { answer: NotificationList };
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
  metrics_latest: { query?: { agents?: (string)[]; metrics?: (string)[] }; answer: LatestMetrics };
  metrics_presence: { query?: { agents?: (string)[] }; answer: FleetPresence };
  metrics_stream: { query?: { agents?: (string)[]; metrics?: (string)[]; after?: string; token?: string }; answer: unknown };
  network_health: { answer: NetworkHealth };
  poll_commands: { path: { ap_id: string }; query?: { wait?: number }; answer: (AgentCommand)[] };
  preview_alarm_rule: { query?: { window?: number }; json: AlarmRuleInput; answer: AlarmPreview };
  refuse_user: { path: { username: string }; answer: StatusAnswer };
  remove_agent: { path: { ap_id: string }; answer: StatusAnswer };
  remove_alarm_rule: { path: { rule_id: string }; answer: StatusAnswer };
  remove_enrolment_token: { path: { id: string }; answer: StatusAnswer };
  remove_notification: { path: { id: string }; answer: StatusAnswer };
  remove_silence: { path: { silence_id: string }; answer: StatusAnswer };
  remove_site: { path: { id: string }; answer: StatusAnswer };
  remove_third_party_app: { path: { app_name: string }; answer: StatusAnswer };
  remove_user: { path: { username: string }; answer: StatusAnswer };
  remove_webhook: { path: { id: string }; answer: StatusAnswer };
  renew_token: { answer: Token };
  renew_webhook_secret: { path: { id: string }; answer: WebhookWithSecret };
  replay_webhook: { path: { id: string }; query: { after: number }; answer: Webhook };
  request_agent_data: { query: { agent_id: string; start_time: string; end_time: string }; answer: JobAccepted };
  request_all_agents_details: { query?: { state?: 'online' | 'late' | 'offline' | 'never' | 'ended' | 'all'; emulated?: boolean }; answer: JobAccepted };
  request_password_recovery: { json: PasswordRecoveryRequest; answer: StatusAnswer };
  reset_alarm_rule: { path: { rule_id: string }; answer: AlarmRule };
  reset_password: { json: PasswordReset; answer: StatusAnswer };
  send_command: { query: { agent_id: string; command: string; hold_seconds?: number; expires_in?: number; idempotency_key?: string; guard?: string; dry_run?: boolean }; answer: CommandAccepted | CommandPreview };
  set_device_privacy: { json: DevicePrivacy; answer: DevicePrivacy };
  set_grants: { path: { username: string }; json: Grants; answer: Grants };
  shelve_alarm: { path: { alarm_id: string }; json: AlarmShelf; answer: Alarm };
  sign_up: { json: UserRegister; answer: TokenData };
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
  update_third_party_app: { path: { app_name: string }; json: ThirdPartyAppUpdate; answer: ThirdPartyApp };
  update_user: { path: { username: string }; json: UserUpdate; answer: TokenData };
  update_webhook: { path: { id: string }; json: WebhookInput; answer: Webhook };
  watch_device: { path: { device: string }; json: DeviceWatchRequest; answer: Device };
  write_line_protocol: { query?: { agent?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
  write_line_protocol_2: { query?: { agent?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
  write_line_protocol_3: { query?: { agent?: string; precision?: 'n' | 'ns' | 'u' | 'us' | 'ms' | 's' | 'm' | 'h' }; text: string; answer: unknown };
}

export const operations = {
  acknowledge_alarm: 'POST /api/v1/alarms/{alarm_id}/acknowledge',
  agent_health: 'GET /api/v1/health/agents/{ap_id}',
  agent_metrics_text: 'GET /metrics/agents',
  agent_update: 'POST /api/v1/agent_update/update',
  answer_command: 'POST /api/v1/agents/{ap_id}/commands/{command_id}',
  approve_user: 'POST /api/v1/waiting_users/{username}/approve',
  callback_agent_data: 'POST /api/v1/callback/agent_data',
  callback_agent_details: 'POST /api/v1/callback/agent_details',
  callback_emulator: 'POST /api/v1/callback/emulator',
  callback_emulator_lease: 'POST /api/v1/callback/emulator/lease',
  cancel_command: 'DELETE /api/v1/commands/{command_id}',
  cancel_job: 'DELETE /api/v1/jobs/{job_number}',
  change_password: 'POST /api/v1/users/me/password',
  clear_alarm: 'POST /api/v1/alarms/{alarm_id}/clear',
  command_batch: 'POST /api/v1/commands/batch',
  create_agent: 'POST /api/v1/agents/',
  create_agent_public: 'POST /api/v1/agents/public',
  create_alarm_rule: 'POST /api/v1/alarm_rules',
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
  disable_user: 'PUT /api/v1/disabled_users/{username}',
  emulator_coverage: 'GET /api/v1/emulator/{job_number}/coverage',
  emulator_coverage_difference: 'POST /api/v1/emulator/{job_number}/coverage',
  emulator_fault: 'POST /api/v1/emulator/{job_number}/faults',
  emulator_spinup: 'POST /api/v1/emulator/spinup',
  emulator_what_if: 'POST /api/v1/emulator/what_if',
  enable_user: 'DELETE /api/v1/disabled_users/{username}',
  end_session: 'DELETE /api/v1/users/{username}/sessions/{id}',
  end_token: 'DELETE /api/v1/token/',
  erase_device: 'DELETE /api/v1/devices/{device}',
  event_stream: 'GET /api/v1/events/stream',
  explain_selector: 'POST /api/v1/selectors/explain',
  extend_session: 'POST /api/v1/users/{username}/sessions/{id}/extend',
  get_agent: 'GET /api/v1/agents/{ap_id}',
  get_alarm: 'GET /api/v1/alarms/{alarm_id}',
  get_alarm_rule: 'GET /api/v1/alarm_rules/{rule_id}',
  get_bulk: 'GET /api/v1/bulk/{job_number}',
  get_command: 'GET /api/v1/commands/{command_id}',
  get_conflict_rules: 'GET /api/v1/conflicts/rules',
  get_device: 'GET /api/v1/devices/{device}',
  get_device_privacy: 'GET /api/v1/device_privacy',
  get_emulator_run: 'GET /api/v1/emulator/{job_number}',
  get_grants: 'GET /api/v1/users/{username}/grants',
  get_job: 'GET /api/v1/jobs/{job_number}',
  get_labels: 'GET /api/v1/agents/{ap_id}/labels',
  get_me: 'GET /api/v1/users/me',
  get_notification: 'GET /api/v1/notifications/{id}',
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
  list_commands: 'GET /api/v1/commands',
  list_conflicts: 'GET /api/v1/conflicts',
  list_devices: 'GET /api/v1/devices',
  list_disabled_users: 'GET /api/v1/disabled_users',
  list_emulator_runs: 'GET /api/v1/emulator',
  list_enrolment_tokens: 'GET /api/v1/enrolment_tokens',
  list_events: 'GET /api/v1/events',
  list_jobs: 'GET /api/v1/jobs',
  list_notifications: 'GET /api/v1/notifications',
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
  metrics_stream: 'GET /api/v1/metrics/stream',
  network_health: 'GET /api/v1/health',
  poll_commands: 'GET /api/v1/agents/{ap_id}/commands',
  preview_alarm_rule: 'POST /api/v1/alarm_rules/preview',
  refuse_user: 'DELETE /api/v1/waiting_users/{username}',
  remove_agent: 'DELETE /api/v1/agents/{ap_id}',
  remove_alarm_rule: 'DELETE /api/v1/alarm_rules/{rule_id}',
  remove_enrolment_token: 'DELETE /api/v1/enrolment_tokens/{id}',
  remove_notification: 'DELETE /api/v1/notifications/{id}',
  remove_silence: 'DELETE /api/v1/silences/{silence_id}',
  remove_site: 'DELETE /api/v1/sites/{id}',
  remove_third_party_app: 'DELETE /api/v1/third_party_apps/{app_name}',
  remove_user: 'DELETE /api/v1/users/{username}',
  remove_webhook: 'DELETE /api/v1/webhooks/{id}',
  renew_token: 'POST /api/v1/token/renew',
  renew_webhook_secret: 'POST /api/v1/webhooks/{id}/secret',
  replay_webhook: 'POST /api/v1/webhooks/{id}/replay',
  request_agent_data: 'POST /api/v1/agent_data/request_agent_data',
  request_all_agents_details: 'POST /api/v1/agent_details/request_all_agents_details',
  request_password_recovery: 'POST /api/v1/users/password-recovery',
  reset_alarm_rule: 'POST /api/v1/alarm_rules/{rule_id}/reset',
  reset_password: 'POST /api/v1/users/reset-password',
  send_command: 'POST /api/v1/send_command',
  set_device_privacy: 'PUT /api/v1/device_privacy',
  set_grants: 'PUT /api/v1/users/{username}/grants',
  shelve_alarm: 'POST /api/v1/alarms/{alarm_id}/shelve',
  sign_up: 'POST /api/v1/users/signup',
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
  write_line_protocol: 'POST /api/v1/write',
  write_line_protocol_2: 'POST /write',
  write_line_protocol_3: 'POST /api/v2/write',
} as const satisfies Record<keyof Operations, string>;
