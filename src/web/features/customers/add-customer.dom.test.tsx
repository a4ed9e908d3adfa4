import { fireEvent } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { AddCustomer } from './add-customer.tsx';

const person = (organization: string) => ({
  ...{ organization, firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy', state: 'NY' },
  ...{ postalCode: '12180', country: 'US', email: 'ann@acme.example', phone: '+1.5185550100' },
});
const none = { type: 'percentage', value: 0 };
const acme = person('Acme');
const made = {
  ...{ customerId: uuid(21), contacts: { owner: acme, admin: acme, billing: acme } },
  billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
  markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
  ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 1 },
  chargesStopped: null,
  createdAt: '2026-11-01T00:00:00Z',
};
const texts = {
  ...{ 'First name': 'Ann', 'Last name': 'Smith', Email: 'ann@acme.example', 'Address line 1': '1 Main St' },
  ...{ City: 'Troy', 'Postal code': '12-180', Phone: '(518) 555-0100' },
};

const part = (name: string) => within(screen.getByRole('region', { name }));
const field = (section: string, label: string) =>
  part(section).getByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: 'input' });
const errorsOf = (section: string) => fieldErrors(screen.getByRole('region', { name: section }));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

let done = 0;
const onDone = () => {
  done += 1;
};
const Add = () => <AddCustomer mayBill onDone={onDone} />;
const AddUnbilled = () => <AddCustomer mayBill={false} onDone={onDone} />;

async function open(answers: Answers = {}, screenOf = Add) {
  done = 0;
  const opened = await openScreen(screenOf, { route: '/customers/add', answers });
  const { user, settled } = opened;
  return {
    ...opened,
    done: () => done,
    save: () => user.click(button('Save')),
    bodies: () => opened.sent('POST /customer').map(({ body }) => body),
    /** Text as it comes at once, e.g. pasted. */
    async put(section: string, values: Record<string, string>) {
      for (const [label, value] of Object.entries(values)) {
        fireEvent.change(field(section, label), { target: { value } });
      }
      await settled();
    },
    async choose(section: string, label: string, option: string) {
      const select = field(section, label);
      await user.click(select);
      const list = document.getElementById(select.getAttribute('aria-controls') ?? '');
      await user.click(within(list ?? document.body).getByRole('option', { name: option }));
    },
  };
}

/** An add form in which the owner is whole. */
async function filled(answers: Answers = {}) {
  const opened = await open(answers);
  await opened.put('Owner', { Company: 'Acme', ...texts });
  await opened.choose('Owner', 'State', 'New York (NY)');
  return opened;
}

const required = 'This field is required';
const nothing = {
  ...{ Company: required, 'First name': required, 'Last name': required, Email: required },
  ...{ 'Address line 1': required, City: required, State: required, 'Postal code': required },
  Phone: 'Please fill out the field',
};

