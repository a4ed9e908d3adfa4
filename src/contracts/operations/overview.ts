import { z } from 'zod';
import { defineOperation } from '../operation.ts';

/** The figures of the start and of the navigation. A part that the caller may not see is null. */

const count = z.int().min(0);

/** An ACME access that needs a person. */
const acmeTrouble = z.object({
  accessId: z.uuid(),
  name: z.string(),
  customer: z.string(),
  at: z.iso.datetime(),
  /** Of the request that did not succeed. None: it was a registration. */
  names: z.array(z.string()),
  /** How many other sets of names had trouble by the access and have it still. */
  others: count,
  /** When the present certificate of these names ends; null: there is none by ACME. */
  validTo: z.iso.datetime().nullable(),
  /** What its machine was answered. */
  text: z.string(),
  /** What the MSP can do about it. Empty: the answer says it all. */
  advice: z.string(),
});
export type AcmeTrouble = z.output<typeof acmeTrouble>;

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
      /** Auto renew is off. */
      manual: count,
      /** May be transferred away. */
      unlocked: count,
      transferring: count,
    })
    .nullable(),
  /** Certificates by their band; those that are flagged need a person. */
  certificates: z.object({ flagged: count, valid: count, open: count, ended: count }).nullable(),
  customers: z.object({ total: count, billedDirectly: count }).nullable(),
  people: z.object({ users: count, invites: count }).nullable(),
  charges: z.object({ failed: count }).nullable(),
  /**
   * ACME accesses that work, with names of which the newest request of the last seven days was refused or failed: the 50
   * whose certificates end first.
   */
  acme: z.array(acmeTrouble).nullable(),
});
export type Overview = z.output<typeof overview>;

export const getOverview = defineOperation({
  id: 'overview.get',
  method: 'GET',
  path: '/overview',
  summary: 'Count domains, customers, certificates and people, and how many of them need attention',
  access: 'profile.self',
  opens: 'with-profile',
  reply: overview,
});
