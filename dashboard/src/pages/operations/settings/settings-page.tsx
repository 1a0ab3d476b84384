// One's account, how the dashboard looks, notifications, the way for programs, and how the service is.
import './settings-page.css';
import { useId, useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { readFigures, readReadiness, readVersion } from '../../../api/service.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copyable.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { FailureNotice, Loading, Notice } from '../../../components/feedback.tsx';
import { Card, Facts, Page } from '../../../components/page.tsx';
import { now } from '../../../data/freshness.ts';
import { queries, useOperation, useQuery } from '../../../data/use-operation.ts';
import { formatNumber, formatSpan, formatValue } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { chooseNotices, type NoticeChoice, noticeChoice, noticeProblem } from '../../../shell/alarm-notices.ts';
import {
  chooseMotion,
  chooseTheme,
  type MotionChoice,
  motionChoice,
  type ThemeChoice,
  themeChoice,
} from '../../../styles/theme.ts';
import { shellText } from '../../../text/components.ts';
import { AccountCard, DeleteAccountCard, PasswordCard, SessionsCard } from './account-cards.tsx';

const text = {
  motions: { system: 'System setting', reduced: 'Reduced' },
  notices: {
    title: 'Notifications of this browser',
    label: 'When an alarm begins to fire',
    choices: { off: 'Off', serious: 'Critical and major alarms', all: 'All alarms' },
    words: 'Saved in this browser. They come while a page of Weft is open, also in the background.',
    denied: 'This browser blocks notifications of this page. Allow them in its settings for this page.',
    unsupported: 'This browser shows notifications only for pages over HTTPS or on this machine.',
  },
  choices: { pseudonyms: 'Pseudonyms only', clear: 'Pseudonyms and addresses' },
  titles: { clear: 'Show addresses of devices?', pseudonyms: 'Hide addresses of devices?' },
  consequences: {
    clear:
      'Hardware addresses and subscriber identities are personal data. All administrators will see them at the links of each device, and requests may contain them.',
    pseudonyms: 'Administrators see pseudonyms only, and requests with addresses are refused.',
  },
  actions: { clear: 'Show addresses', pseudonyms: 'Hide addresses' },
  done: { clear: 'Administrators see addresses', pseudonyms: 'Addresses are hidden' },
  parts: {
    ...{ disk: 'Disk', database: 'Database', telemetry: 'Telemetry store' },
    ...{ broker: 'Message broker', writes: 'Writes', jobs: 'Jobs' },
  } as Record<string, string>,
};

export function SystemCard() {
  const readiness = useQuery('readiness', { fetch: readReadiness, pollMs: 5000 });
  const version = useQuery('version', { fetch: readVersion });
  const figures = useQuery('figures', { fetch: async () => (await readFigures()) ?? null, pollMs: 10_000 });
  const { data } = readiness;
  const startedAt = figures.data?.get('process_start_time_seconds');
  const memory = figures.data?.get('process_resident_memory_bytes');
  const requests = figures.data?.get('weft_http_requests_total');
  // It is ready without one of several servers of telemetry.
  const isWell = data?.isReady && Object.values(data.parts).every(Boolean);
  return (
    <Card title="System">
      <Loading data={data} failure={readiness.failure} />
      {isWell && <Notice kind="good" title="All systems operational" />}
      {data && !isWell && (
        <Notice
          kind="warning"
          title="A component is failing"
          words="Functions that do not need it still work. Run “weft doctor” to find the cause."
        />
      )}
      {data && (
        <Facts
          look="settings-facts"
          rows={[
            ...Object.entries(data.parts).map(
              ([name, isWell]) => [partName(name), isWell ? 'OK' : 'failing', isWell ? '' : 'is-failing'] as const,
            ),
            ['API version', version.data ?? '–'],
            startedAt !== undefined && ['Uptime', formatSpan(Math.max(0, now.value / 1000 - startedAt), 2)],
            memory !== undefined && ['Memory', formatValue(memory, 'B')],
            requests !== undefined && ['Requests answered', formatNumber(requests)],
          ]}
        />
      )}
      {figures.data === null && (
        <p class="faint small">To see metrics here, allow this machine to read /metrics in the settings of Weft.</p>
      )}
      {figures.data && (
        <p>
          <a href="/metrics">Show all metrics</a>
        </p>
      )}
    </Card>
  );
}

function partName(name: string): string {
  const position = /^telemetry_(\d+)$/.exec(name)?.[1];
  return position === undefined ? (text.parts[name] ?? name) : `Telemetry server ${position}`;
}

interface ChoicesProps<Choice extends string> {
  label: string;
  value: Choice;
  options: Record<Choice, string>;
  isDisabled?: boolean;
  /** Something is asked first: until the value has changed, the one that it has stays chosen. */
  isAsked?: boolean;
  onChange: (choice: Choice) => void;
}

export function Choices<Choice extends string>(props: ChoicesProps<Choice>) {
  const { label, value, options, isDisabled = false, isAsked = false, onChange } = props;
  const ask = (event: Event, choice: Choice) => {
    // The browser then goes back to what was chosen; no change is told.
    event.preventDefault();
    if (choice !== value) onChange(choice);
  };
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {(Object.keys(options) as Choice[]).map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name={name}
            checked={choice === value}
            disabled={isDisabled}
            {...(isAsked ? { onClick: (event: Event) => ask(event, choice) } : { onChange: () => onChange(choice) })}
          />
          {options[choice]}
        </label>
      ))}
    </fieldset>
  );
}

