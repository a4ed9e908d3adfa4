import { fireEvent } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { Held, openScreen, refused, screen, uuid } from '../../../../tests/support/screen.tsx';
import { OwnerChoice } from './owner-choice.tsx';

const choices = 'GET /customer/choices';
const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];

function Form() {
  const [owner, setOwner] = useState<string | null>(uuid(21));
  return (
    <>
      <OwnerChoice label="Owner" what="this domain" value={owner} missing={false} onChange={setOwner} />
      <output>{owner}</output>
    </>
  );
}
const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Owner' });

test('an owner is chosen by the name of the organization', async () => {
  const { user } = await openScreen(Form, { answers: { [choices]: customers } });
  expect(field().value).toBe('Acme');
  await user.click(field());
  await user.click(screen.getByRole('option', { name: 'Zeta' }));
  expect(screen.getByRole('status').textContent).toBe(uuid(22));
});

test('an organization without customers is told what for, and led to the first', async () => {
  await openScreen(Form, { answers: { [choices]: [] } });
  expect(screen.getByText(/no customer yet who can own this domain/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'Add Customer' }).getAttribute('href')).toBe('/customers/add');
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('customers that could not be read are not none: it says so, and reads them again on request', async () => {
  const answer = new Held();
  const { user, settled, answer: from } = await openScreen(Form, { answers: { [choices]: answer } });
  expect(screen.queryByText(/no customer yet/)).toBeNull();
  answer.give(refused(503, 'unavailable', { message: 'Please wait.' }));
  await settled();
  expect(screen.getByRole('alert').textContent).toContain('Please wait.');
  expect(screen.queryByText(/no customer yet/)).toBeNull();
  from(choices, customers);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(field().value).toBe('Acme');
});

test('of a thousand customers 300 are drawn, and each is found', async () => {
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ customerId: uuid(1_000 + n), organization: `Firm ${n}`, markups: null },
  }));
  const { user } = await openScreen(Form, { answers: { [choices]: many } });
  await user.click(field());
  expect(screen.getAllByRole('option')).toHaveLength(300);
  fireEvent.change(field(), { target: { value: 'Firm 998' } });
  await user.click(screen.getByRole('option', { name: 'Firm 998' }));
  expect(screen.getByRole('status').textContent).toBe(uuid(1_998));
});
