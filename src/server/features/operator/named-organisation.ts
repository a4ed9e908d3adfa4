import { AppError } from '#contracts/errors.ts';
import type { OperatorOrganization } from '#contracts/operations/operator.ts';
import { type Db, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { isClosedOrganisation } from '#kernel/db/open-organisation.ts';
import { balances } from '../../ledger/ledger.ts';
import { type CustomerNamesQuery, countCustomers, customerNames } from '../customers/index.ts';
import { findOrganisation } from '../users/index.ts';

export async function readOrganisation(tx: Tx, id: string): Promise<Omit<OperatorOrganization, 'aloneLeft'>> {
  const found = await findOrganisation(tx, id);
  if (!found) throw notThere();
  const { balanceCents: balance } = await balances(tx, id);
  const closedAt = found.closed_at?.toISOString() ?? null;
  return { name: found.name, closedAt, balance, customers: await countCustomers(tx, { organisationId: id }) };
}

export async function readCustomers(systemDb: Db, id: string, query: CustomerNamesQuery) {
  return systemTransaction(systemDb, async (tx) => {
    if (!(await findOrganisation(tx, id))) throw notThere();
    return customerNames(tx, id, query);
  });
}

const notThere = () => new AppError('not_found', { message: 'There is no organization with this ID.' });

/** A transaction whose refusal for a closed organization says what to do. */
export async function transactionInOpen<T>(
  systemDb: Db,
  refused: (cause: Error) => AppError,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await systemTransaction(systemDb, work);
  } catch (error) {
    if (!(error instanceof Error && isClosedOrganisation(error))) throw error;
    throw refused(error);
  }
}

/** The id and the name that an operator typed are of the same organization: an id alone is easily that of another. */
export async function requireName(tx: Tx, organisationId: string, name: string): Promise<void> {
  const found = await findOrganisation(tx, organisationId);
  if (!found) throw new AppError('not_found');
  if (found.name === name) return;
  const message = `This id belongs to ${found.name}.`;
  throw new AppError('unprocessable', { message, details: [{ path: 'organization', message }] });
}
