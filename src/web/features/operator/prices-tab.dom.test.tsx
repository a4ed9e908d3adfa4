import { Link } from '@tanstack/react-router';
import { describe, expect, test } from 'vitest';
import { openForOperator } from '../../../../tests/support/operator-door.tsx';
import {
  type Answers,
  fieldErrors,
  Held,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { PricesTab } from './prices-tab.tsx';

const rowOf = (name: string, kind: string, listed: number | null, more: object = {}) => ({
  ...{ product: 'domain', name, label: `.${name}`, kind, cost: 10, listed, price: listed ?? 12 },
  ...{ marginPercent: 20, next: null, ...more },
});
const prices = {
  rows: [
    rowOf('com', 'new', 14.5),
    rowOf('com', 'renewal', null),
    rowOf('net', 'transfer', 9, {
      ...{ cost: null, price: null, marginPercent: null },
      next: { price: null, validFrom: '2099-01-02T12:00:00Z' },
    }),
    { ...rowOf('dv', 'new', 20), product: 'certificate', label: 'DV Single' },
  ],
  versions: [
    {
      ...{ version: 6, validFrom: '2026-11-01T12:00:00Z', note: 'Autumn', createdAt: '2026-10-30T12:00:00Z' },
      entries: 12,
    },
  ],
  defaultMargin: { domain: 20, certificate: 35 },
};
const [read, save] = ['GET /operator/prices', 'POST /operator/prices'];

const WithAWayOut = () => (
  <>
    <Link to={'/orders' as never}>Away</Link>
    <PricesTab />
  </>
);
async function open(answers: Answers = {}, wayOut = false) {
  const there = await openForOperator(wayOut ? WithAWayOut : PricesTab, {
    [read]: prices,
    [save]: { version: 7 },
    ...answers,
  });
  const type = async (label: string, typed: string) => {
    await there.user.clear(screen.getByLabelText(label));
    if (typed) await there.user.type(screen.getByLabelText(label), typed);
  };
  return { ...there, type, bodies: () => there.sent(save).map(({ body }) => body) };
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const inDialog = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });
const value = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;
const [com, renewal, net] = ['Price of .com, New', 'Price of .com, Renewal', 'Price of .net, Transfer'];
const certificate = 'Price of DV Single, New';

