// The messages of a job, newest first, each opening into its JSON.
import { useMemo, useState } from 'preact/hooks';
import type { JobEnvelope } from '../../api/operations.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { jobsText } from '../../text/jobs.ts';
import { summaryOf } from './job-words.ts';

const text = jobsText.one;
/** Beyond this the browser would take seconds to draw it. */
const maxShown = 100_000;

interface JobMessagesProps {
  messages: readonly JobEnvelope[];
  skipped: number;
  isOpen: boolean;
}

export function JobMessages({ messages, skipped, isOpen }: JobMessagesProps) {
  if (messages.length === 0) {
    return (
      <div class="card">
        <EmptyState title={isOpen ? text.waiting : text.noneCame}>{isOpen && text.waitingWords}</EmptyState>
      </div>
    );
  }
  return (
    <>
      <ol class="card job-messages">
        {messages.toReversed().map((message) => (
          <Message key={message.seq} message={message} />
        ))}
      </ol>
      {skipped > 0 && <p class="faint small">{text.skipped(formatNumber(skipped))}</p>}
    </>
  );
}

function Message({ message }: { message: JobEnvelope }) {
  const [isShown, setShown] = useState(false);
  const { seq, type, final, ts } = message;
  const summary = useMemo(() => summaryOf(message), [message]);
  return (
    <li>
      <button type="button" class="job-message" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <Icon name={isShown ? 'chevron-down' : 'chevron-right'} size={16} />
        <span class="faint seq">{seq}</span>
        <span class="type">{text.types[type] ?? type}</span>
        <span class="soft summary">{summary}</span>
        {final && <span class="job-tag">{text.final}</span>}
        <time class="faint" dateTime={ts}>
          {formatMoment(Date.parse(ts))}
        </time>
      </button>
      {isShown && <RawMessage message={message} />}
    </li>
  );
}

function RawMessage({ message }: { message: JobEnvelope }) {
  const json = useMemo(() => JSON.stringify(message, null, 2), [message]);
  return (
    <figure class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={text.raw(message.seq)}>
        <code>{json.slice(0, maxShown)}</code>
      </pre>
      <CopyButton text={json} label={text.copyMessage(message.seq)} />
      {json.length > maxShown && (
        <figcaption class="faint small">
          {text.cut(formatValue(maxShown, 'B'), formatValue(json.length, 'B'))}
        </figcaption>
      )}
    </figure>
  );
}