describe('the contacts of a new customer', () => {
  test('are all required, each says so at its field, and the first takes the focus', async () => {
    const { user, save, bodies } = await open();
    for (const kind of ['Admin', 'Billing']) {
      expect(screen.getByLabelText(`${kind}: same as owner`)).toHaveProperty('checked', true);
    }
    await save();
    expect(errorsOf('Owner')).toEqual(nothing);
    expect(document.activeElement).toBe(field('Owner', 'Company'));
    expect(part('Admin').queryByLabelText(/^Company/)).toBeNull();
    await user.click(screen.getByLabelText('Billing: same as owner'));
    await save();
    expect(errorsOf('Billing')).toEqual(nothing);
    expect(part('Admin').queryByLabelText(/^Company/)).toBeNull();
    expect(bodies()).toEqual([]);
  });

  test('are refused by the rule of each field, and what it was meant to say is one click away', async () => {
    const { user, put, save, bodies } = await open();
    await put('Owner', {
      ...{ Company: 'x'.repeat(65), 'First name': 'Ann-Marie', 'Last name': 'x'.repeat(64), Email: 'ann' },
      ...{ 'Address line 1': '1, Main St', City: 'x'.repeat(65), 'Postal code': 'x'.repeat(17), Phone: '12' },
    });
    await save();
    expect(errorsOf('Owner')).toEqual({
      ...{ Company: 'At most 64 characters', 'First name': 'Only letters and spaces are allowed' },
      ...{ 'Last name': 'At most 63 characters', Email: 'Please enter a valid email address' },
      ...{ 'Address line 1': 'Only numbers & letters are allowed', City: 'At most 64 characters' },
      ...{ State: required, 'Postal code': 'At most 16 characters' },
      Phone: 'Phone number must have between 4 and 14 numbers',
    });
    expect(bodies()).toEqual([]);
    await user.click(part('Owner').getByRole('button', { name: 'Use “Ann Marie”' }));
    expect(field('Owner', 'First name').value).toBe('Ann Marie');
    expect(errorsOf('Owner')).not.toHaveProperty('First name');
    expect(part('Owner').queryByRole('button', { name: 'Use “Ann Marie”' })).toBeNull();
    expect(document.activeElement).toBe(field('Owner', 'First name'));
    expect(part('Owner').getByRole('button', { name: 'Use “1 Main St”' })).toBeDefined();
  });

  test('are the owner three times unless a box is cleared; of billing nothing is sent', async () => {
    const { save, bodies, done } = await filled({ 'POST /customer': made });
    await save();
    expect(bodies()).toEqual([{ contacts: { owner: acme, admin: acme, billing: acme } }]);
    expect(done()).toBe(1);
  });

  test('are three where both boxes are cleared, each as it was typed', async () => {
    const { user, put, choose, save, bodies } = await filled({ 'POST /customer': made });
    for (const kind of ['Admin', 'Billing']) {
      await user.click(screen.getByLabelText(`${kind}: same as owner`));
      await put(kind, { Company: kind, ...texts, Email: `${kind}@acme.example` });
      await choose(kind, 'State', 'Alaska (AK)');
    }
    await save();
    const other = (kind: string) => ({ ...person(kind), email: `${kind}@acme.example`, state: 'AK' });
    expect(bodies()).toEqual([
      { contacts: { owner: acme, admin: other('Admin'), billing: other('Billing') } },
    ]);
  });

  test('are the owner’s again where the box is set again, whatever was typed there', async () => {
    const { user, put, save, bodies } = await filled({ 'POST /customer': made });
    await user.click(screen.getByLabelText('Admin: same as owner'));
    await put('Admin', { Company: 'Other', Email: 'x' });
    await user.click(screen.getByLabelText('Admin: same as owner'));
    await save();
    expect(bodies()).toEqual([{ contacts: { owner: acme, admin: acme, billing: acme } }]);
  });

  test('of another country have its dial code and its states; a state of the former list goes', async () => {
    const { put, choose, save, bodies } = await filled({ 'POST /customer': made });
    await choose('Owner', 'Country', 'Canada');
    await save();
    expect(errorsOf('Owner')).toEqual({ State: required });
    await choose('Owner', 'State', 'Ontario (ON)');
    await choose('Owner', 'Country', 'Norway');
    expect(part('Owner').getByText('+47')).toBeDefined();
    await put('Owner', { State: 'Viken', Phone: '22 12 34 56' });
    await save();
    const moved = { ...acme, country: 'NO', state: 'Viken', phone: '+47.22123456' };
    expect(bodies()).toMatchObject([{ contacts: { owner: moved, admin: moved } }]);
  });

  test('have a phone that reads as it is kept once its field is left, with an extension; an empty one is missing whatever the country', async () => {
    const { user, put, choose, save, bodies } = await filled({ 'POST /customer': made });
    const leave = async () => {
      await user.click(field('Owner', 'Phone'));
      await user.tab();
    };
    await put('Owner', { Phone: '' });
    await choose('Owner', 'Country', 'Canada');
    await leave();
    expect(errorsOf('Owner')).toEqual({ Phone: 'Please fill out the field' });
    await put('Owner', { Phone: '(416) 555-0123x' });
    await leave();
    expect(field('Owner', 'Phone').value).toBe('4165550123');
    await put('Owner', { Phone: '4165550123x12' });
    await choose('Owner', 'State', 'Ontario (ON)');
    await save();
    expect(bodies()).toMatchObject([{ contacts: { owner: { country: 'CA', phone: '+1.4165550123x12' } } }]);
  });

  test('keep the dial code that a pasted number brings, in whatever country', async () => {
    const { put, choose, save, bodies } = await filled({ 'POST /customer': made });
    await put('Owner', { Phone: '+44 20 7946 0018' });
    expect(part('Owner').getByText('+44')).toBeDefined();
    await choose('Owner', 'Country', 'Norway');
    // What is typed after it belongs to that dial code.
    await put('Owner', { State: 'Viken', Phone: '20 7946 0019' });
    await save();
    expect(bodies()).toMatchObject([{ contacts: { owner: { country: 'NO', phone: '+44.2079460019' } } }]);
  });
});

