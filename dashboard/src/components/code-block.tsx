// Text for programs: configuration, answers, command lines. Scrolls by itself, can be copied whole.
import './code-block.css';
import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </figure>
  );
}

/** JSON of anything, indented. */
export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={label} />;
}
