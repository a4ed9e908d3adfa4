import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import {
  changeItemStates,
  changeStates,
  contactRoles,
  mostAliasHosts,
  mostChangeItems,
} from '../values/changes.ts';
import { contact } from '../values/contact.ts';
import { type DnsRecord, readRecord, recordTypes, subdomain } from '../values/dns-records.ts';
import { isDmarc, isSpf } from '../values/mail-records.ts';
import { nameserverList } from '../values/nameservers.ts';
import { oneLine } from '../values/one-line.ts';
import { mostCharacters } from '../values/text-limits.ts';
import { recordDifference, typeFields } from './dns.ts';
import { mostValueLength, variableKey } from './dns-templates.ts';
import { listDomains } from './domains.ts';

/** Changes of many domains at once: chosen, described, looked at one by one, applied, undone as one. */

const moment = z.iso.datetime();
const count = z.int().min(0);
const required = 'This field is required';
const longestText = 4_096;

/** A record that every zone is to get, by the rules of the zone editor. */
const record = z
  .strictObject({
    ...typeFields,
    type: z.enum(recordTypes, { error: 'You must select a type' }),
    subdomain: z.string().max(300).default(''),
  })
  .transform((given, context): DnsRecord => {
    const read = readRecord(given);
    if (read.ok) return read.record;
    for (const { field, message } of read.problems) {
      context.addIssue({ code: 'custom', message, path: field ? [field] : [] });
    }
    return z.NEVER;
  });
const value = oneLine(longestText).min(1, required);
/** Null: all records of the type and name. */
const valueOrAll = value.nullable().default(null);
const where = z.enum(['missing', 'everywhere']);
const spf = value.refine(isSpf, 'An SPF record begins with "v=spf1 "');
const dmarc = value.refine(isDmarc, 'A DMARC record begins with "v=DMARC1;"');

export const changeRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('replace-value'),
    find: value,
    replacement: value,
    /** Also within longer values, as whole words. */
    part: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('add-record'), record }),
  z.strictObject({ kind: z.literal('change-record'), record, value: valueOrAll }),
  z.strictObject({
    kind: z.literal('remove-record'),
    type: z.enum(recordTypes, { error: 'You must select a type' }),
    subdomain: subdomain.default(''),
    value: valueOrAll,
  }),
  z.strictObject({ kind: z.literal('set-spf'), text: spf, where }),
  z.strictObject({ kind: z.literal('set-dmarc'), text: dmarc, where }),
  z.strictObject({
    kind: z.literal('delete-host'),
    subdomain: subdomain.refine((name) => name !== '', 'Please name a host below the domain'),
    /** With everything below it. */
    below: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal('remove-aliases'),
    hosts: z.array(value).min(1, 'Please enter at least one host').max(mostAliasHosts),
  }),
  z.strictObject({ kind: z.literal('keep-dmarc') }),
  z.strictObject({
    kind: z.literal('apply-template'),
    templateId: z.uuid('Please choose a template'),
    version: z.int().min(1).max(1_000_000),
    values: z.record(variableKey, oneLine(mostValueLength)).default({}),
  }),
  z.strictObject({ kind: z.literal('lock'), locked: z.boolean() }),
  /** By the portal, from the balance; the change itself costs nothing. */
  z.strictObject({ kind: z.literal('auto-renew'), enabled: z.boolean() }),
  /** Free of charge. */
  z.strictObject({ kind: z.literal('privacy'), enabled: z.boolean() }),
  z.strictObject({ kind: z.literal('nameservers'), nameservers: nameserverList }),
  z
    .strictObject({
      kind: z.literal('contacts'),
      roles: z
        .array(z.enum(contactRoles))
        .min(1, 'Please choose at least one contact')
        .refine((roles) => new Set(roles).size === roles.length, 'A contact is listed twice'),
      /** One for all domains. Null: those of the customer that each domain belongs to. */
      contact: contact.nullable(),
    })
    .refine(({ roles, contact }) => contact !== null || !roles.includes('tech'), {
      path: ['roles'],
      message: 'A customer has no tech contact',
    }),
  /** Null: to no customer. */
  z.strictObject({
    kind: z.literal('customer'),
    customerId: z.uuid('Please choose a customer').nullable(),
  }),
]);