describe('a new customer', () => {
  test('is sent once however often one presses, and the button says so meanwhile', async () => {
    const answer = new Held();
    const { user, save, settled, sent, done, path } = await filled({ 'POST /customer': answer });
    await save();
    expect(button('Saving customer...').disabled).toBe(true);
    await user.click(button('Saving customer...'));
    fireEvent.submit(field('Owner', 'Company'));
    expect(done()).toBe(0);
    answer.give(made);
    await settled();
    expect(sent('POST /customer')).toHaveLength(1);
    expect(done()).toBe(1);
    // Nothing is lost by leaving now.
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(path()).toBe('/customers');
  });

  test('that is refused says why at the fields and below the form, keeps all that was typed, and is another request the next time', async () => {
    const details = [
      { path: 'contacts.owner.phone', message: 'No such number' },
      // What was sent as the owner's.
      { path: 'contacts.admin.city', message: 'No such city' },
      { path: 'contacts', message: 'Not these people' },
    ];
    const { save, sent, done } = await filled({
      'POST /customer': refused(400, 'validation_failed', { message: 'Please check the fields.', details }),
    });
    await save();
    expect(fieldErrors()).toEqual({ City: 'No such city', Phone: 'No such number' });
    await faultHasFocus();
    expect(document.activeElement).toBe(field('Owner', 'City'));
    expect(screen.getByRole('alert').textContent).toBe('Please check the fields.Not these people');
    expect(field('Owner', 'Phone').value).toBe('(518) 555-0100');
    expect(field('Owner', 'State').value).toBe('New York (NY)');
    await save();
    const [first, second] = sent('POST /customer');
    expect(second?.body).toEqual(first?.body);
    expect(second?.key).not.toBe(first?.key);
    expect(done()).toBe(0);
  });

  test('that is refused is so until what is refused has changed, and no longer than until the next try', async () => {
    const details = [
      { path: 'contacts.owner.phone', message: 'No such number' },
      { path: 'contacts.owner.city', message: 'No such city' },
    ];
    const { put, save, answer, user } = await filled({
      'POST /customer': refused(400, 'validation_failed', { details }),
    });
    await save();
    await user.tab();
    expect(fieldErrors()).toEqual({ City: 'No such city', Phone: 'No such number' });
    await put('Owner', { City: 'Utica' });
    expect(fieldErrors()).toEqual({ Phone: 'No such number' });
    answer('POST /customer', silence);
    await save();
    expect(fieldErrors()).toEqual({});
  });

  test('whose markups are refused unfolds them, and the refused one has the focus', async () => {
    const details = [{ path: 'markups.domain.renewal.value', message: 'Too much' }];
    const { save, user } = await filled({ 'POST /customer': refused(400, 'validation_failed', { details }) });
    const fold = screen.getByRole('button', { name: 'Direct billing and markups' });
    await user.click(fold);
    await user.click(screen.getByLabelText('Enable direct billing'));
    fireEvent.change(screen.getByLabelText('Billing email'), { target: { value: 'pay@acme.example' } });
    await user.click(fold);
    expect(fold.getAttribute('aria-expanded')).toBe('false');
    await save();
    expect(fold.getAttribute('aria-expanded')).toBe('true');
    expect(fieldErrors()).toEqual({ 'Domain renewal': 'Too much' });
    await faultHasFocus();
    expect(screen.getByRole('alert').textContent).toBe('Not this time');
  });

  test('without an answer says so, and the next try of the same is the same request', async () => {
    const { put, save, sent, answer, done } = await filled({ 'POST /customer': silence });
    await save();
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    expect(field('Owner', 'Company').value).toBe('Acme');
    expect(done()).toBe(0);
    await save();
    await put('Owner', { Company: 'Zeta' });
    answer('POST /customer', made);
    await save();
    const keys = sent('POST /customer').map(({ key }) => key);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(done()).toBe(1);
  });

  test('that was begun is not left behind unasked; one with nothing typed is', async () => {
    const { user, put, path } = await open();
    await put('Owner', { City: 'Troy' });
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(screen.getByRole('dialog', { name: 'Leave without saving this customer?' })).toBeDefined();
    await user.click(button('Stay'));
    expect(path()).toBe('/customers/add');
    expect(field('Owner', 'City').value).toBe('Troy');
    await put('Owner', { City: '' });
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(path()).toBe('/customers');
  });
});

