// How a program would do the same, in two languages.
import { useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/copyable.tsx';

const languagesText = { curl: 'curl', javascript: 'JavaScript' };

export interface CodeOptions {
  origin: string;
  job_number: string;
  task_type: string;
  /** What was asked for, where it is known: the query of an agent's data. */
  asked?: { agent_id: string; start_time: string; end_time: string } | undefined;
}

export function curlOf({ origin, job_number, task_type, asked }: CodeOptions): string {
  const post = askPath(task_type, asked);
  const ask = post && [
    '# Create the job. The answer contains its number.',
    `curl -s -X POST ${quoted(origin + post)} \\`,
    '  -H "Authorization: Bearer $TOKEN"',
    '',
  ];
  return [
    ...(ask ?? []),
    '# Read its state and messages. For more, add ?after=<last seq>.',
    `curl -s ${quoted(`${origin}/api/v1/jobs/${encodeURIComponent(job_number)}`)} \\`,
    '  -H "Authorization: Bearer $TOKEN"',
  ].join('\n');
}

export function javascriptOf({ origin, job_number, task_type, asked }: CodeOptions): string {
  const post = askPath(task_type, asked);
  const socketOrigin = origin.replace(/^http/, 'ws');
  const begin = post
    ? [
        `const answer = await fetch(${quoted(origin + post)}, {`,
        "  method: 'POST',",
        "  headers: { authorization: 'Bearer ' + TOKEN },",
        '});',
        'const { websocket } = await answer.json();',
      ]
    : [`const websocket = ${quoted(`/api/v1/ws/${encodeURIComponent(job_number)}`)};`];
  return [
    'const TOKEN = process.env.TOKEN;',
    ...begin,
    '',
    '// Receives all messages of the job. To resume, add ?after=<last seq>.',
    `const socket = new WebSocket(${quoted(socketOrigin)} + websocket, ['weft.v1', 'bearer.' + TOKEN]);`,
    "socket.addEventListener('message', ({ data }) => {",
    '  const { seq, type, data: records, final } = JSON.parse(data);',
    '  console.log(seq, type, records);',
    '  if (final) socket.close();',
    '});',
  ].join('\n');
}

function askPath(task_type: string, asked: CodeOptions['asked']): string | undefined {
  if (task_type === 'agent_details') return '/api/v1/agent_details/request_all_agents_details';
  if (task_type === 'agent_data' && asked) {
    return `/api/v1/agent_data/request_agent_data?${new URLSearchParams({ ...asked })}`;
  }
  return undefined;
}

/** For a shell and for JavaScript alike: what is quoted holds no quote, because it is percent-encoded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '%27')}'`;
}

const languages = { curl: curlOf, javascript: javascriptOf };
type Language = keyof typeof languages;

export function JobCode(options: Omit<CodeOptions, 'origin'>) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <section class="card stack job-code">
      <h2>Use the API</h2>
      <div class="cluster">
        {(Object.keys(languages) as Language[]).map((name) => (
          <Button key={name} size="small" aria-pressed={language === name} onClick={() => setLanguage(name)}>
            {languagesText[name]}
          </Button>
        ))}
      </div>
      <CodeBlock text={languages[language]({ ...options, origin: location.origin })} label={languagesText[language]} />
      <p class="faint small">First set $TOKEN to an access token.</p>
    </section>
  );
}