/** Which domains. Nothing stands for "all" but that word. */
const targets = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  /** As the list of domains is filtered, which is what a saved view keeps. */
  z.strictObject({
    kind: z.literal('filter'),
    filter: listDomains.query
      .pick({ search: true, customerId: true, registrant: true, autoRenew: true, locked: true })
      .extend({ expiringWithinDays: z.int().min(1).max(3650).optional() })
      .strict()
      .refine((filter) => Object.values(filter).some(Boolean), 'Please choose at least one filter'),
  }),
  /** Chosen, or pasted as they come. */
  z.strictObject({
    kind: z.literal('names'),
    names: z
      .array(oneLine(300).min(1))
      .min(1, 'Please choose at least one domain')
      .max(mostChangeItems, `At most ${mostChangeItems} domains at once`),
  }),
]);

const title = oneLine(mostCharacters.changeTitle).min(1, 'Please name the change');
const ticket = oneLine(mostCharacters.ticket);

const counts = z.object({
  total: count,
  waiting: count,
  ready: count,
  /** Of those that are ready: with a warning, or losing so much that somebody has to say so. */
  warned: count,
  leftOut: count,
  same: count,
  barred: count,
  queued: count,
  applying: count,
  done: count,
  failed: count,
  moved: count,
  cancelled: count,
});

export const change = z.object({
  id: z.uuid(),
  title: z.string(),
  /** The ticket, or another reason. */
  reason: z.string(),
  request: z.looseObject({ kind: z.string() }),
  /** What is asked, in words. */
  sentence: z.string(),
  state: z.enum(changeStates),
  /** Why it waits. */
  note: z.string(),
  author: z.string(),
  createdAt: moment,
  startedAt: moment.nullable(),
  endedAt: moment.nullable(),
  /** The change that this one takes back, and the last one that takes this one back. */
  undoes: z.uuid().nullable(),
  undoneBy: z.uuid().nullable(),
  /** Domains that still have this one although that one is done. Null: it is not done yet, or has taken all back. */
  leftByUndo: count.nullable(),
  /** Counts how often it was described, looked at again, applied or tried again: the differences of an earlier round count no more. */
  round: count,
  counts,
});
export type Change = z.output<typeof change>;
export type ChangeCounts = Change['counts'];

export const changeItem = z.object({
  id: z.uuid(),
  domain: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  state: z.enum(changeItemStates),
  note: z.string(),
  warnings: z.array(z.string()),
  /** What becomes different; null where it was not looked at, or there is nothing. `first`: the first twenty. */
  difference: z
    .object({ added: count, changed: count, removed: count, first: z.array(recordDifference) })
    .nullable(),
  /** Settings that become different, in words; null where the change is of zones. */
  settings: z.array(z.object({ label: z.string(), before: z.string(), after: z.string() })).nullable(),
  /** Records that stay as they are. */
  others: count.nullable(),
  /** It loses more than 30 % of its records, and nobody has said yet that this is meant. */
  needsTick: z.boolean(),
  ticked: z.boolean(),
  endedAt: moment.nullable(),
});
export type ChangeItem = z.output<typeof changeItem>;

const common = { access: 'changes.manage' } as const;
const acts = ['not_found', 'conflict'] as const;

export const createChange = defineOperation({
  id: 'changes.create',
  method: 'POST',
  path: '/changes',
  summary:
    'Describe a change of many domains: of their zones or their settings. Each is looked at; nothing is changed yet',
  ...common,
  audit: 'changes.create',
  body: z.object({ title, reason: ticket.default(''), request: changeRequest, targets }),
  reply: change,
  errors: ['validation_failed', 'unprocessable', 'forbidden'],
  rate: 'change',
});

