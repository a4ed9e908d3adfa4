import { moneyText } from '#contracts/values/format.ts';
import type { RecoveryStep } from '#contracts/values/recovery-steps.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Payments } from '../../ports/payments.ts';
import type {
  CertificateOrder,
  RegistrarCertificates,
  RegistrarNames,
  RegistrarOrder,
  RegistrarOrders,
} from '../../ports/registrar.ts';
import type { BillingApi } from '../billing/index.ts';
import type { DnsApi } from '../dns/index.ts';
import type { createAdopting, Report } from './adopting.ts';
import type { Progress } from './progress.ts';
import { certificateHosts, type Finding, listedNames, organisationExists } from './recovery.repo.ts';
import { askedSince, compareNames, type OutsideOrder, type OwnName } from './recovery.rules.ts';

export interface StepDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  registrar: Pick<RegistrarOrders, 'ordersFor' | 'transfersSince'> &
    Pick<RegistrarCertificates, 'certificateOrdersFor'> &
    Pick<RegistrarNames, 'expiring'>;
  payments: Pick<Payments, 'paymentsSince'>;
  billing: Pick<BillingApi, 'sweepSince' | 'adoptTopup' | 'webhooks'>;
  dns: Pick<DnsApi, 'compare'>;
  takeUp: ReturnType<typeof createAdopting>;
}

interface Step {
  /** What was committed until then is in the database. */
  since: Date;
  report: Report;
  progress: Progress;
}

const expiredSinceMs = 45 * 86_400_000;
const longestTermMs = 11 * 365 * 86_400_000;
/** Beyond so many names, certificates are looked for at the host names of known ones alone. */
const mostNamesForCertificates = 20_000;

async function comparePayments(deps: StepDeps, { since: from, report, progress }: Step): Promise<void> {
  const since = askedSince(from);
  let done = 0;
  for await (const payment of deps.payments.paymentsSince(since)) {
    done += 1;
    progress.at(done, null);
    const { organisationId, topupId, amountCents, state } = payment;
    if (!organisationId || !topupId || state === 'cancelled') continue;
    if (!(await systemTransaction(deps.systemDb, (tx) => organisationExists(tx, organisationId)))) {
      if (state !== 'succeeded') continue;
      await report({
        ...{ kind: 'payment-of-unknown-organization', subject: payment.id, organisationId },
        text: `Payment ${payment.id} of ${moneyText(amountCents)} is of organization ${organisationId}, which is not in the database. It was credited to nobody.`,
        needsPerson: true,
      });
      continue;
    }
    if (!(await deps.billing.adoptTopup(payment))) continue;
    failpoint('recovery.topup');
    await report({
      ...{ kind: 'top-up-adopted', subject: topupId, organisationId, needsPerson: false },
      text: `The payment provider has payment ${payment.id} of ${moneyText(amountCents)} (${state}). Its top-up was written down again.`,
    });
  }
  await deps.billing.sweepSince(since);
  await deps.billing.webhooks.applyDue();
}

async function compareNamesOutside(deps: StepDeps, { since: from, report, progress }: Step): Promise<void> {
  const { systemDb, registrar } = deps;
  const now = deps.clock.now();
  const since = askedSince(from);
  const held = new Map<string, Date>();
  const span = [now.getTime() - expiredSinceMs, now.getTime() + longestTermMs].map((ms) => new Date(ms));
  for await (const { domain, expiresAt } of registrar.expiring(span[0] ?? now, span[1] ?? now)) {
    held.set(domain, expiresAt);
  }
  const ours = await systemTransaction(systemDb, async (tx) => {
    const rows = await listedNames(tx);
    return new Map(
      rows.map((row): [string, OwnName] => [
        row.address,
        {
          ...{ organisationId: row.organisation_id, expiresAt: row.expires_at },
          isComing: row.status === 'transferring',
        },
      ]),
    );
  });
  const { unknown, moved, missing } = compareNames(held, ours, now);
  const asked = new Set([...unknown, ...moved]);
  for await (const name of registrar.transfersSince(since)) if (!ours.has(name)) asked.add(name);
  const lost: OutsideOrder[] = [];
  await progress.each(
    [...asked],
    async (name) => {
      lost.push(...(await registrar.ordersFor(name)).map((order) => ofName(name, order)));
    },
    (name, error) => report(notAnswered(`the orders of ${name}`, name, error)),
  );
  await deps.takeUp(report, lost, since);
  for (const name of [...moved, ...missing])
    await readAgain(deps, report, name, ours.get(name), missing.includes(name));
  for (const name of unknown) await placeUnknown(deps, report, name);
}

