import 'reflect-metadata';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { asked } from '../../../../tests/support/asked.tsx';
import { useCsrMaking } from './use-csr-making.ts';

/** A key and its signing request, made in the browser. */

async function make(takes: boolean, presses = 1) {
  const taken: { csrPem: string; fileName: string }[] = [];
  const wish = { name: '*.acme.com', kind: 'ec-p256', organization: ' Acme Ltd ' } as const;
  const { sent, saved } = await asked(
    () =>
      useCsrMaking(wish, async (csrPem, fileName, saveKey) => {
        taken.push({ csrPem, fileName });
        if (takes) saveKey();
        return takes;
      }),
    (making) => Promise.all(Array.from({ length: presses }, () => making.mutateAsync())),
  );
  return { taken, sent, saved };
}

test('the request names the host and the organization, and the key is saved beside it and sent nowhere', async () => {
  const { taken, sent, saved } = await make(true);
  expect(taken.map(({ fileName }) => fileName)).toEqual(['wildcard.acme.com.csr']);
  const { subject, publicKey } = new Pkcs10CertificateRequest(taken[0]?.csrPem ?? '');
  expect([subject, publicKey.algorithm.name]).toEqual(['CN=*.acme.com, O=Acme Ltd', 'ECDSA']);
  expect({ sent, saved }).toEqual({ sent: [], saved: ['wildcard.acme.com.key'] });
});

test('the key of a request that is refused is not saved', async () => {
  expect((await make(false)).saved).toEqual([]);
});

test('two presses make one key', async () => {
  const { taken, saved } = await make(true, 2);
  expect([taken.length, saved.length]).toEqual([1, 1]);
});
