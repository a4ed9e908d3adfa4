import { describe, expect, test } from 'vitest';
import type { AcmeAllowance } from '#contracts/operations/acme.ts';
import { certificatePrices } from '../../../../tests/support/acme-samples.ts';
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
import { AllowanceRow } from './allowance-row.tsx';

/** What ACME accesses a customer's own users may make, as their provider sets it. */

const read = 'GET /acme/allowance/:customerId';
const set = 'PUT /acme/allowance/:customerId';
const present: NonNullable<AcmeAllowance> = {
  ...{ mostAccesses: 2, productType: 'rapidssl', product: 'RapidSSL' },
  mayBuy: { ordersPerMonth: 3, centsPerMonth: 6_025 },
};
/** The same as it is sent. */
const { product: _product, ...presentSent } = present;

async function open(allowance: unknown = present, answers: Answers = {}) {
  const opened = await openScreen(() => <AllowanceRow customerId={uuid(21)} />, {
    answers: { [read]: allowance, 'GET /ssl/prices': certificatePrices, ...answers },
  });
  const { user, sent } = opened;
  return {
    ...opened,
    begin: () => user.click(button('Change')),
    toggle: (name: RegExp) => user.click(dialog().getByRole('switch', { name })),
    put: async (label: RegExp, text: string) => {
      await user.clear(field(label));
      if (text !== '') await user.type(field(label), text);
    },
    choose: async (option: string) => {
      await user.click(dialog().getByRole('combobox', { name: /^Certificate/ }));
      await user.click(screen.getByRole('option', { name: option }));
    },
    save: () => user.click(button('Save')),
    bodies: () => sent(set).map(({ body }) => body),
  };
}
const button = (name: string) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const field = (name: RegExp) => dialog().getByLabelText<HTMLInputElement>(name, { selector: 'input' });

describe('the row', () => {
  test.each<[AcmeAllowance, string]>([
    [null, 'No. You make the accesses for their machines.'],
    [present, '2 accesses with RapidSSL. Each buys: up to 3 certificates and $60.25 a month.'],
    [
      { ...present, mostAccesses: 1, mayBuy: null },
      'One access with RapidSSL. It buys: never, only free reissues.',
    ],
  ])('tells what is allowed in words: %j', async (allowance, text) => {
    const { sent } = await open(allowance);
    expect(screen.getByText(text)).toBeDefined();
    expect(sent(read).map(({ params }) => params)).toEqual([{ customerId: uuid(21) }]);
  });

  test('that cannot be read says so, offers no change, and is read again', async () => {
    const { user, answer } = await open(refused(500, 'internal', { message: 'Not now.' }));
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    expect(screen.queryByRole('button', { name: 'Change' })).toBeNull();
    answer(read, null);
    await user.click(button('Try again'));
    expect(button('Change')).toBeDefined();
  });
});

