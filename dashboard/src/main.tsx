// Where the dashboard begins in the browser.
import { render } from 'preact';
import { App } from './app.tsx';
import { lookAheads } from './components/look-ahead.tsx';
import { startClock } from './data/freshness.ts';
import { startQueries } from './data/use-operation.ts';
import { useWhatIf } from './pages/lab/what-if/what-if-beside.tsx';
import { followAddress } from './router/location.ts';
import { routes } from './routes.ts';
import { restoreSession, session } from './session/session.ts';
import { startRenewal, wantSetup } from './session/sign-in.ts';
import { noticeChoice, startAlarmNotices } from './shell/alarm-notices.ts';
import { startMotion, startTheme } from './styles/theme.ts';
import './styles/tokens.css';
import './styles/base.css';

lookAheads.push(useWhatIf);
startTheme();
startMotion();
followAddress(routes);
startClock();
startQueries();
await restoreSession();
startRenewal(() => noticeChoice.peek() !== 'off');
startAlarmNotices();
// Whoever is signed in need not ask what newcomers are asked.
if (session.peek() === undefined) await wantSetup();
session.subscribe((current) => void (current === undefined && wantSetup()));
render(<App />, document.getElementById('app')!);
