import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { csrFile, csrText } from './csr-text.ts';
import {
  derKind,
  holdsPrivateKey,
  privateKeyPath,
  privateKeyRefusal,
  privateKeyText,
  strayKeyText,
} from './private-keys.ts';

const dir = mkdtempSync(join(tmpdir(), 'keys-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string) => join(dir, name);
/** The real OpenSSL. */
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', file('rsa.pem'));
openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file('ec.pem'));
openssl('genpkey', '-algorithm', 'ED25519', '-out', file('ed.pem'));
openssl('req', '-new', '-key', file('rsa.pem'), '-subj', '/CN=acme.com', '-out', file('csr.pem'));
openssl('req', '-x509', '-key', file('rsa.pem'), '-subj', '/CN=acme.com', '-out', file('cert.pem'));
const text = (name: string) => readFileSync(file(name), 'utf8');
const bare = (pem: string) => pem.replace(/-----.*-----/g, '').trim();
const der = (input: string, ...more: string[]) =>
  openssl('pkey', '-in', file(input), '-outform', 'DER', ...more).toString('base64');
const csr = text('csr.pem');

const keys: [string, string][] = [
  ['PKCS #8, RSA', text('rsa.pem')],
  ['PKCS #8, EC', text('ec.pem')],
  ['PKCS #8, Ed25519', text('ed.pem')],
  ['PKCS #1', openssl('pkey', '-in', file('rsa.pem'), '-traditional').toString()],
  ['SEC 1', openssl('pkey', '-in', file('ec.pem'), '-traditional').toString()],
  ['encrypted', openssl('pkey', '-in', file('rsa.pem'), '-aes256', '-passout', 'pass:x').toString()],
  ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE'],
  ['PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
  ['PuTTY', 'PuTTY-User-Key-File-3: ssh-rsa'],
  ['a web key', '{"kty":"EC","crv":"P-256","d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}'],
  ['with changed dashes', text('rsa.pem').replaceAll('-----', '—')],
  ['without its first and last line', bare(text('rsa.pem'))],
  ['EC without its first and last line', bare(text('ec.pem'))],
  ['DER in base64, one line', der('rsa.pem')],
  [
    'encrypted, without its first and last line',
    bare(openssl('pkey', '-in', file('ec.pem'), '-aes256', '-passout', 'pass:x').toString()),
  ],
  ['behind a request', `${csr}\n${bare(text('rsa.pem'))}`],
  ['in front of a request', `${text('ec.pem')}${csr}`],
];

describe('a private key is known', () => {
  test.each(keys)('%s', (_kind, given) => {
    expect(holdsPrivateKey(given)).toBe(true);
    expect(csrText(given)).toEqual({ kind: 'private-key' });
  });

  test.each(['utf16le', 'latin1'] as const)('in a file as %s, and as PKCS #12 and DER', (encoding) => {
    expect(csrFile(Buffer.from(text('rsa.pem'), encoding))).toEqual({ kind: 'private-key' });
    openssl(
      'pkcs12',
      '-export',
      '-inkey',
      file('rsa.pem'),
      '-in',
      file('cert.pem'),
      '-passout',
      'pass:x',
      '-out',
      file('a.p12'),
    );
    expect(csrFile(readFileSync(file('a.p12')))).toEqual({ kind: 'private-key' });
    writeFileSync(file('a.der'), Buffer.from(der('ec.pem'), 'base64'));
    expect(csrFile(readFileSync(file('a.der')))).toEqual({ kind: 'private-key' });
  });
});

describe('what is none passes', () => {
  test.each([
    ['a request', csr],
    ['a request without its first and last line', bare(csr)],
    ['a certificate', text('cert.pem')],
    ['a public key, as DKIM has it', `v=DKIM1; k=rsa; p=${der('rsa.pem', '-pubout')}`],
    [
      'a public key of PKCS #1',
      openssl('rsa', '-in', file('rsa.pem'), '-RSAPublicKey_out', '-outform', 'DER').toString('base64'),
    ],
    ['a name', 'Private Key Ltd'],
    ['a public web key', '{"kty":"EC","crv":"P-256","x":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}'],
    ['a long "d" of something else', '{"d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}'],
    ['long base64', 'TUlJ'.repeat(50)],
  ])('%s', (_kind, given) => expect(holdsPrivateKey(given)).toBe(false));

  test('of a request only its own lines are taken', () => {
    expect(csrText(`Subject: my request\n${csr}\nregards`)).toEqual(csrText(csr));
  });
});

/** PKCS #5 and PKCS #12 name what they encrypt with below this. */
const pkcs = '2a864886f70d01';

test.each([
  ['a key: version 0', '3003020100', 'private-key'],
  ['a PKCS #12: version 3', '3003020103', 'private-key'],
  ['a number above every version', '3003020104', 'other'],
  ['a version in a set', '3103020100', 'other'],
  ['a request', '30053003020100', 'csr'],
  ['a request whose parts say their lengths in more bytes', '30820006308103020100', 'csr'],
  ['a certificate of old, by its serial number', '30053003020105', 'certificate'],
  ['one whose serial number begins with zero', '3006300402020080', 'certificate'],
  ['a certificate', '30053003a00100', 'certificate'],
  ['a version in a set in a sequence', '30053103020100', 'other'],
  ['a key that PKCS #5 encrypts', `300d300b0609${pkcs}050d`, 'private-key'],
  ['a key that PKCS #12 encrypts', `300e300c060a${pkcs}0c0103`, 'private-key'],
  ['an RSA public key', `300d300b0609${pkcs}0101`, 'other'],
  ['bytes in place of an algorithm', `300d300b0409${pkcs}050d`, 'other'],
  ['a sequence and no more', '30', 'other'],
])('DER begins with what it is: %s', (_what, hex, kind) => {
  expect(derKind(Buffer.from(hex, 'hex').toString('latin1'))).toBe(kind);
});

test.each([
  ['UTF-16 with a mark', Buffer.from(`\ufeff${csr}`, 'utf16le')],
  ['UTF-16 without one', Buffer.from(csr, 'utf16le')],
  ['UTF-16, big end first', Buffer.from(`\ufeff${csr}`, 'utf16le').swap16()],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${csr}`)],
])('a request in %s is read', (_kind, bytes) => {
  expect(csrFile(bytes)).toEqual(csrText(csr));
});

test('the field that holds a key is named, at any depth; a field for a request has its own words', () => {
  const key = text('ec.pem');
  expect(privateKeyPath({ certificates: [{ domain: 'a.com' }, { csr: key }] })).toBe('certificates.1.csr');
  expect(privateKeyPath({ note: key })).toBe('note');
  expect(privateKeyPath({ csr, other: [1, null, undefined, true, 'x'] })).toBeNull();
  expect([privateKeyRefusal('certificates.1.csr'), privateKeyRefusal('note')]).toEqual([
    privateKeyText,
    strayKeyText,
  ]);
});
