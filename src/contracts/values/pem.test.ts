import { expect, test } from 'vitest';
import { pemBodies } from './pem.ts';

const block = (body: string) => `-----BEGIN CERTIFICATE-----${body}-----END CERTIFICATE-----`;

test.each([
  ['two among other text', `a${block('1')}b${block('2')}c`, ['1', '2']],
  ['one without its end', `-----BEGIN CERTIFICATE-----1${block('2')}`, ['2']],
  ['another kind', block('1').replaceAll('CERTIFICATE', 'X509 CRL'), []],
  ['the end of another kind', block('1').replace('END', 'END NEW'), []],
])('blocks are found: %s', (_what, text, bodies) => {
  expect(pemBodies(text, 'CERTIFICATE')).toEqual(bodies);
});
