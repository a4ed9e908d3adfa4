import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import { defineOperation, idParams, noData, pageQuery } from '#contracts/operation.ts';
import type { Role } from '#contracts/permissions.ts';
import { type Binding, bind, FileReply, paged } from '#kernel/binding.ts';
import { systemClock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { createLogger } from '#kernel/logger.ts';
import { rightsOfRole, standingOf } from '#kernel/scope.ts';
import { InvalidToken, type VerifiedIdentity } from '../ports/identity.ts';
import { type AppOptions, createApp } from './app.ts';

/** Hand-made operations of each kind, so that the edge is tested without a feature. Used by tests only. */

export const listThings = defineOperation({
  id: 'things.list',
  method: 'GET',
  path: '/thing',
  reads: 'replica',
  summary: 'Things',
  access: 'customers.read',
  query: pageQuery(['name']),
  reply: z.array(z.object({ name: z.string() })),
  paged: true,
});
export const getThing = defineOperation({
  id: 'things.get',
  method: 'GET',
  path: '/thing/:id',
  summary: 'A thing',
  access: 'customers.read',
  params: idParams,
  reply: z.object({ id: z.string() }),
  errors: ['not_found'],
});
export const makeThing = defineOperation({
  id: 'things.make',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/thing',
  summary: 'Make a thing',
  access: 'customers.create',
  body: z.object({
    name: z.string().min(1).max(40),
    size: z.union([z.literal(1), z.literal(2)]).default(1),
    tags: z.array(z.string()).max(5).default([]),
    inner: z.object({ email: z.email() }).optional(),
  }),
  reply: z.object({ name: z.string(), size: z.int(), key: z.string().nullable() }),
  idempotent: true,
});
export const removeThing = defineOperation({
  id: 'things.remove',
  method: 'DELETE',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/thing/:id',
  summary: 'Remove a thing',
  access: 'customers.delete',
  params: idParams,
  reply: noData,
  freshSignIn: true,
});
export const changeThing = defineOperation({
  id: 'things.change',
  method: 'PATCH',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/thing/:id',
  summary: 'Change a thing',
  access: 'customers.edit',
  params: idParams,
  body: z.object({ dangerous: z.boolean() }),
  reply: noData,
  freshSignIn: { when: 'it is dangerous' },
});
export const lookUp = defineOperation({
  id: 'things.lookUp',
  method: 'GET',
  path: '/thing/look-up/:address',
  summary: 'Look up',
  access: 'catalogue.read',
  params: z.object({ address: z.string().max(300) }),
  reply: z.object({ address: z.string() }),
  rate: 'lookup',
});
export const failThing = defineOperation({
  id: 'things.fail',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/thing/fail',
  summary: 'Fails as it is told',
  access: 'public',
  body: z.object({ how: z.string() }),
  reply: z.object({ id: z.string() }),
});
export const greet = defineOperation({
  id: 'things.greet',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/greeting',
  summary: 'Who signed in',
  access: 'identity',
  reply: z.object({ email: z.string().nullable() }),
});
export const hook = defineOperation({
  id: 'things.hook',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/webhooks/things',
  summary: 'Raw bytes',
  access: 'webhook',
  bodyKind: 'raw',
  bodyLimitBytes: 2_000,
  reply: z.object({ bytes: z.int() }),
});
export const operate = defineOperation({
  id: 'things.operate',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/operator/thing',
  summary: 'For the operator',
  access: 'operator',
  reply: noData,
});
export const bootstrap = defineOperation({
  id: 'things.bootstrap',
  method: 'POST',
  audit: { none: 'A hand-made operation of tests.' },
  path: '/operator/bootstrap',
  summary: 'For the setting',
  access: 'bootstrap',
  body: z.object({ name: z.string() }),
  reply: noData,
});
export const downloadThing = defineOperation({
  id: 'things.download',
  method: 'GET',
  path: '/thing/:id/file',
  summary: 'A file',
  access: 'customers.read',
  params: idParams,
  reply: z.unknown(),
  replyKind: 'file',
  fileTypes: ['text/csv'],
});

export const operations = [
  listThings,
  getThing,
  makeThing,
  removeThing,
  changeThing,
  lookUp,
  failThing,
  greet,
  hook,
  operate,
  bootstrap,
  downloadThing,
];

export const thingId = '01980000-0000-7000-8000-000000000001';

export function thingRoutes(): Binding[] {
  return [
    bind(listThings, async ({ query }) => paged([{ name: 'a' }], 1, query)),
    bind(getThing, async ({ params }) => {
      if (params.id !== thingId) throw new AppError('not_found');
      return { id: params.id, secret: 'never leaves' };
    }),
    bind(makeThing, async ({ body, headers }) => ({
      name: body.name,
      size: body.size,
      key: headers.idempotencyKey,
    })),
    bind(removeThing, async () => ({})),
    bind(changeThing, async ({ body, requireFreshSignIn }) => {
      if (body.dangerous) requireFreshSignIn();
      return {};
    }),
    bind(lookUp, async ({ params }) => params),
    bind(failThing, ({ body }) => failAs(body.how)),
    bind(greet, async ({ identity }) => ({ email: identity.email })),
    bind(hook, async ({ rawBody }) => ({ bytes: rawBody.length })),
    bind(operate, async () => ({})),
    bind(bootstrap, async () => ({})),
    bind(
      downloadThing,
      async () => new FileReply(Buffer.from('a,b\n'), 'text/csv; charset=utf-8', 'Küche.csv'),
    ),
  ];
}

/** One for all: what is in it is never written. */
function emptyFolder(): string {
  const folder = join(tmpdir(), 'nameward-no-web-app');
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function failAs(how: string): Promise<{ id: string }> {
  if (how === 'funds') throw new AppError('insufficient_funds', { data: { missing: 5 }, error: 'short' });
  if (how === 'away') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  if (how === 'slow') return new Promise(() => undefined);
  if (how === 'breach') return { id: 7 as unknown as string };
  throw new Error('SELECT canary FROM /srv/secret/path.ts');
}

/** `token` of the test: a role's name, `nobody` (no profile), `stale` (an old sign-in), `quiet` (no email told). */
export async function startApp(options: Partial<AppOptions> = {}): Promise<FastifyInstance> {
  const ids = new Map<string, string>();
  const idOf = (subject: string) => ids.get(subject) ?? ids.set(subject, newId()).get(subject) ?? '';
  return createApp({
    operations,
    bindings: thingRoutes(),
    logger: createLogger({ level: 'silent' }),
    identity: {
      verify: async (token) => verify(token),
      userInfo: async () => told,
      signInMetadata: () => null,
    },
    loadActor: async (identity) => {
      if (identity.subject === 'nobody') return null;
      if (identity.subject === 'disabled') throw new AppError('forbidden');
      const role = (identity.subject.startsWith('MSP_') ? identity.subject : 'MSP_ADMIN') as Role;
      const standing = standingOf({ role, customerId: role === 'MSP_CUSTOMER' ? thingId : null });
      if (!standing) return null;
      const actor = {
        organisationId: '01980000-0000-7000-8000-0000000000aa',
        userId: idOf(identity.subject),
        email: 'a@msp.example',
        ...standing,
        rights: rightsOfRole,
      };
      return { actor, initialFeePaid: true };
    },
    sharedLimiter: null,
    operatorToken: 'operator-token-of-the-tests',
    loadOperator: async (key) => (key === 'key-of-ada' ? { id: thingId, name: 'Ada Smith' } : null),
    recordAct: (_operator, _what, act) => act(),
    clock: systemClock,
    origins: {
      identity: 'https://id.example/realms/msp',
      payments: ['https://js.stripe.com/dahlia/stripe.js'],
      secure: true,
    },
    webDir: emptyFolder(),
    rateLimits: false,
    trustedProxies: 0,
    ping: async () => undefined,
    ...options,
  });
}

const told = { email: 'told@msp.example', emailVerified: true, name: 'Told' };

function verify(token: string): VerifiedIdentity {
  if (token === 'bad') throw new InvalidToken('bad');
  if (token === 'provider-down') throw new Error('no keys');
  const nowSeconds = Math.floor(Date.now() / 1000);
  return {
    issuer: 'https://id.example',
    subject: token,
    email: token === 'quiet' ? null : 'a@msp.example',
    emailVerified: true,
    name: null,
    authenticatedAt: token === 'stale' ? nowSeconds - 901 : token === 'unsaid' ? null : nowSeconds - 890,
    expiresAt: nowSeconds + 600,
  };
}

/** A request as a role, with JSON. */
export function as(
  token: string,
  method: InjectOptions['method'],
  url: string,
  payload?: unknown,
): InjectOptions {
  return {
    method: method ?? 'GET',
    url,
    headers: {
      authorization: `Bearer ${token}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined
      ? {}
      : {
          payload:
            typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
        }),
  };
}
