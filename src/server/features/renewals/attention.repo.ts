import { lapseShownDays, lapses } from '#contracts/values/domain-life.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { dayMs } from '#contracts/values/time.ts';
import { type AttentionQuestion, type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { balances, spendableCents } from '../../ledger/ledger.ts';
import type { DomainPricing, KnownPrices } from '../domains/index.ts';
import { type DueDomain, planOf } from './plan.rules.ts';
import { premiumCosts } from './renewals.repo.ts';

export interface RenewalAttentionDeps {
  pricing: KnownPrices & Pick<DomainPricing, 'premiumPriceCents'>;
  graceDays: number;
  renewDays: number;
  pendingLimitCents: number;
}

/** Names that lapse within 30 days, or can still be renewed, and that nobody renews: by the plan that the renewals show. */
export function renewalAttention(deps: RenewalAttentionDeps): AttentionSource<'renewal'> {
  return {
    cause: 'renewal',
    async present(tx, question) {
      const due = await dueNames(tx, question, deps.graceDays);
      const premium = await premiumCosts(
        tx,
        due.map(({ address }) => address),
      );
      const standard = new Map<string, number | null>();
      for (const suffix of new Set(due.map(({ address }) => suffixOf(address)))) {
        standard.set(suffix, await deps.pricing.knownPriceCents(suffix, 'renewal'));
      }
      const stated = [];
      for (const [organisationId, names] of Map.groupBy(due, (row) => row.organisationId)) {
        const plan = planOf(
          names.map((name) => ({ ...name, priceCents: priceOf(name.address, premium, standard) })),
          {
            spendableCents: spendableCents(await balances(tx, organisationId), deps.pendingLimitCents),
            renewDays: deps.renewDays,
            now: question.now,
          },
        );
        for (const row of plan.rows) {
          if (!lapses(row) || row.state === 'ordered') continue;
          stated.push({
            ...{ organisationId, object: row.address, customerId: row.customerId, address: row.address },
            deadline: new Date(row.expireDate),
            facts: {
              ...{ state: row.state, reason: row.reason, autoRenew: row.autoRenew },
              ...{ priceCents: row.price === null ? null : usdToCents(row.price), expiresAt: row.expireDate },
            },
          });
        }
      }
      return stated;
    },
  };

  function priceOf(
    address: string,
    premium: ReadonlyMap<string, number>,
    standard: ReadonlyMap<string, number | null>,
  ): number | null {
    const cost = premium.get(address);
    return cost === undefined
      ? (standard.get(suffixOf(address)) ?? null)
      : deps.pricing.premiumPriceCents(cost);
  }
}

const suffixOf = (address: string) => address.slice(address.indexOf('.') + 1);

/** As `dueDomains`, of many organizations. Whole days count, so that what has 30 days left is not shown yet. */
async function dueNames(
  tx: Tx,
  question: AttentionQuestion,
  graceDays: number,
): Promise<(Omit<DueDomain, 'priceCents'> & { organisationId: string })[]> {
  const { now } = question;
  const { rows } = await sql<{
    organisationId: string;
    address: string;
    customerId: string | null;
    expiresAt: Date;
    autoRenew: boolean;
    state: NonNullable<DueDomain['attempt']>['state'] | null;
    reason: string | null;
  }>`
    SELECT d.organisation_id AS "organisationId", d.address, d.customer_id AS "customerId",
      d.expires_at AS "expiresAt", d.auto_renew AS "autoRenew", a.state, a.reason
    FROM domains d LEFT JOIN auto_renewals a ON a.organisation_id = d.organisation_id AND a.address = d.address
      AND a.expiry_year = extract(year FROM d.expires_at AT TIME ZONE 'UTC')
    WHERE d.status IN ('active', 'expired') AND d.missing_since IS NULL
      AND ${inQuestion('d.organisation_id', question)}
      AND d.expires_at > ${new Date(now.getTime() - graceDays * dayMs)}
      AND d.expires_at < ${new Date(now.getTime() + lapseShownDays * dayMs)}
    ORDER BY d.expires_at, d.address`.execute(tx);
  return rows.map(({ state, reason, ...row }) => ({
    ...row,
    customer: '',
    attempt: state && { state, reason },
  }));
}
