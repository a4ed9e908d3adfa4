import { fireEvent } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
import { useCustomer } from './api.ts';
import { ProfileTab } from './profile-tab.tsx';

const owner = {
  ...{ organization: 'Acme', firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy' },
  ...{ address2: 'Floor 2', state: 'NY', postalCode: '12180', country: 'US' },
  ...{ email: 'ann@acme.example', phone: '+1.5185550100' },
};
const payer = { ...owner, firstName: 'Bob', email: 'bob@acme.example' };
const none = { type: 'percentage', value: 0 };
const acme = {
  ...{ customerId: uuid(21), contacts: { owner, admin: owner, billing: payer } },
  billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
  markups: { domain: { purchase: none, renewal: none }, certificate: { purchase: none, renewal: none } },
  ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 3 },
  chargesStopped: null,
  createdAt: '2026-11-01T00:00:00Z',
};
/** Acme as a colleague has saved it meanwhile. */
const theirs = { ...acme, version: 4, contacts: { ...acme.contacts, owner: { ...owner, city: 'Albany' } } };

function Tab({ mayEdit = true }: { mayEdit?: boolean }) {
  const { data } = useCustomer(acme.customerId);
  return data && <ProfileTab customer={data} mayEdit={mayEdit} />;
}
const TabToRead = () => <Tab mayEdit={false} />;

const part = (name: string) => within(screen.getByRole('region', { name }));
const field = (section: string, label: string) =>
  part(section).getByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: 'input' });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const read = 'GET /customer/:id';
const change = 'PATCH /customer/:id';

async function edit(answers: Answers = {}) {
  const opened = await openScreen(Tab, { answers: { [read]: acme, ...answers } });
  await opened.user.click(button('Edit'));
  return {
    ...opened,
    save: () => opened.user.click(button('Save')),
    bodies: () => opened.sent(change).map(({ body }) => body),
    put: (section: string, label: string, value: string) =>
      fireEvent.change(field(section, label), { target: { value } }),
  };
}

