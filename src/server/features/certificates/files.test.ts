import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateFiles } from '#contracts/operations/certificates.ts';
import { makeCertificate } from '../../../../tests/support/certificates.ts';
import { type CertificateFile, certificateFile } from './files.ts';
import { loadX509 } from './x509.ts';

/** The files of a certificate: a server reads the first certificate of a file as its own, and each next one as its issuer. */

const root = makeCertificate('Root', { authority: true });
const upper = makeCertificate('Upper', { authority: true, issuer: root });
const lower = makeCertificate('Lower', { authority: true, issuer: upper });
const leaf = makeCertificate('a.com', { issuer: lower });

const pems = (text: string) =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
const namesIn = (text: string) =>
  pems(text).map((pem) => new X509Certificate(pem).subject.replace(/^CN=/, ''));
const bundledNames = async (content: Buffer) => {
  const x509 = await loadX509();
  const certificates = [...new x509.X509Certificates(new Uint8Array(content))];
  return certificates.map(({ subject }) => subject.replace(/^CN=/, '')).sort();
};
const whole = [lower, upper, root].map(({ certificatePem }) => certificatePem).join('');

test.each<[CertificateFile, string[]]>([
  ['certificate.pem', ['a.com']],
  ['chain.pem', ['Lower', 'Upper']],
  ['fullchain.pem', ['a.com', 'Lower', 'Upper']],
])(
  '%s has the certificate before its issuer, each issuer before the next, and no root: %o',
  async (file, names) => {
    const { content, type } = await certificateFile(file, {
      certificatePem: leaf.certificatePem,
      chainPem: whole,
    });
    expect(namesIn(String(content))).toEqual(names);
    expect(type).toBe('application/x-pem-file');
  },
);

test('bundle.p7b has the certificate and its issuers, and no root', async () => {
  const { content, type } = await certificateFile('bundle.p7b', {
    certificatePem: leaf.certificatePem,
    chainPem: whole,
  });
  expect(await bundledNames(content)).toEqual(['Lower', 'Upper', 'a.com']);
  expect(type).toBe('application/x-pkcs7-certificates');
});

test.each([
  ['without a last line break', (pem: string) => pem.trimEnd()],
  ['with more line breaks', (pem: string) => `\n${pem}\n\n`],
  ['with those of Windows', (pem: string) => pem.replaceAll('\n', '\r\n')],
])('a certificate that comes %s is a file that servers read', async (_how, written) => {
  const parts = { certificatePem: written(leaf.certificatePem), chainPem: written(whole) };
  const full = String((await certificateFile('fullchain.pem', parts)).content).replaceAll('\r\n', '\n');
  expect(namesIn(full)).toEqual(['a.com', 'Lower', 'Upper']);
  expect(full).not.toMatch(/-----END CERTIFICATE-----[^\n]/);
});

test('without issuers there is the certificate alone, in every file that holds it', async () => {
  const parts = { certificatePem: leaf.certificatePem, chainPem: '' };
  const contents = await Promise.all(
    certificateFiles.map(async (file) => [file, (await certificateFile(file, parts)).content] as const),
  );
  const { 'bundle.p7b': bundle, ...texts } = Object.fromEntries(contents);
  expect(Object.values(texts).map((content) => namesIn(String(content)))).toEqual([['a.com'], [], ['a.com']]);
  expect(await bundledNames(bundle as Buffer)).toEqual(['a.com']);
});
