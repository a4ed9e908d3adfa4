import { z } from 'zod';
import { errorTable } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import { type Permission, permissions, roles } from '#contracts/permissions.ts';

type Json = Record<string, unknown>;

/** Codes that any operation with a caller may answer with. */
const common = [
  'unauthenticated',
  'no_profile',
  'forbidden',
  'validation_failed',
  'rate_limited',
  'internal',
] as const;

/** The OpenAPI 3.1 document, made from the contract. */
export function openApiOf(operations: readonly OperationSpec[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = `/api${operation.path.replace(/:(\w+)/g, '{$1}')}`;
    const methods = paths[path] ?? {};
    methods[operation.method.toLowerCase()] = describe(operation);
    paths[path] = methods;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameward',
      version: '1',
      description:
        'Success is {"data": …}, lists with a page have "meta" beside it. Failure is {"message", "code", "requestId"}, with "details" for fields.',
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    paths,
  };
}

function describe(operation: OperationSpec): Json {
  const anonymous = ['public', 'signature', 'webhook'].includes(operation.access);
  const codes = [...new Set([...(anonymous ? ['internal' as const] : common), ...(operation.errors ?? [])])];
  const data = operation.replyKind === 'file' ? null : schemaOf(operation.reply, 'output');
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.id.split('.')[0]],
    description: whoMay(operation),
    ...(anonymous ? {} : { security: [{ bearer: [] }] }),
    parameters: [...parametersOf(operation.params, 'path'), ...parametersOf(operation.query, 'query')],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(operation.body, 'input') } },
          },
        }
      : {}),
    responses: {
      200: {
        description: 'Done',
        content: data
          ? { 'application/json': { schema: { type: 'object', properties: { data }, required: ['data'] } } }
          : { 'application/octet-stream': {} },
      },
      ...failuresOf(codes),
    },
  };
}

function failuresOf(codes: readonly (keyof typeof errorTable)[]): Json {
  const failures: Record<string, Json> = {};
  for (const status of new Set(codes.map((code) => errorTable[code].status))) {
    const names = codes.filter((code) => errorTable[code].status === status);
    failures[status] = {
      description: names.map((name) => `${name}: ${errorTable[name].message}`).join('\n'),
    };
  }
  return failures;
}

function whoMay(operation: OperationSpec): string {
  if (!(operation.access in permissions)) return `Access: ${operation.access}.`;
  const reach = permissions[operation.access as Permission];
  const who = roles
    .filter((role) => reach[role] !== 'none')
    .map((role) => (reach[role] === 'own' ? `${role} (own)` : role));
  return `Permission ${operation.access}: ${who.join(', ')}.`;
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
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}
