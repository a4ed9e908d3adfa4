import { passesLuhn } from '../test-methods.ts';

/** Formatting and checking of what a person types; no DOM. */

export interface FieldProblem {
  field: string;
  code: string;
  message: string;
}

export type Values = Record<string, string>;

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** `4242424242424242` → `4242 4242 4242 4242`; American Express in 4-6-5. */
export function formatNumber(text: string): string {
  const digits = digitsOf(text).slice(0, 19);
  if (/^3[47]/.test(digits)) {
    return [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10, 15)].filter(Boolean).join(' ');
  }
  return digits.match(/.{1,4}/g)?.join(' ') ?? '';
}

/** `1230` → `12 / 30`; `4` → `04 / `. Deleting over the slash works, as nothing is added while deleting. */
export function formatExpiry(text: string, deleting: boolean): string {
  let digits = digitsOf(text).slice(0, 6);
  if (/^[2-9]/.test(digits)) digits = `0${digits}`;
  const month = digits.slice(0, 2);
  const year = digits.length > 4 ? digits.slice(-2) : digits.slice(2, 4);
  if (digits.length < 2 || (deleting && digits.length === 2)) return month;
  return `${month} / ${year}`;
}

function expiryOf(text: string): { month: number; year: number } | null {
  const digits = digitsOf(text);
  if (digits.length !== 4) return null;
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2)) };
}

export function cardProblems(values: Values, today: Date): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const number = digitsOf(values.number ?? '');
  const wanted = /^3[47]/.test(number) ? 15 : 16;
  if (number.length < wanted) {
    problems.push({ field: 'number', code: 'incomplete_number', message: 'Your card number is incomplete.' });
  } else if (!passesLuhn(number)) {
    problems.push({ field: 'number', code: 'invalid_number', message: 'Your card number is invalid.' });
  }
  const expiry = expiryOf(values.expiry ?? '');
  if (!expiry || expiry.month < 1 || expiry.month > 12) {
    problems.push({
      field: 'expiry',
      code: 'incomplete_expiry',
      message: "Your card's expiration date is incomplete.",
    });
  } else if (expiry.year * 12 + expiry.month < today.getFullYear() * 12 + today.getMonth() + 1) {
    problems.push({
      field: 'expiry',
      code: 'invalid_expiry_year_past',
      message: "Your card's expiration year is in the past.",
    });
  }
  if (digitsOf(values.cvc ?? '').length < (wanted === 15 ? 4 : 3)) {
    problems.push({
      field: 'cvc',
      code: 'incomplete_cvc',
      message: "Your card's security code is incomplete.",
    });
  }
  return problems;
}

export function bankProblems(values: Values): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!/^[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+$/.test(values.email ?? '')) {
    problems.push({
      field: 'email',
      code: 'incomplete_email',
      message: 'Please provide your email address.',
    });
  }
  if (!values.name?.trim()) {
    problems.push({ field: 'name', code: 'incomplete_name', message: 'Please provide your full name.' });
  }
  if (digitsOf(values.routing ?? '').length !== 9) {
    problems.push({
      field: 'routing',
      code: 'incomplete_routing_number',
      message: 'Your routing number has nine digits.',
    });
  }
  if (digitsOf(values.account ?? '').length < 6) {
    problems.push({
      field: 'account',
      code: 'incomplete_account_number',
      message: 'Your account number is incomplete.',
    });
  }
  return problems;
}

/** The person's input as the API takes it; `prefix` puts it within a field, e.g. `payment_method_data`. */
export function methodFields(type: string, values: Values, prefix: string): Record<string, string> {
  const fields: [path: string[], value: string][] = [[['type'], type]];
  for (const name of ['name', 'email']) {
    const value = values[name];
    if (value) fields.push([['billing_details', name], value]);
  }
  if (type === 'us_bank_account') {
    fields.push(
      [[type, 'account_holder_type'], 'individual'],
      [[type, 'routing_number'], digitsOf(values.routing ?? '')],
      [[type, 'account_number'], digitsOf(values.account ?? '')],
    );
  } else {
    const expiry = expiryOf(values.expiry ?? '');
    fields.push(
      [[type, 'number'], digitsOf(values.number ?? '')],
      [[type, 'exp_month'], String(expiry?.month ?? '')],
      [[type, 'exp_year'], String(expiry?.year ?? '')],
      [[type, 'cvc'], digitsOf(values.cvc ?? '')],
    );
  }
  return Object.fromEntries(
    fields.map(([path, value]) => {
      const [head = '', ...rest] = prefix ? [prefix, ...path] : path;
      return [head + rest.map((part) => `[${part}]`).join(''), value];
    }),
  );
}

/** Tabs in the wished order; types that the wish does not name come after (P2 §3: bank account, then card). */
export function orderTypes(types: readonly string[], wish: readonly string[]): string[] {
  const known = types.filter((type) => ['card', 'us_bank_account'].includes(type));
  const first = wish.filter((type) => known.includes(type));
  return [...new Set([...first, ...known])];
}
