// How the service is: its parts, its version, and a few of its figures.
import { readFigures, readReadiness, readVersion } from '../../api/service.ts';
import { FailureNotice, Notice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { now } from '../../data/freshness.ts';
import { useQuery } from '../../data/use-query.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { settingsText } from '../../text/settings.ts';

const text = settingsText.system;

export function SystemCard() {
  const readiness = useQuery('readiness', { fetch: readReadiness, pollMs: 5000 });
  const version = useQuery('version', { fetch: readVersion });
  const figures = useQuery('figures', { fetch: async () => (await readFigures()) ?? null, pollMs: 10_000 });
  const { data } = readiness;
  // It is ready without one of several servers of telemetry.
  const isWell = data?.isReady && Object.values(data.parts).every(Boolean);
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      {readiness.failure && <FailureNotice failure={readiness.failure} />}
      {!data && !readiness.failure && <SkeletonLines />}
      {isWell && <Notice kind="good" title={text.ready} />}
      {data && !isWell && (
        <Notice kind="warning" title={text.notReady}>
          {text.notReadyWords}
        </Notice>
      )}
      {data && (
        <dl class="settings-facts">
          {Object.entries(data.parts).flatMap(([name, isWell]) => [
            <dt key={name}>{partName(name)}</dt>,
            <dd key={`${name} state`} class={isWell ? undefined : 'is-failing'}>
              {isWell ? text.ok : text.failing}
            </dd>,
          ])}
          <dt>{text.version}</dt>
          <dd>{version.data ?? '–'}</dd>
          {figures.data && <Figures figures={figures.data} />}
        </dl>
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

function Figures({ figures }: { figures: ReadonlyMap<string, number> }) {
  const startedAt = figures.get('process_start_time_seconds');
  const memory = figures.get('process_resident_memory_bytes');
  const requests = figures.get('weft_http_requests_total');
  return (
    <>
      {startedAt !== undefined && (
        <>
          <dt>{text.running}</dt>
          <dd>{formatSpan(Math.max(0, now.value / 1000 - startedAt), 2)}</dd>
        </>
      )}
      {memory !== undefined && (
        <>
          <dt>{text.memory}</dt>
          <dd>{formatValue(memory, 'B')}</dd>
        </>
      )}
      {requests !== undefined && (
        <>
          <dt>{text.requests}</dt>
          <dd>{formatNumber(requests)}</dd>
        </>
      )}
    </>
  );
}
