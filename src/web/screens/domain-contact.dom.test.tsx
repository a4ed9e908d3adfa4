import { fireEvent } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
} from '../../../tests/support/screen.tsx';
import { detailsOf, registrantOf } from '../../../tests/support/shown-domain.ts';
import DomainContactDialog from './domain-contact.tsx';

const owner = registrantOf();
const admin = registrantOf({ first_name: 'Al', last_name: 'Ng', email: 'al@acme.example' });
const billing = registrantOf({ first_name: 'Bo', last_name: 'Li', email: 'bo@acme.example' });
const details = detailsOf({ contact_set: { owner, admin, billing, tech: admin } });

const onClose = vi.fn();
/** The dialog of each contact; of the owner also where a change does not lock, and where the registrar keeps no others. */
const dialogs = {
  owner: () => <DomainContactDialog details={details} type="owner" shown={owner} onClose={onClose} />,
  admin: () => <DomainContactDialog details={details} type="admin" shown={admin} onClose={onClose} />,
  freely: () => (
    <DomainContactDialog
      details={{ ...details, registrant_lock_days: 0, contact_set: { owner, billing } }}
      type="owner"
      shown={owner}
      onClose={onClose}
    />
  ),
  odd: () => (
    <DomainContactDialog
      details={details}
      type="admin"
      shown={{ ...admin, address1: '1 Main St.', phone: '' }}
      onClose={onClose}
    />
  ),
};

const saving = 'PUT /:domain/contacts';
const done = { domain: 'acme.com', notice: null };
function open(who: keyof typeof dialogs, answers: Answers = {}) {
  onClose.mockReset();
  return openScreen(dialogs[who], { answers: { [saving]: done, ...answers } });
}
const field = (label: string) =>
  screen.getByLabelText<HTMLInputElement>(new RegExp(`^${label}( \\*)?$`), { selector: 'input' });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const submit = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Sav/ });
const retype = async ({ user }: Opened, label: string, text: string) => {
  await user.clear(field(label));
  if (text) await user.paste(text);
};
/** Many fields at once: what each keystroke does is of no matter there. */
const fill = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
const lockText = /locks the domain. It cannot move to another registrar for 60 days./;

/** As the form sends them when nothing is changed. */
const sentOwner = {
  ...{ organization: 'Acme Inc', firstName: 'Zoe', lastName: 'Quinn', address1: '1 Main St', address2: '' },
  ...{ address3: '', city: 'Troy', state: 'NY', postalCode: '12180', country: 'US' },
  ...{ email: 'zoe@acme.example', phone: '+1.5185550100' },
};
const sentAdmin = { ...sentOwner, firstName: 'Al', lastName: 'Ng', email: 'al@acme.example' };