describe('direct billing of a new customer', () => {
  const fold = () => button('Direct billing and markups');
  const billed = 'Direct billing and markups';

  test('is offered to those who may bill', async () => {
    await open({}, AddUnbilled);
    expect(screen.queryByRole('button', { name: billed })).toBeNull();
  });

  test('is folded and off; its email and markups wait until it is on', async () => {
    const { user } = await open();
    expect(screen.queryByLabelText('Billing email')).toBeNull();
    expect(fold().getAttribute('aria-expanded')).toBe('false');
    await user.click(fold());
    for (const label of ['Billing email', 'Domain purchase', 'Certificate renewal']) {
      expect(field(billed, label).disabled).toBe(true);
    }
    expect(part(billed).getByText('Markups apply to customers with direct billing.')).toBeDefined();
    await user.click(screen.getByLabelText('Enable direct billing'));
    for (const label of ['Billing email', 'Domain purchase', 'Certificate renewal']) {
      expect(field(billed, label).disabled).toBe(false);
    }
    expect(part(billed).queryByText('Markups apply to customers with direct billing.')).toBeNull();
  });

  test('is sent with the email and each markup in its place', async () => {
    const { user, put, save, bodies } = await filled({ 'POST /customer': made });
    await user.click(fold());
    await user.click(screen.getByLabelText('Enable direct billing'));
    await put(billed, {
      ...{ 'Billing email': ' pay@acme.example ', 'Domain purchase': '12.5', 'Domain renewal': '3' },
      ...{ 'Certificate purchase': '7.25', 'Certificate renewal': '' },
    });
    const types = screen.getByRole('radiogroup', { name: 'Certificate purchase: type of markup' });
    await user.click(within(types).getByLabelText('Fixed'));
    await save();
    expect(bodies()).toEqual([
      {
        contacts: { owner: acme, admin: acme, billing: acme },
        billing: { billDirectly: true, email: 'pay@acme.example' },
        markups: {
          domain: {
            purchase: { type: 'percentage', value: 12.5 },
            renewal: { type: 'percentage', value: 3 },
          },
          certificate: { purchase: { type: 'fixed', value: 7.25 }, renewal: none },
        },
      },
    ]);
  });

  test('that was switched off again is not sent, whatever stands in its fields', async () => {
    const { user, put, save, bodies } = await filled({ 'POST /customer': made });
    await user.click(fold());
    await user.click(screen.getByLabelText('Enable direct billing'));
    await put(billed, { 'Billing email': 'pay@', 'Domain purchase': '12.5' });
    await user.click(screen.getByLabelText('Enable direct billing'));
    await save();
    expect(bodies()).toEqual([{ contacts: { owner: acme, admin: acme, billing: acme } }]);
  });

  test('with an email that is none is not sent: the part unfolds and says so at the field', async () => {
    const { user, put, save, settled, bodies } = await filled();
    await user.click(fold());
    await user.click(screen.getByLabelText('Enable direct billing'));
    await put(billed, { 'Billing email': 'pay@' });
    await user.click(fold());
    expect(screen.queryByLabelText('Billing email')).toBeNull();
    await save();
    await settled();
    expect(errorsOf(billed)).toEqual({ 'Billing email': 'Please enter a valid email address' });
    expect(document.activeElement).toBe(field(billed, 'Billing email'));
    expect(bodies()).toEqual([]);
  });

  test('that was touched is not left behind unasked', async () => {
    const { user, path } = await open();
    await user.click(fold());
    await user.click(screen.getByLabelText('Enable direct billing'));
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    expect(path()).toBe('/customers/add');
    await user.click(button('Leave'));
    expect(path()).toBe('/customers');
  });
});