describe('a change', () => {
  test('is sent whole, with what was seen before, and the row tells of it', async () => {
    const { begin, put, choose, save, bodies, sent, answer } = await open();
    const after = { ...present, mostAccesses: 5, productType: 'wild', product: 'Wild' };
    await begin();
    await put(/^Accesses at a time/, '5');
    await choose('Wild');
    await put(/^Certificates a month/, '4');
    await put(/^Money a month/, '1234.56');
    answer(set, () => {
      answer(read, after);
      return after;
    });
    await save();
    const mayBuy = { ordersPerMonth: 4, centsPerMonth: 123_456 };
    expect(bodies()).toEqual([
      { allowance: { mostAccesses: 5, productType: 'wild', mayBuy }, shown: presentSent },
    ]);
    expect(sent(set).map(({ params }) => params)).toEqual([{ customerId: uuid(21) }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText(/^5 accesses with Wild/)).toBeDefined();
  });

  test.each<[string, AcmeAllowance, RegExp, unknown, unknown]>([
    ['forbids all', present, /^They may make/, null, presentSent],
    ['forbids to buy', present, /^They may buy/, { ...presentSent, mayBuy: null }, presentSent],
  ])('that %s sends that', async (_what, allowance, name, wanted, shown) => {
    const { begin, toggle, save, bodies } = await open(allowance, { [set]: null });
    await begin();
    await toggle(name);
    await save();
    expect(bodies()).toEqual([{ allowance: wanted, shown }]);
  });

  test('that allows it for the first time begins with one access that buys nothing, and needs a certificate', async () => {
    const { begin, toggle, choose, save, bodies } = await open(null, { [set]: null });
    await begin();
    expect(dialog().queryByLabelText(/^Accesses at a time/)).toBeNull();
    await toggle(/^They may make/);
    await save();
    expect(fieldErrors()).toEqual({ Certificate: 'Please choose a certificate' });
    await faultHasFocus();
    expect(bodies()).toEqual([]);
    await choose('RapidSSL');
    await save();
    expect(bodies()).toEqual([
      { allowance: { mostAccesses: 1, productType: 'rapidssl', mayBuy: null }, shown: null },
    ]);
  });

  test.each<[RegExp, string, string, string]>([
    [/^Accesses at a time/, '', 'Accesses at a time', 'Please enter a whole number'],
    [/^Accesses at a time/, '0', 'Accesses at a time', 'At least 1'],
    [/^Certificates a month/, '', 'Certificates a month, for each access', 'Please enter a whole number'],
    [/^Money a month/, '', 'Money a month, for each access', 'Please enter an amount'],
    [/^Money a month/, '0', 'Money a month, for each access', 'Please enter an amount'],
    [/^Money a month/, '1000000.01', 'Money a month, for each access', 'At most $1,000,000'],
  ])('with %s being %j is not sent, and the field says why', async (label, text, name, message) => {
    const { begin, put, bodies, user } = await open();
    await begin();
    await put(label, text);
    await user.keyboard('{Enter}');
    expect(fieldErrors()).toEqual({ [name]: message });
    expect(bodies()).toEqual([]);
  });

  test('that is refused shows it at each field, or not answered says so, and all that was typed stays', async () => {
    const details = [
      { path: 'allowance.mostAccesses', message: 'Too many' },
      { path: 'allowance.productType', message: 'Not sold' },
      { path: 'allowance.mayBuy.ordersPerMonth', message: 'Too often' },
      { path: 'allowance.mayBuy.centsPerMonth', message: 'Too much' },
    ];
    const { begin, put, save, bodies, answer } = await open(present, {
      [set]: refused(400, 'validation_failed', { message: 'Look at the fields.', details }),
    });
    await begin();
    await put(/^Money a month/, '80.25');
    await save();
    expect(fieldErrors()).toEqual({
      ...{ 'Accesses at a time': 'Too many', Certificate: 'Not sold' },
      'Certificates a month, for each access': 'Too often',
      'Money a month, for each access': 'Too much',
    });
    expect(dialog().getByRole('alert').textContent).toBe('Look at the fields.');
    answer(set, silence);
    await save();
    expect(dialog().getByRole('alert').textContent).toBe('Something went wrong');
    expect(field(/^Money a month/).value).toBe('$80.25');
    expect(button('Save')).toHaveProperty('disabled', false);
    expect(bodies()).toHaveLength(2);
  });

  test('over what somebody else has set meanwhile shows it, and saves over it only when it is asked again', async () => {
    const theirs = { ...present, mostAccesses: 1, mayBuy: null };
    const { begin, put, save, bodies, answer } = await open(present, {
      [set]: refused(409, 'conflict', {
        message: 'Someone else changed this in the meantime.',
        data: theirs,
      }),
    });
    await begin();
    await put(/^Accesses at a time/, '7');
    await save();
    expect(dialog().getByRole('alert').textContent).toBe('Someone else changed this in the meantime.');
    expect(dialog().getByRole('status').textContent).toBe(
      'It is now: One access with RapidSSL. It buys: never, only free reissues. Save again to replace it.',
    );
    expect(field(/^Accesses at a time/).value).toBe('7');
    answer(set, null);
    await save();
    const wanted = { ...presentSent, mostAccesses: 7 };
    expect(bodies()).toEqual([
      { allowance: wanted, shown: presentSent },
      { allowance: wanted, shown: { mostAccesses: 1, productType: 'rapidssl', mayBuy: null } },
    ]);
  });

  test('is sent once, and cannot be left while it runs', async () => {
    const answer = new Held();
    const { begin, bodies, user, settled } = await open(present, { [set]: answer });
    await begin();
    await user.dblClick(button('Save'));
    expect(button('Saving...')).toHaveProperty('disabled', true);
    expect(button('Cancel')).toHaveProperty('disabled', true);
    answer.give(present);
    await settled();
    expect(bodies()).toHaveLength(1);
  });

  test('that is given up sends nothing', async () => {
    const { begin, put, bodies, user } = await open();
    await begin();
    await put(/^Accesses at a time/, '7');
    await user.click(button('Cancel'));
    await begin();
    expect(field(/^Accesses at a time/).value).toBe('2');
    expect(bodies()).toEqual([]);
  });

  test('offers no certificate that people have to check, and says when the prices could not be read', async () => {
    const { begin, user } = await open();
    await begin();
    await user.click(dialog().getByRole('combobox', { name: /^Certificate/ }));
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['RapidSSL', 'Wild']);
  });

  test('says when the prices could not be read', async () => {
    const { begin } = await open(null, { 'GET /ssl/prices': refused(500, 'internal') });
    await begin();
    await screen.getByRole('switch', { name: /^They may make/ }).click();
    expect(await screen.findByText('The price list could not be read. Please try again.')).toBeDefined();
  });
});
