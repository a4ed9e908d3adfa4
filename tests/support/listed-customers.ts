import { type Customer, customer } from '../../src/contracts/operations/customers.ts';
import type { CustomersApi } from '../../src/server/features/customers/index.ts';

/** The list as its readers get it: rows are JSON, which is held to the contract. */
export async function listedCustomers(
  customers: Pick<CustomersApi, 'list'>,
  ...asked: Parameters<CustomersApi['list']>
): Promise<{ rows: Customer[]; total: number }> {
  const { rows, total } = await customers.list(...asked);
  return { rows: rows.map((row) => customer.strict().parse(JSON.parse(row))), total };
}
