import { beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  refused,
  screen,
  silence,
} from '../../../../tests/support/screen.tsx';
import {
  apex,
  button,
  conflict,
  dialog,
  fill,
  mail,
  note,
  openZone,
  savedAt,
  shown,
  web,
  withRoom,
  zoneAt,
} from '../../../../tests/support/zone-tab.tsx';
import { recordOf } from '../../../../tests/support/zones.ts';

const put = 'PUT /:domain/zone';
const read = 'POST /:domain/zone/import';
const ftp = recordOf({ type: 'A', subdomain: 'ftp', ip_address: '192.0.2.9' });
const alias = recordOf({ type: 'CNAME', subdomain: 'www', hostname: 'b.net' });
const line = (record: object, more: object = {}) => ({
  ...{ line: 1, present: false, problem: null, note: null, warnings: [], record },
  ...more,
});
const preview = {
  records: [
    line(ftp, { note: 'The TTL becomes 1 hour' }),
    line(web, { line: 2, present: true }),
    line(alias, { line: 3, problem: 'An alias must be alone.' }),
  ],
  leftOut: [
    { line: 4, text: '@ CAA 0 issue "x"', reason: 'This type is not kept here.' },
    { line: 5, text: '$GENERATE', reason: 'Not read.' },
  ],
  // The zone that the portal compared with is another one by now.
  version: 'v2',
};
const text = 'ftp A 192.0.2.9';
const added = {
  records: [{ type: 'A', subdomain: 'ftp', action: 'add', fields: { ip_address: '192.0.2.9' } }],
  version: 'v2',
};

beforeEach(() => {
  withRoom();
  return () => vi.restoreAllMocks();
});

async function open(answers: Answers = {}) {
  const opened = await openZone({
    answers: { [read]: preview, [put]: savedAt('v3', [apex, web, mail, note, ftp]), ...answers },
  });
  await opened.user.click(button('Import'));
  await shown('dialog', 'Import records');
  const press = (name: string) => opened.user.click(dialog().getByRole('button', { name }));
  return { ...opened, press };
}

const field = () => screen.getByRole('textbox', { name: 'Records or zone file' });

