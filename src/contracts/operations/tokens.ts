import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { type Permission, permissions } from '../permissions.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';

/** What a script never gets: rights over people, over tokens, over the payment account, and what asks for a fresh sign-in. */
const notForScripts: readonly Permission[] = [
  ...(['users.manage', 'roles.grant', 'tokens.manage', 'account.payment'] as const),
  ...([
    'organisation.write',
    'organisation.close',
    'domains.unlock',
    'profile.self',
    'privacy.manage',
  ] as const),
];
const names = Object.keys(permissions) as [Permission, ...Permission[]];
export const grantable: readonly Permission[] = names.filter((name) => !notForScripts.includes(name));

export const apiToken = z.object({
  id: z.uuid(),
  name: z.string(),
  /** What it was given. */
  permissions: z.array(z.string()),
  /** What it opens now: the part of it that its person may do themselves, or a customer's user where it has a customer. */
  opens: z.array(z.string()),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  /** Whose rights it has. */
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  /** Within a minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  /** Null while it lives. Shown for 90 days when its time is over, or a change of its person or customer has ended it. */
  ended: z.object({ at: z.iso.datetime(), because: z.string() }).nullable(),
});
export type ApiToken = z.output<typeof apiToken>;

export const listTokens = defineOperation({
  id: 'tokens.list',
  method: 'GET',
  path: '/user/tokens',
  summary:
    'List the API tokens of the organization, including those that expired or ended with their user or customer recently. Secrets are never stored',
  access: 'tokens.manage',
  reply: z.array(apiToken),
});

export const tokenBody = z.object({
  name: oneLine(mostCharacters.name, `Name cannot exceed ${mostCharacters.name} characters`).min(
    1,
    'Please enter a name',
  ),
  permissions: z
    .array(z.enum(names).refine((name) => grantable.includes(name), 'Scripts cannot do this'))
    .min(1, 'Please choose at least one permission')
    .max(names.length),
  /** Limits the token to one customer's things. */
  customerId: z.uuid().nullish(),
  /** Days until it ends by itself; null: never. */
  validDays: z.int().min(1).max(3_650).nullish(),
});

export const createToken = defineOperation({
  id: 'tokens.create',
  method: 'POST',
  path: '/user/tokens',
  summary: 'Create an API token. Only this reply contains its secret',
  access: 'tokens.manage',
  audit: 'tokens.create',
  body: tokenBody,
  reply: apiToken.extend({ token: z.string() }),
  errors: ['not_found', 'forbidden', 'validation_failed', 'unprocessable'],
  rate: 'token',
  freshSignIn: true,
  sensitive: true,
});

export const revokeToken = defineOperation({
  id: 'tokens.revoke',
  method: 'DELETE',
  path: '/user/tokens/:id',
  summary: 'Revoke an API token. The revocation applies from the next request',
  access: 'tokens.manage',
  audit: 'tokens.revoke',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});
