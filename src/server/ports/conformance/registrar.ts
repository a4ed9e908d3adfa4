import { beforeAll, describe, expect, test } from 'vitest';
import type { Contact, RegisterInput, Registrar } from '../registrar.ts';
import { type FencelessRegistrar, fencelessRegistrar } from './fenceless.ts';
import { orderConformance } from './registrar-orders.ts';
import { settingConformance } from './registrar-settings.ts';

/** How the suite brings about what the registrar cannot be asked for. */
export interface RegistrarWorld {
  /** A name with another registrar, old enough to be moved. */
  elsewhere(domain: string, how: { authCode: string; locked?: boolean }): Promise<void>;
  /** What the next order for a name meets. */
  spoil(domain: string, fault: OrderFault): Promise<void>;
  /** Lets an asynchronous registry answer now. */
  finishOrder(orderId: string): Promise<void>;
  /** Moves the open transfer of a name on to its end. */
  finishTransfer(domain: string): Promise<void>;
  /** Has the registry delete a name of ours that nobody renewed. */
  expireAndDelete(domain: string): Promise<void>;
  /** Signs a name of ours at the registry. */
  sign(domain: string): Promise<void>;
  /** Whether this registrar gives deleted names back: test systems do not. */
  restores: boolean;
  /** A name of a registry's premium list, made unique by a label's part. */
  premiumName(part: string): string;
  /** How many orders of a name the registrar has carried out under a tag: the truth, not what it says. */
  carriedOut(domain: string, tag: string): Promise<number>;
}

export type OrderFault =
  | 'refused'
  | 'busy'
  | 'lost'
  | 'answer-lost'
  | 'connection-lost'
  | 'answer-cut'
  | 'garbage'
  | 'empty'
  | 'timed-out'
  | 'timed-out-but-done'
  | 'kept-pending'
  | 'asynchronous';

export interface ConformanceContext {
  registrar(): FencelessRegistrar;
  world: RegistrarWorld;
  /** A name nobody has. */
  freshName(kind?: 'premium'): string;
  freshTag(): string;
  input(domain: string): RegisterInput;
  /** Registers a name and returns it. */
  registered(): Promise<string>;
}

export const someone: Contact = {
  firstName: 'Zoë',
  lastName: 'Müller',
  organization: 'Größe & Söhne <GmbH>',
  address1: '1 High Street',
  address2: 'Floor 2',
  address3: undefined,
  city: 'Leeds',
  state: 'West Yorkshire',
  postalCode: 'LS1 1AA',
  country: 'GB',
  email: 'zoe@example.com',
  phone: '+44.1134960000',
};

/**
 * What every adapter of a registrar must do, whatever it speaks: run against anything that behaves like the vendor.
 * `make` gives an adapter whose time limits are short.
 */
export function registrarConformance(make: () => Promise<Registrar>, world: RegistrarWorld): void {
  let registrar: FencelessRegistrar;
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const run = Math.floor(Math.random() * 36 ** 6).toString(36);
  const context: ConformanceContext = {
    registrar: () => registrar,
    world,
    freshName: (kind) =>
      kind === 'premium' ? world.premiumName(`${run}-${next()}x`) : `name-${run}-${next()}x.com`,
    freshTag: () => `tag-${run}-${next()}`,
    input: (domain) => ({
      domain,
      years: 1,
      privacy: false,
      autoRenew: false,
      contacts: { owner: someone, admin: someone, billing: someone },
      credentials: { username: `user${run}${count}`.slice(0, 20), password: 'Ab12cd34Ef' },
      tag: context.freshTag(),
    }),
    async registered() {
      const domain = context.freshName();
      expect(await registrar.register(context.input(domain))).toMatchObject({ kind: 'done' });
      return domain;
    },
  };

  beforeAll(async () => {
    registrar = fencelessRegistrar(await make());
  });

  describe('looking up', () => {
    test('a name nobody has is available, one that somebody has is taken', async () => {
      const free = context.freshName();
      const moved = context.freshName();
      await world.elsewhere(moved, { authCode: 'Code-123456' });
      expect((await registrar.lookup(free, { fresh: true })).status).toBe('available');
      expect((await registrar.lookup(moved, { fresh: true })).status).toBe('taken');
    });

    test('what cannot be a name is refused', async () => {
      await expect(registrar.lookup('-a-.com')).rejects.toMatchObject({ name: 'UpstreamRefused' });
    });

    test('suggestions are of the asked suffixes, and no more than asked for', async () => {
      const found = await registrar.suggest('blue fig', { suffixes: ['com'], maximum: 5 });
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(5);
      expect(found.every(({ domain }) => domain.endsWith('.com'))).toBe(true);
      expect(new Set(found.map(({ domain }) => domain)).size).toBe(found.length);
    });

    test('costs are whole cents and grow with the years', async () => {
      const name = context.freshName();
      const [one, three] = await Promise.all([
        registrar.quote(name, 'new', 1),
        registrar.quote(name, 'new', 3),
      ]);
      expect(Number.isInteger(one.costCents) && one.costCents > 0).toBe(true);
      expect(three.costCents).toBe(3 * one.costCents);
    });

    test('a name that is not in the account is none of ours', async () => {
      expect(await registrar.domain(context.freshName())).toBeNull();
    });
  });

  orderConformance(context);
  settingConformance(context);
}
