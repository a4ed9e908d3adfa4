import type { QueryClient } from '@tanstack/react-query';

type Key = readonly unknown[];

/** Has these read again, wherever they are shown. */
export function readAgain(client: QueryClient, ...keys: readonly Key[]): Promise<unknown> {
  return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/**
 * What an order changes when it is sent, and once more when an item of it comes to its end. Not the single order: it is just
 * being read when that is found out.
 */
export const changedByOrders: readonly Key[] = [
  ...[['account'], ['attention'], ['cart', 'prices'], ['certificates'], ['customers'], ['direct-charges']],
  ...[['domains'], ['moves'], ['orders', 'list'], ['orders', 'matches'], ['overview'], ['transfers']],
];

/** What ends with a customer: its users, their invitations, its tokens, its ACME accesses and what was wrong with those. */
export const endsWithCustomer: readonly Key[] = [['people'], ['tokens'], ['acme'], ['attention']];

/** Lists that show a customer's name and are kept for a while: they would show the former one. */
export const namesCustomers: readonly Key[] = [
  ...[['account'], ['acme'], ['certificates'], ['direct-charges'], ['domains']],
  ...[['orders', 'list'], ['orders', 'matches'], ['tokens']],
];

/** What waits for a person, and its figure in the navigation. */
export const waitsForPeople: readonly Key[] = [['attention'], ['overview']];