export const listChanges = defineOperation({
  id: 'changes.list',
  method: 'GET',
  path: '/changes',
  reads: 'replica',
  summary: 'List the changes of many domains, newest first',
  ...common,
  query: z.object({
    state: z.enum(changeStates).optional(),
    /** The id of the last change of the page before. */
    after: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  reply: z.object({ changes: z.array(change), more: z.boolean() }),
});
export type ChangeList = z.output<typeof listChanges.reply>;

export const getChange = defineOperation({
  id: 'changes.get',
  method: 'GET',
  path: '/changes/:id',
  summary: 'Get a change of many domains, and how far it is',
  ...common,
  params: idParams,
  reply: change,
  errors: ['not_found'],
});

export const listChangeItems = defineOperation({
  id: 'changes.items',
  method: 'GET',
  path: '/changes/:id/items',
  reads: 'replica',
  summary: 'List the domains of a change by name, each with what becomes different and what came of it',
  ...common,
  params: idParams,
  query: z.object({
    state: z.enum(changeItemStates).optional(),
    /** Only those that need a look. */
    warned: z.enum(['true', 'false']).optional(),
    search: oneLine(200).optional(),
    /** The name of the last domain of the page before. */
    after: oneLine(300).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  reply: z.object({ items: z.array(changeItem), more: z.boolean() }),
  errors: ['not_found'],
});
export type ChangeItems = z.output<typeof listChangeItems.reply>;

export const describeChange = defineOperation({
  id: 'changes.describe',
  method: 'PUT',
  path: '/changes/:id',
  summary: 'Describe a change differently before it is applied. Its domains are looked at again',
  ...common,
  audit: 'changes.describe',
  params: idParams,
  body: z.object({
    ...{ title, reason: ticket.default(''), request: changeRequest },
    /** Of the change that was shown: what somebody else has described since is not lost. Absent: whatever it is by now. */
    round: count.optional(),
  }),
  reply: change,
  errors: [...acts, 'validation_failed', 'forbidden'],
});

export const chooseChangeItems = defineOperation({
  id: 'changes.choose',
  method: 'PATCH',
  path: '/changes/:id/items',
  summary:
    'Leave domains out of a change or take them in again, or confirm that one may lose much of its zone',
  ...common,
  audit: 'changes.choose',
  params: idParams,
  body: z.object({
    ids: z.array(z.uuid()).min(1).max(mostChangeItems),
    /** Whether they are part of it. Absent: as it is. */
    chosen: z.boolean().optional(),
    /** More than 30 % of the records of these zones may go. Absent: as it is. */
    ticked: z.boolean().optional(),
    /** Of the change that was shown: a word about one difference does not count for another. Absent: whatever it is by now. */
    round: count.optional(),
  }),
  reply: change,
  errors: acts,
});

/** An act without more to say. */
const act = <const N extends string>(name: N, summary: string) =>
  ({
    ...common,
    id: `changes.${name}`,
    method: 'POST',
    path: `/changes/:id/${name}`,
    summary,
    audit: `changes.${name}`,
    params: idParams,
    reply: change,
  }) as const;

const unlocks = { when: 'the change may unlock domains' } as const;

/** What the person was shown: when something else is meant by now, nothing happens. */
const expected = z.object({
  /** How many domains. */
  expected: z.int().min(1),
  /** Of the change that was shown. Absent: whatever it asks for now. */
  round: count.optional(),
});

export const lookAtChange = defineOperation({
  ...act('look', 'Look at all domains of a change again'),
  audit: { none: 'It reads and changes nothing.' },
  errors: acts,
});

export const applyChange = defineOperation({
  ...act(
    'apply',
    'Apply a change to the domains that are ready. Jobs do it; the change shows how far they are',
  ),
  body: expected,
  errors: [...acts, 'unprocessable', 'forbidden'],
  freshSignIn: unlocks,
});

export const pauseChange = defineOperation({
  ...act('pause', 'Pause a change: what is being sent ends, and nothing more begins'),
  errors: acts,
});

export const resumeChange = defineOperation({
  ...act('resume', 'Go on with a paused change'),
  errors: [...acts, 'forbidden'],
  freshSignIn: unlocks,
});

export const cancelChange = defineOperation({
  ...act('cancel', 'End a change: what is done stays done, the rest is not done'),
  errors: acts,
});

export const retryChange = defineOperation({
  ...act('retry', 'Try again what failed, and apply what was looked at again'),
  body: expected,
  errors: [...acts, 'unprocessable', 'forbidden'],
  freshSignIn: unlocks,
});

export const undoChange = defineOperation({
  ...act('undo', 'Prepare the change that takes this one back, where its records still are as it left them'),
  errors: [...acts, 'unprocessable', 'forbidden'],
});

export const discardChange = defineOperation({
  id: 'changes.discard',
  method: 'DELETE',
  path: '/changes/:id',
  summary: 'Discard a change that was not applied',
  ...common,
  audit: 'changes.discard',
  params: idParams,
  reply: noData,
  errors: acts,
});
