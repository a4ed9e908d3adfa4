import { z } from 'zod';
import { defineOperation } from '../operation.ts';

/** The figures of the start and of the navigation. A part that the caller may not see is null. */

const count = z.int().min(0);

export const overview = z.object({
  domains: z
    .object({
      held: count,
      /** Expire within 60 days, or have expired. */
      expiring: count,
      /** Do not renew by themselves, and expire within 90 days or can still be renewed. */
      lapsing: count,
      /** Names whose registrant has not confirmed the email address, as the list of domains filters them. */
      unverified: count,
      /** Auto renew is off, as the list of domains filters them. */
      manual: count,
      /** May be transferred away, as the list of domains filters them. */
      unlocked: count,
      transferring: count,
    })
    .nullable(),
  /** Certificates by their band; those that are flagged need a person. */
  certificates: z.object({ flagged: count, valid: count, open: count, ended: count }).nullable(),
  customers: z.object({ total: count, billedDirectly: count }).nullable(),
  people: z.object({ users: count, invites: count }).nullable(),
  charges: z.object({ failed: count }).nullable(),
  /** What waits for a person, by severity. */
  attention: z.object({ now: count, soon: count }).nullable(),
});
export type Overview = z.output<typeof overview>;

export const getOverview = defineOperation({
  id: 'overview.get',
  method: 'GET',
  path: '/overview',
  reads: 'replica',
  summary: 'Count domains, customers, certificates and people, and how many of them need attention',
  access: 'profile.self',
  opens: 'with-profile',
  reply: overview,
});
