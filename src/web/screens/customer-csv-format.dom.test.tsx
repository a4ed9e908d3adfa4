import { expect, test } from 'vitest';
import { file, Held, openScreen, refused, screen, within } from '../../../tests/support/screen.tsx';
import CustomerCsvFormatScreen from './customer-csv-format.tsx';

const sample = 'GET /customer/csv/sample';
const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Download sample .csv' });

test('the sample is handed out once; refused, why is said and it may be asked for again', async () => {
  const answer = new Held();
  const opened = await openScreen(CustomerCsvFormatScreen, { answers: { [sample]: answer } });
  await opened.user.click(button());
  expect(button().disabled).toBe(true);
  answer.give(refused(503, 'unavailable', { message: 'Please wait.' }));
  await opened.settled();
  expect(screen.getByRole('alert').textContent).toBe('Please wait.');
  opened.answer(sample, file('sample.csv'));
  await opened.user.click(button());
  expect(opened.saved()).toEqual(['sample.csv']);
  expect(opened.sent(sample)).toHaveLength(2);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('each column is named with whether it is needed and what it holds', async () => {
  await openScreen(CustomerCsvFormatScreen);
  const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
  const cells = rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));
  expect(cells).toContainEqual(['customerId', 'Optional', expect.stringContaining('empty for a new one')]);
  expect(cells).toContainEqual(['contacts_owner_city', 'Required', 'Owner: city']);
  expect(cells).toContainEqual(['contacts_billing_city', 'Optional', 'Billing contact: city']);
  expect(cells).toContainEqual(['billing_billDirectly', 'Required', 'Direct billing: true or false']);
  expect(cells).toContainEqual([
    ...['markups_domain_purchase_type', 'Optional', 'Markup on domain purchase: percentage or fixed'],
  ]);
  // None without its meaning.
  expect(cells.every(([, , meaning]) => meaning !== '')).toBe(true);
});
