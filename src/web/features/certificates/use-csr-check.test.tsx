import { describe, expect, test } from 'vitest';
import { type CsrText, certificateText, notACsrText, privateKeyText } from '#contracts/values/csr-text.ts';
import { sentBy } from '../../../../tests/support/sent-by.tsx';
import { refusalOf, useCsrCheck } from './use-csr-check.ts';

/** What becomes of a request that is uploaded, pasted or made for a certificate in the cart. */

const request: CsrText = { kind: 'csr', pem: 'CSR' };
const refused = () =>
  Response.json({ code: 'validation_failed', message: 'It is for other.com.' }, { status: 400 });

async function take(
  given: CsrText,
  { csr = '', productType, answer }: { csr?: string; productType?: string; answer?: () => Response } = {},
) {
  const changes: string[] = [];
  let taken: boolean | null = null;
  const sent = await sentBy(
    () => {
      const onChange = (pem: string, name: string) => changes.push(`${name}: ${pem}`);
      return useCsrCheck({ domain: 'a.com', productType, csr, onChange });
    },
    async (check) => {
      taken = await check.take(given, 'new.csr', () => changes.push('key saved'));
    },
    answer ? { answer } : {},
  );
  return { taken, changes, sent };
}

test('one that the server reads is kept in place of the earlier one, after its key was saved', async () => {
  for (const csr of ['', 'earlier']) {
    const { taken, changes } = await take(request, { csr });
    expect([taken, changes]).toEqual([true, ['key saved', 'new.csr: CSR']]);
  }
});

test('it is read for the name and the product that are chosen', async () => {
  const read = async (productType?: string) => (await take(request, productType ? { productType } : {})).sent;
  const of = (body: object) => [{ method: 'POST', path: '/api/ssl/parsecsr', body }];
  expect(await read()).toEqual(of({ csr: 'CSR', domain: 'a.com' }));
  expect(await read('rapidssl')).toEqual(of({ csr: 'CSR', domain: 'a.com', productType: 'rapidssl' }));
});

describe('one that is refused is not kept, and the earlier one is not bought in its place', () => {
  test.each(['private-key', 'certificate', 'other'] as const)(
    'here, because it is %s: nothing is sent',
    async (kind) => {
      const { taken, changes, sent } = await take({ kind }, { csr: 'earlier' });
      expect([taken, changes, sent]).toEqual([false, [': '], []]);
    },
  );

  test.each([
    ['says no', refused],
    ['gives no answer', () => Response.error()],
  ])('by the server, which %s: its key is not saved', async (_how, answer) => {
    const { taken, changes } = await take(request, { csr: 'earlier', answer });
    expect([taken, changes]).toEqual([false, [': ']]);
  });

  test('and where there was none, nothing changes', async () => {
    for (const given of [{ kind: 'other' } as const, request]) {
      expect(await take(given, { answer: refused })).toMatchObject({ taken: false, changes: [] });
    }
  });
});

test('each kind of wrong text has its own words', () => {
  const kinds = ['csr', 'private-key', 'certificate', 'other'] as const;
  expect(kinds.map((kind) => refusalOf({ kind, pem: '' } as CsrText))).toEqual([
    ...[null, privateKeyText, certificateText, notACsrText],
  ]);
});
