// What a rule would have done over the last day, before it is saved.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { type Failure, toFailure } from '../../api/failure.ts';
import type { AlarmPreview, AlarmRuleInput } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import { alarmsText } from '../../text/alarms.ts';
import { type RuleValues, toRule } from './rule-form.ts';

const text = alarmsText.rule;
const windowHours = 24;

interface RulePreviewProps {
  form: FormState<RuleValues>;
  labels: AlarmRuleInput['labels'];
}

export function RulePreview({ form, labels }: RulePreviewProps) {
  const [found, setFound] = useState<{ of: string; preview: AlarmPreview } | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const rule = toRule(form.values.value, labels);
  const key = JSON.stringify(rule);
  const ask = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      // A name is needed to save a rule, not to try it.
      const json = { ...rule, name: rule.name || text.newTitle };
      setFound({ of: key, preview: await call('preview_alarm_rule', { query: { window: windowHours }, json }) });
    } catch (error) {
      setFailure(toFailure(error));
    } finally {
      setBusy(false);
    }
  };
  const preview = found?.of === key ? found.preview : undefined;
  return (
    <section class="card stack rule-preview" aria-live="polite">
      <div>
        <Button icon="play" isBusy={isBusy} onClick={ask}>
          {isBusy ? text.previewing : text.preview}
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} />}
      {preview && <Found preview={preview} />}
    </section>
  );
}

function Found({ preview: { times, agents, agents_selected, is_complete, alarms } }: { preview: AlarmPreview }) {
  return (
    <>
      <h2>{times === 0 ? text.rangNever : text.rang(formatCount(times, 'time'))}</h2>
      <p class="soft">
        {text.looked(formatNumber(agents), formatNumber(agents_selected))}
        {!is_complete && ` ${text.incomplete}`}
      </p>
      {alarms.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol tabIndex={0}>
          {alarms.map(({ ap_id, subject, from, until }) => (
            <li key={`${subject} ${from}`}>
              {formatMoment(Date.parse(from))} · {ap_id === null ? subject : <AgentName ap_id={ap_id} />} ·{' '}
              {until === null
                ? text.stillFiring
                : formatSpan(Math.max(1, (Date.parse(until) - Date.parse(from)) / 1000), 2)}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