describe('the price list', () => {
  test('tells cost, price, margin, entry and what comes later', async () => {
    await open();
    const rows = within(screen.getByRole('table', { name: 'Price list' }))
      .getAllByRole('row')
      .slice(1);
    expect(
      rows.map((row) =>
        within(row)
          .getAllByRole('cell')
          .slice(0, 5)
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([
      ['.com', 'New', '$10.00', '$14.50', '20%'],
      ['.com', 'Renewal', '$10.00', '$12.00', '20%'],
      ['.net', 'Transfer', '–', '–', '–'],
      ['DV Single', 'New', '$10.00', '$20.00', '20%'],
    ]);
    expect(rows[2]?.textContent).toContain('cost plus margin from Jan 2, 2099');
    expect([com, renewal, net, certificate].map(value)).toEqual(['14.50', '', '9.00', '20.00']);
    expect(document.body.textContent).toContain('cost plus 20% for domains and 35% for certificates');
    const [version] = within(screen.getByRole('table', { name: 'Versions' }))
      .getAllByRole('row')
      .slice(1);
    expect(version?.textContent).toMatch(/^6Nov 1, 2026.*Oct 30, 2026.*Autumn12$/);
  });

  test('that cannot be read says so, offers no new version, and is read again', async () => {
    const there = await open({ [read]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(screen.getByText('No luck.')).toBeDefined();
    expect(screen.queryByText('New version')).toBeNull();
    there.answer(read, prices);
    await there.user.click(button('Try again'));
    expect(value(com)).toBe('14.50');
  });
});

describe('new prices', () => {
  test('are nothing where nothing differs', async () => {
    const there = await open();
    expect(button('Save changed prices')).toHaveProperty('disabled', true);
    await there.type(com, '14.50');
    expect(button('Save changed prices')).toHaveProperty('disabled', true);
  });

  test.each(['x', '-1', '12.505'])('that are no amount are refused at their field: %s', async (typed) => {
    const there = await open();
    await there.type(net, '8');
    await there.type(com, typed);
    expect(fieldErrors()).toEqual({ [com]: 'An amount such as 12.50' });
    expect(button(/^Save/)).toHaveProperty('disabled', true);
    await there.type(com, '13');
    expect(fieldErrors()).toEqual({});
    expect(button('Save 2 changed prices')).toHaveProperty('disabled', false);
  });

  test('ask first, and are then sent: only what was changed, an emptied field as no entry', async () => {
    const there = await open();
    await there.type(com, '');
    await there.type(renewal, ' 11.25');
    await there.type(certificate, '0');
    await there.type('Note', 'Winter');
    await there.user.click(button('Save 3 changed prices'));
    expect(screen.getByRole('dialog').textContent).toContain(
      '3 prices change at once, for every organization.',
    );
    expect(
      within(screen.getByRole('dialog'))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual([
      '.com, New: $14.50 → cost + margin',
      '.com, Renewal: $12.00 → $11.25',
      'DV Single, New: $20.00 → $0.00, sold at its cost of $10.00',
    ]);
    await there.user.click(inDialog('Cancel'));
    expect(there.bodies()).toEqual([]);
    await there.user.click(button('Save 3 changed prices'));
    there.answer(read, { ...prices, rows: [rowOf('com', 'new', null), ...prices.rows.slice(1)] });
    await there.user.click(inDialog('Save'));
    expect(there.bodies()).toEqual([
      {
        entries: [
          { product: 'domain', name: 'com', kind: 'new', price: null },
          { product: 'domain', name: 'com', kind: 'renewal', price: 11.25 },
          { product: 'certificate', name: 'dv', kind: 'new', price: 0 },
        ],
        note: 'Winter',
      },
    ]);
    expect(screen.getByText('Version 7 has been saved.')).toBeDefined();
    expect([com, certificate, 'Note'].map(value)).toEqual(['', '20.00', '']);
    expect(button('Save changed prices')).toHaveProperty('disabled', true);
    expect(there.sent(read)).toHaveLength(2);
  });

  test('may begin later: the moment is that of the person’s own clock', async () => {
    const there = await open();
    await there.type(com, '15');
    await there.user.type(screen.getByLabelText('Effective from'), '2099-01-05T08:30');
    await there.user.click(button('Save 1 changed price'));
    expect(screen.getByRole('dialog').textContent).toContain('One price changes from Jan 5, 2099, 8:30');
    await there.user.click(inDialog('Save'));
    expect(there.bodies()).toEqual([
      {
        entries: [{ product: 'domain', name: 'com', kind: 'new', price: 15 }],
        note: '',
        validFrom: new Date(2099, 0, 5, 8, 30).toISOString(),
      },
    ]);
    expect(value('Effective from')).toBe('');
  });

  test('that were entered to apply later are taken back by the price that is to stay, at their own moment', async () => {
    const there = await open();
    expect(document.body.textContent).toContain('To take back a later price');
    await there.type(net, '9');
    expect(button('Save changed prices')).toHaveProperty('disabled', true);
    await there.user.type(screen.getByLabelText('Effective from'), '2099-01-05T08:30');
    await there.user.click(button('Save 1 changed price'));
    expect(screen.getByRole('dialog').textContent).toContain('.net, Transfer: cost + margin → $9.00');
    await there.user.click(inDialog('Save'));
    expect(there.bodies()).toMatchObject([{ entries: [{ name: 'net', kind: 'transfer', price: 9 }] }]);
  });

  const at = (path: string, message: string) =>
    refused(400, 'validation_failed', {
      message: 'Please check the marked fields.',
      details: [{ path, message }],
    });
  test.each([
    ['for their time', at('validFrom', 'Not in the past'), { 'Effective from': 'Not in the past' }, ''],
    ['for their note', at('note', 'Please remove it'), { Note: 'Please remove it' }, ''],
    [
      'for a price',
      at('entries.0.name', 'There is no such product: com'),
      {},
      'There is no such product: com',
    ],
    [
      'altogether',
      refused(422, 'unprocessable', { message: 'One price appears twice.' }),
      {},
      'One price appears twice.',
    ],
    ['by silence', silence, {}, 'Something went wrong'],
  ])('that are refused %s say why, and nothing typed is lost', async (_what, answer, errors, said) => {
    const there = await open({ [save]: answer });
    await there.type(com, '15');
    await there.type('Note', 'Winter');
    await there.user.click(button('Save 1 changed price'));
    await there.user.click(inDialog('Save'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(fieldErrors()).toEqual(errors);
    if (said) expect(document.body.textContent).toContain(said);
    expect([com, 'Note'].map(value)).toEqual(['15', 'Winter']);
    there.answer(save, { version: 7 });
    await there.user.click(button('Save 1 changed price'));
    expect(fieldErrors()).toEqual({});
    await there.user.click(inDialog('Save'));
    expect(there.bodies()).toHaveLength(2);
    if (said) expect(document.body.textContent).not.toContain(said);
  });

  test('are sent once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await open({ [save]: held });
    await there.type(com, '15');
    await there.user.click(button('Save 1 changed price'));
    await there.user.click(inDialog('Save'));
    for (const name of ['Saving prices...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({ version: 7 });
    await there.settled();
    expect(there.bodies()).toHaveLength(1);
  });

  test.each([
    ['that were changed', '15', true],
    ['that are no amount', 'x', true],
    ['that are as before', '14.50', false],
  ])('%s are asked about before they are left behind: %s, %s', async (_what, typed, asks) => {
    const there = await open({}, true);
    await there.type(com, typed);
    await there.user.click(screen.getByRole('link', { name: 'Away' }));
    expect(screen.queryByRole('dialog', { name: 'Leave without saving the prices?' }) !== null).toBe(asks);
    expect(there.path() === '/orders').toBe(!asks);
  });
});
