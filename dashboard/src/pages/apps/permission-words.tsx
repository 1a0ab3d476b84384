// The sentence of what an app may do, with names set apart.
import { useMemo } from 'preact/hooks';
import { permissionSentence } from './permission-sentence.ts';

export function PermissionWords({ permissions }: { permissions: Record<string, unknown> }) {
  const parts = useMemo(() => permissionSentence(permissions), [permissions]);
  return <>{parts.map((part, index) => (typeof part === 'string' ? part : <code key={index}>{part.name}</code>))}</>;
}
