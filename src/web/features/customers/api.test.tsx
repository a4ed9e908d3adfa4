import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import { customerKeys, useCreateCustomer, useDeleteCustomer, useUpdateCustomer } from './api.ts';

const shown = [customerKeys.one('id'), customerKeys.lists];
const save = (update: ReturnType<typeof useUpdateCustomer>) => update.mutateAsync({ version: 1 });
const useSave = () => useUpdateCustomer('id');

test('after a change the customer and the lists are read again', async () => {
  expect(await readAgainAfter(useSave, shown, save)).toEqual(shown);
});

test.each<[string, string, number, typeof shown]>([
  ['because somebody else has changed the customer they are read again, too', 'conflict', 409, shown],
  ['for another reason they are not: nothing has changed', 'validation_failed', 400, []],
])('after a change that was refused %s', async (_why, code, status, read) => {
  const refused = async (update: ReturnType<typeof useUpdateCustomer>) =>
    expect(save(update)).rejects.toMatchObject({ code });
  const answer = () => Response.json({ code, message: 'No' }, { status });
  expect(await readAgainAfter(useSave, shown, refused, answer)).toEqual(read);
});

test('what ends with a customer who is deleted is read again: its users, their invitations, its tokens and ACME accesses', async () => {
  const ended = [['people', 'users'], ['people', 'invites'], ['tokens'], ['acme', 'list']];
  const remove = (act: ReturnType<typeof useDeleteCustomer>) => act.mutateAsync('id');
  expect(await readAgainAfter(useDeleteCustomer, ended, remove)).toEqual(ended);
  expect(await readAgainAfter(useSave, ended, save)).toEqual([]);
});

const inCity = (city: string) => ({ contacts: { owner: { city } } }) as never;

test.each(['done', 'refused'] as const)(
  'a second customer like one whose making was answered is another request: %s',
  async (first) => {
    const tries = [[inCity('Oslo'), first] as const, [inCity('Oslo'), 'done'] as const];
    expect(await requestsSent(useCreateCustomer, tries)).toEqual([1, 2]);
  },
);

test('while nobody knows whether a customer was made the next try of the same makes no second one', async () => {
  const unknown = ['silence', 'broken'] as const;
  const tries = ['Oslo', 'Rome'].flatMap((city) => unknown.map((answer) => [inCity(city), answer] as const));
  expect(await requestsSent(useCreateCustomer, tries)).toEqual([1, 1, 2, 2]);
});
