import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import type { KeptAddress } from './recipient.ts';
import { RecipientCard } from './recipient-card.tsx';

const read = 'GET /account/statement/recipient';
const save = 'PUT /account/statement/recipient';
const unset = { name: '', address: [] as string[], taxId: '' };
const set = { name: 'Blue Fig GmbH', address: ['Hauptstr. 1', 'Wien'], taxId: 'ATU1' };
const kept: KeptAddress = {
  ...{ name: 'Blue Fig Inc.', line1: '1 Main St', line2: '', city: 'Troy', state: 'NY' },
  ...{ postalCode: '12180', country: 'US' },
};

async function open(
  recipient: unknown,
  answers: Answers = {},
  address: KeptAddress | null | 'being asked' = null,
) {
  const there = await openScreen(
    () => {
      const [editing, onEditing] = useState(false);
      const known = address === 'being asked' ? undefined : address;
      return <RecipientCard organization="Blue Fig" kept={known} {...{ editing, onEditing }} />;
    },
    { answers: { [read]: recipient, [save]: {}, ...answers } },
  );
  return { ...there, bodies: () => there.sent(save).map(({ body }) => body) };
}
async function change(...input: Parameters<typeof open>) {
  const there = await open(...input);
  await there.user.click(screen.getByRole('button', { name: 'Change the recipient' }));
  const type = async (label: string, typed: string) => {
    await there.user.clear(field(label));
    if (typed) await there.user.type(field(label), typed);
  };
  return { ...there, type, save: () => there.user.click(inDialog('Save')) };
}
const dialog = () => within(screen.getByRole('dialog'));
const inDialog = (name: string) => dialog().getByRole('button', { name });
const field = (label: string) => dialog().getByLabelText(label);
const values = () => ['Name', 'Address', 'Tax ID'].map((label) => (field(label) as HTMLInputElement).value);
const offer = 'Use the billing address of your payment account';

describe('the recipient of statements', () => {
  test.each([
    ['as it is set', set, ['Blue Fig GmbH', 'Hauptstr. 1', 'Wien', 'Tax ID: ATU1'], false],
    ['under the name of the organization', { ...unset, address: ['Troy'] }, ['Blue Fig', 'Troy'], false],
    ['by the name alone where nothing is set', unset, ['Blue Fig'], true],
  ])('is shown %s', async (_what, recipient, lines, isUnset) => {
    await open(recipient);
    const shown = [...document.querySelectorAll('p')].map(({ textContent }) => textContent);
    expect(shown.slice(0, lines.length)).toEqual(lines);
    expect(screen.queryByText(/have no address or tax number yet/) !== null).toBe(isUnset);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('that cannot be read cannot be changed, until it is read again', async () => {
    const there = await open(refused(500, 'internal', { message: 'No luck.' }));
    expect(screen.getByRole('alert').textContent).toContain('No luck.');
    expect(screen.getByRole('button', { name: 'Change the recipient' })).toHaveProperty('disabled', true);
    there.answer(read, set);
    await there.user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(screen.getByText('Blue Fig GmbH')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Change the recipient' })).toHaveProperty('disabled', false);
  });
});

describe('a change of the recipient', () => {
  test('begins with what is set, and sends all of it, trimmed and line by line', async () => {
    const there = await change(set);
    expect(values()).toEqual(['Blue Fig GmbH', 'Hauptstr. 1\nWien', 'ATU1']);
    await there.type('Address', ' Ring 2{Enter}{Enter} Graz ');
    await there.type('Tax ID', ' ATU2 ');
    await there.save();
    expect(there.bodies()).toEqual([{ name: 'Blue Fig GmbH', address: ['Ring 2', 'Graz'], taxId: 'ATU2' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('Ring 2')).toBeDefined();
    expect(screen.queryByText('Hauptstr. 1')).toBeNull();
  });

  test('may take everything away', async () => {
    const there = await change(set);
    for (const label of ['Name', 'Address', 'Tax ID']) await there.type(label, '');
    await there.save();
    expect(there.bodies()).toEqual([unset]);
  });

  test('that is cancelled sends nothing', async () => {
    const there = await change(set);
    await there.type('Name', 'Other');
    await there.user.click(inDialog('Cancel'));
    expect(there.bodies()).toEqual([]);
    expect(screen.getByText('Blue Fig GmbH')).toBeDefined();
  });

  test.each([
    ['seven lines', 'a{Enter}b{Enter}c{Enter}d{Enter}e{Enter}f{Enter}g', 'Please use at most 6 lines'],
    ['a line of 101 characters', 'x'.repeat(101), 'Please use at most 100 characters a line'],
  ])('with %s is refused at its field', async (_what, typed, message) => {
    const there = await change(unset);
    await there.type('Address', typed);
    await there.save();
    expect(fieldErrors()).toEqual({ Address: message });
    expect(there.bodies()).toEqual([]);
  });

  test.each([
    ['name', 'Name'],
    ['address.1', 'Address'],
    ['taxId', 'Tax ID'],
  ])('shows what the portal says of %s at its field, and keeps what was typed', async (path, label) => {
    const details = [{ path, message: 'Please remove characters that cannot be printed' }];
    const there = await change(set, { [save]: refused(400, 'validation_failed', { details }) });
    await there.type('Name', 'Other');
    await there.save();
    expect(fieldErrors()).toEqual({ [label]: 'Please remove characters that cannot be printed' });
    expect(values()).toEqual(['Other', 'Hauptstr. 1\nWien', 'ATU1']);
  });

  test.each([
    ['refused', refused(403, 'forbidden', { message: 'Owners alone.' }), 'Owners alone.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, keeps what was typed, and can be sent again', async (_what, answer, message) => {
    const there = await change(set, { [save]: answer });
    await there.type('Name', 'Other');
    await there.save();
    expect(dialog().getByRole('alert').textContent).toBe(message);
    expect(values()).toEqual(['Other', 'Hauptstr. 1\nWien', 'ATU1']);
    await there.save();
    expect(there.bodies()).toHaveLength(2);
  });

  test('is sent once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await change(set, { [save]: held });
    await there.save();
    for (const name of ['Saving...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({});
    await there.settled();
    expect(there.bodies()).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('the billing address of the payment account', () => {
  test('is filled in to be checked where nothing is set, and is sent by Save alone', async () => {
    const there = await change(unset, {}, kept);
    expect(values()).toEqual(['Blue Fig Inc.', '1 Main St\nTroy, NY 12180\nUS', '']);
    expect(dialog().getByText(/Please check it before you save/)).toBeDefined();
    expect(dialog().queryByRole('button', { name: offer })).toBeNull();
    expect(there.bodies()).toEqual([]);
    await there.save();
    expect(there.bodies()).toEqual([
      { name: 'Blue Fig Inc.', address: ['1 Main St', 'Troy, NY 12180', 'US'], taxId: '' },
    ]);
  });

  test('is offered beside what is set, and leaves the tax number', async () => {
    const there = await change(set, {}, kept);
    expect(values()[0]).toBe('Blue Fig GmbH');
    await there.user.click(inDialog(offer));
    expect(values()).toEqual(['Blue Fig Inc.', '1 Main St\nTroy, NY 12180\nUS', 'ATU1']);
    expect(there.bodies()).toEqual([]);
  });

  test('is offered to nobody where there is none', async () => {
    const there = await change(set, {}, null);
    expect(dialog().queryByRole('button', { name: offer })).toBeNull();
    await there.user.click(inDialog('Cancel'));
  });

  test('is waited for before the form opens', async () => {
    const there = await open(set, {}, 'being asked');
    await there.user.click(screen.getByRole('button', { name: 'Change the recipient' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
