// Alarms: what is wrong now, what was, the rules that find it, and when nobody wants to be told.
import { Page } from '../../components/layout/page.tsx';
import { ViewLinks } from '../../components/layout/view-links.tsx';
import { useQueryState } from '../../router/use-query-state.ts';
import { alarmsText as text } from '../../text/alarms.ts';
import { pageTitles } from '../../text/pages.ts';
import { ActiveAlarms, PastAlarms } from './alarm-list.tsx';
import './alarms-page.css';
import { RuleList } from './rule-list.tsx';
import { SilenceList } from './silence-list.tsx';

const views = { active: ActiveAlarms, history: PastAlarms, rules: RuleList, silences: SilenceList };
type ViewName = keyof typeof views;

export function AlarmsPage() {
  const [given] = useQueryState('view', 'active');
  const view: ViewName = Object.hasOwn(views, given) ? (given as ViewName) : 'active';
  const View = views[view];
  return (
    <Page title={pageTitles.alarms}>
      <ViewLinks
        label={text.viewsLabel}
        views={(Object.keys(views) as ViewName[]).map((name) => ({
          href: name === 'active' ? '/alarms' : `/alarms?view=${name}`,
          label: text.views[name],
          isCurrent: name === view,
        }))}
      />
      <View />
    </Page>
  );
}
