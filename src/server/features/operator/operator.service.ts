import { type OperatorFigures, type QueueKind, queueKinds } from '#contracts/operations/operator.ts';
import { differenceTexts } from '#contracts/values/differences.ts';
import { systemTransaction } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Operator } from '#kernel/operator.ts';
import type { Mail } from '../../ports/mail.ts';
import type { CustomerNamesQuery } from '../customers/index.ts';
import type { RegistrarWatch } from '../registrar/index.ts';
import { createCorrections, organisationFor } from './corrections.ts';
import { createGiving } from './giving.ts';
import { createMissing, type MissingDeps } from './missing.ts';
import { readCustomers } from './named-organisation.ts';
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
    const [waiting, { runs, differences }, account] = await Promise.all([
      queue.counts(),
      readReconciliation(systemDb),
      deps.registrarAccount(),
    ]);
    const count = (kind: QueueKind) => waiting.get(kind)?.count ?? 0;
    const last = runs.find((run) => run.endedAt !== null && run.incomplete === null);
    const secondsSince = (at: string | Date | null | undefined) =>
      at ? Math.max(0, Math.round((clock.now().getTime() - new Date(at).getTime()) / 1_000)) : null;
    return {
      review: count('review'),
      oldestReviewSeconds: secondsSince(waiting.get('review')?.oldest) ?? 0,
      waiting: count('waiting'),
      failedCharges: count('charge'),
      refusedRenewals: count('renewal'),
      stuckEvents: count('event'),
      debts: count('debt'),
      debtCents: waiting.get('debt')?.cents ?? 0,
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

  async function tell(subject: string, lines: readonly string[], total?: number): Promise<void> {
    if (!deps.operatorEmail || lines.length === 0) return;
    const messageId = `operator.${subject}.${clock.now().toISOString()}`;
    const letter = operatorLetter(subject, lines, deps.publicUrl, total);
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
        incomplete && differences.length === 0
          ? 'The comparison of registrar, ledger and payments was incomplete'
          : `${counted(differences.length, 'difference')} between registrar, ledger and payments`,
        [
          // A night that could not ask is no night without a difference.
          ...(incomplete ? [`The comparison was incomplete. Not asked: ${incomplete}`] : []),
          ...differences.map((one) => `${one.text}\n${differenceTexts[one.kind].advice}`),
        ],
      );
    },
    'operator.digest': async () => {
      const [entries, counts] = await Promise.all([queue.list(), queue.counts()]);
      const total = [...counts.values()].reduce((sum, { count }) => sum + count, 0);
      // What a person must decide first, however long the rest has waited: money is held for it.
      const byKind = queueKinds.flatMap((kind) => entries.filter((entry) => entry.kind === kind));
      await tell(
        total === 1 ? '1 item needs attention' : `${total} items need attention`,
        byKind.map((entry) => `${age(entry.ageSeconds)}  ${entry.kind}  ${entry.subject}: ${entry.note}`),
        total,
      );
    },
  };

  return {
    queue,
    missing: createMissing(deps),
    giving: createGiving(deps),
    prices,
    corrections,
    operators,
    reconcile,
    figures,
    startReconciliation,
    registrarAccount: deps.registrarAccount,
    organisation: (operator: Operator, id: string) => organisationFor(deps, operator, id),
    customers: (id: string, query: CustomerNamesQuery) => readCustomers(systemDb, id, query),
    reconciliation: () => readReconciliation(systemDb),
    tasks,
    /** After the night's sweeps, and before people come to work. */
    schedule: [
      { task: 'operator.reconcile', match: '11 4 * * *' },
      { task: 'operator.digest', match: '0 6 * * *' },
    ] as const,
  };
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function age(seconds: number): string {
  const hours = Math.floor(seconds / 3_600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
