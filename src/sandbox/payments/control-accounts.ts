import { z } from 'zod';
import type { ControlHandler } from '../part.ts';
import { inTransaction } from './database.ts';
import { finishAccount } from './objects/account-steps.ts';
import { askForMore, requireAccount } from './objects/accounts.ts';
import { revokeMandate } from './objects/mandates.ts';
import { detachMethod, requireMethod } from './objects/payment-methods.ts';
import type { World } from './world.ts';

const accountField = { account: z.string().default('') };

/** What happens to payment accounts and stored methods without the portal's doing. */
export function accountControl(world: World): Record<string, ControlHandler> {
  const within = <T>(work: () => T) => inTransaction(world.store, work);
  return {
    /** `requirements: []` satisfies the provider again. */
    'account-requirements': (body) => {
      const given = z
        .strictObject({
          account: z.string(),
          requirements: z.array(z.string()).default(['individual.verification.document']),
        })
        .parse(body);
      within(() => askForMore(world, requireAccount(world, given.account), given.requirements));
      return { ok: true };
    },
    /** The hosted set-up is done, without a browser. */
    'account-finish': (body) => {
      const given = z.strictObject({ account: z.string() }).parse(body);
      within(() => finishAccount(world, requireAccount(world, given.account), {}));
      return { ok: true };
    },
    deauthorize: (body) => {
      const given = z.strictObject({ account: z.string() }).parse(body);
      within(() => {
        const account = requireAccount(world, given.account);
        world.emit('account.application.deauthorized', { id: account.id }, account.id);
      });
      return { ok: true };
    },
    /** The customer removes the stored method. */
    detach: (body) => {
      const given = z.strictObject({ paymentMethod: z.string(), ...accountField }).parse(body);
      return within(() => detachMethod(world, requireMethod(world, given.account, given.paymentMethod)));
    },
    /** The bank tells that the consent to debits is withdrawn. */
    'revoke-mandate': (body) => {
      const given = z.strictObject({ paymentMethod: z.string(), ...accountField }).parse(body);
      within(() => {
        const found = world.objects.list('mandate', given.account, {
          limit: 1,
          where: { payment_method: given.paymentMethod },
        });
        const mandate = found.data[0];
        if (!mandate) throw new Error(`no mandate for ${given.paymentMethod}`);
        revokeMandate(world, given.account, mandate);
      });
      return { ok: true };
    },
  };
}
