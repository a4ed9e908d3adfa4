import { z } from 'zod';
import { defineOperation, idParams } from '../operation.ts';
import { attentionCauses, attentionSeverities } from '../values/attention.ts';

/** What waits for a person: the list, and what people do with its items. They close by themselves. */

const moment = z.iso.datetime();
const cause = z.enum(attentionCauses);
const severity = z.enum(attentionSeverities);
const count = z.int().min(0);

export const attentionItem = z.object({
  id: z.uuid(),
  cause,
  /** `now`: today; `soon`: within the next weeks. */
  severity,
  /** The domain that it is about; the title goes on after it. */
  name: z.string().nullable(),
  title: z.string(),
  detail: z.string(),
  /** How much time there is, in a few words. */
  when: z.string(),
  deadline: moment.nullable(),
  openedAt: moment,
  customerId: z.uuid().nullable(),
  customer: z.string(),
  /** Who has taken it over. */
  owner: z.object({ userId: z.uuid(), name: z.string() }).nullable(),
  snoozedUntil: moment.nullable(),
  /** Raised when it becomes more urgent or says something new; for `version` of a change. */
  version: z.int(),
  /** The one act that helps, and where. */
  action: z.object({ label: z.string(), to: z.string() }),
  /** What the cart needs to renew the name. */
  renewal: z.object({ autoRenew: z.boolean(), expireDate: moment }).nullable(),
});
export type AttentionItem = z.output<typeof attentionItem>;

const switched = z.enum(['true', 'false']).optional();

export const listAttention = defineOperation({
  id: 'attention.list',
  method: 'GET',
  path: '/attention',
  reads: 'replica',
  summary: 'List what waits for a person, the most pressing first',
  access: 'domains.read',
  query: z.object({
    cause: cause.optional(),
    severity: severity.optional(),
    customerId: z.uuid().optional(),
    /** Only what the caller has taken over. */
    mine: switched,
    /** Only what is put off. */
    snoozed: switched,
    /** The id of the last item of the page before. */
    after: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  reply: z.object({
    items: z.array(attentionItem),
    /** Ask with `after` of the last item for the next ones. */
    more: z.boolean(),
  }),
});
export type AttentionList = z.output<typeof listAttention.reply>;

export const attentionCounts = z.object({
  now: count,
  soon: count,
  /** Put off, and in no other figure. */
  snoozed: count,
  mine: count,
  causes: z.array(z.object({ cause, count })),
});
export type AttentionCounts = z.output<typeof attentionCounts>;

export const countAttention = defineOperation({
  id: 'attention.counts',
  method: 'GET',
  path: '/attention/counts',
  reads: 'replica',
  summary: 'Count what waits for a person, by severity and cause',
  access: 'domains.read',
  query: z.object({ customerId: z.uuid().optional() }),
  reply: attentionCounts,
});

export const changeAttention = defineOperation({
  id: 'attention.change',
  method: 'PATCH',
  path: '/attention/:id',
  summary:
    'Take an item over, give it to a colleague, or put it off until a date, at most until its deadline. What is left out stays as it is',
  access: 'attention.manage',
  audit: 'attention.change',
  params: idParams,
  body: z.object({
    /** Null: nobody’s again. */
    ownerId: z.uuid().nullish(),
    /**
     * Whose it was shown to be; null: nobody's. What is another's by now is not taken from them unseen: 409 `conflict` with the present
     * item. Absent: whosever it is by now.
     */
    shownOwnerId: z.uuid().nullish(),
    /** Null: it is shown again at once. */
    snoozedUntil: moment.nullish(),
    /** Of the item that was shown: what is worse by now is not put off unseen. Absent: however it is by now. */
    version: z.int().optional(),
  }),
  reply: attentionItem,
  errors: ['not_found', 'validation_failed', 'conflict'],
});

const digest = z.object({ daily: z.boolean() });

export const getDigest = defineOperation({
  id: 'attention.getDigest',
  method: 'GET',
  path: '/attention/digest',
  summary: 'Get whether the caller has the list mailed each day',
  access: 'domains.read',
  reply: digest,
});

export const setDigest = defineOperation({
  id: 'attention.setDigest',
  method: 'PUT',
  path: '/attention/digest',
  summary: 'Have the list mailed each day, or no more',
  access: 'domains.read',
  audit: 'attention.setDigest',
  body: digest,
  reply: digest,
});
