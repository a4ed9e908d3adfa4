import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { hostName, registrableName } from '../values/domain-name.ts';
import { settingResult } from './domain-settings.ts';
import { domainParams } from './domains.ts';
import { purchaseBody, purchaseResult } from './orders.ts';

/** Transfers from another registrar: the check, the order, and its life until it is through (P2 §2 to §4, §7). */

const flag = z.union([z.literal(0), z.literal(1)]);
const moment = z.iso.datetime().nullable();

export const byHandReason = 'This domain can be moved by the portal’s support only.';

/** `here`: it is in the own account; `other-account`: the registrar has it already, in another account. */
export const transferHindrances = [
  ...(['locked', 'young', 'unregistered', 'deleted', 'under-way', 'here', 'other-account'] as const),
] as const;

export const transferCheck = z.object({
  domainResponse: z.object({
    transferrable: flag,
    reason: z.string().nullable(),
    reason_code: z.string().nullable(),
    /** Which of the usual obstacles it is. */
    hindrance: z.enum(transferHindrances).nullable(),
  }),
  dnsRecords: z.object({
    /** The delegation as the world sees it now. */
    NS: z.array(z.string()),
    /** 0: nobody answered the question; the list says nothing. */
    answered: flag,
    /** 1: DNSSEC is on, by a DS record at the registry. null: nobody answered the question. */
    signed: flag.nullable(),
  }),
});
export type TransferCheckReply = z.output<typeof transferCheck>;

export const checkTransfer = defineOperation({
  id: 'transfers.check',
  method: 'POST',
  path: '/domain/transfer/check',
  summary: 'Check whether a domain can be transferred here, and get its current nameservers',
  access: 'orders.purchase',
  audit: { none: 'It asks the registrar and changes nothing.' },
  changesNothing: true,
  body: z.object({ domain: registrableName }),
  reply: transferCheck,
  errors: ['validation_failed', 'upstream_unavailable', 'registrar_refused'],
  rate: 'transferCheck',
});

const transferItem = purchaseBody.shape.domainTransfers.unwrap().element;

export const requestTransfer = defineOperation({
  id: 'orders.transfer',
  method: 'POST',
  path: '/domain/transfer',
  summary: 'Order one transfer at its current price. The cart does the same for several',
  access: 'orders.purchase',
  audit: 'orders.transfer',
  body: z.object({
    domain: registrableName,
    customerId: z.uuid(),
    authInfo: transferItem.shape.EPPCode,
  }),
  reply: purchaseResult,
  errors: [
    ...(['validation_failed', 'insufficient_funds', 'price_changed', 'idempotency_key_reused'] as const),
    ...(['in_progress', 'daily_limit', 'not_found', 'unprocessable', 'upstream_unavailable'] as const),
  ],
  rate: 'purchase',
  idempotent: true,
});

/**
 * `requested`: the order is placed; `approval`: the owner or the admin contact is asked; `release`: the present registrar
 * may object; `completed`: the domain is here.
 */
export const transferStepKinds = ['requested', 'approval', 'release', 'completed'] as const;

export const transferStatus = z.object({
  domain: z.string(),
  customerId: z.uuid().nullable(),
  customer: z.string(),
  orderId: z.uuid().nullable(),
  state: z.enum(['running', 'completed', 'failed']),
  steps: z.array(
    z.object({
      kind: z.enum(transferStepKinds),
      state: z.enum(['done', 'current', 'waiting', 'failed']),
      /** When it was reached, where that is known. */
      at: moment,
      /** By when it is usually through. */
      expectedBy: moment,
    }),
  ),
  /** Why it failed. */
  reason: z.string().nullable(),
  /** It takes longer than it should: the screen says what can be done. */
  stuck: z.boolean(),
  /** The registrar's word, and when it was asked. */
  registrarStatus: z.string().nullable(),
  askedAt: moment,
  /** US dollars that are reserved until it ends. */
  held: z.number().nullable(),
  nameservers: z.object({
    before: z.array(z.string()).nullable(),
    after: z.array(z.string()).nullable(),
    /** After completion: whether the delegation is what it was. null until it was compared. */
    kept: z.boolean().nullable(),
  }),
});
export type TransferStatusReply = z.output<typeof transferStatus>;

export const getTransfer = defineOperation({
  id: 'transfers.status',
  method: 'GET',
  path: '/domain/transfer/:domain',
  summary: 'Get the latest transfer of a domain, with its steps and dates from the registrar',
  access: 'domains.read',
  params: domainParams,
  reply: transferStatus,
  errors: ['not_found'],
});

export const cancelTransfer = defineOperation({
  id: 'transfers.cancel',
  method: 'POST',
  path: '/domain/transfer/cancel',
  summary: 'Cancel a running transfer. The reserved funds are released',
  access: 'orders.purchase',
  audit: 'transfers.cancel',
  body: z.object({ domain: hostName }),
  reply: settingResult,
  errors: ['not_found', 'unprocessable', 'registrar_refused', 'upstream_unavailable', 'outcome_unknown'],
});
