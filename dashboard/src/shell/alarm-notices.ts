// Notifications of this browser for alarms that begin to fire, for who has switched them on here. They come while a page of
// Weft is open, also in the background.
import { signal } from '@preact/signals';
import { type Alarm, call } from '../api/client.ts';
import { agentName } from '../data/agents.ts';
import { serverNow } from '../data/freshness.ts';
import { keep, readKept } from '../data/kept.ts';
import { navigate } from '../router/location.ts';
import { isSignedIn } from '../session/session.ts';
import { componentText } from '../text/components.ts';

export type NoticeChoice = 'off' | 'serious' | 'all';

const key = 'weft.alarm-notices';
/** Browsers let pages in the background ask once a minute. */
const everyMs = 15_000;
const limit = 50;
/** More at once are one notification. */
const maxSingle = 3;
const maxKnown = 1_000;

export const noticeChoice = signal<NoticeChoice>(toChoice(readKept('browser', key)));

/** Why this browser cannot show any; undefined if it can. */
export function noticeProblem(): 'unsupported' | 'denied' | undefined {
  if (!('Notification' in globalThis) || !globalThis.isSecureContext) return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Asks the browser for its permission first; resolves what holds afterwards. */
export async function chooseNotices(choice: NoticeChoice): Promise<NoticeChoice> {
  const isAllowed =
    choice === 'off' || (noticeProblem() === undefined && (await Notification.requestPermission()) === 'granted');
  noticeChoice.value = isAllowed ? choice : 'off';
  keep('browser', key, noticeChoice.value);
  return noticeChoice.value;
}

/** Those that are worth a notification: new, of a chosen severity, and nobody has put them aside. Notes all of them as known. */
export function newAlarms(
  alarms: readonly Pick<Alarm, 'id' | 'since' | 'severity' | 'silenced_by'>[],
  { known, sinceMs, choice }: { known: Set<string>; sinceMs: number; choice: NoticeChoice },
): string[] {
  const found: string[] = [];
  for (const { id, since, severity, silenced_by } of alarms) {
    if (known.has(id)) continue;
    known.add(id);
    const isWanted = choice === 'all' || (choice === 'serious' && (severity === 'critical' || severity === 'major'));
    if (isWanted && silenced_by === null && Date.parse(since) >= sinceMs) found.push(id);
  }
  for (const id of known) {
    if (known.size <= maxKnown) break;
    known.delete(id);
  }
  return found;
}

export function startAlarmNotices(): void {
  const known = new Set<string>();
  let sinceMs = serverNow();
  noticeChoice.subscribe(() => {
    sinceMs = serverNow();
  });
  setInterval(async () => {
    const choice = noticeChoice.peek();
    if (choice === 'off' || !isSignedIn.peek() || noticeProblem() !== undefined) return;
    try {
      const query = { state: 'firing', shelved: false, caused: false, sort: 'newest' as const, limit };
      const { items } = await call('list_alarms', { query });
      const fresh = new Set(newAlarms(items, { known, sinceMs, choice }));
      show(items.filter(({ id }) => fresh.has(id)));
    } catch {
      // The page says when Weft is unreachable.
    }
  }, everyMs);
}

function show(alarms: readonly Alarm[]): void {
  if (alarms.length > maxSingle) {
    notify(`${alarms.length} alarms began to fire`, '', 'many');
    return;
  }
  for (const { id, severity, message, ap_id } of alarms) {
    notify(`${componentText.severities[severity]}: ${message}`, ap_id === null ? '' : agentName(ap_id), id);
  }
}

/** The tag lets several open pages show one. */
function notify(title: string, body: string, tag: string): void {
  const notice = new Notification(title, { body, tag: `weft-${tag}` });
  notice.onclick = () => {
    globalThis.focus();
    navigate('/alarms');
    notice.close();
  };
}

function toChoice(text: string | null): NoticeChoice {
  return text === 'serious' || text === 'all' ? text : 'off';
}