describe('a change of a contact', () => {
  test('sends every field of that contact and of no other, and closes', async () => {
    const opened = await open('admin');
    expect(screen.getByRole('dialog', { name: 'Change the Admin contact' })).toBeDefined();
    expect(submit().disabled).toBe(true);
    const typed = [
      ['Company', 'Zeta Ltd'],
      ['First name', 'Ada'],
      ['Last name', 'King'],
      ['Email', 'ada@zeta.example'],
      ['Address line 1', '7 Elm Rd'],
      ['Address line 2', 'Floor 2'],
      ['Address line 3', 'Room 3'],
      ['City', 'Albany'],
      ['Postal code', '12-207'],
      ['Phone', '518 555 0199'],
    ] as const;
    for (const [label, text] of typed) fill(label, text);
    await opened.user.click(field('State'));
    await opened.user.click(screen.getByText('Vermont (VT)'));
    await opened.user.click(submit());
    expect(opened.sent(saving)).toMatchObject([{ params: { domain: 'acme.com' } }]);
    expect(opened.sent(saving)[0]?.body).toEqual({
      admin: {
        ...{ organization: 'Zeta Ltd', firstName: 'Ada', lastName: 'King', address1: '7 Elm Rd' },
        ...{ address2: 'Floor 2', address3: 'Room 3', city: 'Albany', state: 'VT', postalCode: '12207' },
        ...{ country: 'US', email: 'ada@zeta.example', phone: '+1.5185550199' },
      },
    });
    expect(onClose).toHaveBeenCalledOnce();
  });

  test('leaves what was not touched as the registrar has it', async () => {
    const opened = await open('owner');
    await retype(opened, 'City', 'Albany');
    await opened.user.click(button('Save contact'));
    expect(opened.sent(saving)[0]?.body).toEqual({ owner: { ...sentOwner, city: 'Albany' } });
  });

  test.each<[string, Record<string, string[]>]>([
    [
      'nothing',
      {
        ...{ Company: ['', 'This field is required'], 'First name': ['', 'This field is required'] },
        ...{ 'Last name': ['', 'This field is required'], Email: ['', 'This field is required'] },
        ...{ 'Address line 1': ['', 'This field is required'], City: ['', 'This field is required'] },
        ...{ 'Postal code': ['', 'This field is required'], Phone: ['', 'Please fill out the field'] },
      },
    ],
    [
      'what no registry takes',
      {
        'First name': ['Zo3', 'Only letters and spaces are allowed'],
        Email: ['zoe', 'Please enter a valid email address'],
        'Address line 1': ['1 Main St.', 'Only numbers & letters are allowed'],
        Phone: ['12', 'Phone number must have between 4 and 14 numbers'],
      },
    ],
  ])('with %s in its fields is not sent, and each field says why', async (_what, faults) => {
    const opened = await open('owner');
    for (const [label, [text = '']] of Object.entries(faults)) fill(label, text);
    await opened.user.click(submit());
    expect(fieldErrors()).toEqual(
      Object.fromEntries(Object.entries(faults).map(([label, [, message]]) => [label, message])),
    );
    expect(document.activeElement).toBe(field(Object.keys(faults)[0] ?? ''));
    expect(opened.sent(saving)).toEqual([]);
  });

  test('of what the registrar holds against the rules says at the fields what is to be mended', async () => {
    const opened = await open('odd');
    await retype(opened, 'City', 'Albany');
    await opened.user.click(submit());
    expect(fieldErrors()).toEqual({
      'Address line 1': 'Only numbers & letters are allowed',
      Phone: 'Please fill out the field',
    });
    await opened.user.click(button('Use “1 Main St”'));
    await retype(opened, 'Phone', '5185550123');
    await opened.user.click(submit());
    expect(opened.sent(saving)[0]?.body).toEqual({
      admin: { ...sentAdmin, city: 'Albany', phone: '+1.5185550123' },
    });
  });

  test.each([
    [
      'refused',
      refused(422, 'registrar_refused', { message: 'The registry says no.' }),
      'The registry says no.',
    ],
    ['not confirmed', refused(502, 'outcome_unknown', { message: 'Not confirmed.' }), 'Not confirmed.'],
    ['not answered', silence, 'Something went wrong'],
  ])('that is %s stays open, says why, and keeps what was typed', async (_what, answer, text) => {
    const opened = await open('admin', { [saving]: answer });
    await retype(opened, 'City', 'Albany');
    await opened.user.click(submit());
    expect(screen.getByRole('alert').textContent).toBe(text);
    expect(field('City').value).toBe('Albany');
    expect(onClose).not.toHaveBeenCalled();
    opened.answer(saving, done);
    await opened.user.click(submit());
    expect(opened.sent(saving)).toHaveLength(2);
    expect(onClose).toHaveBeenCalledOnce();
  });

  test('shows what the portal says of a field at that field, until it is changed', async () => {
    const details = [
      { path: 'admin.postalCode', message: 'Of another country' },
      { path: 'billing.postalCode', message: 'Of another country' },
      { path: 'admin.phone', message: 'Nobody answers there' },
    ];
    const opened = await open('admin', {
      [saving]: refused(400, 'validation_failed', { message: 'Please check the marked fields.', details }),
    });
    await opened.user.click(screen.getByRole('checkbox', { name: 'Billing' }));
    await opened.user.click(submit());
    expect(fieldErrors()).toEqual({ 'Postal code': 'Of another country', Phone: 'Nobody answers there' });
    expect(screen.getByRole('alert').textContent).toBe('Please check the marked fields.');
    await retype(opened, 'Postal code', '12208');
    expect(Object.keys(fieldErrors())).toEqual(['Phone']);
  });

  test('that the registrar takes up later stays open and says when', async () => {
    const opened = await open('admin', { [saving]: { ...done, notice: 'Within the hour.' } });
    await retype(opened, 'City', 'Albany');
    await opened.user.click(submit());
    expect(screen.getByRole('status').textContent).toBe('Within the hour.');
    expect(onClose).not.toHaveBeenCalled();
  });

  test('cannot be pressed twice or left while it runs; Cancel sends nothing', async () => {
    const answer = new Held();
    const opened = await open('admin', { [saving]: answer });
    await retype(opened, 'City', 'Albany');
    await opened.user.click(button('Cancel'));
    expect(onClose).toHaveBeenCalledOnce();
    expect(opened.sent(saving)).toEqual([]);
    await opened.user.click(submit());
    expect(button('Saving contact...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await opened.user.click(button('Saving contact...'));
    await opened.user.type(field('City'), '{Enter}');
    await opened.user.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledOnce();
    answer.give(done);
    await opened.settled();
    expect(opened.sent(saving)).toHaveLength(1);
  });
});

describe('the same contact for others', () => {
  test('is sent for each that was chosen, and for those only', async () => {
    const opened = await open('admin');
    const others = screen.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).value);
    expect(others).toEqual(['tech', 'billing', 'owner']);
    await opened.user.click(screen.getByRole('checkbox', { name: 'Tech' }));
    await opened.user.click(screen.getByRole('checkbox', { name: 'Billing' }));
    await opened.user.click(screen.getByRole('checkbox', { name: 'Tech' }));
    expect(submit().disabled).toBe(false);
    await opened.user.click(submit());
    expect(opened.sent(saving)[0]?.body).toEqual({ admin: sentAdmin, billing: sentAdmin });
  });

  test('is offered for those only that the registrar keeps', async () => {
    await open('freely');
    const others = screen.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).value);
    expect(others).toEqual(['billing']);
  });
});

