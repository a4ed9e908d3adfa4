import { dayMs } from './time.ts';

/**
 * The stations of a .com name's life. Periods as registries, ICANN and the registrar have them, checked 2026-11-21;
 * the operator may set others.
 */
export interface LifePeriods {
  /** No transfer to another registrar after a registration or a transfer (registrar practice, ICANN transfer policy). */
  transferLockDays: number;
  /** No transfer after a change of the registrant's name, organisation or email (ICANN transfer policy). */
  registrantLockDays: number;
  /** After expiry: renewal at the normal price (OpenSRS, .com: to day 40). */
  graceDays: number;
  /** After deletion: it can be restored, for a fee (ICANN ERRP: 30 days). */
  redemptionDays: number;
  /** After that the registry deletes it for good. */
  pendingDeleteDays: number;
}

export const comPeriods: LifePeriods = {
  transferLockDays: 60,
  registrantLockDays: 60,
  graceDays: 40,
  redemptionDays: 30,
  pendingDeleteDays: 5,
};

/** P1 §2, decisions no. 15: below this a renewal is flagged red. */
export const renewSoonDays = 60;

/** How far ahead the renewals, the balance's outlook and the figures of the start look. */
export const renewalsAheadDays = 90;
/** A name that lapses within so many days is on the start; the renewals have the later ones. */
export const lapseShownDays = 30;
/** What lapses within so many days is for today. */
export const lapsePressingDays = 7;

/** Whether a name is to be renewed soon: it has expired, or does within 60 days. */
export function expiresSoon(expiresAt: Date, now: Date): boolean {
  return daysUntil(expiresAt, now) < renewSoonDays;
}

/** What is planned for a name that falls due, as far as it decides whether it lapses. */
interface Due {
  state: 'planned' | 'manual' | 'ordered' | 'unable';
  /** The balance is enough for it and for everything that is due before. */
  covered: boolean;
}

/** Whether nobody and nothing renews this name: it lapses unless a person acts. */
export function lapses({ state, covered }: Due): boolean {
  return state === 'manual' || state === 'unable' || (state === 'planned' && !covered);
}

export interface Station {
  kind:
    | 'registered'
    | 'transferred'
    | 'renewed'
    | 'transfer-lock-ends'
    | 'expires'
    | 'grace-ends'
    | 'redemption-ends'
    | 'deleted';
  at: string;
}

/** What happened and what will, when nobody does anything; in the order of time. */
export function stationsOf(
  dates: {
    registeredAt: Date | null;
    transferredAt: Date | null;
    renewedAt: Date | null;
    expiresAt: Date | null;
    /** It was deleted, and the registry keeps it until then: what was counted from the expiry gives way to it. */
    restorableUntil?: Date | null;
  },
  periods: LifePeriods = comPeriods,
): Station[] {
  const found: Station[] = [];
  const add = (kind: Station['kind'], from: Date, days: number) =>
    found.push({ kind, at: new Date(from.getTime() + days * dayMs).toISOString() });
  if (dates.registeredAt) add('registered', dates.registeredAt, 0);
  if (dates.transferredAt) add('transferred', dates.transferredAt, 0);
  if (dates.renewedAt) add('renewed', dates.renewedAt, 0);
  const last = [dates.registeredAt, dates.transferredAt].filter((date) => date !== null);
  if (last.length > 0) {
    const from = new Date(Math.max(...last.map((date) => date.getTime())));
    add('transfer-lock-ends', from, periods.transferLockDays);
  }
  if (dates.expiresAt) {
    const { expiresAt, restorableUntil } = dates;
    add('expires', expiresAt, 0);
    if (!restorableUntil) add('grace-ends', expiresAt, periods.graceDays);
    const graceMs = (periods.graceDays + periods.redemptionDays) * dayMs;
    const until = restorableUntil ?? new Date(expiresAt.getTime() + graceMs);
    add('redemption-ends', until, 0);
    add('deleted', until, periods.pendingDeleteDays);
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Whole days until then; negative when it is past. */
export function daysUntil(at: Date, now: Date): number {
  return Math.floor((at.getTime() - now.getTime()) / dayMs);
}
