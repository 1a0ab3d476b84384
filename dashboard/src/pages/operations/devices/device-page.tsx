// One device: its links now and over time, what it hears, where it moved, and what can be done: steer it, watch it, erase it.
import './devices-page.css';
import './device-page.css';
import { looksLikeAddress } from '@weft/contract/device-address';
import { useMemo } from 'preact/hooks';
import type { DeviceDetails } from '../../../api/client.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { Chart, type TimeRange, useChartRange } from '../../../components/chart/chart.tsx';
import { CopyButton } from '../../../components/copyable.tsx';
import { EmptyState, FailureNotice, Notice, SkeletonLines } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import { TimeWindowMenu, timeWindowSeconds, useZoom } from '../../../components/time-window.tsx';
import { agentName, selectorOf } from '../../../data/agents.ts';
import { useAgents } from '../../../data/lists/list-pages.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { devicesText } from '../../../text/pages.ts';
import { AboutCard } from './about-card.tsx';
import { historyLines, useDeviceHistory } from './device-history.ts';
import { LinkBandCard } from './link-band-card.tsx';
import { HeardCard, LinksCard, PastCard } from './links-card.tsx';
import { SteerCard } from './steer-card.tsx';

const stickyText = {
  refused: (target: string | undefined) =>
    target === undefined ? 'It refused to be moved.' : `It refused to move to ${target}.`,
  moved_back: (target: string | undefined) =>
    target === undefined ? 'It was moved, and went back at once.' : `It was moved to ${target}, and went back at once.`,
  until: (moment: string) => `Steering it is of little use for now. Remembered until ${moment}.`,
};

/** As many as one selector takes. */
const maxNamed = 20;

export function DevicePage({ params, title: kind }: PageProps) {
  const name = params.device!;
  // An address is neither sent nor shown.
  const isAddress = looksLikeAddress(name);
  const { data, failure } = useOperation(
    'get_device',
    { path: { device: name } },
    { pollMs: 2000, isWanted: !isAddress },
  );
  const title = isAddress ? kind : (data?.device ?? name);
  if (isAddress || failure?.status === 404) {
    return (
      <Page title={title} beside={<a href="/devices">All devices</a>}>
        <EmptyState title="Device not found">
          {isAddress
            ? devicesText.address
            : 'It was not seen for 24 hours, was erased, or was last at an access point that you do not have permission to see.'}
        </EmptyState>
      </Page>
    );
  }
  const device = data?.device ?? name;
  return (
    <Page
      title={title}
      beside={<CopyButton text={device} label="Copy the pseudonym" />}
      actions={
        <>
          <ButtonLink icon="map" href={`/map?${new URLSearchParams({ device })}`} words="Show on the map" />
          <TimeWindowMenu />
        </>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_device')} />}
      {!data && !failure && <DevicePlaces />}
      {data && <DeviceBody key={data.device} device={data} />}
    </Page>
  );
}

/** Rooms for what has not come, where it will be. */
function DevicePlaces() {
  const cardOf = (count: number) => (
    <div class="card">
      <SkeletonLines count={count} />
    </div>
  );
  return (
    <div class="device-grid">
      <div class="stack">
        {cardOf(3)}
        {cardOf(5)}
      </div>
      <div class="stack">{cardOf(6)}</div>
    </div>
  );
}

function DeviceBody({ device }: { device: DeviceDetails }) {
  const [zoom, setZoom] = useZoom();
  const windowSeconds = timeWindowSeconds.value;
  const { range } = useChartRange({ windowSeconds, zoom, isPaused: false });
  const isWatched = device.watched_until !== undefined;
  const samples = useDeviceHistory({ device: device.device, windowSeconds, isWatched });
  const types = useTypes(device);
  const { sticky } = device;
  return (
    <div class="device-grid">
      <div class="stack">
        {sticky && (
          <Notice
            kind="warning"
            title={stickyText[sticky.reason](sticky.target === undefined ? undefined : agentName(sticky.target))}
            words={stickyText.until(formatMoment(sticky.until))}
          />
        )}
        <LinksCard device={device} />
        <LinkBandCard {...{ device, samples, range, types }} />
        {isWatched && (
          <div class="card chart-stack">
            <HistoryChart
              title="Signal"
              unit="dBm"
              value="rssi_dbm"
              hasTimes={false}
              {...{ samples, range, setZoom }}
            />
            <HistoryChart title="Rate to the device" unit="Mb/s" value="tx_mbps" {...{ samples, range, setZoom }} />
          </div>
        )}
        <PastCard device={device} />
      </div>
      <div class="stack">
        <SteerCard device={device} />
        <HeardCard heard={device.heard} />
        <AboutCard device={device} />
      </div>
    </div>
  );
}

interface HistoryChartProps {
  title: string;
  unit: string;
  value: 'rssi_dbm' | 'tx_mbps';
  /** See Chart. */
  hasTimes?: boolean;
  samples: Parameters<typeof historyLines>[0];
  range: TimeRange;
  setZoom: (zoom: TimeRange | undefined) => void;
}

function HistoryChart({ title, unit, value, hasTimes = true, samples, range, setZoom }: HistoryChartProps) {
  // Names come after the values.
  const names = JSON.stringify([...new Set(samples.map(({ ap_id }) => ap_id))].map((ap_id) => agentName(ap_id)));
  const lines = useMemo(() => historyLines(samples, value, agentName), [samples, value, names]);
  return <Chart {...{ title, unit, lines, range, hasTimes }} size="stacked" onZoom={setZoom} />;
}

/** The types of the access points that a device has to do with, by their ids. */
function useTypes({ links, moves }: DeviceDetails): ReadonlyMap<string, string | null> {
  const known = new Map(links.map(({ ap_id, access_point_type }) => [ap_id, access_point_type]));
  const ap_ids = [...new Set(moves.flatMap(({ ap_id, from }) => (from === undefined ? [ap_id] : [ap_id, from])))]
    .filter((ap_id) => !known.has(ap_id))
    .slice(0, maxNamed)
    .sort();
  const { data } = useAgents(
    { selector: selectorOf(ap_ids), limit: maxNamed },
    { pages: 1, pollMs: () => 60_000, isWanted: ap_ids.length > 0 },
  );
  for (const { ap_id, access_point_type } of data?.items ?? []) known.set(ap_id, access_point_type);
  return known;
}
