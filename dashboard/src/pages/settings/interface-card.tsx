// The way for programs: the documentation, which signs in as this session, and the token to copy.
import { ButtonLink } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { session } from '../../session/session.ts';
import { settingsText } from '../../text/settings.ts';

export function InterfaceCard() {
  const text = settingsText.interface;
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <p class="soft">{text.words}</p>
      <div class="cluster">
        {/* In this tab: the session of a tab stays in it. */}
        <ButtonLink href="/docs">{text.docs}</ButtonLink>
        <a href="/openapi.json">{text.openApi}</a>
        <a href="/asyncapi.json">{text.asyncApi}</a>
      </div>
      <div class="spread">
        <p class="soft">{text.token}</p>
        <CopyButton text={session.value?.token ?? ''} label={text.copyToken} />
      </div>
    </section>
  );
}
