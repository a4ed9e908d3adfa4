import { z } from 'zod';
import { defineOperation, idParams } from '../operation.ts';
import { signedUsd } from '../values/money.ts';

/** Who runs the portal: a key for each person, what each did, and what waits for a second person. */

/** Operators have a log of their own, which the edge writes for every act. */
const operatorsLog = 'the operators’ own log has it';

export const operatorName = z
  .string()
  .trim()
  .min(2, 'Please enter the person’s name')
  .max(80, 'At most 80 characters')
  .regex(/^[\p{L}\p{M}\p{N} .,'’-]+$/u, 'Please enter a name without special characters');

export const operatorKey = z.object({
  id: z.uuid(),
  name: z.string(),
  madeAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
});
export type OperatorKey = z.output<typeof operatorKey>;

export const listOperators = defineOperation({
  id: 'operator.operators',
  method: 'GET',
  path: '/operator/operators',
  summary: 'List the people with their own operator key, including ended keys',
  access: 'bootstrap',
  reply: z.array(operatorKey),
});

export const makeOperator = defineOperation({
  id: 'operator.makeOperator',
  method: 'POST',
  path: '/operator/operators',
  summary: 'Create an operator key for a person. Only this reply contains the key',
  access: 'bootstrap',
  audit: { none: operatorsLog },
  body: z.object({ name: operatorName }),
  reply: z.object({ id: z.uuid(), name: z.string(), key: z.string() }),
  errors: ['already_exists'],
  sensitive: true,
});

export const endOperator = defineOperation({
  id: 'operator.endOperator',
  method: 'DELETE',
  path: '/operator/operators/:id',
  summary: 'End a person’s key. This applies from the next request',
  access: 'bootstrap',
  audit: { none: operatorsLog },
  params: idParams,
  reply: z.object({ name: z.string() }),
  errors: ['not_found'],
});

export const whoAmI = defineOperation({
  id: 'operator.me',
  method: 'GET',
  path: '/operator/me',
  summary: 'Get the owner of this key',
  access: 'operator',
  reply: z.object({ id: z.uuid(), name: z.string() }),
});

export const operatorAct = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  operator: z.string(),
  address: z.string().nullable(),
  operation: z.string(),
  input: z.unknown(),
  /** `done`, or the code of the failure; null: it is running, or the process died meanwhile. */
  outcome: z.string().nullable(),
});
export type OperatorAct = z.output<typeof operatorAct>;

export const listOperatorActs = defineOperation({
  id: 'operator.acts',
  method: 'GET',
  path: '/operator/acts',
  summary: 'List the acts of operators, newest first: who, when, from where, with what input and outcome',
  access: 'operator',
  reply: z.array(operatorAct),
});

export const correctionRow = z.object({
  id: z.uuid(),
  organizationId: z.uuid(),
  organization: z.string(),
  /** Set: the organization was closed then. What would give it money is not confirmed any more. */
  organizationClosedAt: z.iso.datetime().nullable(),
  amount: signedUsd,
  reason: z.string(),
  reference: z.string(),
  /** `withdrawn`: declined by the one who had requested it. */
  state: z.enum(['waiting', 'entered', 'declined', 'withdrawn']),
  /** Null: entered before operators had names. */
  askedBy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  askedAt: z.iso.datetime(),
  /** The second person, where there was one. */
  decidedBy: z.string().nullable(),
  decidedAt: z.iso.datetime().nullable(),
});
export type CorrectionRow = z.output<typeof correctionRow>;

export const listCorrections = defineOperation({
  id: 'operator.corrections',
  method: 'GET',
  path: '/operator/corrections',
  summary: 'List corrections of balances. Those that wait for a second person come first, then the newest',
  access: 'operator',
  reply: z.array(correctionRow),
});

export const confirmCorrection = defineOperation({
  id: 'operator.confirmCorrection',
  method: 'POST',
  path: '/operator/corrections/:id/confirm',
  summary: 'Confirm a correction that another operator requested',
  access: 'operator',
  audit: 'operator.correct',
  params: idParams,
  reply: correctionRow,
  errors: ['not_found', 'forbidden', 'conflict'],
});

export const declineCorrection = defineOperation({
  id: 'operator.declineCorrection',
  method: 'POST',
  path: '/operator/corrections/:id/decline',
  summary: 'Decline a waiting correction that another operator requested. Nothing is entered',
  access: 'operator',
  audit: { none: operatorsLog },
  params: idParams,
  reply: correctionRow,
  errors: ['not_found', 'forbidden', 'conflict'],
});

export const withdrawCorrection = defineOperation({
  id: 'operator.withdrawCorrection',
  method: 'POST',
  path: '/operator/corrections/:id/withdraw',
  summary: 'Withdraw a waiting correction that you requested. Nothing is entered',
  access: 'operator',
  audit: { none: operatorsLog },
  params: idParams,
  reply: correctionRow,
  errors: ['not_found', 'forbidden', 'conflict'],
});