async function compareCertificates(deps: StepDeps, { since: from, report, progress }: Step): Promise<void> {
  const since = askedSince(from);
  const [rows, known] = await systemTransaction(deps.systemDb, async (tx) => [
    await listedNames(tx),
    await certificateHosts(tx),
  ]);
  const names = rows.map(({ address }) => address);
  const many = names.length > mostNamesForCertificates;
  if (many) {
    await report({
      ...{ kind: 'certificates-not-asked', subject: 'certificates', organisationId: null },
      text: `With ${names.length} names, certificates were looked for at the host names of known ones alone. Please compare the registrar's list of certificates with the portal's.`,
      needsPerson: true,
    });
  }
  const hosts = new Set([
    ...known,
    ...(many ? [] : names.flatMap((name) => [name, `www.${name}`, `*.${name}`])),
  ]);
  const lost: OutsideOrder[] = [];
  const details = new Map<string, CertificateOrder>();
  await progress.each(
    [...hosts],
    async (host) => {
      for (const order of await deps.registrar.certificateOrdersFor(host)) {
        details.set(order.orderId, order);
        lost.push(ofCertificate(host, order));
      }
    },
    (host, error) => report(notAnswered(`the certificates of ${host}`, `certificates of ${host}`, error)),
  );
  await deps.takeUp(report, lost, since, details);
}

async function compareZones(deps: StepDeps, { report, progress }: Step): Promise<void> {
  const rows = await systemTransaction(deps.systemDb, (tx) => listedNames(tx));
  const ours = rows.filter(({ status }) => status !== 'transferring');
  await progress.each(
    ours,
    async ({ id, address, nameservers, organisation_id: organisationId }) => {
      if (!(await deps.dns.compare({ organisationId, domainId: id, address, nameservers }))) return;
      await report({
        ...{ kind: 'zone-changed', subject: address, organisationId, needsPerson: false },
        text: `The zone of ${address} is another one at the registrar. It became the newest version.`,
      });
    },
    ({ address }, error) => report(notAnswered(`the zone of ${address}`, `zone of ${address}`, error)),
  );
}

/** A person looks at what the registrar refuses to tell: the portal would never come to its end. */
const notAnswered = (what: string, subject: string, { message }: Error): Finding => ({
  ...{ kind: 'not-answered', subject, organisationId: null, needsPerson: true },
  text: `The registrar refuses to tell ${what}, so this was not compared: ${message}`,
});

/** Its usual synchronisation brings the rest, as soon as jobs run again. */
async function readAgain(
  deps: StepDeps,
  report: Report,
  address: string,
  own: OwnName | undefined,
  isMissing: boolean,
) {
  if (!own) return;
  const { organisationId } = own;
  await inTransaction(deps.db, { organisationId }, (tx) =>
    enqueueJob(tx, 'domains.sync', { organisationId, address }, { key: `domains.sync:${address}` }),
  );
  await report({
    ...{ kind: isMissing ? 'name-missing' : 'name-moved', subject: address, organisationId },
    text: isMissing
      ? `${address} is on the list, and the registrar does not have it for us. It is read again.`
      : `${address} expires at another time than the database said. It is read again.`,
    needsPerson: false,
  });
}

/** A name that no order of ours explains is nobody's until a person says so. */
async function placeUnknown(deps: StepDeps, report: Report, address: string): Promise<void> {
  const rows = await systemTransaction(deps.systemDb, (tx) => listedNames(tx, address));
  if (rows.length > 0) return;
  await report({
    ...{ kind: 'name-unknown', subject: address, organisationId: null, needsPerson: false },
    text: `The registrar has ${address} for us, and no organization has it on its list.`,
  });
}

const nameKinds = {
  new: 'domain',
  renewal: 'renewal',
  transfer: 'transfer',
  redemption: 'redemption',
  other: 'other',
} as const;

function ofName(address: string, order: RegistrarOrder): OutsideOrder {
  const { orderId, tag, costCents, years, orderedAt } = order;
  const isEnded = order.state === 'cancelled' || order.state === 'declined';
  return {
    ...{ orderId, address, tag, costCents, years, orderedAt, origin: order.origin ?? null },
    kind: nameKinds[order.kind],
    state: isEnded ? 'ended' : order.state === 'completed' ? 'done' : 'open',
  };
}

/** It is charged when it is accepted; what follows is the authority's work. */
function ofCertificate(host: string, order: CertificateOrder): OutsideOrder {
  const { orderId, tag, orderedAt, costCents = null } = order;
  return {
    ...{ orderId, tag, orderedAt, costCents, origin: order.origin ?? null, kind: 'certificate' },
    address: order.domain || host,
    years: order.ordered?.years ?? null,
    state: order.state === 'declined' || order.state === 'cancelled' ? 'ended' : 'done',
  };
}

/** Money first: what was paid must be there before what was bought is charged. */
export const steps = {
  payments: comparePayments,
  names: compareNamesOutside,
  certificates: compareCertificates,
  zones: compareZones,
} as const satisfies Record<RecoveryStep, unknown>;
