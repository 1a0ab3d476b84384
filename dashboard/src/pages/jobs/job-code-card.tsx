// How a program would do the same, in two languages.
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { jobsText } from '../../text/jobs.ts';
import { type CodeOptions, curlOf, javascriptOf } from './job-code.ts';

const text = jobsText.one;
const languages = { curl: curlOf, javascript: javascriptOf };
type Language = keyof typeof languages;

export function JobCode(options: Omit<CodeOptions, 'origin'>) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <section class="card stack job-code">
      <h2>{text.same}</h2>
      <div class="cluster">
        {(Object.keys(languages) as Language[]).map((name) => (
          <Button key={name} size="small" aria-pressed={language === name} onClick={() => setLanguage(name)}>
            {text[name]}
          </Button>
        ))}
      </div>
      <CodeBlock text={languages[language]({ ...options, origin: location.origin })} label={text[language]} />
      <p class="faint small">{text.token}</p>
    </section>
  );
}
