// The network at a glance.
import { EmptyState } from '../../components/empty-state.tsx';
import { PresenceDot, TechnologyChip } from '../../components/glyph.tsx';
import { FailureNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { type FleetAgent, useFleet } from '../../data/fleet.ts';
import { queries } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { overviewText } from '../../text/overview.ts';
import { pageTitles } from '../../text/pages.ts';
import './overview-page.css';

const technologies = ['5G', 'WiFi', 'LiFi'] as const;

export function OverviewPage() {
  const { agents, failure } = useFleet();
  const text = overviewText;
  const count = (isCounted: (agent: FleetAgent) => boolean) => agents && formatNumber(agents.filter(isCounted).length);
  const total = agents && formatNumber(agents.length);
  const isQuiet = (state: 'late' | 'offline') => !agents?.some(({ presence }) => presence === state);
  return (
    <Page title={pageTitles.overview} actions={<TimeWindowMenu />}>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('metrics_')} />}
      {agents?.length === 0 ? (
        <div class="card">
          <EmptyState title={text.empty.title}>{text.empty.words}</EmptyState>
        </div>
      ) : (
        <>
          <div class="stat-grid">
            <StatCard
              label={text.online}
              mark={<PresenceDot presence="online" />}
              value={count(({ presence }) => presence === 'online')}
              detail={total && text.ofAll(total)}
            />
            <StatCard
              label={text.late}
              mark={<PresenceDot presence="late" />}
              value={count(({ presence }) => presence === 'late')}
              detail={text.lateWords}
              tone={isQuiet('late') ? 'normal' : 'late'}
            />
            <StatCard
              label={text.offline}
              mark={<PresenceDot presence="offline" />}
              value={count(({ presence }) => presence === 'offline')}
              detail={text.offlineWords}
              tone={isQuiet('offline') ? 'normal' : 'bad'}
            />
          </div>
          <section class="card" aria-label={text.byTechnology}>
            <h2>{text.byTechnology}</h2>
            <ul class="technology-list">
              {technologies.map((technology) => (
                <li key={technology}>
                  <TechnologyChip technology={technology} />
                  <strong>{count((agent) => agent.technology === technology) ?? '–'}</strong>
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </Page>
  );
}
