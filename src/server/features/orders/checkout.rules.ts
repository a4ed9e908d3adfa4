import type { jobActions } from '#contracts/values/audit-actions.ts';
import { isoDay, utcDayText } from '#contracts/values/format.ts';
import { mostYears } from '#contracts/values/order-limits.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { OrderItemKind } from '#kernel/db/schema.ts';
import type { Line, PricedLine } from './lines.ts';

/** What a checkout decides: pure, from the lines, what the portal knows of them, and now. */

/** Requests of one burst, or of an impatient person, come within this time. */
const justRenewedMs = 10 * 60_000;
/** A renewal moves the expiry by a year at least; whatever is less is the registry's own rounding. */
const halfYearMs = 180 * dayMs;
const yearMs = 365.25 * dayMs;

/** Why a line cannot be bought, in words for the person. */
export interface Refusal {
  message: string;
  /** Somebody renewed it meanwhile: the cart may drop the line. */
  renewed?: true;
}

/** A domain of the portal, as far as a renewal looks at it. */
export interface Renewable {
  status: string;
  expiresAt: Date | null;
  /** The registry has deleted it and gives it back still. */
  restorable: boolean;
  /** A renewal of it was completed since `justRenewedSince`. */
  justRenewed: boolean;
}

/** A caller who names no expiry cannot have seen one that changed after this time. */
export function justRenewedSince(now: Date): Date {
  return new Date(now.getTime() - justRenewedMs);
}

/** Why a domain cannot be renewed as asked for; null when it can. */
export function renewalRefusal(
  { address, years, seenExpiry }: Pick<Line, 'address' | 'years' | 'seenExpiry'>,
  domain: Renewable,
  now: Date,
): Refusal | null {
  const { expiresAt } = domain;
  if (domain.status === 'transferring' || !expiresAt) {
    return { message: `${address} can be renewed when its transfer is complete` };
  }
  if (!seenExpiry && domain.justRenewed) {
    return {
      message: `${address} was renewed a moment ago and now expires on ${isoDay(expiresAt)}. To renew it once more, send this day as expireDate.`,
    };
  }
  if (domain.restorable) {
    return {
      message: `${address} was deleted at the registry. It cannot be renewed, but it can be restored.`,
    };
  }
  if (seenExpiry && expiresAt.getTime() - seenExpiry.getTime() > halfYearMs) {
    return {
      message: `${address} was renewed in the meantime and now expires on ${utcDayText(expiresAt)}`,
      renewed: true,
    };
  }
  if ((expiresAt.getTime() - now.getTime()) / yearMs + years > mostYears) {
    return { message: `${address} cannot be registered for more than ${mostYears} years in total` };
  }
  return null;
}

/**
 * The body of P1 §7 says "Email" and names nobody. Where the domain is ours, or is bought in the same order, DNS is
 * the portal's choice (decisions no. 16); elsewhere a mailbox that every authority may ask.
 */
export function validatedBy(
  { certificate, address }: Pick<Line, 'certificate' | 'address'>,
  isOurs: boolean,
): Partial<NonNullable<Line['certificate']>> {
  if (certificate?.validation !== 'Email' || certificate.approverEmail) return {};
  return isOurs ? { validation: 'DNS' } : { approverEmail: `admin@${address}` };
}

/** Whether this very order registers the name. */
export function isBoughtWith(lines: readonly Pick<Line, 'kind' | 'address'>[], address: string): boolean {
  return lines.some((line) => line.kind === 'domain' && line.address === address);
}

/** What is being bought already: a second buyer attaches to the running item instead of buying it again. */
export function splitRunning<L extends Pick<Line, 'kind' | 'address'>>(
  lines: readonly L[],
  running: readonly { id: string; kind: OrderItemKind; address: string }[],
): { fresh: L[]; attached: string[] } {
  const nameOf = ({ kind, address }: Pick<Line, 'kind' | 'address'>) => `${kind} ${address}`;
  const wanted = new Set(lines.map(nameOf));
  const found = new Map(running.map((item) => [nameOf(item), item.id]));
  return {
    fresh: lines.filter((line) => !found.has(nameOf(line))),
    attached: [...found].filter(([name]) => wanted.has(name)).map(([, id]) => id),
  };
}

export function totalCents(lines: readonly Pick<PricedLine, 'priceCents'>[]): number {
  return lines.reduce((sum, line) => sum + line.priceCents, 0);
}

/**
 * Whether what the person saw is what it costs now (decisions no. 6): the total, and each line whose price they saw. Two
 * lines that change by the same amount in opposite directions keep the total, and are no less a change.
 */
export function isAsSeen(
  priced: readonly Pick<PricedLine, 'priceCents' | 'seenCents'>[],
  seenTotalCents: number,
): boolean {
  return (
    totalCents(priced) === seenTotalCents &&
    priced.every((line) => line.seenCents === null || line.seenCents === line.priceCents)
  );
}

/** The employee's limit counts from midnight UTC. */
export function dayStartOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
}

/** `spentCents`: of the day, whatever was not declined. A limit may be used up to the last cent. */
export function exceedsDailyLimit(limitCents: number, spentCents: number, orderCents: number): boolean {
  return spentCents + orderCents > limitCents;
}

const actionOf = {
  domain: 'orders.purchase',
  certificate: 'orders.purchase',
  renewal: 'orders.renew',
  transfer: 'orders.transfer',
  redemption: 'orders.restore',
} as const;

export type OrderSource = 'cart' | 'auto_renew' | 'acme' | 'recovery';

/** What the audit log calls the order of a line. */
export function auditActionOf(
  kind: OrderItemKind,
  source: OrderSource,
  jobs: Pick<typeof jobActions, 'renewals.renew'>,
) {
  return source === 'auto_renew' ? jobs['renewals.renew'].action : actionOf[kind];
}

/** Of 15 random bytes: 20 letters, digits, underscores and tildes. */
export function passwordOf(random: Buffer): string {
  return random.toString('base64url').replaceAll('-', '~');
}
