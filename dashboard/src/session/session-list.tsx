// The open sessions of a user: since when, from where, by which program; each can be ended.
import './session-list.css';
import { useState } from 'preact/hooks';
import { call, type Session, toFailure } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Loading, Notice, showToast, useAction } from '../components/feedback.tsx';
import { queries, useOperation } from '../data/use-operation.ts';
import { formatMoment } from '../format.ts';
import { leaveSession, session } from './session.ts';

const extendText = 'Keep for a display';

// The first that matches: others name themselves after their ancestors too.
const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Of a program that is no browser: its own words, without what follows them. */
export function clientWords(userAgent: string): string {
  const find = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = userAgent.startsWith('Mozilla/') ? find(browsers) : undefined;
  if (browser === undefined) return userAgent.trim().split(' ')[0] || 'Unknown program';
  const system = find(systems);
  return system === undefined ? browser : `${browser} on ${system}`;
}

interface SessionListProps {
  username: string;
  /** May let a session be renewed for longer. */
  canExtend?: boolean;
  /** The sessions are those of an administrator. */
  isAdministrator?: boolean;
}

export function SessionList({ username, canExtend = false, isAdministrator = false }: SessionListProps) {
  const { data, failure } = useOperation('list_sessions', { path: { username } }, { pollMs: 15_000 });
  const { isBusy, act: actOnce } = useAction();
  const isOwn = username === session.value?.username;
  const act = async (action: () => Promise<string>) => {
    await actOnce(action);
    queries.refresh('list_sessions');
  };
  const end = ({ id, is_current }: Session) =>
    act(async () => {
      await call('end_session', { path: { username, id } });
      if (is_current) leaveSession();
      return 'Session ended';
    });
  const others = data?.filter(({ is_current }) => !is_current) ?? [];
  const endOthers = () =>
    act(async () => {
      for (const { id } of others) {
        await call('end_session', { path: { username, id } }).catch((error) => {
          if (toFailure(error).code !== 'session_not_found') throw error;
        });
      }
      return `Sessions ended: ${String(others.length)}`;
    });
  const [extending, setExtending] = useState<Session | undefined>(undefined);
  const extend = async ({ id }: Session) => {
    const { ends_at } = await call('extend_session', { path: { username, id } });
    queries.refresh('list_sessions');
    showToast({ title: `The session can be renewed until ${formatMoment(ends_at)}` });
    setExtending(undefined);
  };
  return (
    <>
      <Loading data={data} failure={failure} again="list_sessions" lines={2} />
      {data?.length === 0 && <p class="soft">No open sessions</p>}
      {data && data.length > 0 && (
        <ul class="session-list">
          {data.map((each) => (
            <Row
              key={each.id}
              session={each}
              isBusy={isBusy}
              onEnd={() => end(each)}
              onExtend={canExtend ? () => setExtending(each) : undefined}
            />
          ))}
        </ul>
      )}
      {extending && (
        <ConfirmDialog
          title={`Keep ${clientWords(extending.client)} signed in for a display?`}
          action={extendText}
          kind={isAdministrator ? 'danger' : 'primary'}
          onClose={() => setExtending(undefined)}
          onConfirm={() => extend(extending)}
        >
          <div class="stack">
            <p>{`The session stays for up to 30 days while its page is open. Until then everybody at the display has the rights of ${username}.`}</p>
            {isAdministrator && (
              <Notice
                kind="warning"
                title="These are the rights of an administrator"
                words="Better: add a user with the grant “viewer”, sign in with it at the display and keep that session. It can read, and change nothing."
              />
            )}
          </div>
        </ConfirmDialog>
      )}
      {others.length > 1 && (
        <div>
          <Button disabled={isBusy} onClick={endOthers} words={isOwn ? 'End all other sessions' : 'End all sessions'} />
        </div>
      )}
    </>
  );
}

interface RowProps {
  session: Session;
  isBusy: boolean;
  onEnd: () => void;
  onExtend: (() => void) | undefined;
}

function Row({ session: { created_at, renewed_at, ends_at, address, client, is_current }, ...rest }: RowProps) {
  const { isBusy, onEnd, onExtend } = rest;
  const words = clientWords(client);
  const since = formatMoment(created_at);
  const renewed = formatMoment(renewed_at);
  return (
    <li>
      <div>
        <strong title={client}>{words}</strong>
        {is_current && <span class="session-current">this session</span>}
        <p class="soft small">
          <span class="mono">{address}</span> · {`Signed in ${since}`}
          {renewed !== since && ` · last renewed ${renewed}`} · {`can be renewed until ${formatMoment(ends_at)}`}
        </p>
      </div>
      <div class="session-acts">
        {onExtend && (
          <Button
            size="small"
            kind="quiet"
            disabled={isBusy}
            aria-label={`Keep for a display: ${words}, signed in ${since}`}
            onClick={onExtend}
          >
            {extendText}
          </Button>
        )}
        <Button
          size="small"
          disabled={isBusy}
          aria-label={`End the session of ${words}, signed in ${since}`}
          onClick={onEnd}
          words="End"
        />
      </div>
    </li>
  );
}
