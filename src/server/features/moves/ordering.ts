import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { Move, orderMove } from '#contracts/operations/moves.ts';
import { usdToCents } from '#contracts/values/money.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { hashOf } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Seal } from '#kernel/seal.ts';
import { lineOf, type OrderRequest, type OrdersApi, requestOf } from '../orders/index.ts';
import type { Line } from './line.ts';
import { chosen, type Looking } from './looking.ts';
import * as repo from './moves.repo.ts';
import { isOutdated } from './moves.rules.ts';
import { codeContext } from './sealed.repo.ts';

export interface OrderingDeps {
  db: Db;
  clock: Clock;
  seal: Seal;
  orders: Pick<OrdersApi, 'place' | 'begin' | 'outcome'>;
}

/** One order for all lines, by the engine that orders everything. The codes go along, and are kept here no longer. */
export function createOrdering({ db, clock, seal, orders }: OrderingDeps, looking: Looking) {
  return async function order(
    scope: Scope,
    id: string,
    { lineIds, price }: BodyOf<typeof orderMove>,
    key: string | null,
  ): Promise<Move> {
    const { head, lines } = await looking.found(scope, id);
    const wanted = chosen(lines, lineIds);
    const unready = wanted.filter((line) => looking.standing(line).stage !== 'ready');
    if (unready.length > 0) {
      // A repeat finds its lines ordered.
      if (key !== null && (await orders.outcome(scope, key)).state !== 'absent')
        return looking.get(scope, id);
      throw notReady(unready);
    }
    const tie = { moveId: id, ids: lineIds };
    if (wanted.some((line) => isOutdated(line, clock.now()))) {
      await checkAgain(scope, tie);
      throw new AppError('unprocessable', { message: outdatedText });
    }
    const request = await requestFor(scope, head.customerId, wanted, price);
    const placed = await orders
      .place(scope, request, key, { also: (tx, { orderId }) => tied(tx, scope, wanted, { ...tie, orderId }) })
      .catch(async (error: unknown) => {
        if (isOutOfDate(error, wanted, price)) await checkAgain(scope, tie);
        throw error;
      });
    // It goes on after the reply; the jobs finish what is open.
    void orders.begin(scope.organisationId, placed.itemIds);
    return looking.get(scope, id);
  };

  async function tied(
    tx: Tx,
    scope: Scope,
    lines: readonly Line[],
    tie: { moveId: string; ids: string[]; orderId: string },
  ) {
    const count = await repo.tieToOrder(tx, scope, { ...tie, now: clock.now() });
    if (count < lines.length) {
      const left = (await asTheyAre(tx, scope, lines)).filter(({ item }) => item?.orderId !== tie.orderId);
      throw notReady(left);
    }
    await repo.setAuthor(tx, scope, tie.moveId);
    await repo.sweepSoon(tx);
  }

  /** Nobody would ever see what is so by now, and none of them could be ordered. */
  function checkAgain(scope: Scope, lines: { moveId: string; ids: string[] }): Promise<void> {
    return inTransaction(db, scope, async (tx) => {
      await repo.askAgain(tx, scope, { ...lines, now: clock.now() });
      await repo.sweepSoon(tx);
    });
  }

  async function requestFor(
    scope: Scope,
    customerId: string,
    lines: readonly Line[],
    price: number,
  ): Promise<OrderRequest> {
    const ids = lines.map((line) => line.id);
    const sealed = await inReading(db, scope, (tx) => repo.codesOf(tx, scope, ids));
    const bare = lines.filter((line) => !sealed.has(line.id));
    if (bare.length > 0) throw notReady(await inReading(db, scope, (tx) => asTheyAre(tx, scope, bare)));
    const wanted = lines.flatMap((line) => {
      const code = sealed.get(line.id);
      if (!code) return [];
      const authCode = seal.open(code, codeContext(scope.organisationId, line.id));
      const seenCents = line.facts?.priceCents ?? null;
      return [lineOf({ kind: 'transfer', address: line.address, customerId, authCode, seenCents })];
    });
    return { ...requestOf(wanted, usdToCents(price)), hash: hashOf({ lines: ids.toSorted(), price }) };
  }
}

/** Lines that were read before, by now: somebody may have ordered them since. What was deleted is as it was. */
async function asTheyAre(tx: Tx, scope: Scope, lines: readonly Line[]): Promise<Line[]> {
  const now = await repo.linesOf(tx, scope, [...new Set(lines.map(({ moveId }) => moveId))]);
  return lines.map((line) => now.find(({ id }) => id === line.id) ?? line);
}

/** Whether the prices that the list shows are no longer the prices. */
const isOutOfDate = (error: unknown, lines: readonly Line[], price: number) =>
  error instanceof AppError &&
  error.code === 'price_changed' &&
  usdToCents(price) === lines.reduce((sum, { facts }) => sum + (facts?.priceCents ?? 0), 0);

/** Its zone, its price, or what is in the way may be another by now. */
const outdatedText =
  'These names were checked more than a day ago. They are checked again now. Please look at the list again.';

/** What happened to which names: a colleague may have ordered them. */
function notReady(lines: readonly Line[]): AppError {
  const [ordered, others] = [
    lines.filter(({ itemId }) => itemId !== null),
    lines.filter(({ itemId }) => itemId === null),
  ];
  const message = [
    ...(ordered.length > 0 ? [`${thoseText(ordered, ['was', 'were'])} ordered in the meantime.`] : []),
    ...(others.length > 0 ? [`${thoseText(others, ['is', 'are'])} not ready to be ordered.`] : []),
    'Please look at the list again.',
  ];
  return new AppError('unprocessable', { message: message.join(' ') });
}

const mostNamed = 5;

/** "a.com, b.com and 3 more were" */
function thoseText(lines: readonly Line[], [one, several]: readonly [string, string]): string {
  const named = lines.slice(0, mostNamed).map(({ address }) => address);
  const more = lines.length > mostNamed ? [`${lines.length - mostNamed} more`] : [];
  return `${new Intl.ListFormat('en').format([...named, ...more])} ${lines.length === 1 ? one : several}`;
}