describe('the contacts of a customer', () => {
  test('are shown each in its place; one that is the owner’s says so; who may not edit is not offered to', async () => {
    await openScreen(TabToRead, { answers: { [read]: acme } });
    expect(part('Owner').getByText('Ann Smith')).toBeDefined();
    expect(part('Owner').getByText('1 Main St, Floor 2')).toBeDefined();
    expect(part('Owner').getByText('Troy, NY 12180')).toBeDefined();
    expect(part('Owner').getByText('United States of America')).toBeDefined();
    expect(part('Admin').getByText('Same as owner')).toBeDefined();
    expect(part('Billing').getByText('Bob Smith')).toBeDefined();
    expect(part('Billing').queryByText('Same as owner')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull();
  });

  test('are sent whole with the version that was read, the lines that no field shows as well', async () => {
    const saved = { ...theirs, contacts: { ...acme.contacts, owner: { ...owner, city: 'Utica' } } };
    const opened = await edit({ [change]: saved });
    expect(field('Owner', 'City').value).toBe('Troy');
    expect(field('Billing', 'Email').value).toBe('bob@acme.example');
    opened.put('Owner', 'City', 'Utica');
    opened.put('Billing', 'First name', 'Eve');
    opened.answer(read, saved);
    await opened.save();
    const utica = { ...owner, city: 'Utica' };
    expect(opened.sent(change)).toMatchObject([{ params: { id: acme.customerId } }]);
    expect(opened.bodies()).toEqual([
      { contacts: { owner: utica, admin: utica, billing: { ...payer, firstName: 'Eve' } }, version: 3 },
    ]);
    // Read again, and the form is gone.
    expect(part('Owner').getByText('Utica, NY 12180')).toBeDefined();
    expect(screen.getByText('Saved.')).toBeDefined();
    await opened.user.click(button('Edit'));
    await opened.user.click(button('Cancel'));
    // An edit that was given up is not said to be saved.
    expect(screen.queryByText('Saved.')).toBeNull();
    await opened.user.click(button('Edit'));
    await opened.save();
    expect(opened.bodies()[1]).toMatchObject({ version: 4 });
  });

  test('are refused by the rule of a field, at that field of that contact', async () => {
    const { put, save, bodies } = await edit();
    put('Billing', 'Email', 'bob');
    await save();
    expect(fieldErrors(screen.getByRole('region', { name: 'Owner' }))).toEqual({});
    expect(fieldErrors(screen.getByRole('region', { name: 'Billing' }))).toEqual({
      Email: 'Please enter a valid email address',
    });
    expect(document.activeElement).toBe(field('Billing', 'Email'));
    expect(bodies()).toEqual([]);
  });

  test('stay as they were when an edit is given up, and what was typed is gone', async () => {
    const { put, user, bodies } = await edit();
    expect(document.activeElement).toBe(field('Owner', 'Company'));
    put('Owner', 'City', 'Utica');
    await user.click(button('Cancel'));
    expect(part('Owner').getByText('Troy, NY 12180')).toBeDefined();
    expect(document.activeElement).toBe(button('Edit'));
    await user.click(button('Edit'));
    expect(field('Owner', 'City').value).toBe('Troy');
    expect(bodies()).toEqual([]);
  });

  test.each([
    ['of another country than the address', '+44.2079460000', '+44', '2079460000'],
    ['with an extension', '+1.4165550123x12', '+1', '4165550123x12'],
  ])(
    'with a phone %s show it as it is stored, and edit it in two parts',
    async (_what, phone, code, number) => {
      const { user } = await openScreen(Tab, {
        answers: { [read]: { ...acme, contacts: { ...acme.contacts, owner: { ...owner, phone } } } },
      });
      expect(part('Owner').getByText(phone)).toBeDefined();
      await user.click(button('Edit'));
      expect(field('Owner', 'Phone').value).toBe(number);
      expect(part('Owner').getByText(code)).toBeDefined();
    },
  );
});

describe('an edit of the contacts', () => {
  test('is sent once, says that it is under way, and cannot be given up meanwhile', async () => {
    const answer = new Held();
    const { put, save, user, settled, sent } = await edit({ [change]: answer });
    put('Owner', 'City', 'Utica');
    await save();
    expect(button('Saving customer...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await user.click(button('Saving customer...'));
    fireEvent.submit(field('Owner', 'City'));
    answer.give(theirs);
    await settled();
    expect(sent(change)).toHaveLength(1);
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  const details = [{ path: 'contacts.owner.city', message: 'No such city' }];
  test.each([
    ['refused for a field', refused(400, 'validation_failed', { details }), 'Not this time', 0],
    ['refused, since the customer is gone', refused(404, 'not_found'), 'Not this time', 1],
    ['in conflict with a state that cannot be read', refused(409, 'conflict'), 'Not this time', 1],
    ['without an answer', silence, 'Something went wrong', 1],
  ])(
    'that is %s says why, and what was typed stays, also when the customer cannot be read again',
    async (_what, how, message, readings) => {
      const { put, save, sent, answer, bodies } = await edit({ [change]: how });
      put('Owner', 'City', 'Utica');
      answer(read, refused(503, 'unavailable'));
      await save();
      expect(screen.getByRole('alert').textContent).toBe(message);
      expect(sent(read)).toHaveLength(1 + readings);
      expect(field('Owner', 'City').value).toBe('Utica');
      answer(read, theirs);
      answer(change, theirs);
      await save();
      // Still over the version that the person saw.
      expect(bodies()).toMatchObject([
        { version: 3 },
        { contacts: { owner: { city: 'Utica' } }, version: 3 },
      ]);
    },
  );

  test('that is refused for a field says so there, and that field has the focus', async () => {
    const { put, save } = await edit({ [change]: refused(400, 'validation_failed', { details }) });
    put('Owner', 'Phone', '(518) 555-0199');
    await save();
    expect(fieldErrors()).toEqual({ City: 'No such city' });
    await faultHasFocus();
  });

  test('that was refused and given up is forgotten by the next one', async () => {
    const { put, save, user } = await edit({ [change]: refused(422, 'unprocessable') });
    put('Owner', 'City', 'Utica');
    await save();
    expect(screen.getByRole('alert').textContent).toBe('Not this time');
    await user.click(button('Cancel'));
    await user.click(button('Edit'));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(field('Owner', 'City').value).toBe('Troy');
  });

  test('that was begun keeps what was typed when the customer is read again, and saves over nothing unseen', async () => {
    const { put, save, answer, bodies, sent } = await edit({ [change]: silence });
    put('Owner', 'City', 'Utica');
    answer(read, theirs);
    await save();
    expect(sent(read)).toHaveLength(2);
    expect(field('Owner', 'City').value).toBe('Utica');
    await save();
    expect(bodies()).toMatchObject([{ version: 3 }, { version: 3 }]);
  });
});

describe('an edit over what a colleague has saved meanwhile', () => {
  /** The colleague has moved the owner and changed their name; the admin is no longer the same person. */
  const theirOwner = { ...owner, city: 'Albany', lastName: 'Brown' };
  const now = { ...theirs, contacts: { ...acme.contacts, owner: theirOwner } };
  async function conflict(state: object = now, readAgain: unknown = state) {
    const opened = await edit({ [change]: refused(409, 'conflict', { data: state }) });
    opened.put('Owner', 'Company', 'Acme Ltd');
    opened.put('Owner', 'Last name', 'Jones');
    opened.answer(read, readAgain);
    await opened.save();
    return opened;
  }
  const differences = () =>
    within(screen.getByRole('table', { name: 'Differences' }))
      .getAllByRole('row')
      .slice(1)
      .map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));

  test('shows both versions of what both have changed, keeps what was typed, and shows theirs everywhere else', async () => {
    const { bodies } = await conflict();
    expect(screen.getByRole('alert').textContent).toContain('Someone else changed this customer');
    expect(differences()).toEqual([['Owner: Last name', 'Brown', 'Jones']]);
    expect(field('Owner', 'Company').value).toBe('Acme Ltd');
    expect(field('Owner', 'Last name').value).toBe('Jones');
    expect(field('Owner', 'City').value).toBe('Albany');
    // The admin was the owner's in both versions: mine of that is there, and the line that the colleague left.
    expect(field('Admin', 'Last name').value).toBe('Jones');
    expect(field('Admin', 'City').value).toBe('Troy');
    expect(bodies()).toHaveLength(1);
  });

  test('saves mine over theirs, as it stands by then, and nothing of theirs that was not touched', async () => {
    const { put, user, answer, bodies } = await conflict();
    put('Owner', 'Last name', 'Jonas');
    answer(change, { ...now, version: 5 });
    await user.click(button('Save mine'));
    const mine = { organization: 'Acme Ltd', lastName: 'Jonas' };
    expect(bodies()[1]).toEqual({
      contacts: {
        owner: { ...owner, ...mine, city: 'Albany' },
        admin: { ...owner, ...mine, lastName: 'Jones' },
        billing: payer,
      },
      version: 4,
    });
    await user.click(button('Edit'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('who has touched nothing of theirs is told so, and saves both', async () => {
    const { save, answer, bodies } = await conflict(theirs);
    expect(screen.getByRole('alert').textContent).toContain('They changed nothing that you changed');
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Take theirs' })).toBeNull();
    answer(change, { ...theirs, version: 5 });
    await save();
    const mine = { organization: 'Acme Ltd', lastName: 'Jones' };
    expect(bodies()[1]).toMatchObject({
      contacts: { owner: { ...mine, city: 'Albany' }, admin: { ...mine, city: 'Troy' } },
      version: 4,
    });
    expect(screen.getByText('Saved.')).toBeDefined();
  });

  test('that is overtaken once more keeps both, and takes over the newest', async () => {
    const { user, answer, bodies } = await conflict();
    const third = { ...theirOwner, city: 'Rome', lastName: 'White' };
    answer(
      change,
      refused(409, 'conflict', { data: { ...now, version: 5, contacts: { ...now.contacts, owner: third } } }),
    );
    await user.click(button('Save mine'));
    expect(differences()).toEqual([['Owner: Last name', 'White', 'Jones']]);
    await user.click(button('Save mine'));
    expect(bodies()[2]).toMatchObject({
      contacts: { owner: { city: 'Rome', lastName: 'Jones' } },
      version: 5,
    });
  });

  test('comes into sight, wherever the form was saved from, and goes again', async () => {
    // Newer browsers answer with a promise, which is nothing that undoes an effect.
    const brought = vi.spyOn(Element.prototype, 'scrollIntoView').mockReturnValue(Promise.resolve() as never);
    onTestFinished(() => brought.mockRestore());
    const { user } = await conflict();
    expect(brought.mock.contexts).toEqual([screen.getByRole('alert')]);
    await user.click(button('Take theirs'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('takes theirs no more while mine is being saved over it', async () => {
    const { user, answer, settled } = await conflict();
    const held = new Held();
    answer(change, held);
    await user.click(button('Save mine'));
    expect(button('Take theirs').disabled).toBe(true);
    held.give({ ...now, version: 5 });
    await settled();
    expect(screen.getByText('Saved.')).toBeDefined();
  });

  test('says why mine was refused over theirs, and keeps what was typed', async () => {
    const { user, answer } = await conflict();
    answer(change, refused(422, 'unprocessable'));
    await user.click(button('Save mine'));
    expect(screen.getByRole('alert').textContent).toBe('Not this time');
    expect(field('Owner', 'Last name').value).toBe('Jones');
  });

  test('takes theirs where both have changed something, keeps the rest, sends nothing for it, and goes on from there', async () => {
    const { save, user, bodies } = await conflict(now, refused(503, 'unavailable'));
    await user.click(button('Take theirs'));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(field('Owner', 'Last name').value).toBe('Brown');
    expect(field('Owner', 'City').value).toBe('Albany');
    expect(field('Owner', 'Company').value).toBe('Acme Ltd');
    // The button that was pressed is gone with the notice.
    expect(document.activeElement).toBe(field('Owner', 'Company'));
    expect(bodies()).toHaveLength(1);
    await save();
    expect(bodies()[1]).toMatchObject({
      contacts: { owner: { organization: 'Acme Ltd', city: 'Albany', lastName: 'Brown' } },
      version: 4,
    });
  });

  test('can be given up, and then shows theirs', async () => {
    const { user, bodies } = await conflict();
    await user.click(button('Cancel'));
    expect(part('Owner').getByText('Albany, NY 12180')).toBeDefined();
    // The next edit begins there, and tells nothing of this one.
    await user.click(button('Edit'));
    expect(field('Owner', 'City').value).toBe('Albany');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(bodies()).toHaveLength(1);
  });
});