describe('an import', () => {
  test('is begun in its field', async () => {
    await open();
    await eventually(() => expect(document.activeElement).toBe(field()));
  });

  test('of nothing is not read, and the field says why', async () => {
    const { press, sent } = await open();
    await press('Preview');
    expect(fieldErrors()).toEqual({ 'Records or zone file': 'Please select a file, or paste its text' });
    expect(sent(read)).toEqual([]);
  });

  test('shows every record and every line that is left out, and sends what is chosen', async () => {
    const opened = await open();
    const { press, sent, bodies } = opened;
    await fill(opened, 'Records or zone file', text);
    await press('Preview');
    expect(sent(read)).toMatchObject([{ params: { domain: 'a.com' }, body: { text } }]);
    const shownNow = dialog('Import records');
    expect(shownNow.getByText(/1 record exists already/)).toBeDefined();
    expect(
      shownNow
        .getAllByRole('checkbox')
        .map((box) => [box.getAttribute('aria-label'), (box as HTMLInputElement).checked]),
    ).toEqual([
      ['Add A ftp.a.com 192.0.2.9', true],
      ['Add CNAME www.a.com b.net', false],
    ]);
    for (const said of [
      'Line 1. The TTL becomes 1 hour',
      'Line 3',
      'An alias must be alone.',
      '2 lines are left out',
      /Line 4: This type is not kept here\./,
      '@ CAA 0 issue "x"',
    ]) {
      expect(shownNow.getByText(said)).toBeDefined();
    }
    expect(bodies()).toEqual([]);
    await press('Save 1 change');
    expect(bodies()).toEqual([{ ...added, reason: 'Imported' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('says how many records are there already, and names one line that is left out', async () => {
    const opened = await open({
      [read]: {
        ...preview,
        records: [
          line(web, { present: true }),
          line(apex, { present: true, line: 2 }),
          line(ftp, { line: 3 }),
        ],
        leftOut: preview.leftOut.slice(0, 1),
      },
    });
    await fill(opened, 'Records or zone file', text);
    await opened.press('Preview');
    expect(dialog().getByText('2 records exist already. All other records stay.')).toBeDefined();
    expect(dialog().getByText('1 line is left out')).toBeDefined();
    expect(dialog().getAllByRole('checkbox')).toHaveLength(1);
  });

  test('that meets a change of somebody else leaves out what "Take theirs" is about; the others stay chosen', async () => {
    const two = recordOf({ type: 'A', subdomain: 'two', ip_address: '192.0.2.10' });
    const theirs = zoneAt('v9', [apex, web, recordOf({ ...ftp, ip_address: '192.0.2.11' })]);
    const opened = await open({
      [read]: { ...preview, records: [line(ftp), line(two, { line: 2 })], leftOut: [] },
      [put]: conflict(theirs, 0),
    });
    await fill(opened, 'Records or zone file', text);
    await opened.press('Preview');
    await opened.press('Save 2 changes');
    await opened.press('Take theirs');
    const box = (name: string) => dialog().getByRole<HTMLInputElement>('checkbox', { name });
    expect(box('Add A ftp.a.com 192.0.2.9').checked).toBe(false);
    expect(box('Add A two.a.com 192.0.2.10').checked).toBe(true);
    opened.answer(put, savedAt('v10', [apex, web, two]));
    await opened.press('Save 1 change');
    const fields = { ip_address: '192.0.2.10' };
    expect(opened.bodies()[1]).toMatchObject({
      records: [{ type: 'A', subdomain: 'two', action: 'add', fields }],
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('that is given up goes back to its text', async () => {
    const opened = await open();
    await fill(opened, 'Records or zone file', text);
    await opened.press('Preview');
    await opened.press('Cancel');
    expect(field()).toHaveProperty('value', text);
    await opened.press('Cancel');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(opened.bodies()).toEqual([]);
  });

  test.each([
    [refused(422, 'unprocessable', { message: 'This is no zone file.' }), 'This is no zone file.'],
    [silence, 'Something went wrong'],
  ])('that cannot be read says why and keeps its text', async (answer, message) => {
    const opened = await open({ [read]: answer });
    await fill(opened, 'Records or zone file', text);
    await opened.press('Preview');
    expect(screen.getByRole('alert').textContent).toContain(message);
    expect(field()).toHaveProperty('value', text);
    await opened.press('Preview');
    expect(opened.sent(read)).toHaveLength(2);
  });

  test('is read from a file, unless that is too large', async () => {
    const { user, press, sent } = await open();
    const input = document.querySelector<HTMLInputElement>('input[type="file"]');
    if (!input) throw new Error('No field for a file');
    const large = new File(['x'], 'large.txt', { type: 'text/plain' });
    Object.defineProperty(large, 'size', { value: 1_500_001 });
    await user.upload(input, large);
    expect(fieldErrors()).toEqual({ 'Records or zone file': 'This file is too large for a zone file' });
    await user.upload(input, new File([text], 'a.txt', { type: 'text/plain' }));
    await eventually(() => expect(field()).toHaveProperty('value', text));
    expect(fieldErrors()).toEqual({});
    await press('Preview');
    expect(sent(read).map(({ body }) => body)).toEqual([{ text }]);
  });

  test('says that it is being read', async () => {
    const held = new Held();
    const opened = await open({ [read]: held });
    await fill(opened, 'Records or zone file', text);
    await opened.press('Preview');
    expect(button('Reading...')).toHaveProperty('disabled', true);
    held.give({ ...preview, records: [line(web, { present: true })], leftOut: [] });
    await opened.settled();
    expect(screen.getByText('Nothing would change.')).toBeDefined();
    expect(button('Save 0 changes')).toHaveProperty('disabled', true);
  });
});

describe('what is pasted into the page', () => {
  const pasted = { ...preview, records: [line(ftp)], leftOut: [] };

  test('is read at once, and saved with its reason', async () => {
    const { user, sent, bodies } = await openZone({
      answers: { [read]: pasted, [put]: savedAt('v3', [apex, web, mail, note, ftp]) },
    });
    await user.click(document.body);
    await user.paste(text);
    await shown('dialog', 'Import records');
    expect(sent(read).map(({ body }) => body)).toEqual([{ text }]);
    await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
    expect(bodies()).toEqual([{ ...added, reason: 'Pasted' }]);
  });

  test('is not closed while it is being saved: the word that it was, and Undo, would be lost', async () => {
    const held = new Held();
    const { user, bodies, settled } = await openZone({ answers: { [read]: pasted, [put]: held } });
    await user.click(document.body);
    await user.paste(text);
    await shown('dialog', 'Import records');
    await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
    expect(dialog().getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    await user.keyboard('{Escape}');
    expect(dialog().getByRole('button', { name: 'Saving changes...' })).toHaveProperty('disabled', true);
    held.give(savedAt('v3', [apex, web, mail, note, ftp]));
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(button('Undo')).toBeDefined();
    expect(bodies()).toHaveLength(1);
  });

  test('is given up as a whole, and what is pasted into a field is not meant', async () => {
    const { user, sent, bodies } = await openZone({ answers: { [read]: pasted } });
    await user.click(screen.getByRole('textbox', { name: 'Search the records' }));
    await user.paste('192.0.2.1');
    expect(sent(read)).toEqual([]);
    await user.click(document.body);
    // Nothing, and more than any zone.
    for (const none of [' \n', 'x'.repeat(1_500_001)]) await user.paste(none);
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.paste(text);
    await shown('dialog', 'Import records');
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect([sent(read).length, bodies()]).toEqual([1, []]);
  });

  test('does not take the place of what is open', async () => {
    const { user, sent } = await openZone({ answers: { [read]: pasted } });
    await user.click(button('Edit A record for www.a.com'));
    await shown('form', 'Edit record');
    await user.click(document.body);
    await user.paste(text);
    expect(sent(read)).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is collected where changes are collected', async () => {
    const { user, bodies } = await openZone({ answers: { [read]: pasted } });
    await user.click(screen.getByRole('switch'));
    await user.click(button('Delete A record for www.a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    await user.click(document.body);
    await user.paste(text);
    await shown('dialog', 'Import records');
    // The preview stands above them: a screen reader finds each list by a name of its own.
    const lists = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
    expect(lists.filter((name) => name?.toLowerCase().includes('changes'))).toEqual([
      'Collected changes',
      'Changes',
    ]);
    expect(dialog().queryByRole('textbox', { name: 'Reason' })).toBeNull();
    await user.click(dialog().getByRole('button', { name: 'Collect 1 change' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('2 changes')).toBeDefined();
    expect(bodies()).toEqual([]);
  });
});
