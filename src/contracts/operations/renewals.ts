import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { renewalsAheadDays } from '../values/domain-life.ts';
import { cents, usd } from '../values/money.ts';

/** What falls due, against the money there is. */

const dueRenewal = z.object({
  address: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  expireDate: z.iso.datetime(),
  autoRenew: z.boolean(),
  /**
   * `planned`: the portal renews it on `renewAt`; `manual`: somebody has to; `ordered`: under way; `unable`: the portal
   * tried and could not, `reason` says why, and it tries again.
   */
  state: z.enum(['planned', 'manual', 'ordered', 'unable']),
  renewAt: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
  /** One year, in US dollars; null when there is no price at the moment. */
  price: usd.nullable(),
  /** Whether the balance of today lasts for it and for all automatic renewals before it. */
  covered: z.boolean(),
});
export type DueRenewal = z.output<typeof dueRenewal>;

export const dueRenewals = z.object({
  rows: z.array(dueRenewal),
  /** Cents, like every balance. */
  spendable: cents,
  /** US dollars for everything in `rows`, and for what renews by itself. */
  total: usd,
  automaticTotal: usd,
  automaticCount: z.int(),
  /** Automatic renewals that still take from the balance and have no price at the moment: the sums do not have them. */
  unpriced: z.int(),
  /** Whether more falls due than `rows` has, which are the first to expire: the sums are about these alone. */
  more: z.boolean(),
  /** First day on which an automatic renewal is not covered; null when all are. */
  shortFrom: z.iso.datetime().nullable(),
  /** US dollars that are missing for the automatic renewals. */
  missing: usd,
});
export type DueRenewals = z.output<typeof dueRenewals>;

export const listDueRenewals = defineOperation({
  id: 'renewals.due',
  method: 'GET',
  path: '/renewals/due',
  summary:
    'List domains that are due for renewal, with prices and how long the balance covers the automatic renewals',
  access: 'balance.read',
  query: z.object({ days: z.coerce.number().int().min(1).max(365).default(renewalsAheadDays) }),
  reply: dueRenewals,
});
