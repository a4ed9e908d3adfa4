import 'reflect-metadata';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { asked } from '../../../../tests/support/asked.tsx';
import { type KeyKind, makeCsr } from './make-csr.ts';
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

const none = { organization: '', country: '' };
const requestOf = async (name: string, kind: KeyKind = 'ec-p256', more = none) => {
  const { csrPem, keyPem } = await makeCsr({ name, ...more }, kind);
  return { request: new Pkcs10CertificateRequest(csrPem), keyPem };
};

test.each([
  ['acme.com', ['acme.com', 'www.acme.com']],
  ['*.acme.com', ['*.acme.com', 'acme.com']],
  ['shop.acme.com', ['shop.acme.com']],
  ['www.acme.com', ['www.acme.com']],
])('a request for %s asks for %o', async (name, names) => {
  const { request } = await requestOf(name);
  const [list] = request.extensions;
  const asked = new SubjectAlternativeNameExtension(list?.rawData ?? new ArrayBuffer(0)).names.items;
  expect(asked.map(({ type, value }) => [type, value])).toEqual(names.map((each) => ['dns', each]));
});

test.each([
  ['ec-p256', { name: 'ECDSA', namedCurve: 'P-256' }],
  ['rsa-2048', { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048 }],
] as const)(
  'a key of the kind %s is made, its request is signed with it, and both can be read',
  async (kind, algorithm) => {
    const { request, keyPem } = await requestOf('acme.com', kind);
    expect(request.publicKey.algorithm).toMatchObject(algorithm);
    expect(await request.verify()).toBe(true);
    expect(keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[\s\S]+\n-----END PRIVATE KEY-----\n$/);
  },
);

test('a request names the country and the organization where they are given, and nothing in their place', async () => {
  const { request } = await requestOf('acme.com', 'ec-p256', { organization: 'Acme Ltd', country: 'US' });
  expect(request.subject).toBe('CN=acme.com, O=Acme Ltd, C=US');
  expect((await requestOf('acme.com')).request.subject).toBe('CN=acme.com');
});
