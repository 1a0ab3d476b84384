// What is wrong with an access point, at the head of its page: the cause in a sentence with its numbers, each with a link, and
// what could be done, tried first or done at once. Without an alarm: why it is not well all the same, or that it is.
import './agent-diagnosis.css';
import type { Alarm, Diagnosis, HealthWord, Proposal } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Skeleton } from '../../../components/feedback.tsx';
import { HealthMark, SeverityMark } from '../../../components/glyph.tsx';
import { agentName, withAgentName } from '../../../data/agents.ts';
import { formatMoment, formatNumber, formatValue } from '../../../format.ts';
import { agentsText } from '../../../text/pages.ts';
import type { CommandDraft } from '../commands/agent-commands.tsx';
import { readCommand } from '../commands/declared-commands.ts';
import type { AgentAlarms } from './use-agent-alarms.ts';

const text = { well: 'No active alarms.', since: (what: string, moment: string) => `${what} since ${moment}` };

type Evidence = Diagnosis['evidence'][number];
const othersShown = 3;

interface AgentDiagnosisProps {
  alarms: AgentAlarms;
  /** Undefined until they are known. */
  health: HealthWord | null | undefined;
  causes: readonly string[] | undefined;
  isEmulated: boolean;
  mayCommand: boolean;
  onTry: (draft: Omit<CommandDraft, 'key'>) => void;
}

export function AgentDiagnosis({ alarms: { active, alarm, diagnosis }, health, causes, ...rest }: AgentDiagnosisProps) {
  if (!alarm) {
    return (
      <p class="agent-diagnosis is-quiet">
        {active ? (
          <>
            <HealthMark health={health ?? 'good'} size={16} /> {quietWords(health ?? 'good', causes ?? [])}
          </>
        ) : (
          <Skeleton width="12em" />
        )}
      </p>
    );
  }
  const others = active!.filter(({ id }) => id !== alarm.id);
  return (
    <section class="card agent-diagnosis" aria-label="Diagnosis">
      <h2>
        <SeverityMark severity={alarm.severity} />
        <span>
          <Sentence {...{ alarm, diagnosis }} />
        </span>
      </h2>
      {diagnosis && <More {...{ alarm, diagnosis, ...rest }} />}
      {others.length > 0 && (
        <p class="small soft">
          Also:{' '}
          {others
            .slice(0, othersShown)
            .map((each) => ownWords(each))
            .join(' · ')}
        </p>
      )}
    </section>
  );
}

/** Its word needs a reason where no alarm gives one: `Degraded: Hand-overs succeeded in 69 % of the time. No active alarms.` */
export function quietWords(health: HealthWord, causes: readonly string[]): string {
  if (health === 'good' || causes.length === 0) return text.well;
  return `${agentsText.healthWords[health]}: ${causes.map(withStop).join(' ')} ${text.well}`;
}

/** `Jammed on channel 108 since 09:25: noise −27 dBm, 5 devices get nothing`. */
function Sentence({ alarm, diagnosis }: { alarm: Alarm; diagnosis: Diagnosis | undefined }) {
  const since = formatMoment(alarm.since).replace(/:\d\d$/, '');
  if (!diagnosis || diagnosis.cause === 'unknown') {
    return <>{text.since(ownWords(alarm), since)}</>;
  }
  const telling = tellingOf(diagnosis.evidence);
  return (
    <>
      {text.since(diagnosis.text, since)}
      {telling.map((evidence, index) => (
        <span key={evidence.text} class="is-evidence">
          {index === 0 ? ': ' : ', '}
          <EvidenceLink {...{ evidence }} cause={diagnosis.text} />
        </span>
      ))}
    </>
  );
}

/** Its first number, and who is affected or else its second: these stand in the sentence, the others below it. */
export function tellingOf<Item extends Pick<Evidence, 'unit'>>([first, ...others]: readonly Item[]): Item[] {
  const second = others.find(({ unit }) => unit === 'devices') ?? others[0];
  return [first, second].filter((each) => each !== undefined);
}

/** The message of an alarm on the page of its access point, whose name needs not be said again. */
function ownWords({ message, ap_id }: Alarm): string {
  const words = withAgentName(message, ap_id);
  const name = ap_id === null ? '' : `${agentName(ap_id)}: `;
  return words.startsWith(name) ? words.slice(name.length) : words;
}

function EvidenceLink({ evidence, cause }: { evidence: Evidence; cause: string }) {
  const words = evidenceWords(evidence, cause);
  return evidence.link === null ? <span>{words}</span> : <a href={evidence.link}>{words}</a>;
}

/** `noise −27 dBm`, `5 devices get nothing`; what the cause says already (`on channel 6`) is left out. */
export function evidenceWords({ text: words, value, unit }: Omit<Evidence, 'link'>, cause = ''): string {
  const said = /on channel \d+/.exec(cause)?.[0];
  const plain = said === undefined ? words : words.replace(` ${said}`, '');
  const small = /^[A-Z][a-z]/.test(plain) ? plain[0]!.toLowerCase() + plain.slice(1) : plain;
  if (value === null) return small;
  const count = /^devices (?:that )?(.*)$/.exec(small);
  if (unit === 'devices' && count) return `${formatNumber(value)} devices ${count[1]!}`;
  const share = /^(.*), of (\d+)$/.exec(small);
  return share ? `${share[1]!}: ${formatNumber(value)} of ${share[2]!}` : `${small} ${formatValue(value, unit)}`;
}

interface MoreProps extends Omit<AgentDiagnosisProps, 'alarms' | 'health' | 'causes'> {
  alarm: Alarm;
  diagnosis: Diagnosis;
}

function More({ alarm, diagnosis, isEmulated, mayCommand, onTry }: MoreProps) {
  const { evidence, proposals, cause } = diagnosis;
  const telling = cause === 'unknown' ? [] : tellingOf(evidence);
  const rest = evidence.filter((each) => !telling.includes(each));
  return (
    <>
      {cause === 'unknown' && <p>{withStop(diagnosis.text)}</p>}
      {rest.length > 0 && (
        <ul class="evidence small soft" aria-label="Evidence">
          {rest.map((each) => (
            <li key={each.text}>
              <EvidenceLink evidence={each} cause={diagnosis.text} />
            </li>
          ))}
        </ul>
      )}
      {proposals.map((proposal) => (
        <ProposalRow key={proposal.text} {...{ proposal, isEmulated, mayCommand, onTry }} />
      ))}
      {proposals.length === 0 && cause !== 'unknown' && (
        <p class="small soft">Weft knows no remedy that is shown to help.</p>
      )}
      <p class="small">
        <a href={`/incidents/${encodeURIComponent(alarm.id)}`}>
          Show the incident: who was affected, and what happened before
        </a>
      </p>
    </>
  );
}

interface ProposalRowProps extends Omit<MoreProps, 'alarm' | 'diagnosis'> {
  proposal: Proposal;
}

function ProposalRow({ proposal, isEmulated, mayCommand, onTry }: ProposalRowProps) {
  const command = proposal.command === null ? undefined : readCommand(proposal.command);
  const act = (atOnce: CommandDraft['atOnce']) => () => command && onTry({ command, atOnce });
  return (
    <div class="proposal">
      <span>→ {withStop(proposal.text)}</span>
      {command && mayCommand && (
        <span class="cluster">
          <Button size="small" onClick={act(isEmulated ? 'what_if' : 'dry_run')} words="Preview" />
          <Button size="small" kind="primary" onClick={act('send')} words="Apply" />
        </span>
      )}
    </div>
  );
}

function withStop(words: string): string {
  return words.endsWith('.') ? words : `${words}.`;
}
