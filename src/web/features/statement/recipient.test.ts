import { expect, test } from 'vitest';
import { addressProblem, bodyOf, formOf, isUnset, offerOf } from './recipient.ts';

const kept = {
  ...{ name: 'Acme IT', line1: '1 Main St', line2: '', city: 'Boulder', state: 'CO' },
  ...{ postalCode: '80301', country: 'US' },
};

test('the address at the payment provider is offered as on an envelope, and nothing where there is none', () => {
  expect(offerOf(kept)).toEqual({ name: 'Acme IT', address: '1 Main St\nBoulder, CO 80301\nUS' });
  expect(offerOf({ ...kept, state: '', postalCode: '' })?.address).toBe('1 Main St\nBoulder\nUS');
  const empty = { line1: '', city: '', state: '', postalCode: '', country: '' };
  expect([offerOf(null), offerOf({ ...kept, ...empty })]).toEqual([null, null]);
});

test('what is typed is sent line by line, without empty ones, and read back the same', () => {
  const body = bodyOf({ name: ' Acme ', address: ' 1 Main St \n\n Boulder\n', taxId: ' T-1 ' });
  expect(body).toEqual({ name: 'Acme', address: ['1 Main St', 'Boulder'], taxId: 'T-1' });
  expect(bodyOf(formOf(body))).toEqual(body);
  expect([isUnset(body), isUnset({ name: '', address: [], taxId: '' })]).toEqual([false, true]);
});

test('six lines are an address, seven are not', () => {
  expect(addressProblem('a\nb\nc\nd\n\ne\nf')).toBeNull();
  expect(addressProblem('a\nb\nc\nd\ne\nf\ng')).toBe('Please use at most 6 lines');
});
