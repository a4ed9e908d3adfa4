import { z } from 'zod';
import { defineOperation, idParams, noData } from '../operation.ts';
import { type RecoveryStep, recoverySteps } from '../values/recovery-steps.ts';
import { actReason } from './operator.ts';

/** After a restore or a failover: how far the comparison with registrar and payment provider is, and what it found. */

const operatorsLog = 'the operators’ own log has it';

export const recoveryFinding = z.object({
  id: z.uuid(),
  kind: z.string(),
  /** The order, payment, name or zone that differed. */
  subject: z.string(),
  organizationId: z.uuid().nullable(),
  text: z.string(),
  /** Nothing is sent until a person has decided what becomes of it. */
  needsPerson: z.boolean(),
  settledAt: z.iso.datetime().nullable(),
});

export const recovery = z.object({
  id: z.uuid(),
  reason: z.enum(['elsewhere', 'promoted', 'asked']),
  /** `waiting`: everything was compared, and a person must decide the rest. */
  state: z.enum(['running', 'waiting', 'ended']),
  step: z.enum(Object.keys(recoverySteps) as RecoveryStep[]),
  done: z.int(),
  total: z.int().nullable(),
  /** Why it cannot go on at the moment. */
  hindrance: z.string().nullable(),
  since: z.iso.datetime(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
});

export const getRecovery = defineOperation({
  id: 'operator.recovery',
  method: 'GET',
  path: '/operator/recovery',
  summary: 'Get the newest recovery: how far it is, and each difference with what was done about it',
  access: 'operator',
  reply: z.object({ recovery: recovery.nullable(), findings: z.array(recoveryFinding) }),
});

export const beginRecovery = defineOperation({
  id: 'operator.beginRecovery',
  method: 'POST',
  path: '/operator/recovery',
  summary:
    'Stop sending, and compare everything since a time with registrar and payment provider. For a machine that was set back',
  access: 'operator',
  audit: { none: operatorsLog },
  body: z.object({ since: z.iso.datetime() }),
  reply: noData,
});

export const settleRecoveryFinding = defineOperation({
  id: 'operator.settleRecoveryFinding',
  method: 'POST',
  path: '/operator/recovery/findings/:id/settle',
  summary:
    'State that a person has decided about a finding, and why. After the last one everything is sent again',
  access: 'operator',
  audit: { none: operatorsLog },
  params: idParams,
  body: z.object({ reason: actReason }),
  reply: noData,
  errors: ['not_found'],
});