describe('the lock of sixty days', () => {
  test('is told of before the save where the registrant changes, and nowhere else', async () => {
    const opened = await open('owner');
    const told: Record<string, string | null> = {};
    const labels = ['Company', 'First name', 'Last name', 'Email', 'Address line 1', 'City', 'Phone'];
    for (const label of labels) {
      await opened.user.click(field(label));
      await opened.user.paste(label === 'Phone' ? '9' : 'x');
      told[label] = screen.queryByText(lockText) && submit().textContent;
      await opened.user.keyboard('{Backspace}');
      expect(screen.queryByText(lockText)).toBeNull();
      expect(submit().textContent).toBe('Save contact');
    }
    const accepted = 'Save and accept the lock';
    expect(told).toEqual({
      ...{ Company: accepted, 'First name': accepted, 'Last name': accepted, Email: accepted },
      ...{ 'Address line 1': null, City: null, Phone: null },
    });
  });

  test('is accepted by the save that follows', async () => {
    const opened = await open('owner');
    await retype(opened, 'Last name', 'King');
    await opened.user.click(button('Save and accept the lock'));
    expect(opened.sent(saving)[0]?.body).toEqual({ owner: { ...sentOwner, lastName: 'King' } });
  });

  test('is told of where another contact becomes the owner, and not where it stays another', async () => {
    const opened = await open('admin');
    await retype(opened, 'Last name', 'King');
    expect(screen.queryByText(lockText)).toBeNull();
    await opened.user.click(screen.getByRole('checkbox', { name: 'Owner' }));
    expect(screen.getByText(lockText)).toBeDefined();
    await opened.user.click(button('Save and accept the lock'));
    const changed = { ...sentAdmin, lastName: 'King' };
    expect(opened.sent(saving)[0]?.body).toEqual({ admin: changed, owner: changed });
  });

  test('is not threatened where there is none; the confirmation of the address is', async () => {
    const opened = await open('freely');
    await opened.user.type(field('Last name'), 'x');
    const said = screen.getByRole('status').textContent;
    expect(said).not.toContain('locks the domain');
    expect(said).toContain('must confirm the address within 15 days');
  });
});
