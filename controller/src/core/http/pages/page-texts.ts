// The pages that the controller serves itself, without the dashboard.

const style = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { font-size: 28px; margin: 0 0 .25rem; }
  h2 { font-size: 20px; margin: 2rem 0 .5rem; }
  pre { background: light-dark(#f1f5f9, #1e293b); padding: .75rem 1rem; border-radius: 8px; overflow-x: auto; font-size: 14px; }
  .lead { color: light-dark(#475569, #94a3b8); margin-top: 0; }
  a { color: light-dark(#3b55d4, #9db0ff); }
`;

export interface WelcomeState {
  /** Undefined while the database does not answer. */
  hasAdmin: boolean | undefined;
  setupCodeNeeded: boolean;
  /** The origin under which the visitor opened this page. */
  origin: string;
}

export function welcomePage(state: WelcomeState): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Weft</title><style>${style}</style></head>
<body>
<h1>Weft</h1>
<p class="lead">One controller for 5G, WiFi and LiFi access points.</p>
${nextSteps(state)}
<h2>Links</h2>
<ul>
<li><a href="/docs">API documentation</a>, where you can also try each request (<a href="/openapi.json">openapi.json</a>)</li>
<li><a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a>: state of the service</li>
</ul>
</body>
</html>
`;
}

function nextSteps({ hasAdmin, setupCodeNeeded, origin }: WelcomeState): string {
  const base = origin.replace(/[^A-Za-z0-9.:/[\]-]/g, '');
  if (hasAdmin === undefined)
    return '<h2>Not ready yet</h2><p>The database does not answer. Run <code>weft doctor</code> to find the cause.</p>';
  const signIn = `curl -s '${base}/api/v1/token/?login_type=user' \\
  -d username=you@example.com -d password=...`;
  if (hasAdmin) {
    return `<h2>Sign in</h2><pre>${signIn}</pre>
<p>Send the <code>access_token</code> as <code>Authorization: Bearer ...</code> with every request.</p>`;
  }
  const code = setupCodeNeeded ? '?code=THE-CODE-PRINTED-AT-START' : '';
  return `<h2>1. Create the administrator</h2>
<p>The first account becomes the administrator of this installation${setupCodeNeeded ? '. This request needs the set-up code that Weft printed at start' : ''}.</p>
<pre>curl -s '${base}/api/v1/users/public${code}' \\
  -H 'Content-Type: application/json' \\
  -d '{"username":"you@example.com","roles":["admin"],
       "password":"at least 8 characters"}'</pre>
<h2>2. Sign in</h2><pre>${signIn}</pre>
<p>Send the <code>access_token</code> as <code>Authorization: Bearer ...</code> with every request.</p>`;
}

export const docsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Weft API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>
`;

/**
 * A user who comes from the dashboard is signed in here too: the session is in the storage of this tab, which only pages
 * of this origin can read. The content policy of the page allows no requests to other origins.
 */
export const docsScript = `const ui = window.SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null,
  onComplete() {
    let session;
    try { session = JSON.parse(sessionStorage.getItem('weft.session')); } catch {}
    if (!session || !(session.expiresAt > Date.now())) return;
    const name = 'OAuth2PasswordBearer';
    const schema = ui.specSelectors.securityDefinitions().get(name);
    const token = { access_token: session.token, token_type: 'bearer' };
    ui.authActions.authorizeOauth2({ auth: { name, schema, username: session.username }, token });
  },
});
`;

/** The target of the link in a recovery mail. The token is behind `#`, so it never reaches a server log. */
export const resetPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Reset your Weft password</title><style>${style}
  label { display: block; margin: 1rem 0 .25rem; } input, button { font: inherit; padding: .5rem .75rem; border-radius: 8px; border: 1px solid #94a3b8; }
</style></head>
<body>
<h1>Choose a new password</h1>
<form id="reset">
<label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" required>
<button>Change password</button>
</form>
<p id="outcome" role="status"></p>
<script src="/reset-password/page.js"></script>
</body>
</html>
`;

export const resetScript = `const form = document.getElementById('reset');
const outcome = document.getElementById('outcome');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ token, new_password: document.getElementById('password').value });
  try {
    const answer = await fetch('/api/v1/users/reset-password', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const { detail } = await answer.json();
    outcome.textContent = Array.isArray(detail) ? detail.map(({ msg }) => msg).join('. ') : detail;
    form.hidden = answer.ok;
  } catch {
    outcome.textContent = 'Weft cannot be reached. Check your connection and try again.';
  }
});
`;
