import type { TransferStatusReply } from '#contracts/operations/transfers.ts';
import { dayMs } from '#contracts/values/time.ts';

/** How long a transfer takes, as registrars and ICANN have it; the operator may set others. */
export interface TransferTimes {
  /** The owner or the admin contact is asked where the code alone does not do. */
  approvalDays: number;
  /** The losing registrar may object for so long. */
  releaseDays: number;
}

export interface TransferFacts {
  requestedAt: Date;
  registrarStatus: string | null;
  statusSince: Date | null;
  completedAt: Date | null;
  failedAt: Date | null;
}

type Step = TransferStatusReply['steps'][number];

/** The steps with what is known of their times, and what is expected of the others. */
export function stepsOf(facts: TransferFacts, times: TransferTimes): Step[] {
  const requested = facts.requestedAt.getTime();
  const approvalBy = requested + times.approvalDays * dayMs;
  const released = facts.registrarStatus === 'pending_registry' ? facts.statusSince : null;
  const releaseBy = (released?.getTime() ?? approvalBy) + times.releaseDays * dayMs;
  const reached = facts.completedAt ? 3 : released || facts.registrarStatus === 'completed' ? 2 : 1;
  const iso = (ms: number | null | undefined) => (ms ? new Date(ms).toISOString() : null);
  const known: Omit<Step, 'state'>[] = [
    { kind: 'requested', at: iso(requested), expectedBy: null },
    { kind: 'approval', at: iso(released?.getTime()), expectedBy: iso(approvalBy) },
    { kind: 'release', at: null, expectedBy: iso(releaseBy) },
    { kind: 'completed', at: iso(facts.completedAt?.getTime()), expectedBy: iso(releaseBy) },
  ];
  return known.map((step, index) => {
    const over = facts.completedAt !== null || index < reached;
    if (over) return { ...step, state: 'done', expectedBy: null };
    if (facts.failedAt) return { ...step, state: index === reached ? 'failed' : 'waiting', expectedBy: null };
    return { ...step, state: index === reached ? 'current' : 'waiting' };
  });
}

/** The present step should have been over by now. */
export function isStuck(steps: readonly Step[], now: Date): boolean {
  const current = steps.find(({ state }) => state === 'current');
  return current?.expectedBy ? new Date(current.expectedBy) < now : false;
}
