import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { z } from 'zod';
import type { OperationSpec } from '../../../src/contracts/operation.ts';
import { contact } from '../../support/account.ts';

/** The subject of a request: someone's id, someone's domain, someone's other name. */
export interface Subject {
  id: string;
  domain: string;
  /** An id of another system, a file's name: whatever is neither of the two above. */
  text: string;
}

type JsonSchema = {
  [key in 'type' | 'format' | 'pattern']?: string;
} & {
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  additionalProperties?: boolean | JsonSchema;
};

/** Values that rules beyond a schema's shape ask for, by the field's name. */
const byName: Readonly<Record<string, unknown>> = {
  ...contact,
  email: 'somebody@sample.example',
  username: 'samplename',
  organization: 'Sample Name',
  nameservers: ['ns1.sample.example', 'ns2.sample.example'],
  filename: 'logo.png',
  month: '2026-11',
  type: 'MSP_EMPLOYEE',
  ipv4: '192.0.2.1',
};

/** Bodies whose rules do not show in the schema's shape. */
const byOperation: Readonly<Record<string, (subject: Subject) => Record<string, unknown>>> = {
  'dns.changeZone': () => ({
    records: [{ subdomain: 'www', type: 'A', action: 'add', ip_address: '192.0.2.1' }],
  }),
  'acme.make': () => ({ name: 'A server', hosts: null, productType: 'rapidssl', mayBuy: null }),
  'acme.change': () => ({
    ...{ name: 'Another server', hosts: null, productType: 'rapidssl', mayBuy: null },
    lastDay: '2090-01-01',
  }),
  // As the seeded world has it.
  'acme.setAllowance': () => ({
    allowance: null,
    shown: { mostAccesses: 50, productType: 'rapidssl', mayBuy: null },
  }),
  'attention.change': () => ({ ownerId: null, snoozedUntil: null }),
  'health.watch': () => ({ text: 'watched-sample.com', customerId: null }),
  'health.mute': () => ({
    muted: { until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'A reason' },
  }),
  'changes.create': ({ domain }) => ({
    ...{ title: 'A sample', targets: { kind: 'names', names: [domain] } },
    request: { kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' },
  }),
  'changes.describe': () => ({
    ...{ title: 'A sample', request: { kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' } },
  }),
  'billing.topUp': () => ({ amount: 100 }),
  // Of an employee's invitation the customer would not count.
  'users.invite': () => ({ type: 'MSP_CUSTOMER' }),
  // Kept and shown again as it is: nothing of the subject may stand in it.
  'dns.saveTemplate': () => ({
    name: `template ${Math.random()}`,
    records: { A: [], AAAA: [], CNAME: [], MX: [], SRV: [], TXT: [{ subdomain: '', text: 'sample' }] },
  }),
  'dns.changeTemplate': () => ({
    name: `template ${Math.random()}`,
    records: { A: [], AAAA: [], CNAME: [], MX: [], SRV: [], TXT: [{ subdomain: '', text: 'sample' }] },
    version: 1,
  }),
  'dns.acceptDrift': ({ domain }) => ({ domain, version: 1 }),
  'dns.forgetTemplate': ({ domain }) => ({ domains: [domain] }),
  'customers.keepImportMapping': () => ({ name: 'A mapping' }),
  // Of whatever judgement is the present one.
  'customers.startImport': () => ({ judged: undefined }),
  'statement.setAddress': () => ({ name: 'Sample Ltd.', address: ['1 Sample Street'], taxId: 'T-1' }),
  'views.save': () => ({ name: 'A view', query: 'kind=manual' }),
  // What changes nothing leaves no trace.
  // The user is as they were shown.
  'users.change': () => ({ dailyLimit: 12_00, shown: {} }),
  'certificates.setAutoReissue': () => ({ enabled: false }),
  'tokens.create': () => ({ name: 'A script' }),
  'dns.createGlue': ({ domain }) => ({ name: `ns1.${domain}` }),
  'dns.updateGlue': ({ domain }) => ({ name: `ns1.${domain}` }),
  'dns.deleteGlue': ({ domain }) => ({ name: `ns1.${domain}` }),
};

/** A body that the operation's contract accepts. */
export function bodyFor(operation: OperationSpec, subject: Subject): unknown {
  if (!operation.body) return undefined;
  const body = sampleOf(operation.body, subject);
  const more = byOperation[operation.id]?.(subject);
  return more ? { ...(body as object), ...more } : body;
}

/** A request that an operation's contract accepts, about this subject. */
export function requestFor(operation: OperationSpec, subject: Subject, token: string | null): InjectOptions {
  const params = operation.params ? sampleRecord(operation.params, subject) : {};
  const path = operation.path.replace(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const query = operation.query ? idsIn(operation.query, subject) : '';
  const body = operation.method === 'GET' ? undefined : bodyFor(operation, subject);
  return {
    method: operation.method,
    url: `/api${path}${query}`,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  };
}

/** A value that the schema accepts, if one can be found from its shape. */
export function sampleOf(schema: z.ZodType, subject: Subject): unknown {
  return sample(shapeOf(schema), '', subject);
}

const shapes = new WeakMap<z.ZodType, JsonSchema>();

function shapeOf(schema: z.ZodType): JsonSchema {
  const known = shapes.get(schema);
  if (known) return known;
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  }) as JsonSchema;
  shapes.set(schema, made);
  return made;
}

function sampleRecord(schema: z.ZodType, subject: Subject): Record<string, unknown> {
  return sampleOf(schema, subject) as Record<string, unknown>;
}

/** Only what limits a list to somebody's: other parts of a query change nothing about who may see what. */
function idsIn(schema: z.ZodType, subject: Subject): string {
  const { properties = {}, required = [] } = shapeOf(schema);
  const chosen = Object.entries(properties).filter(
    ([name, part]) => required.includes(name) || part.format === 'uuid' || isDomainName(name),
  );
  const text = new URLSearchParams(chosen.map(([name, part]) => [name, String(sample(part, name, subject))]));
  return chosen.length > 0 ? `?${text}` : '';
}

const isDomainName = (name: string) => /^(domain|address|host|hostname)s?$/i.test(name);

function sample(schema: JsonSchema, name: string, subject: Subject): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.includes(byName[name]) ? byName[name] : schema.enum[0];
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return sample(choice.find(({ type }) => type !== 'null') ?? {}, name, subject);
  if (schema.allOf) return sample(Object.assign({}, ...schema.allOf), name, subject);
  if (schema.type === 'object' || schema.properties) return sampleObject(schema, subject);
  if (schema.type === 'array') {
    return byName[name] ?? [sample(schema.items ?? {}, name.replace(/s$/, ''), subject)];
  }
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (schema.type === 'boolean') return true;
  return sampleText(schema, name, subject);
}

function sampleObject({ properties = {}, required = [] }: JsonSchema, subject: Subject): unknown {
  const all = Object.entries(properties);
  const needed = all.filter(
    ([name, part]) => required.includes(name) || mentions(part, 'uuid') || isDomainName(name),
  );
  const chosen = needed.length > 0 ? needed : all;
  return Object.fromEntries(chosen.map(([name, part]) => [name, sample(part, name, subject)]));
}

const mentions = (schema: JsonSchema, format: string) =>
  JSON.stringify(schema).includes(`"format":"${format}"`);

function sampleText(schema: JsonSchema, name: string, subject: Subject): string {
  if (schema.format === 'uuid') return subject.id;
  if (schema.format === 'date-time') return '2026-11-21T12:00:00.000Z';
  if (isDomainName(name)) return subject.domain;
  const named = byName[name];
  const candidates = [
    ...(typeof named === 'string' ? [named] : []),
    subject.text,
    'sampletext',
    'sample@x.example',
  ];
  const pattern = schema.pattern ? new RegExp(schema.pattern, 'u') : null;
  const fitting = candidates.find(
    (text) => (pattern?.test(text) ?? true) && text.length >= (schema.minLength ?? 0),
  );
  if (fitting !== undefined) return fitting;
  if (!pattern) return 'x'.repeat(schema.minLength ?? 1);
  return fc.sample(fc.stringMatching(pattern), { numRuns: 1, seed: 7 })[0] ?? '';
}
