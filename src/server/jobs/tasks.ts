import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { mendCounts } from '#kernel/db/kept-counts.ts';
import { inBackground } from '#kernel/fairness.ts';
import { type JobName, type Jobs, jobTable } from '#kernel/job-table.ts';
import { isWaitedFor } from '#kernel/job-turns.rules.ts';
import { postLetter, postOf } from '#kernel/letters.ts';
import type { Logger } from '#kernel/logger.ts';
import { forgetOldKeys } from '#kernel/request-keys.ts';
import type { Seal } from '#kernel/seal.ts';
import type { BillingApi } from '../features/billing/index.ts';
import type { OrdersApi } from '../features/orders/index.ts';
import { checkLedger } from '../ledger/check.ts';
import type { Mail, MailBrand } from '../ports/mail.ts';
import { alarmLetter } from './alarm.letters.ts';
import type { Task } from './runner.ts';

export interface TaskDeps {
  systemDb: Db;
  orders: OrdersApi;
  billing: BillingApi;
  /** Email addresses of those who manage an organisation. */
  managersOf(organisationId: string): Promise<string[]>;
  /** Whose name and logo a mail bears; null when the organization is gone. */
  brandOf(organisationId: string): Promise<MailBrand | null>;
  mail: Mail;
  seal: Pick<Seal, 'open'>;
  clock: Clock;
  logger: Logger;
  /** Who runs the portal; alarms go there. Null: to the log only. */
  operatorEmail: string | null;
  /** Tasks that features bring along. */
  more: Partial<Jobs>;
}

/** Jobs of no single feature, and those of features that know nothing of jobs. */
export type CommonJob =
  | `orders.${'advance' | 'seek-end' | 'sweep'}`
  | `billing.${'apply-events' | 'consider-auto-topup' | 'sweep' | 'notify'}`
  | 'mail.send'
  | 'requests.forget-keys'
  | 'ledger.check'
  | 'counts.check'
  | 'operator.alert';

/** Every job by name. What is stored with it is read by the one table. */
export function createTasks(deps: TaskDeps): Record<string, Task> {
  const { orders, billing, mail, clock, logger, systemDb } = deps;
  const common: Jobs<CommonJob> = {
    'orders.advance': ({ organisationId, itemId }) => orders.engine.advance(organisationId, itemId),
    'orders.seek-end': ({ organisationId, itemId }) => orders.engine.seekEnd(organisationId, itemId),
    'orders.sweep': async () => {
      while ((await orders.engine.sweep()) > 0) {
        // Until nothing is due any more.
      }
    },
    'billing.apply-events': () => billing.webhooks.applyDue(),
    'billing.consider-auto-topup': ({ organisationId }) => billing.autoTopup.consider(organisationId),
    'billing.sweep': () => billing.sweep(),
    /** One mail a person: each is a job of its own, so that a mailbox that is away holds up no other. */
    'billing.notify': async ({ organisationId, notice, ...told }) => {
      const content =
        'letter' in told ? told.letter : { subject: told.subject, parts: told.text.split(/\n{2,}/) };
      const people = await deps.managersOf(organisationId);
      await systemTransaction(systemDb, async (tx) => {
        const sender = { organisationId, inItsName: false };
        for (const to of people) {
          await postLetter(tx, { to, sender, letter: content, messageId: `${notice}.${to}` });
        }
      });
    },
    'mail.send': async (stored) => {
      const { sender, ...message } = postOf(stored, deps.seal);
      const brand = sender && (await deps.brandOf(sender.organisationId));
      await mail.send({
        ...message,
        ...(brand ? { brand, inItsName: sender?.inItsName ?? false } : {}),
      });
    },
    'requests.forget-keys': () => forgetOldKeys(systemDb, clock),
    'ledger.check': async () => {
      const faults = await checkLedger(systemDb);
      for (const fault of faults) logger.error({ fault }, 'the ledger does not add up');
      const found = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
      if (faults.length > 0) await alarm(`The ledger check found ${found}; see the log.`);
    },
    'counts.check': async () => {
      const wrong = await mendCounts(systemDb);
      for (const organisationId of wrong) logger.error({ organisationId }, 'kept counts were wrong');
    },
    'operator.alert': async ({ kind, text }) => {
      logger.error({ kind, text }, 'needs a person');
      await alarm(`${kind}: ${text}`);
    },
  };
  return readingPayloads({ ...common, ...deps.more });

  async function alarm(text: string): Promise<void> {
    if (!deps.operatorEmail) return;
    const messageId = `alarm.${clock.now().toISOString()}`;
    await mail.send({ to: deps.operatorEmail, letter: alarmLetter(text), messageId });
  }
}

