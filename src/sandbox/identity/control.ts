import { z } from 'zod';
import type { SandboxPart } from '../part.ts';
import { normalizeEmail, type User } from './accounts.ts';
import { mint } from './mint.ts';
import type { IdentityClient } from './options.ts';
import type { World } from './world.ts';

/** What is out of order: nothing, everything, or the paths that begin with one of these. */
export type Outage = { on: false } | { on: true; paths: string[] };

export interface ControlParts {
  world: World;
  setOutage(outage: Outage): void;
  /** Applies new keys or clients. */
  rebuild(): void;
  setClients(clients: IdentityClient[]): void;
}

const userBody = z.strictObject({
  email: z.email(),
  password: z.string().min(1).default('correct horse battery'),
  verified: z.boolean().default(true),
  name: z.string().nullable().default(null),
});
const emailBody = z.strictObject({ email: z.string() });
const verifyBody = emailBody.extend({ verified: z.boolean().default(true) });
const rotateBody = z.strictObject({ drop: z.boolean().default(false) }).default({ drop: false });
const downBody = z.strictObject({ on: z.boolean(), paths: z.array(z.string()).default(['/']) });
const clientBody = z.strictObject({
  client_id: z.string(),
  redirect_uris: z.array(z.string()).min(1),
  post_logout_redirect_uris: z.array(z.string()),
  origins: z.array(z.string()),
});

function toPublic(user: User) {
  return { id: user.id, email: user.email, verified: user.emailVerified, name: user.name };
}

export function identityControl(parts: ControlParts): SandboxPart['control'] {
  const { world } = parts;
  const { accounts, artifacts, limits, keys } = world;

  function known(email: string): User {
    const user = accounts.byEmail(email);
    if (!user) throw new Error(`there is no account for ${normalizeEmail(email)}`);
    return user;
  }

  return {
    /** An account at once; one that exists gets this password, name and state. */
    async 'users/add'(body) {
      const wanted = userBody.parse(body);
      const created = await accounts.create(wanted);
      if (created) return toPublic(created);
      const user = known(wanted.email);
      await accounts.setPassword(user.id, wanted.password);
      accounts.setVerified(user.id, wanted.verified);
      accounts.setName(user.id, wanted.name);
      return toPublic(known(wanted.email));
    },
    'users/list': () => accounts.list().map(toPublic),
    'users/remove'(body) {
      const user = known(emailBody.parse(body).email);
      artifacts.endSessions(user.id);
      accounts.remove(user.id);
      return { removed: true };
    },
    'users/sign-out'(body) {
      artifacts.endSessions(known(emailBody.parse(body).email).id);
      return { signedOut: true };
    },
    verify(body) {
      const { email, verified } = verifyBody.parse(body);
      accounts.setVerified(known(email).id, verified);
      return toPublic(known(email));
    },
    'tokens/mint': (body) => mint(world, body),
    async 'keys/rotate'(body) {
      await keys.rotate(rotateBody.parse(body ?? undefined).drop);
      parts.rebuild();
      return { kids: keys.all().map((key) => key.kid) };
    },
    clients(body) {
      parts.setClients(z.array(clientBody).min(1).parse(body));
      return { clients: world.clients().length };
    },
    down(body) {
      const { on, paths } = downBody.parse(body);
      parts.setOutage(on ? { on, paths } : { on });
      return { on };
    },
    'limits/clear'() {
      limits.clear();
      return { cleared: true };
    },
    reset() {
      artifacts.clear();
      accounts.clear();
      limits.clear();
      parts.setOutage({ on: false });
      return { reset: true };
    },
  };
}
