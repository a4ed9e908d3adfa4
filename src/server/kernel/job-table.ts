import { z } from 'zod';
import { letter, post } from './letters.ts';

/**
 * Every job by name, with what it is told. Who enqueues a job and who does it are held to this one table: a name that is
 * not here, a payload that does not fit, or a job that nobody does is an error of the compiler. Jobs that are stored are
 * parsed by it before they run; a payload that changes must still read what waits in the queue.
 */
const nothing = z.object({}).loose();
const organisation = z.object({ organisationId: z.uuid() });
const item = z.object({ organisationId: z.uuid(), itemId: z.uuid() });
const place = z.object({ organisationId: z.uuid(), address: z.string() });
const refund = z.object({ organisationId: z.uuid(), itemId: z.uuid(), reason: z.string().max(300) });
const change = z.object({ organisationId: z.uuid(), changeId: z.uuid() });
const certificate = z.object({ organisationId: z.uuid(), certificateId: z.uuid() });

export const jobTable = {
  'acme.advance': z.object({ organisationId: z.uuid(), orderId: z.uuid() }),
  'acme.sweep': nothing,
  'attention.digest': nothing,
  'attention.forget': nothing,
  'attention.sweep': nothing,
  'audit.keep-heads': nothing,
  'audit.seal-keys': nothing,
  'audit.verify': nothing,
  'billing.apply-events': nothing,
  'billing.consider-auto-topup': organisation,
  'billing.notify': z.union([
    organisation.extend({ notice: z.string(), letter }),
    // As versions before letters wrote it; what waits is still sent.
    organisation.extend({
      notice: z.string(),
      subject: z.string().default('About your prepaid balance'),
      text: z.string(),
    }),
  ]),
  'billing.sweep': nothing,
  'certificates.letters': organisation,
  'certificates.notice': certificate.extend({ kind: z.string(), serial: z.string() }),
  'certificates.remind': nothing,
  'certificates.sweep': nothing,
  'certificates.sync': certificate,
  'changes.forget': nothing,
  'changes.look': change,
  'changes.run': change,
  'changes.sweep': nothing,
  'counts.check': nothing,
  'customers.drop-upload': z.object({ key: z.string() }),
  'customers.forget-imports': nothing,
  'customers.import': z.object({ organisationId: z.uuid(), importId: z.uuid() }),
  'direct-billing.charge': z.object({ organisationId: z.uuid(), chargeId: z.uuid() }),
  'direct-billing.connect': z.object({ organisationId: z.uuid(), customerId: z.uuid() }),
  'direct-billing.connect-all': organisation.extend({ after: z.uuid().optional() }),
  'direct-billing.refund': item,
  'direct-billing.sweep': nothing,
  'direct-billing.sweep-methods': nothing,
  'dns.check-templates': nothing,
  'dns.publish-staged': place,
  'dns.repair-zone': place.extend({ versionId: z.uuid() }),
  'dns.settle-versions': nothing,
  'domains.sync': place,
  'domains.sync-due': nothing,
  'domains.verification-due': nothing,
  'domains.verification-letters': nothing,
  'health.forget': nothing,
  'health.sweep': nothing,
  'ledger.check': nothing,
  'mail.send': post,
  'moves.forget': nothing,
  'moves.sweep': nothing,
  'operator.alert': z.object({ kind: z.string(), text: z.string() }).loose(),
  'operator.digest': nothing,
  'operator.reconcile': nothing,
  'orders.advance': item,
  'orders.after-refund': refund,
  'orders.after-success': item,
  'orders.refund-certificate': refund,
  'orders.seek-end': item,
  'orders.sweep': nothing,
  'privacy.forget': nothing,
  'registrar.forget-events': nothing,
  'registrar.poll-events': nothing,
  'registrar.watch-balance': nothing,
  'renewals.remind': nothing,
  'renewals.renew': place,
  'renewals.run': nothing,
  'renewals.tell-unable': organisation,
  'requests.forget-keys': nothing,
  'transfers.ask': item,
  'transfers.compare': item,
  'transfers.look-before': item,
  'transfers.poll': nothing,
  'users.mail-invite': z.object({ organisationId: z.uuid(), inviteId: z.uuid() }),
} as const;

export type JobName = keyof typeof jobTable;
/** What is stored with a job. */
export type JobInput<N extends JobName> = z.input<(typeof jobTable)[N]>;
/** What its doer gets. */
export type JobPayload<N extends JobName> = z.output<(typeof jobTable)[N]>;
/** Who does jobs, by name. Each may run twice, late, or beside another of its kind. */
export type Jobs<N extends JobName = JobName> = { [K in N]: (payload: JobPayload<K>) => Promise<void> };
