import { moneyText } from '#contracts/values/format.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { CertificateOrder, Contact, RegistrarNames } from '../../ports/registrar.ts';
import { customerIsKnown, ownersByEmail, restoreCustomer } from '../customers/index.ts';
import type { LostOrder, OrdersApi } from '../orders/index.ts';
import { type Finding, knownAmong, providerOf } from './recovery.repo.ts';
import { isSameContact, type OutsideOrder, verdictOnOrder } from './recovery.rules.ts';

export interface AdoptingDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  registrar: Pick<RegistrarNames, 'domain'>;
  orders: Pick<OrdersApi, 'adopt' | 'engine'>;
}

export type Report = (finding: Finding) => Promise<void>;

/** Takes up what the registrar carried out and the database does not know. */
export function createAdopting(deps: AdoptingDeps) {
  const { systemDb, clock } = deps;

  /** Lost orders, the oldest first: each is written down, held at its price, and found again by the engine. */
  async function takeUp(
    report: Report,
    orders: readonly OutsideOrder[],
    since: Date,
    certificates: ReadonlyMap<string, CertificateOrder> = new Map(),
  ): Promise<void> {
    const known = await systemTransaction(systemDb, (tx) =>
      knownAmong(tx, {
        items: orders.flatMap(({ tag }) => tag ?? []),
        registrarOrders: orders.map(({ orderId }) => orderId),
        organisations: orders.flatMap(({ origin }) => origin?.organisationId ?? []),
      }),
    );
    // A process that was killed may have written one down and not found it again. What follows asks for its name.
    for (const { id, organisationId } of known.open) await deps.orders.engine.advance(organisationId, id);
    const inTime = [...orders].sort((a, b) => timeOf(a) - timeOf(b));
    for (const order of inTime) {
      const verdict = verdictOnOrder(order, known, since);
      if (verdict.what === 'nothing') continue;
      if (verdict.what === 'person') {
        const { kind, text } = verdict;
        const organisationId = order.origin?.organisationId ?? null;
        await report({ kind, subject: order.orderId, organisationId, text, needsPerson: true });
        continue;
      }
      const { itemId, origin, kind } = verdict;
      const { organisationId } = origin;
      const customerId = await customerFor(deps, report, order, origin);
      const certificate = certificates.get(order.orderId);
      const lost: LostOrder = {
        ...{ itemId, organisationId, customerId, kind, address: order.address },
        ...{ years: order.years ?? 1, priceCents: origin.priceCents },
        costCents: order.costCents ?? origin.priceCents,
        details: {
          autoRenew: origin.autoRenew,
          ...(certificate ? await certificateDetails(deps, certificate) : {}),
        },
        orderedAt: order.orderedAt ?? clock.now(),
      };
      const adoption = await deps.orders.adopt(lost);
      failpoint('recovery.adopted');
      await reportAdoption(report, order, lost, adoption);
      if (adoption === 'adopted') await deps.orders.engine.advance(organisationId, itemId);
    }
  }

  return takeUp;
}

const timeOf = ({ orderedAt }: OutsideOrder) => orderedAt?.getTime() ?? 0;

async function reportAdoption(
  report: Report,
  order: OutsideOrder,
  { itemId, organisationId, priceCents, kind }: LostOrder,
  adoption: Awaited<ReturnType<OrdersApi['adopt']>>,
): Promise<void> {
  const what = `Order ${order.orderId} (${kind} ${order.address}, ${moneyText(priceCents)})`;
  switch (adoption) {
    case 'known':
      return;
    case 'adopted':
      return report({
        ...{ kind: 'order-adopted', subject: itemId, organisationId, needsPerson: false },
        text: `${what} was not in the database. It was written down again and charged once at this price. Whether an end customer was charged for it directly is in the payment account.`,
      });
    case 'unfunded':
      return report({
        ...{ kind: 'order-unfunded', subject: itemId, organisationId, needsPerson: true },
        text: `${what} was not in the database, and the wallet has not enough for it. Nothing was charged.`,
      });
    case 'in the way':
      return report({
        ...{ kind: 'order-in-the-way', subject: itemId, organisationId, needsPerson: true },
        text: `${what} was not in the database, and an open order for the same name is in its way. Nothing was charged.`,
      });
  }
}

/** The customer of the tag; one who was lost too is written down again by what the registrar knows. */
async function customerFor(
  { db, clock, registrar }: AdoptingDeps,
  report: Report,
  order: OutsideOrder,
  { organisationId, customerId: id }: { organisationId: string; customerId: string | null },
): Promise<string | null> {
  if (id === null) return null;
  const isKnown = await inReading(db, { organisationId }, (tx) =>
    customerIsKnown(tx, { organisationId, id }),
  );
  if (isKnown) return id;
  const name = order.address.replace(/^(?:www|\*)\./, '');
  const owner = (await registrar.domain(name))?.contacts.owner;
  if (!owner) return null;
  const same = await inReading(db, { organisationId }, (tx) => sameOwner(tx, organisationId, owner));
  if (same) return same;
  await inTransaction(db, { organisationId }, async (tx) => {
    if (await customerIsKnown(tx, { organisationId, id })) return;
    const contacts = { owner, admin: owner, billing: owner };
    await restoreCustomer(tx, { organisationId, id, contacts, now: clock.now() });
  });
  await report({
    ...{ kind: 'customer-made', subject: id, organisationId, needsPerson: false },
    text: `The customer of order ${order.orderId} was not in the database. They were written down again from the registrant of ${name}.`,
  });
  return id;
}

async function sameOwner(tx: Tx, organisationId: string, owner: Contact): Promise<string | null> {
  const found = (await ownersByEmail(tx, organisationId, owner.email)).filter((one) =>
    isSameContact(one.owner, owner),
  );
  return found.length === 1 ? (found[0]?.id ?? null) : null;
}

async function certificateDetails(
  { systemDb }: AdoptingDeps,
  order: CertificateOrder,
): Promise<Pick<LostOrder['details'], 'certificate'>> {
  const { productType, approverEmail, validation } = order;
  return {
    certificate: {
      provider: await systemTransaction(systemDb, (tx) => providerOf(tx, productType)),
      ...{ productType, approverEmail, csr: order.ordered?.csr ?? '' },
      validation: validation?.method ?? 'Email',
      renewsOrderId: null,
    },
  };
}
