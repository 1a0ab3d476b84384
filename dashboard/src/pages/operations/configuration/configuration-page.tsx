// Configuration: the layers in force, drafts of changes, roll-outs, and the values that layers name.
import type { ComponentChildren } from 'preact';
import { type ChangeSet, type ConfigLayer, call, type Rollout } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { attempt, EmptyState, Loading } from '../../../components/feedback.tsx';
import { PageViews } from '../../../components/page.tsx';
import { OlderButton } from '../../../components/tables/filter-bar.tsx';
import { usePages } from '../../../data/use-feed.ts';
import { configRights } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber } from '../../../format.ts';
import { navigate, type PageProps } from '../../../router/location.ts';
import { configurationText } from '../../../text/pages.ts';
import { SettingsList, StateMark, selectorWords } from './config-words.tsx';
import { Values } from './values.tsx';

const text = {
  views: { layers: 'Layers', changes: 'Change sets', rollouts: 'Roll-outs', values: 'Variables and secrets' },
  by: (who: string, when: string) => `${who}, ${when}`,
  layersFeed: {
    words: 'Layers are laid over each other: where two set the same, the heavier one wins.',
    none: 'No layers yet',
    noneWords: 'Create a change set with a first layer, see what it would change, then roll it out.',
  },
  weight: 'Weight',
  changesFeed: {
    words: 'A change set is a draft: it changes nothing until it is rolled out.',
    none: 'No change sets yet',
    noneWords: 'Create one to see which access points it would change, before anything is sent.',
  },
};

const views = { layers: Layers, changes: Changes, rollouts: Rollouts, values: Values };

export function ConfigurationPage({ title }: PageProps) {
  return (
    <PageViews
      title={title}
      path="/configuration"
      {...{ label: 'Layers, change sets, roll-outs and values', names: text.views, views }}
    />
  );
}

interface FeedListProps<Row> {
  operation: 'list_config_layers' | 'list_change_sets' | 'list_rollouts';
  label: string;
  texts: { words: string; none: string; noneWords: string };
  row: (row: Row) => ComponentChildren;
}

function FeedList<Row extends { id: string }>({ operation, label, texts, row }: FeedListProps<Row>) {
  const feed = usePages(operation, { query: { limit: 100 } }, { pollMs: 4000 });
  const rows = feed.rows as unknown as readonly Row[] | undefined;
  return (
    <>
      <div class="spread config-intro">
        <p class="soft">{texts.words}</p>
        {operation !== 'list_rollouts' && configRights().drafts && (
          <ButtonLink icon="plus" kind="primary" href="/configuration/changes/new" words={configurationText.create} />
        )}
      </div>
      <Loading data={rows} failure={feed.failure} again={operation} lines={8} />
      {rows?.length === 0 && <EmptyState title={texts.none} words={texts.noneWords} />}
      {rows && rows.length > 0 && (
        <ul class="card config-list" aria-label={label}>
          {rows.map((each) => (
            <li key={each.id}>{row(each)}</li>
          ))}
        </ul>
      )}
      <OlderButton feed={feed} words="Show more" />
    </>
  );
}

function Layers() {
  const row = (layer: ConfigLayer) => <LayerRow layer={layer} />;
  return <FeedList operation="list_config_layers" label={text.views.layers} texts={text.layersFeed} row={row} />;
}

function LayerRow({ layer }: { layer: ConfigLayer }) {
  const { id, name, selector, weight, version, settings, optional, access_points } = layer;
  /** A draft of it, to be looked at. */
  const draftRemoval = () =>
    attempt(async () => {
      const set = await call('create_change_set', {
        json: { title: `${configurationText.layers.remove} ${name}`, remove: [id] },
      });
      navigate(`/configuration/changes/${set.id}`);
    });
  return (
    <>
      <span class="config-weight" title={text.weight}>
        <span class="visually-hidden">{text.weight} </span>
        {formatNumber(weight)}
      </span>
      <div class="config-words">
        <h2>{name}</h2>
        <span class="soft small">
          {selectorWords(selector)} ·{' '}
          <a href={`/agents?${new URLSearchParams({ selector })}`}>{formatCount(access_points, 'access point')}</a> ·{' '}
          {`version ${version}${optional ? ' · left out where it is not supported' : ''}`}
        </span>
        <SettingsList settings={settings} />
      </div>
      {configRights().drafts && (
        <div class="config-acts">
          <ButtonLink
            size="small"
            href={`/configuration/changes/new?layer=${id}`}
            words={configurationText.layers.change}
          />
          <Button
            size="small"
            kind="quiet"
            aria-label={`${configurationText.layers.remove} ${name}`}
            onClick={draftRemoval}
            words={configurationText.layers.remove}
          />
        </div>
      )}
    </>
  );
}

export function SetState({ set: { state, is_outdated } }: { set: ChangeSet }) {
  const told = is_outdated ? 'outdated' : state;
  return <StateMark state={told} words={configurationText.changes.states[told]} />;
}

function Changes() {
  const row = (set: ChangeSet) => (
    <>
      <SetState set={set} />
      <div class="config-words">
        <a href={`/configuration/changes/${set.id}`}>{set.title}</a>
        <span class="soft small">{text.by(set.created_by, formatMoment(set.updated_at))}</span>
      </div>
    </>
  );
  return <FeedList operation="list_change_sets" label={text.views.changes} texts={text.changesFeed} row={row} />;
}

function Rollouts() {
  const row = ({ id, title, state, sentence, created_by, created_at }: Rollout) => (
    <>
      <StateMark state={state} words={configurationText.rollouts.states[state]} />
      <div class="config-words">
        <a href={`/configuration/rollouts/${id}`}>{title}</a>
        <span>{sentence}</span>
        <span class="soft small">{text.by(created_by, formatMoment(created_at))}</span>
      </div>
    </>
  );
  return (
    <FeedList operation="list_rollouts" label={text.views.rollouts} texts={configurationText.rollouts} row={row} />
  );
}
