import { z } from 'zod';
import { type ErrorCode, errorTable } from '#contracts/errors.ts';
import { needsFirstPayment, type OperationSpec, pageMeta } from '#contracts/operation.ts';
import { type Permission, permissions, roles } from '#contracts/permissions.ts';
import { freshSignInSeconds } from '#contracts/values/fresh-sign-in.ts';
import { rates, rateText } from '#contracts/values/rates.ts';
import { takesKey } from './once.ts';

export type Json = Record<string, unknown>;

/** Codes that any operation with a caller may answer with, and those of anybody's. */
const withCaller: ErrorCode[] = [
  'unauthenticated',
  'no_profile',
  'forbidden',
  'rate_limited',
  'internal',
  'unavailable',
];
const withAnybody: ErrorCode[] = ['rate_limited', 'internal', 'unavailable'];
const anonymousAccess = ['public', 'signature', 'webhook'];

/** The OpenAPI 3.1 document, made from the contract. */
export function openApiOf(operations: readonly OperationSpec[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = `/api${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: toOpenApi(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameward',
      version: '1',
      license: { name: 'AGPL-3.0-only', identifier: 'AGPL-3.0-only' },
      description:
        'Scripts send an API token as the bearer token. Owners and administrators create these tokens under “API tokens”. A success is {"data": …}. A list that was requested by page also has "meta". A failure is {"message", "code", "requestId"}, with "details" for fields.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Error: errorSchema, PageMeta: schemaOf(pageMeta, 'output') },
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'Suitable for display to a person.' },
    code: { type: 'string', enum: Object.keys(errorTable) },
    requestId: { type: 'string' },
    error: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    data: {},
  },
};

function toOpenApi(operation: OperationSpec): Json {
  const anonymous = anonymousAccess.includes(operation.access);
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [tagOf(operation)],
    description: `${describeAccess(operation)}${describeRate(operation)}`,
    ...(anonymous ? { security: [] } : { security: [{ bearer: [] }] }),
    parameters: [
      ...parametersOf(operation.params, 'path'),
      ...parametersOf(operation.query, 'query'),
      ...(takesKey(operation) ? [idempotencyKey] : []),
    ],
    ...requestBodyOf(operation),
    responses: {
      200: { description: 'Done', content: replyOf(operation) },
      ...failuresOf(codesOf(operation)),
    },
  };
}

function tagOf(operation: OperationSpec): string {
  return operation.id.split('.')[0] ?? operation.id;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeat with the same key and the same contents gets the first reply again. Nothing happens twice.',
  schema: { type: 'string', minLength: 8, maxLength: 200, pattern: '^[!-~]*$' },
};

/** The codes an operation may answer with, as its contract and the edge have it. */
export function codesOf(operation: OperationSpec): ErrorCode[] {
  const takesInput = operation.params ?? operation.query ?? operation.body;
  return [
    ...new Set([
      ...(anonymousAccess.includes(operation.access) ? withAnybody : withCaller),
      ...(operation.method === 'GET' ? [] : (['outcome_unknown'] as const)),
      ...(takesInput || takesKey(operation) ? (['validation_failed', 'bad_request'] as const) : []),
      ...(takesKey(operation) ? (['idempotency_key_reused', 'in_progress', 'request_cut_off'] as const) : []),
      ...(needsFirstPayment(operation) ? (['initial_fee_unpaid'] as const) : []),
      ...(operation.freshSignIn ? (['fresh_sign_in_required'] as const) : []),
      ...(operation.errors ?? []),
    ]),
  ];
}

function requestBodyOf(operation: OperationSpec): Json {
  if (operation.bodyKind === 'raw') {
    return { requestBody: { required: true, content: { 'application/octet-stream': {} } } };
  }
  if (!operation.body) return {};
  const content = { 'application/json': { schema: schemaOf(operation.body, 'input') } };
  return { requestBody: { required: true, content } };
}

function replyOf(operation: OperationSpec): Json {
  if (operation.replyKind === 'file') {
    return Object.fromEntries((operation.fileTypes ?? []).map((type) => [type, {}]));
  }
  const data = schemaOf(operation.reply, 'output');
  const meta = operation.paged ? { meta: { $ref: '#/components/schemas/PageMeta' } } : {};
  return {
    'application/json': { schema: { type: 'object', properties: { data, ...meta }, required: ['data'] } },
  };
}

function failuresOf(codes: readonly ErrorCode[]): Json {
  const failures: Record<string, Json> = {};
  for (const status of [...new Set(codes.map((code) => errorTable[code].status))].sort()) {
    const names = codes.filter((code) => errorTable[code].status === status);
    failures[status] = {
      description: names.map((name) => `${name}: ${errorTable[name].message}`).join('\n'),
      ...(status === 429 ? { headers: { 'Retry-After': retryAfter, ...rateHeaders } } : {}),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return failures;
}

/** As drafted by the HTTPAPI working group of the IETF. */
const rateHeaders = {
  'RateLimit-Policy': {
    description: 'The limit that was reached: calls (q) in a number of seconds (w).',
    schema: { type: 'string', examples: ['"invite";q=60;w=3600'] },
  },
  RateLimit: {
    description: 'Calls that remain (r), and seconds until all calls are available again (t).',
    schema: { type: 'string', examples: ['"invite";r=0;t=60'] },
  },
};
const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } };

function describeAccess(operation: OperationSpec): string {
  const fresh = describeFreshness(operation.freshSignIn);
  if (!(operation.access in permissions)) return `Access: ${operation.access}.${fresh}`;
  const reach = permissions[operation.access as Permission];
  const who = roles
    .filter((role) => reach[role] !== 'none')
    .map((role) => (reach[role] === 'own' ? `${role} (own)` : role));
  const opens = needsFirstPayment(operation) ? '' : ' Open before the first payment.';
  return `Permission ${operation.access}: ${who.join(', ')}.${opens}${fresh}`;
}

function describeRate({ rate }: OperationSpec): string {
  if (!rate) return '';
  const each = rates[rate].per === 'person' ? 'person' : 'resource named in the address';
  return ` At most ${rateText(rates[rate])} for each ${each}; RateLimit and RateLimit-Policy show how many calls remain.`;
}

function describeFreshness(freshSignIn: OperationSpec['freshSignIn']): string {
  if (!freshSignIn) return '';
  const minutes = freshSignInSeconds / 60;
  const when = freshSignIn === true ? '' : ` when ${freshSignIn.when}`;
  return ` Requires a sign-in within the last ${minutes} minutes${when}.`;
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const json = schemaOf(schema, 'input') as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (json.required ?? []).includes(name),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    ...(io === 'input' ? { override: closeObject } : {}),
  }) as Json;
  return json;
}

/** The edge refuses unknown fields of a body at any depth (mount.ts): the document says so. */
function closeObject({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  if (zodSchema instanceof z.ZodObject) jsonSchema.additionalProperties ??= false;
}