/** What is stored with a job is read by the table before the job runs. */
function readingPayloads(jobs: Partial<Jobs>): Record<string, Task> {
  return Object.fromEntries(
    Object.entries(jobs).map(([name, run]) => {
      const payloadOf = jobTable[name as JobName];
      const job = run as (payload: unknown) => Promise<void>;
      const work = (stored: Record<string, unknown>) => job(payloadOf.parse(stored));
      return [
        name,
        isWaitedFor(name) ? work : (stored: Record<string, unknown>) => inBackground(() => work(stored)),
      ];
    }),
  );
}

/**
 * Cast at the start as well: while the portal was down, the provider's events found nobody (design: top-ups), and an
 * earlier version may have run.
 */
export const atStart = [
  'billing.sweep',
  'attention.sweep',
  'audit.seal-keys',
  'registrar.watch-balance',
  'direct-billing.sweep',
  'direct-billing.sweep-methods',
] as const satisfies readonly JobName[];

/** Nets under the jobs that start themselves: what a crash lost is found again. */
export const schedule = [
  { task: 'orders.sweep', match: '* * * * *' },
  { task: 'billing.sweep', match: '7 * * * *' },
  { task: 'direct-billing.sweep', match: '*/5 * * * *' },
  { task: 'direct-billing.sweep-methods', match: '17 * * * *' },
  { task: 'audit.keep-heads', match: '37 * * * *' },
  { task: 'audit.verify', match: '31 4 * * *' },
  { task: 'audit.seal-keys', match: '21 4 * * *' },
  { task: 'ledger.check', match: '23 3 * * *' },
  { task: 'counts.check', match: '27 3 * * *' },
  { task: 'attention.sweep', match: '* * * * *' },
  { task: 'attention.digest', match: '13 6 * * *' },
  { task: 'attention.forget', match: '33 2 * * *' },
  { task: 'health.sweep', match: '* * * * *' },
  { task: 'health.forget', match: '29 2 * * *' },
  { task: 'changes.sweep', match: '* * * * *' },
  { task: 'changes.forget', match: '19 2 * * *' },
  { task: 'moves.sweep', match: '* * * * *' },
  { task: 'moves.forget', match: '15 2 * * *' },
  { task: 'dns.check-templates', match: '* * * * *' },
  { task: 'dns.settle-versions', match: '*/2 * * * *' },
  { task: 'acme.sweep', match: '* * * * *' },
  { task: 'certificates.sweep', match: '* * * * *' },
  { task: 'certificates.remind', match: '11 7 * * *' },
  { task: 'privacy.forget', match: '47 2 * * *' },
  { task: 'customers.forget-imports', match: '53 2 * * *' },
  { task: 'requests.forget-keys', match: '57 2 * * *' },
  { task: 'domains.sync-due', match: '* * * * *' },
  { task: 'domains.verification-due', match: '27 * * * *' },
  { task: 'domains.verification-letters', match: '*/10 * * * *' },
  { task: 'registrar.poll-events', match: '* * * * *' },
  { task: 'registrar.watch-balance', match: '*/10 * * * *' },
  { task: 'registrar.forget-events', match: '41 2 * * *' },
  { task: 'transfers.poll', match: '*/20 * * * *' },
  { task: 'renewals.run', match: '17 * * * *' },
  { task: 'renewals.remind', match: '9 8 * * *' },
] as const satisfies readonly { task: JobName; match: string }[];
