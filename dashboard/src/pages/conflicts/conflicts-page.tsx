// Where callers were in each other's way, and the rules by which it was settled.
import { Page } from '../../components/layout/page.tsx';
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
      <nav class="view-links" aria-label={text.viewsLabel}>
        <a href="/conflicts" aria-current={isRules ? undefined : 'page'}>
          {text.views.log}
        </a>
        <a href="/conflicts?view=rules" aria-current={isRules ? 'page' : undefined}>
          {text.views.rules}
        </a>
      </nav>
      {isRules ? <ConflictRulesView /> : <ConflictLog />}
    </Page>
  );
}
