// A new key of an app, with the line that signs in with it.
import { toShellWord } from '@weft/contract/enrolment-line';
import { CodeBlock } from '../../components/code-block.tsx';
import { SecretOnce } from '../../components/forms/secret-once.tsx';
import { appsText } from '../../text/apps.ts';

interface AppKeyOnceProps {
  app_name: string;
  api_key: string;
  onClose: () => void;
}

export function AppKeyOnce({ app_name, api_key, onClose }: AppKeyOnceProps) {
  const text = appsText.secret;
  const signIn = `curl -s '${location.origin}/api/v1/token/?login_type=third_party_app' \\
  --data-urlencode ${toShellWord(`username=${app_name}`)} \\
  --data-urlencode "password=$API_KEY"`;
  return (
    <SecretOnce
      title={text.title(app_name)}
      label={text.label}
      secret={api_key}
      warning={text.warning}
      done={text.done}
      onClose={onClose}
    >
      <div class="stack">
        <h3>{text.signIn}</h3>
        <CodeBlock text={signIn} label={text.signIn} />
      </div>
    </SecretOnce>
  );
}
