import type { DueRenewals } from '#contracts/operations/renewals.ts';
import { dayMs } from '#contracts/values/time.ts';
import { inReading, systemTransaction } from '#kernel/db/database.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import { tellManagers } from '#kernel/letters.ts';
import type { Scope } from '#kernel/scope.ts';
import { balances, spendableCents } from '../../ledger/ledger.ts';
import type { DomainPricing } from '../domains/index.ts';
import { type AutoRenewDeps, createAutoRenew } from './auto-renew.ts';
import { planOf } from './plan.rules.ts';
import { createReminders, type RemindersDeps } from './reminders.ts';
import { unableLetter } from './renewals.letters.ts';
import { dueDomains, premiumCosts, takeUntold } from './renewals.repo.ts';

export interface RenewalsDeps extends AutoRenewDeps, RemindersDeps {
  pricing: DomainPricing;
  /** How much of top-ups in processing may be spent, in cents. */
  pendingLimitCents: number;
}

export type RenewalsApi = ReturnType<typeof createRenewals>;

/** What renews by itself, who is reminded of what, and what falls due against the money there is. */
export function createRenewals(deps: RenewalsDeps) {
  const autoRenew = createAutoRenew(deps);
  const reminders = createReminders(deps);

  async function due(scope: Scope, days: number): Promise<DueRenewals> {
    const now = deps.clock.now();
    const span = {
      from: new Date(now.getTime() - deps.graceDays * dayMs),
      until: new Date(now.getTime() + days * dayMs),
    };
    const { domains, more, premium, figures } = await inReading(deps.db, scope, async (tx) => {
      const [found, figures] = await Promise.all([
        dueDomains(tx, scope, span),
        balances(tx, scope.organisationId),
      ]);
      const addresses = found.domains.map(({ address }) => address);
      return { ...found, figures, premium: await premiumCosts(tx, addresses) };
    });
    const standard = await standardPrices(domains.map(({ address }) => suffixOf(address)));
    const priced = domains.map((domain) => {
      const cost = premium.get(domain.address);
      const priceCents =
        cost === undefined
          ? (standard.get(suffixOf(domain.address)) ?? null)
          : deps.pricing.premiumPriceCents(cost);
      return { ...domain, priceCents };
    });
    const plan = planOf(priced, {
      spendableCents: spendableCents(figures, deps.pendingLimitCents),
      renewDays: deps.renewDays,
      now,
    });
    return { ...plan, more };
  }

  async function standardPrices(suffixes: readonly string[]): Promise<Map<string, number | null>> {
    const asked = [...new Set(suffixes)].map(
      async (suffix) => [suffix, await deps.pricing.standardPriceCents(suffix, 'renewal')] as const,
    );
    return new Map(await Promise.all(asked));
  }

  /** One letter about everything that could not be renewed and was not told yet. */
  async function tellUnable(organisationId: string): Promise<void> {
    await systemTransaction(deps.systemDb, async (tx) => {
      const now = deps.clock.now();
      const untold = await takeUntold(tx, organisationId, now);
      if (untold.length === 0) return;
      await tellManagers(tx, {
        organisationId,
        notice: `auto-renew-unable.${organisationId}`,
        letter: unableLetter(untold, deps.publicUrl),
      });
    });
  }

  return {
    due,
    autoRenew,
    /** Jobs of this feature, by name. */
    tasks: {
      'renewals.run': async () => void (await autoRenew.enqueueDue()),
      'renewals.remind': () => reminders.remindAll(),
      'renewals.renew': autoRenew.renew,
      'renewals.tell-unable': ({ organisationId }: JobPayload<'renewals.tell-unable'>) =>
        tellUnable(organisationId),
    },
  };
}

function suffixOf(address: string): string {
  return address.slice(address.indexOf('.') + 1);
}
