// Alarms: what is wrong now, what was, the rules that find it, and when nobody wants to be told.

import { PageViews } from '../../../components/page.tsx';
import './alarms-page.css';
import type { PageProps } from '../../../router/location.ts';
import { alarmsText } from '../../../text/pages.ts';
import { ActiveAlarms, PastAlarms } from './alarm-list.tsx';
import { RuleList } from './rule-list.tsx';
import { SilenceList } from './silences.tsx';

const views = { active: ActiveAlarms, history: PastAlarms, rules: RuleList, silences: SilenceList };

export function AlarmsPage({ title }: PageProps) {
  return (
    <PageViews title={title} path="/alarms" label="Alarms, rules and silences" names={alarmsText.views} views={views} />
  );
}
