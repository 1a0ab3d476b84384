// Where callers were in each other's way, and the rules by which it was settled.
import { Page } from '../../components/layout/page.tsx';
import { ViewLinks } from '../../components/layout/view-links.tsx';
import { useQueryState } from '../../router/use-query-state.ts';
import { conflictsText as text } from '../../text/conflicts.ts';
import { pageTitles } from '../../text/pages.ts';
import { ConflictLog } from './conflict-log.tsx';
import './conflicts-page.css';
import { ConflictRulesView } from './conflict-rules-view.tsx';

export function ConflictsPage() {
  const [view] = useQueryState('view', 'log');
  const isRules = view === 'rules';
  return (
    <Page title={pageTitles.conflicts}>
      <ViewLinks
        label={text.viewsLabel}
        views={[
          { href: '/conflicts', label: text.views.log, isCurrent: !isRules },
          { href: '/conflicts?view=rules', label: text.views.rules, isCurrent: isRules },
        ]}
      />
      {isRules ? <ConflictRulesView /> : <ConflictLog />}
    </Page>
  );
}
