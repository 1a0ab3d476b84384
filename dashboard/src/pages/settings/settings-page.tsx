// One's account, how the dashboard looks, notifications, the way for programs, and how the service is.
import './settings-page.css';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { readFigures, readReadiness, readVersion } from '../../api/service.ts';
import { ButtonLink } from '../../components/button.tsx';
import { CopyButton } from '../../components/copyable.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { FailureNotice, Loading, Notice } from '../../components/feedback.tsx';
import { Card, Facts, Page } from '../../components/page.tsx';
import { now } from '../../data/freshness.ts';
import { queries, useOperation, useQuery } from '../../data/use-operation.ts';
import { formatNumber, formatSpan, formatValue } from '../../format.ts';
import { session } from '../../session/session.ts';
import { chooseNotices, type NoticeChoice, noticeChoice, noticeProblem } from '../../shell/alarm-notices.ts';
import {
  chooseMotion,
  chooseTheme,
  type MotionChoice,
  motionChoice,
  type ThemeChoice,
  themeChoice,
} from '../../styles/theme.ts';
import { pageTitles } from '../../text/components.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { AccountCard, DeleteAccountCard, PasswordCard, SessionsCard } from './account-cards.tsx';

const systemText = settingsText.system;

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
    <Card title={systemText.title}>
      <Loading data={data} failure={readiness.failure} />
      {isWell && <Notice kind="good" title={systemText.ready} />}
      {data && !isWell && <Notice kind="warning" title={systemText.notReady} words={systemText.notReadyWords} />}
      {data && (
        <Facts
          look="settings-facts"
          rows={[
            ...Object.entries(data.parts).map(
              ([name, isWell]) =>
                [partName(name), isWell ? systemText.ok : systemText.failing, isWell ? '' : 'is-failing'] as const,
            ),
            [systemText.version, version.data ?? '–'],
            startedAt !== undefined && [systemText.running, formatSpan(Math.max(0, now.value / 1000 - startedAt), 2)],
            memory !== undefined && [systemText.memory, formatValue(memory, 'B')],
            requests !== undefined && [systemText.requests, formatNumber(requests)],
          ]}
        />
      )}
      {figures.data === null && <p class="faint small">{systemText.noMetrics}</p>}
      {figures.data && (
        <p>
          <a href="/metrics">{systemText.metrics}</a>
        </p>
      )}
    </Card>
  );
}

function partName(name: string): string {
  const position = /^telemetry_(\d+)$/.exec(name)?.[1];
  return position === undefined ? (systemText.parts[name] ?? name) : systemText.telemetryServer(position);
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
  const text = settingsText.appearance;
  return (
    <Card title={text.title}>
      <Choices<ThemeChoice>
        label={text.theme}
        value={themeChoice.value}
        options={shellText.themes}
        onChange={chooseTheme}
      />
      <Choices<MotionChoice>
        label={text.motion}
        value={motionChoice.value}
        options={text.motions}
        onChange={chooseMotion}
      />
      <p class="faint small">{text.remembered}</p>
    </Card>
  );
}

export function NoticesCard() {
  const text = settingsText.notices;
  // The browser does not say when its permission changes.
  const [problem, setProblem] = useState(noticeProblem());
  const choose = async (choice: NoticeChoice) => {
    await chooseNotices(choice);
    setProblem(noticeProblem());
  };
  return (
    <Card title={text.title}>
      <Choices<NoticeChoice>
        label={text.label}
        value={problem === undefined ? noticeChoice.value : 'off'}
        options={text.choices}
        isDisabled={problem === 'unsupported'}
        onChange={choose}
      />
      <p class="faint small">{problem === undefined ? text.words : text[problem]}</p>
    </Card>
  );
}

export function InterfaceCard() {
  const text = settingsText.interface;
  return (
    <Card title={text.title}>
      <p class="soft">{text.words}</p>
      <div class="cluster">
        {/* In this tab: the session of a tab stays in it. */}
        <ButtonLink href="/docs">{text.docs}</ButtonLink>
        <a href="/openapi.json">{text.openApi}</a>
        <a href="/asyncapi.json">{text.asyncApi}</a>
      </div>
      <div class="spread">
        <p class="soft">{text.token}</p>
        <CopyButton text={session.value?.token ?? ''} label={text.copyToken} />
      </div>
    </Card>
  );
}

const privacyText = settingsText.devicePrivacy;
type Shown = keyof typeof privacyText.choices;

export function DevicePrivacyCard() {
  const { data, failure } = useOperation('get_device_privacy', {});
  const [asked, setAsked] = useState<Shown | undefined>(undefined);
  const value: Shown = data?.clear_addresses ? 'clear' : 'pseudonyms';
  return (
    <Card title={privacyText.title}>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_device_privacy')} />}
      <Choices<Shown>
        label={privacyText.label}
        value={value}
        options={privacyText.choices}
        isDisabled={!data}
        isAsked
        onChange={setAsked}
      />
      <p class="faint small">{privacyText.words}</p>
      {asked && (
        <ConfirmDialog
          title={privacyText.titles[asked]}
          action={privacyText.actions[asked]}
          kind={asked === 'clear' ? 'danger' : 'primary'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call('set_device_privacy', { json: { clear_addresses: asked === 'clear' } })}
          changes={['get_device_privacy']}
          done={privacyText.done[asked]}
          words={privacyText.consequences[asked]}
        />
      )}
    </Card>
  );
}

export function SettingsPage() {
  return (
    <Page title={pageTitles.settings}>
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
