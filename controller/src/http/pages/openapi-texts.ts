// The sentences of the OpenAPI document that belong to no single route: about parameters, and who may call.
import type { Permission } from '../../rights/permission.ts';

const pathParameters: Record<string, string> = {
  username: 'The e-mail address of the user.',
  ap_id: 'The name of the agent.',
  app_name: 'The name of the app.',
  job_number: 'The number of the job, from the answer to the request.',
  command_id: 'The id of the command.',
  id: 'The id of the record, from the list.',
};

export function describePathParameter(name: string): string {
  return pathParameters[name] ?? `The ${name.replaceAll('_', ' ')}.`;
}

const queryParameters: Record<string, string> = {
  layer: 'What the radio map shows.',
  technology: 'Of which access points.',
  login_type: 'The kind of caller that logs in.',
  limit: 'The maximum number of records.',
  state: 'Only those in this state.',
  aggregate: 'How the values in a bucket are aggregated.',
  format: 'The format of the answer.',
  job_number: 'The number of the job.',
  progress: 'From 0 to 1.',
};

/** For a parameter whose schema has no description. */
export function describeQueryParameter(name: string): string | undefined {
  return queryParameters[name];
}

const callers = { admin: 'administrators', user: 'users', agent: 'agents', third_party_app: 'apps' } as const;
const withinPermissions = ' (within their permissions)';
const rules = {
  yes: '',
  itself: ' (for themselves)',
  own: ' (for what is theirs)',
  read: withinPermissions,
  commands: withinPermissions,
  emulator: withinPermissions,
  alarms: ' (with the permission `alarms`)',
  'config:read': ' (with the permission `config`)',
  'config:draft': ' (with the permission `config: draft`)',
  'config:roll_out': ' (with the permission `config: roll_out`)',
} as const;
const others = {
  anyone: 'Anyone may call it, without a token.',
  anyone_until_first_admin: 'Anyone may call it until there is an administrator.',
  enrolment_token: 'An enrolment token suffices.',
  callback_token: 'The `callback_token` of the job suffices.',
  metrics_network: 'Addresses in WEFT_METRICS_ALLOW may call it.',
} as const;

export function describeCallers({ openTo, ...row }: Permission): string {
  if (openTo === 'anyone') return others.anyone;
  const named = (Object.keys(callers) as (keyof typeof callers)[]).flatMap((kind) => {
    const rule = row[kind];
    return rule === 'no' ? [] : [`${callers[kind]}${rules[rule]}`];
  });
  const sentences = named.length > 0 ? [`Callers: ${named.join(', ')}.`] : [];
  return [...sentences, ...(openTo ? [others[openTo]] : [])].join(' ');
}