export function AppearanceCard() {
  return (
    <Card title="Appearance">
      <Choices<ThemeChoice> label="Theme" value={themeChoice.value} options={shellText.themes} onChange={chooseTheme} />
      <Choices<MotionChoice> label="Motion" value={motionChoice.value} options={text.motions} onChange={chooseMotion} />
      <p class="faint small">Saved in this browser.</p>
    </Card>
  );
}

export function NoticesCard() {
  // The browser does not say when its permission changes.
  const [problem, setProblem] = useState(noticeProblem());
  const choose = async (choice: NoticeChoice) => {
    await chooseNotices(choice);
    setProblem(noticeProblem());
  };
  return (
    <Card title={text.notices.title}>
      <Choices<NoticeChoice>
        label={text.notices.label}
        value={problem === undefined ? noticeChoice.value : 'off'}
        options={text.notices.choices}
        isDisabled={problem === 'unsupported'}
        onChange={choose}
      />
      <p class="faint small">{problem === undefined ? text.notices.words : text.notices[problem]}</p>
    </Card>
  );
}

export function InterfaceCard() {
  return (
    <Card title="API">
      <p class="soft">
        Programs can use all functions of this dashboard over HTTP. In the documentation you can try each request,
        signed in as you.
      </p>
      <div class="cluster">
        {/* In this tab: the session of a tab stays in it. */}
        <ButtonLink href="/docs">API documentation</ButtonLink>
        <a href="/openapi.json">openapi.json</a>
        <a href="/asyncapi.json">asyncapi.json</a>
      </div>
      <div class="spread">
        <p class="soft">
          Your access token, for tests in a shell. Anyone who has it can act as you until it expires: keep it secret.
        </p>
        <CopyButton text={session.value?.token ?? ''} label="Copy access token" />
      </div>
    </Card>
  );
}

type Shown = keyof typeof text.choices;

export function DevicePrivacyCard() {
  const { data, failure } = useOperation('get_device_privacy', {});
  const [asked, setAsked] = useState<Shown | undefined>(undefined);
  const value: Shown = data?.clear_addresses ? 'clear' : 'pseudonyms';
  return (
    <Card title="Privacy of devices">
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_device_privacy')} />}
      <Choices<Shown>
        label="Administrators see"
        value={value}
        options={text.choices}
        isDisabled={!data}
        isAsked
        onChange={setAsked}
      />
      <p class="faint small">
        For the whole installation. Only pseudonyms are stored, whatever is chosen; addresses are in memory while
        devices are attached. Each change is recorded in the audit log.
      </p>
      {asked && (
        <ConfirmDialog
          title={text.titles[asked]}
          action={text.actions[asked]}
          kind={asked === 'clear' ? 'danger' : 'primary'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call('set_device_privacy', { json: { clear_addresses: asked === 'clear' } })}
          changes={['get_device_privacy']}
          done={text.done[asked]}
          words={text.consequences[asked]}
        />
      )}
    </Card>
  );
}

export function SettingsPage({ title }: PageProps) {
  return (
    <Page title={title}>
      <div class="settings-grid">
        <div class="stack">
          <AccountCard />
          <PasswordCard />
          <DeleteAccountCard />
        </div>
        <div class="stack">
          <AppearanceCard />
          <NoticesCard />
          <InterfaceCard />
          <SystemCard />
          {session.value?.isAdmin && <DevicePrivacyCard />}
          {/* Last, because how long it is comes later than the page. */}
          <SessionsCard />
        </div>
      </div>
    </Page>
  );
}
