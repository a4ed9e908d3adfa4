import { AppError } from '#contracts/errors.ts';
import type { RegistrarAccount } from '#contracts/operations/operator.ts';
import { moneyText } from '#contracts/values/format.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarOrders } from '../../ports/registrar.ts';
import { openCostCents, readAccount, readAccountWithOpen, storeAccount, storeAlarm } from './balance.repo.ts';
import { type AccountFigures, availableCents, isAlarmDue, levelOf } from './balance.rules.ts';

export interface BalanceDeps {
  systemDb: Db;
  registrar: Pick<RegistrarOrders, 'balance'>;
  clock: Clock;
  logger: Logger;
  /** The operator is told when less than this can be spent. */
  alarmCents: number;
}

/** Beyond this age a figure decides nothing any more. */
const trustedMs = 30 * 60_000;

/** Our money at the registrar: watched, so that the operator hears of it before an order fails for want of it. */
export function createBalance(deps: BalanceDeps) {
  const { systemDb, registrar, clock, logger, alarmCents } = deps;

  /** Asks the registrar, keeps the answer, and raises the alarm where it is due. */
  async function watch(): Promise<AccountFigures> {
    const read = await registrar.balance();
    const now = clock.now();
    return systemTransaction(systemDb, async (tx) => {
      await storeAccount(tx, read, now);
      const known = await readAccount(tx);
      const figures = { ...read, openCents: await openCostCents(tx) };
      const level = levelOf(figures, alarmCents);
      const last = { level: known?.alarmedLevel ?? null, at: known?.alarmedAt ?? null };
      if (level === 'enough') {
        if (last.at) await storeAlarm(tx, null, null);
      } else if (isAlarmDue(level, last, now)) {
        await storeAlarm(tx, level, now);
        await enqueueJob(
          tx,
          'operator.alert',
          { kind: 'registrar balance', text: alarmText(level, figures, alarmCents) },
          { key: 'registrar-balance' },
        );
      }
      return figures;
    });
  }

  /**
   * Before money of an organisation is held: what the registrar will certainly refuse is refused here, with the reason.
   * A tight figure is
   * asked for once more; an old one decides nothing. Without an answer the order goes on, and its own end will tell.
   */
  async function requireFunds(costCents: number): Promise<void> {
    const known = await readAccountWithOpen(systemDb);
    if (!known || clock.now().getTime() - known.readAt.getTime() >= trustedMs) return;
    if (availableCents(known) >= costCents + alarmCents) return;
    const figures = await watch().catch((error: unknown) => {
      if (!(error instanceof UpstreamUnavailable || error instanceof UpstreamRefused)) throw error;
      logger.warn({ err: error }, 'the balance at the registrar could not be read');
      return null;
    });
    if (!figures || availableCents(figures) >= costCents) return;
    await systemTransaction(systemDb, (tx) =>
      enqueueJob(
        tx,
        'operator.alert',
        {
          kind: 'registrar balance',
          text: `An order of ${moneyText(costCents)} was refused. ${alarmText('short', figures, alarmCents)}`,
        },
        { key: 'registrar-balance-refused' },
      ),
    );
    throw new AppError('registrar_unfunded');
  }

  /** For the operator's screen and the figures; from what is stored. */
  async function account(): Promise<RegistrarAccount> {
    const [known, openCents] = [await readAccount(systemDb), await openCostCents(systemDb)];
    if (!known)
      return {
        balance: null,
        held: null,
        open: openCents,
        available: null,
        threshold: alarmCents,
        level: null,
        readAt: null,
      };
    const figures = { ...known, openCents };
    return {
      balance: known.balanceCents,
      held: known.heldCents,
      open: openCents,
      available: availableCents(figures),
      threshold: alarmCents,
      level: levelOf(figures, alarmCents),
      readAt: known.readAt.toISOString(),
    };
  }

  return {
    watch,
    requireFunds,
    account,
    tasks: { 'registrar.watch-balance': async () => void (await watch()) },
  };
}

function alarmText(level: 'low' | 'short', figures: AccountFigures, alarmCents: number): string {
  const { balanceCents, heldCents, openCents } = figures;
  const opening =
    level === 'short'
      ? 'The account at the registrar cannot pay for the orders under way.'
      : `The account at the registrar is below the threshold of ${moneyText(alarmCents)}.`;
  return `${opening} Balance ${moneyText(balanceCents)}, held by the registrar ${moneyText(heldCents)}, orders under way ${moneyText(openCents)}, left ${moneyText(availableCents(figures))}. Please top it up. Without funds, purchases and renewals are refused.`;
}
