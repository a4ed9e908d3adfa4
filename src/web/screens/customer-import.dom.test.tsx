import { describe, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import {
  type Answers,
  file,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import CustomerImportScreen from './customer-import.tsx';

const id = uuid(41);
const counts = { new: 2, changed: 1, same: 4, faulty: 0 };
const ready = {
  ...{ importId: id, fileName: 'ours.csv', state: 'ready', mode: null, notice: '', judged: 7 },
  ...{ rows: counts, suggested: 0, unread: [], progress: { done: 0, total: 0 } },
  ...{ createdAt: '2026-11-01T00:00:00Z', endedAt: null },
};
const faulty = { ...ready, rows: { ...counts, faulty: 2 }, suggested: 1 };
const row = (n: number, kind: string, more: object = {}) => ({
  ...{ row: n, kind, organization: `Firm ${n}`, customerId: null, faults: [], changes: [], ...more },
});
const fault = (column: string, suggestion: string | null) => ({
  ...{ column, value: 'Ann-Marie', reason: 'Only letters and spaces are allowed', suggestion },
});
const wrong = row(5, 'faulty', {
  faults: [fault('contacts_owner_firstName', 'Ann Marie'), fault('contacts_owner_address2', '')],
});
const hopeless = row(6, 'faulty', { faults: [fault('contacts_owner_phone', null)] });

const read = 'GET /customer/import/:id';
const rows = 'GET /customer/import/:id/rows';
const start = 'POST /customer/import/:id/start';
const apply = 'POST /customer/import/:id/suggestions';
const discard = 'DELETE /customer/import/:id';
const rejects = 'GET /customer/import/:id/rejects';
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const offered = () =>
  within(screen.getByRole('region', { name: 'Result of the check' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent);

const open = (found: object, answers: Answers = {}) =>
  openScreen(CustomerImportScreen, {
    ...{ route: '/customers/import/$importId', path: `/customers/import/${id}` },
    answers: { [read]: found, [rows]: paged([wrong, hopeless]), ...answers },
  });

describe('a checked file', () => {
  test.each<[string, object, string[], string]>([
    [
      'whose rows are all good',
      ready,
      ['Import 3 customers', 'Discard'],
      '2 new customers, 1 changed, 4 unchanged, 0 faulty rows',
    ],
    [
      'with one good row',
      { ...ready, rows: { new: 1, changed: 0, same: 0, faulty: 0 } },
      ['Import 1 customer', 'Discard'],
      '1 new customer, 0 changed, 0 unchanged, 0 faulty rows',
    ],
    [
      'that brings nothing new',
      { ...ready, rows: { new: 0, changed: 0, same: 4, faulty: 0 } },
      ['Discard'],
      'There is nothing to import.',
    ],
    [
      'with faulty rows',
      { ...faulty, suggested: 0, rows: { new: 1_200, changed: 0, same: 0, faulty: 1 } },
      ['Download the rejected rows', 'Import the good rows (1,200)', 'Discard'],
      '1,200 new customers, 0 changed, 0 unchanged, 1 faulty row',
    ],
    [
      'with suggestions for faulty rows',
      faulty,
      [
        ...['Apply all suggestions', 'Download the rejected rows', 'Download them as suggested'],
        ...['Import the good rows (3)', 'Discard'],
      ],
      'imported as a whole or not at all',
    ],
    [
      'of faulty rows only',
      { ...faulty, suggested: 0, rows: { new: 0, changed: 0, same: 3, faulty: 2 } },
      ['Download the rejected rows', 'Discard'],
      '2 faulty rows',
    ],
  ])('%s says what it would do, and offers what fits', async (_what, found, buttons, text) => {
    await open(found);
    expect(offered()).toEqual(buttons);
    expect(screen.getByRole('region', { name: 'Result of the check' }).textContent).toContain(text);
  });

  test('names the columns that are not read, and why it is to be looked at again', async () => {
    await open({ ...ready, unread: ['Fax', 'Motto'], notice: 'Two rows have changed since.' });
    expect(screen.getByText('Ignored columns: Fax, Motto')).toBeDefined();
    expect(screen.getByRole('alert').textContent).toBe('Two rows have changed since.');
  });
});

describe('an import', () => {
  const importing = { ...ready, state: 'importing', progress: { done: 1_000, total: 4_000 } };

  test.each([
    ['whole', ready, 'Import 3 customers', { mode: 'all', judged: 7 }],
    ['of the good rows', faulty, 'Import the good rows (3)', { mode: 'good', judged: 7 }],
  ])('%s is started once, as it was shown, and its progress follows', async (_what, found, label, body) => {
    const answer = new Held();
    const { user, settled, sent } = await open(found, { [start]: answer });
    await user.click(button(label));
    expect(button('Importing...').disabled).toBe(true);
    await user.click(button('Importing...'));
    answer.give(importing);
    await settled();
    expect(sent(start).map((call) => [call.params, call.body])).toEqual([[{ id }, body]]);
    expect(screen.getByText('Importing... 1,000 of 4,000 customers')).toBeDefined();
    expect(screen.getByLabelText('Import').getAttribute('aria-valuenow')).toBe('25');
    expect(screen.queryByRole('region', { name: 'Result of the check' })).toBeNull();
  });

  test.each([
    ['refused', refused(409, 'conflict', { message: 'It was judged again.' }), 'It was judged again.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says why once, shows how the file is now, and can be started as that',
    async (_what, how, message) => {
      const { user, sent, answer } = await open(ready, { [start]: how });
      answer(read, { ...ready, judged: 8, notice: message, rows: { ...counts, new: 3 } });
      await user.click(button('Import 3 customers'));
      expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([message]);
      await user.click(button('Import 4 customers'));
      expect(sent(start).map(({ body }) => body)).toEqual([
        { mode: 'all', judged: 7 },
        { mode: 'all', judged: 8 },
      ]);
    },
  );

  test('that is under way is followed to its end, also by somebody who comes to it later', async () => {
    const opened = await open(importing);
    expect(screen.getByText('Importing... 1,000 of 4,000 customers')).toBeDefined();
    opened.answer(read, { ...ready, state: 'done' });
    await eventually(() =>
      expect(screen.getByText('2 customers were created, 1 was changed.')).toBeDefined(),
    );
    await opened.settled();
  });

  test('that has ended says what it did, and leads back', async () => {
    const done = { ...ready, state: 'done', rows: { new: 1, changed: 2, same: 0, faulty: 1 } };
    const { user, saved } = await open(done, { [rejects]: file('rejected.csv') });
    const result = within(screen.getByRole('region', { name: 'Result of the import' }));
    expect(result.getByText('1 customer was created, 2 were changed. 1 row was left out.')).toBeDefined();
    expect(result.getByRole('link', { name: 'Go to customers' }).getAttribute('href')).toBe('/customers');
    await user.click(button('Download the rejected rows'));
    expect(saved()).toEqual(['rejected.csv']);
    expect(screen.queryByRole('button', { name: 'Apply the suggestions of row 5' })).toBeNull();
  });

  test('that has ended without faults has no rejected rows to hand out', async () => {
    await open({ ...ready, state: 'done' });
    expect(screen.getByText('2 customers were created, 1 was changed.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Download the rejected rows' })).toBeNull();
  });
});

describe('to discard a file', () => {
  test('asks first, and leads back to the customers', async () => {
    const { user, sent, path } = await open(ready, { [discard]: {} });
    await user.click(button('Discard'));
    const dialog = within(screen.getByRole('dialog', { name: 'Discard this file' }));
    expect(dialog.getByText(/Nothing from ours.csv has been written/)).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(discard)).toEqual([]);
    await user.click(button('Discard'));
    const again = within(screen.getByRole('dialog', { name: 'Discard this file' }));
    await user.click(again.getByRole('button', { name: 'Discard' }));
    expect(sent(discard).map(({ params }) => params)).toEqual([{ id }]);
    expect(path()).toBe('/customers');
  });

  test.each([
    ['refused', refused(409, 'conflict', { message: 'It has been started.' }), 'It has been started.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('%s stays open, says why, and may be tried again', async (_what, how, message) => {
    const { user, sent, path } = await open(ready, { [discard]: how });
    await user.click(button('Discard'));
    const dialog = within(screen.getByRole('dialog', { name: 'Discard this file' }));
    await user.click(dialog.getByRole('button', { name: 'Discard' }));
    expect(dialog.getByRole('alert').textContent).toBe(message);
    await user.click(dialog.getByRole('button', { name: 'Discard' }));
    expect(sent(discard)).toHaveLength(2);
    expect(path()).toBe(`/customers/import/${id}`);
  });

  test('is sent once, and says that it is under way', async () => {
    const answer = new Held();
    const { user, sent, settled } = await open(ready, { [discard]: answer });
    await user.click(button('Discard'));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Discard' }));
    expect(button('Discarding...').disabled).toBe(true);
    await user.click(button('Discarding...'));
    answer.give({});
    await settled();
    expect(sent(discard)).toHaveLength(1);
  });
});

describe('suggestions', () => {
  const better = { ...ready, judged: 8, rows: { ...counts, new: 3, faulty: 1 } };
  const title = 'Apply all suggestions to 1 row';

  async function all(answers: Answers = {}) {
    const opened = await open(faulty, answers);
    await opened.user.click(button('Apply all suggestions'));
    const dialog = within(screen.getByRole('dialog', { name: title }));
    return { ...opened, dialog, go: () => opened.user.click(dialog.getByRole('button', { name: 'Apply' })) };
  }

  test('of all rows are shown cell by cell before they are applied, once', async () => {
    const answer = new Held();
    const { dialog, go, user, settled, sent } = await all({ [apply]: answer });
    expect(sent(rows).at(-1)?.query).toEqual({ suggested: 'true', page: '1', pageSize: '100' });
    const changes = within(dialog.getByRole('region', { name: 'All changes' }));
    expect(changes.getByText('Row 5: Firm 5')).toBeDefined();
    expect(changes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'First name: Ann-Marie → Ann Marie',
      'Address line 2: Ann-Marie → empty',
    ]);
    expect(sent(apply)).toEqual([]);
    await go();
    expect(button('Applying...').disabled).toBe(true);
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true);
    await user.click(button('Applying...'));
    answer.give(better);
    await settled();
    expect(sent(apply).map((call) => [call.params, call.body])).toEqual([[{ id }, {}]]);
    expect(screen.queryByRole('dialog')).toBeNull();
    // The file as it was checked again.
    expect(offered()).toEqual(['Download the rejected rows', 'Import the good rows (4)', 'Discard']);
  });

  test.each([
    ['refused', refused(409, 'conflict', { message: 'It has been started.' }), 'It has been started.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('of all rows that are %s stay open and say why; Cancel applies none', async (_what, how, message) => {
    const { dialog, go, user, sent } = await all({ [apply]: how });
    await go();
    expect(dialog.getByRole('alert').textContent).toBe(message);
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Apply' }).disabled).toBe(false);
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(apply)).toHaveLength(1);
  });

  test('of many rows are shown a hundred at a time, and applied all', async () => {
    const { dialog, go, user, sent } = await all({
      ...{ [rows]: paged([wrong], { total: 150, pageSize: 100 }), [apply]: better },
    });
    await user.click(dialog.getByRole('button', { name: '2' }));
    expect(sent(rows).at(-1)?.query).toEqual({ suggested: 'true', page: '2', pageSize: '100' });
    await go();
    expect(sent(apply).map(({ body }) => body)).toEqual([{}]);
  });

  test('that cannot be read say so', async () => {
    const refuse = refused(503, 'unavailable', { message: 'Please wait.' });
    const { dialog } = await all({
      [rows]: ({ query }: { query: Record<string, string> }) => (query.suggested ? refuse() : paged([wrong])),
    });
    expect(dialog.getByText('Please wait.')).toBeDefined();
  });

  test('of one row are applied to that row; a row without is not offered', async () => {
    const { user, sent, answer } = await open(faulty, {
      [apply]: refused(409, 'conflict', { message: 'Too late.' }),
    });
    expect(screen.queryByRole('button', { name: 'Apply the suggestions of row 6' })).toBeNull();
    await user.click(button('Apply the suggestions of row 5'));
    expect(screen.getByRole('alert').textContent).toBe('Too late.');
    answer(apply, better);
    answer(rows, paged([hopeless]));
    await user.click(button('Apply the suggestions of row 5'));
    expect(sent(apply).map(({ body }) => body)).toEqual([{ rows: [5] }, { rows: [5] }]);
    expect(screen.queryByRole('button', { name: 'Apply the suggestions of row 5' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Apply all suggestions' })).toBeNull();
  });
});

describe('rejected rows', () => {
  test.each<[string, Record<string, string>]>([
    ['Download the rejected rows', {}],
    ['Download them as suggested', { suggestions: 'apply' }],
  ])('“%s” hands out the file', async (label, query) => {
    const { user, sent, saved } = await open(faulty, { [rejects]: file('rejected.csv') });
    await user.click(button(label));
    expect(sent(rejects).map((call) => [call.params, call.query])).toEqual([[{ id }, query]]);
    expect(saved()).toEqual(['rejected.csv']);
  });

  test.each(['ready', 'done'])('that cannot be handed out say why: %s', async (state) => {
    const { user } = await open(
      { ...faulty, state },
      { [rejects]: refused(404, 'not_found', { message: 'Gone.' }) },
    );
    await user.click(button('Download the rejected rows'));
    expect(screen.getByRole('alert').textContent).toBe('Gone.');
    expect(button('Download the rejected rows').disabled).toBe(false);
  });
});

describe('the rows of a file', () => {
  const kinds = ({ query }: { query: Record<string, string> }) => query.kind;
  const cells = () =>
    within(screen.getByRole('table', { name: 'Rows of the file' }))
      .getAllByRole('row')
      .slice(1)
      .map((line) => [...line.querySelectorAll('td')].map((cell) => cell.textContent));

  test('are the faulty ones first where there are some, each with its faults, and those of a kind on request', async () => {
    const { user, sent, answer } = await open(faulty);
    expect(cells()).toEqual([
      [
        ...['5', 'Firm 5', 'Faulty'],
        'contacts_owner_firstName Ann-MarieOnly letters and spaces are allowedSuggested: Ann Marie' +
          'contacts_owner_address2 Ann-MarieOnly letters and spaces are allowedSuggested: leave it emptyApply',
      ],
      ['6', 'Firm 6', 'Faulty', 'contacts_owner_phone Ann-MarieOnly letters and spaces are allowed'],
    ]);
    const changes = [{ field: 'contacts_owner_city', before: '', after: 'Troy' }];
    answer(rows, paged([row(2, 'changed', { organization: '', changes })]));
    await user.click(screen.getByLabelText('Changed (1)'));
    expect(cells()).toEqual([['2', '–', 'Changed', 'contacts_owner_city empty → Troy']]);
    await user.click(screen.getByLabelText('All (9)'));
    expect(sent(rows).map(kinds)).toEqual(['faulty', 'changed', undefined]);
    expect(sent(rows)[0]?.params).toEqual({ id });
  });

  test('of another kind begin at their first page', async () => {
    const many = paged([row(2, 'new')], { total: 120 });
    const { user, sent } = await open(ready, { [rows]: many });
    await user.click(screen.getByRole('button', { name: 'next page' }));
    expect(sent(rows).at(-1)?.query).toMatchObject({ page: '2' });
    await user.click(screen.getByLabelText('Changed (1)'));
    const changed = sent(rows).filter(({ query }) => query.kind === 'changed');
    expect(changed[0]?.query).toMatchObject({ page: '1' });
  });

  test('are all where none is faulty; without any it says so', async () => {
    const { sent } = await open(ready, { [rows]: paged([]) });
    expect(sent(rows).map(kinds)).toEqual([undefined]);
    expect(screen.getByText('No rows of this kind')).toBeDefined();
  });

  test('that cannot be read say so and are read again on request', async () => {
    const { user, answer } = await open(faulty, { [rows]: refused(503, 'unavailable') });
    answer(rows, paged([hopeless]));
    await user.click(button('Try again'));
    expect(cells()).toHaveLength(1);
  });
});

test.each([
  ['not_found', 404],
  ['validation_failed', 400],
])('an import that is none leads to the customers: %s', async (code, status) => {
  const { path } = await open({}, { [read]: refused(status, code) });
  expect(path()).toBe('/customers');
});

test('an import that cannot be read says so, and is read again on request', async () => {
  const { user, answer } = await open(
    {},
    { [read]: refused(503, 'unavailable', { message: 'Please wait.' }) },
  );
  expect(screen.getByRole('alert').textContent).toContain('Please wait.');
  answer(read, ready);
  await user.click(button('Try again'));
  expect(button('Import 3 customers')).toBeDefined();
});
