import { describe, expect, it } from 'vitest';
import {
  bankProblems,
  cardProblems,
  formatExpiry,
  formatNumber,
  methodFields,
  orderTypes,
} from './browser/fields.ts';
import { Params, parseForm } from './form.ts';

describe('the nested forms of the API', () => {
  it('are read with objects, lists and empty lists of any depth', () => {
    expect(parseForm('a=1&b[c][d]=2&list[0]=x&list[1]=y&more[]=p&more[]=q&l[0][k]=v')).toEqual({
      a: '1',
      b: { c: { d: '2' } },
      list: ['x', 'y'],
      more: ['p', 'q'],
      l: [{ k: 'v' }],
    });
  });

  it('cannot reach a prototype', () => {
    const values = parseForm('__proto__[polluted]=1&constructor[prototype][polluted]=1');
    expect({}).not.toHaveProperty('polluted');
    expect(Object.getPrototypeOf(values)).toBeNull();
  });

  it('name a wrong value with its whole path', () => {
    const params = new Params(parseForm('card[exp_month]=soon'));
    expect(() => params.object('card')?.integer('exp_month')).toThrow(/Invalid integer: soon/);
    expect(() => params.object('card')?.only([])).toThrow('Received unknown parameter: card[exp_month]');
  });

  it('metadata merges, and an empty value removes its key', () => {
    const params = new Params(parseForm('metadata[a]=&metadata[b]=2'));
    expect(params.metadata({ a: '1', c: '3' })).toEqual({ b: '2', c: '3' });
  });
});

describe('the payment form', () => {
  const today = new Date(2026, 10, 21);
  const good = { number: '4242 4242 4242 4242', expiry: '11 / 26', cvc: '123' };

  it('takes a card through its last month, and says what is missing or wrong', () => {
    expect(cardProblems(good, today)).toEqual([]);
    const messages = (values: Record<string, string>) =>
      cardProblems({ ...good, ...values }, today).map(({ message }) => message);
    expect(messages({ number: '4242 4242' })).toEqual(['Your card number is incomplete.']);
    expect(messages({ number: '4242 4242 4242 4241' })).toEqual(['Your card number is invalid.']);
    expect(messages({ expiry: '10 / 26' })).toEqual(["Your card's expiration year is in the past."]);
    expect(messages({ expiry: '13 / 30' })).toEqual(["Your card's expiration date is incomplete."]);
    expect(messages({ number: '3782 822463 10005', cvc: '123' })).toEqual([
      "Your card's security code is incomplete.",
    ]);
  });

  it('asks for mail, name, routing and account number of a bank account', () => {
    expect(bankProblems({}).map(({ field }) => field)).toEqual(['email', 'name', 'routing', 'account']);
  });

  it('formats while one types, and lets one delete', () => {
    expect(formatNumber('4242424242424242')).toBe('4242 4242 4242 4242');
    expect(formatNumber('378282246310005')).toBe('3782 822463 10005');
    expect(formatExpiry('4', false)).toBe('04 / ');
    expect(formatExpiry('1230', false)).toBe('12 / 30');
    expect(formatExpiry('12 /', true)).toBe('12');
  });

  it('shows the bank account first where the portal wishes so, and nothing that the payment does not allow', () => {
    expect(orderTypes(['card', 'us_bank_account'], ['us_bank_account', 'card'])).toEqual([
      'us_bank_account',
      'card',
    ]);
    expect(orderTypes(['card', 'link'], ['us_bank_account', 'card'])).toEqual(['card']);
  });

  it('sends what was typed as the API takes it', () => {
    expect(methodFields('card', good, 'payment_method_data')).toMatchObject({
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': '4242424242424242',
      'payment_method_data[card][exp_year]': '2026',
    });
    expect(
      methodFields('us_bank_account', { name: 'A', routing: '110000000', account: '000123456789' }, ''),
    ).toMatchObject({
      type: 'us_bank_account',
      'billing_details[name]': 'A',
      'us_bank_account[account_number]': '000123456789',
    });
  });
});
