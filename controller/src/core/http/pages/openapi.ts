// The OpenAPI document, made from the same routes and schemas that validate.

import { ErrorAnswer, HTTPValidationError } from '@weft/contract';
import type { TSchema } from '@weft/contract/schema';
import * as Type from '@weft/contract/schema';
import type { Permission } from '../../base/rights/permission.ts';
import { type Route, tagDescriptions } from '../request/route.ts';
import { canBeUnchanged, failuresOf, successOf } from '../request/route-statuses.ts';

export interface OpenApiOptions {
  routes: readonly Route[];
  passwordLength: { min: number; max: number };
  /** Bounds that settings decide, by the name in `maximumSetting` of a schema. */
  maxima: Record<string, number>;
  /** Of Weft; the interface has its own. */
  productVersion: string;
  agentPasswordMinLength?: number | undefined;
  appKeyMinLength: number;
}

type Json = Record<string, unknown>;

/** The operations that the specification writes with a slash at the end. */
const withSlash = [1, 6, 7, 13, 17];
const strongTag = 'Strong: it changes with what the answer is about.';
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Change it only if its `ETag` is still one of these, separated by commas, or `*`; else 412.',
  schema: { type: 'string' },
};

export function createOpenApi(options: OpenApiOptions): Json {
  const { routes, passwordLength, agentPasswordMinLength, appKeyMinLength, maxima, productVersion } = options;
  const components = new Map<string, Json>();
  const uses = new Map<string, number>();
  const paths: Record<string, Json> = {};
  // An operation of Weft's own at the same address is listed beside them, so that each address has one form.
  const slashed = new Set(routes.flatMap(({ spec, url }) => (withSlash.includes(spec ?? 0) ? [url] : [])));
  for (const route of routes) {
    const path = `${route.url.replace(/:(\w+)/g, '{$1}')}${slashed.has(route.url) ? '/' : ''}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describeOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weft',
      version: '1.0.0',
      description: `One controller for 5G, WiFi and LiFi access points. A path is served with and without its trailing slash. Served by Weft ${productVersion}.`,
      contact: { name: 'The operator of this Weft' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      'x-product-version': productVersion,
    },
    servers: [{ url: '/', description: 'The Weft that serves this document' }],
    tags: Object.entries(tagDescriptions)
      .filter(([name]) => routes.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        OAuth2PasswordBearer: {
          type: 'oauth2',
          description: 'Signs in as a user. Agents and apps use login_type=agent or login_type=third_party_app.',
          flows: { password: { tokenUrl: '/api/v1/token/?login_type=user', scopes: {} } },
        },
        AppKey: { type: 'http', scheme: 'basic', description: 'The `app_name` of an app and its key' },
        AgentPassword: { type: 'http', scheme: 'basic', description: 'An agent’s `ap_id` and password' },
        InfluxToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Token <access token>` or `Token <ap_id>:<password>`, as clients of InfluxDB send it',
        },
        CallbackToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `callback_token` of a job message; valid for the callbacks of that job',
        },
        EnrolmentToken: { type: 'http', scheme: 'bearer', description: 'A token created at /api/v1/enrolment_tokens' },
      },
    },
  };

  function describeOperation(route: Route): Json {
    const { operation, spec, permission } = route;
    const { openTo } = permission;
    const body = route.form ?? route.body ?? (route.rawBody && Type.String());
    const parameters = [
      ...[...route.url.matchAll(/:(\w+)/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        description: describePathParameter(name!),
        schema: { type: 'string' },
      })),
      ...queryParameters(route),
      ...(route.etag === 'compared' ? [ifMatch] : []),
    ];
    return {
      operationId: operationId(operation),
      summary: route.summary,
      description: [
        ...(spec === undefined ? [] : [`Operation ${spec} of the interface.`]),
        describeCallers(permission),
        ...(route.description === undefined ? [] : [route.description]),
      ].join(' '),
      tags: [route.tag],
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: true,
          content: Object.fromEntries(mediaTypes(route).map((type) => [type, { schema: toReference(body) }])),
        },
      }),
      responses: describeAnswers(route),
      security:
        openTo === 'anyone'
          ? []
          : [
              { OAuth2PasswordBearer: [] },
              ...(route.takes === 'agent_password' ? [{ AgentPassword: [] }, { InfluxToken: [] }] : []),
              ...(route.takes === 'app_key' ? [{ AppKey: [] }] : []),
              ...(openTo === 'callback_token' ? [{ CallbackToken: [] }] : []),
              ...(openTo === 'enrolment_token' ? [{ EnrolmentToken: [] }] : []),
              ...(openTo === 'anyone_until_first_admin' ? [{}] : []),
            ],
    };
  }

  /** Of the paths of one operation, the second and later ones get a number. */
  function operationId(operation: string): string {
    const count = (uses.get(operation) ?? 0) + 1;
    uses.set(operation, count);
    return count === 1 ? operation : `${operation}_${count}`;
  }

  function describeAnswers(route: Route): Json {
    const media = route.media ?? ['application/json'];
    const success = {
      description: route.hasNoAnswer ? 'Stored' : 'Successful Response',
      ...(route.etag && { headers: { ETag: { description: strongTag, schema: { type: 'string' } } } }),
      ...(!route.hasNoAnswer && {
        content: Object.fromEntries(media.map((type) => [type, { schema: toReference(route.response) }])),
      }),
    };
    const failures = failuresOf(route).map(([status, description]) => {
      const schema = toReference(status === 422 ? HTTPValidationError : ErrorAnswer);
      return [status, { description, content: { 'application/json': { schema } } }];
    });
    const unchanged = canBeUnchanged(route) && { 304: { description: 'Unchanged: `If-None-Match` names the `ETag`' } };
    return { [successOf(route)]: success, ...unchanged, ...Object.fromEntries(failures) };
  }

  function queryParameters(route: Route): Json[] {
    const required = new Set((route.query as { required?: string[] } | undefined)?.required);
    return Object.entries(route.query?.properties ?? {}).map(([name, schema]) => {
      const { description = describeQueryParameter(name), ...rest } = toReference(schema as TSchema);
      return {
        name,
        in: 'query',
        required: required.has(name),
        ...(description !== undefined && { description }),
        schema: rest,
      };
    });
  }

  /** A schema with a title becomes a component of that name; the rest is written out. */
  function toReference(schema: TSchema): Json {
    const { title, documented } = schema as { title?: string; documented?: { is?: TSchema } };
    if (documented?.is) return toReference(documented.is);
    if (title === undefined) return writeOut(schema);
    if (!components.has(title)) {
      components.set(title, {});
      components.set(title, writeOut(schema));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** `documented` holds what is true of the schema, and checked elsewhere: by its format, or by the handler. With `is` it is another schema. */
  function writeOut(value: unknown): Json {
    const { documented, maximumSetting, ...schema } = value as Json & { documented?: Json; maximumSetting?: string };
    if (documented?.anyOf) for (const key of ['type', 'format']) delete schema[key];
    const copy: Json = {};
    for (const [key, part] of Object.entries({ ...schema, ...documented })) {
      if (key.startsWith('~')) continue;
      copy[key] = writePart(key, part);
    }
    if (maximumSetting !== undefined) copy.maximum = maxima[maximumSetting];
    if (copy.format === 'new-password' || copy.format === 'new-agent-password') {
      const isOfAgent = copy.format === 'new-agent-password';
      const minLength = (isOfAgent ? agentPasswordMinLength : undefined) ?? passwordLength.min;
      Object.assign(copy, { format: 'password', minLength, maxLength: passwordLength.max });
    }
    if (copy.format === 'new-api-key') {
      delete copy.format;
      copy.minLength = appKeyMinLength;
    }
    if (copy.patternProperties) {
      const [values] = Object.values(copy.patternProperties as Record<string, TSchema>);
      delete copy.patternProperties;
      delete copy.format;
      const described = toReference(values!);
      copy.additionalProperties = Object.keys(described).length === 0 ? true : described;
    }
    return copy;
  }

  function writePart(key: string, part: unknown): unknown {
    if (key === 'properties') {
      return Object.fromEntries(
        Object.entries(part as Json).map(([name, schema]) => [name, toReference(schema as TSchema)]),
      );
    }
    if (key === 'items') return toReference(part as TSchema);
    if (key === 'anyOf') return (part as TSchema[]).map((schema) => toReference(schema));
    return part;
  }
}

function mediaTypes(route: Route): string[] {
  if (route.rawBody) return ['text/plain'];
  return route.form ? ['application/x-www-form-urlencoded', 'multipart/form-data'] : ['application/json'];
}

const pathParameters: Record<string, string> = {
  username: 'The e-mail address of the user.',
  ap_id: 'The name of the agent.',
  app_name: 'The name of the app.',
  job_number: 'The number of the job, from the answer to the request.',
  command_id: 'The id of the command.',
  id: 'The id of the record, from the list.',
};

function describePathParameter(name: string): string {
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
function describeQueryParameter(name: string): string | undefined {
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

function describeCallers({ openTo, ...row }: Permission): string {
  if (openTo === 'anyone') return others.anyone;
  const named = (Object.keys(callers) as (keyof typeof callers)[]).flatMap((kind) => {
    const rule = row[kind];
    return rule === 'no' ? [] : [`${callers[kind]}${rules[rule]}`];
  });
  const sentences = named.length > 0 ? [`Callers: ${named.join(', ')}.`] : [];
  return [...sentences, ...(openTo ? [others[openTo]] : [])].join(' ');
}
