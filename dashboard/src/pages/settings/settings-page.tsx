// One's account, how the dashboard looks, notifications, the way for programs, and how the service is.
import './settings-page.css';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { readFigures, readReadiness, readVersion } from '../../api/service.ts';
import { ButtonLink } from '../../components/button.tsx';
import { CopyButton } from '../../components/copyable.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { FailureNotice, Notice, SkeletonLines } from '../../components/feedback.tsx';
import { Facts, Page } from '../../components/page.tsx';
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

const text = settingsText.system;

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
    <section class="card stack">
      <h2>{text.title}</h2>
      {readiness.failure && <FailureNotice failure={readiness.failure} />}
      {!data && !readiness.failure && <SkeletonLines />}
      {isWell && <Notice kind="good" title={text.ready} />}
      {data && !isWell && <Notice kind="warning" title={text.notReady} words={text.notReadyWords} />}
      {data && (
        <Facts
          look="settings-facts"
          rows={[
            ...Object.entries(data.parts).map(
              ([name, isWell]) =>
                [partName(name), isWell ? text.ok : text.failing, isWell ? '' : 'is-failing'] as const,
            ),
            [text.version, version.data ?? '–'],
            startedAt !== undefined && [text.running, formatSpan(Math.max(0, now.value / 1000 - startedAt), 2)],
            memory !== undefined && [text.memory, formatValue(memory, 'B')],
            requests !== undefined && [text.requests, formatNumber(requests)],
          ]}
        />
      )}
      {figures.data === null && <p class="faint small">{text.noMetrics}</p>}
      {figures.data && (
        <p>
          <a href="/metrics">{text.metrics}</a>
        </p>
      )}
    </section>
  );
}

function partName(name: string): string {
  const position = /^telemetry_(\d+)$/.exec(name)?.[1];
  return position === undefined ? (text.parts[name] ?? name) : text.telemetryServer(position);
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
  const devicePrivacyText = settingsText.appearance;
  return (
    <section class="card stack">
      <h2>{devicePrivacyText.title}</h2>
      <Choices<ThemeChoice>
        label={devicePrivacyText.theme}
        value={themeChoice.value}
        options={shellText.themes}
        onChange={chooseTheme}
      />
      <Choices<MotionChoice>
        label={devicePrivacyText.motion}
        value={motionChoice.value}
        options={devicePrivacyText.motions}
        onChange={chooseMotion}
      />
      <p class="faint small">{devicePrivacyText.remembered}</p>
    </section>
  );
}

export function NoticesCard() {
  const devicePrivacyText = settingsText.notices;
  // The browser does not say when its permission changes.
  const [problem, setProblem] = useState(noticeProblem());
  const choose = async (choice: NoticeChoice) => {
    await chooseNotices(choice);
    setProblem(noticeProblem());
  };
  return (
    <section class="card stack">
      <h2>{devicePrivacyText.title}</h2>
      <Choices<NoticeChoice>
        label={devicePrivacyText.label}
        value={problem === undefined ? noticeChoice.value : 'off'}
        options={devicePrivacyText.choices}
        isDisabled={problem === 'unsupported'}
        onChange={choose}
      />
      <p class="faint small">{problem === undefined ? devicePrivacyText.words : devicePrivacyText[problem]}</p>
    </section>
  );
}

export function InterfaceCard() {
  const devicePrivacyText = settingsText.interface;
  return (
    <section class="card stack">
      <h2>{devicePrivacyText.title}</h2>
      <p class="soft">{devicePrivacyText.words}</p>
      <div class="cluster">
        {/* In this tab: the session of a tab stays in it. */}
        <ButtonLink href="/docs">{devicePrivacyText.docs}</ButtonLink>
        <a href="/openapi.json">{devicePrivacyText.openApi}</a>
        <a href="/asyncapi.json">{devicePrivacyText.asyncApi}</a>
      </div>
      <div class="spread">
        <p class="soft">{devicePrivacyText.token}</p>
        <CopyButton text={session.value?.token ?? ''} label={devicePrivacyText.copyToken} />
      </div>
    </section>
  );
}

const devicePrivacyText = settingsText.devicePrivacy;
type Shown = keyof typeof devicePrivacyText.choices;

export function DevicePrivacyCard() {
  const { data, failure } = useOperation('get_device_privacy', {});
  const [asked, setAsked] = useState<Shown | undefined>(undefined);
  const value: Shown = data?.clear_addresses ? 'clear' : 'pseudonyms';
  return (
    <section class="card stack">
      <h2>{devicePrivacyText.title}</h2>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_device_privacy')} />}
      <Choices<Shown>
        label={devicePrivacyText.label}
        value={value}
        options={devicePrivacyText.choices}
        isDisabled={!data}
        isAsked
        onChange={setAsked}
      />
      <p class="faint small">{devicePrivacyText.words}</p>
      {asked && (
        <ConfirmDialog
          title={devicePrivacyText.titles[asked]}
          action={devicePrivacyText.actions[asked]}
          kind={asked === 'clear' ? 'danger' : 'primary'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call('set_device_privacy', { json: { clear_addresses: asked === 'clear' } })}
          changes={['get_device_privacy']}
          done={devicePrivacyText.done[asked]}
          words={devicePrivacyText.consequences[asked]}
        />
      )}
    </section>
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
