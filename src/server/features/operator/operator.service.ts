import type { OperatorFigures } from '#contracts/operations/operator.ts';
import { differenceTexts } from '#contracts/values/differences.ts';
import { systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Mail } from '../../ports/mail.ts';
import type { RegistrarWatch } from '../registrar/index.ts';
import { createCorrections } from './corrections.ts';
import { createMissing, type MissingDeps } from './missing.ts';
import { operatorLetter } from './operator.letters.ts';
import { createOperators, type OperatorsDeps } from './operators.service.ts';
import { createPrices, type PricesDeps } from './prices.ts';
import { createQueue, type QueueDeps } from './queue.service.ts';
import { readReconciliation } from './reconcile.repo.ts';
import { createReconcile, type ReconcileDeps } from './reconcile.ts';

export interface OperatorDeps extends QueueDeps, ReconcileDeps, PricesDeps, OperatorsDeps {
  registrar: ReconcileDeps['registrar'] & MissingDeps['registrar'];
  mail: Mail;
  /** Alarms go there. Null: to the log and the figures only. */
  operatorEmail: string | null;
  publicUrl: string;
  /** What one operator may enter alone within a day. */
  aloneLimitCents: number;
  registrarAccount: RegistrarWatch['balance']['account'];
}

export type OperatorApi = ReturnType<typeof createOperator>;

/** Everything that the operator of the portal must see and decide. */
export function createOperator(deps: OperatorDeps) {
  const { systemDb, clock, logger } = deps;
  const queue = createQueue(deps);
  const reconcile = createReconcile(deps);
  const prices = createPrices(deps);
  const operators = createOperators(deps);
  const corrections = createCorrections({ ...deps, tell: tellOrLog });

  async function figures(): Promise<OperatorFigures> {
    const [entries, { runs, differences }, account] = await Promise.all([
      queue.list(),
      readReconciliation(systemDb),
      deps.registrarAccount(),
    ]);
    const of = (kind: string) => entries.filter((entry) => entry.kind === kind);
    const last = runs.find((run) => run.endedAt !== null && run.incomplete === null);
    const secondsSince = (at: string | null | undefined) =>
      at ? Math.max(0, Math.round((clock.now().getTime() - Date.parse(at)) / 1_000)) : null;
    return {
      review: of('review').length,
      oldestReviewSeconds: Math.max(0, ...of('review').map((entry) => entry.ageSeconds)),
      waiting: of('waiting').length,
      failedCharges: of('charge').length,
      refusedRenewals: of('renewal').length,
      stuckEvents: of('event').length,
      differences: differences.length,
      reconciledSecondsAgo: secondsSince(last?.endedAt),
      registrarAvailableCents: account.available,
      registrarReadSecondsAgo: secondsSince(account.readAt),
    };
  }

  async function startReconciliation(): Promise<void> {
    await systemTransaction(systemDb, (tx) =>
      enqueueJob(tx, 'operator.reconcile', {}, { key: 'operator.reconcile' }),
    );
  }

  async function tell(subject: string, lines: readonly string[]): Promise<void> {
    if (!deps.operatorEmail || lines.length === 0) return;
    const messageId = `operator.${subject}.${clock.now().toISOString()}`;
    const letter = operatorLetter(subject, lines, deps.publicUrl);
    await deps.mail.send({ to: deps.operatorEmail, letter, messageId });
  }

  /** What has been done is not undone by a mailbox that is away. */
  async function tellOrLog(subject: string, lines: readonly string[]): Promise<void> {
    await tell(subject, lines).catch((error: unknown) =>
      logger.error({ err: error, subject }, 'no mail to the operator'),
    );
  }

  const tasks = {
    'operator.reconcile': async () => {
      const { differences, fresh, incomplete } = await reconcile.run();
      for (const one of fresh) logger.error({ difference: one }, 'registrar, ledger and payments differ');
      if (incomplete) logger.warn({ incomplete }, 'not everything could be compared');
      await tell(
        `${counted(differences.length, 'difference')} between registrar, ledger and payments`,
        differences.map((one) => `${one.text}\n${differenceTexts[one.kind].advice}`),
      );
    },
    'operator.digest': async () => {
      const entries = await queue.list();
      await tell(
        entries.length === 1 ? '1 item needs attention' : `${entries.length} items need attention`,
        entries.map((entry) => `${age(entry.ageSeconds)}  ${entry.kind}  ${entry.subject}: ${entry.note}`),
      );
    },
  };

  return {
    figureTexts,
    queue,
    missing: createMissing(deps),
    prices,
    corrections,
    operators,
    reconcile,
    figures,
    startReconciliation,
    registrarAccount: deps.registrarAccount,
    reconciliation: () => readReconciliation(systemDb),
    tasks,
    /** After the night's sweeps, and before people come to work. */
    schedule: [
      { task: 'operator.reconcile', match: '11 4 * * *' },
      { task: 'operator.digest', match: '0 6 * * *' },
    ] as const,
  };
}

/** What each figure counts, for alarms. */
const figureTexts: Readonly<Record<keyof OperatorFigures, string>> = {
  review: 'Order items whose outcome a person must check',
  oldestReviewSeconds: 'Age of the oldest of them',
  waiting: 'Order items whose outcome the registrar has not reported for an hour',
  failedCharges: 'Automatic top-ups and direct charges that failed',
  refusedRenewals: 'Renewals that were refused and are still due',
  stuckEvents: 'Events of the payment provider that could not be applied',
  differences: 'Open differences between registrar, ledger and payments',
  reconciledSecondsAgo: 'Time since the last complete comparison',
  registrarAvailableCents: 'Spendable balance of the account at the registrar, less the orders under way',
  registrarReadSecondsAgo: 'Time since the account at the registrar was read',
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function age(seconds: number): string {
  const hours = Math.floor(seconds / 3_600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
