import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { csrFile } from '#contracts/values/csr-text.ts';
import { readCsr } from './csr.ts';

const dir = mkdtempSync(join(tmpdir(), 'csr-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string) => join(dir, name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();

/** A request as OpenSSL makes it. */
function request(key: string[], ...more: string[]): string {
  return openssl(
    'req',
    '-new',
    '-nodes',
    '-keyout',
    file('key.pem'),
    ...key,
    '-subj',
    '/CN=acme.com',
    ...more,
  );
}
const rsa = (bits: number) => ['-newkey', `rsa:${bits}`];
const ec = (curve: string) => ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`];
const refusal = async (text: string, use = {}) => {
  const error = await readCsr(text, use).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  const { code, details, message } = error as AppError;
  expect(code).toBe('validation_failed');
  expect(details).toEqual([{ path: 'csr', message }]);
  return message;
};

describe('requests that OpenSSL makes', () => {
  it.each<[string, string[], string[]]>([
    ['RSA 2048', rsa(2048), []],
    ['RSA 3072 with SHA-512', rsa(3072), ['-sha512']],
    ['P-256', ec('P-256'), []],
    ['P-384 with SHA-384', ec('P-384'), ['-sha384']],
    ['with extensions', rsa(2048), ['-addext', 'subjectAltName=DNS:acme.com,DNS:Mail.acme.com']],
  ])('%s is read in PEM, in DER and in one line', async (_, key, more) => {
    const pem = request(key, ...more);
    const read = await readCsr(pem, { domain: 'acme.com', wildcard: false });
    expect(read.names[0]).toBe('acme.com');
    if (more[0] === '-addext') expect(read.names).toEqual(['acme.com', 'mail.acme.com']);
    openssl('req', '-in', written(pem), '-outform', 'DER', '-out', file('csr.der'));
    const der = csrFile(readFileSync(file('csr.der')));
    expect(der).toEqual({ kind: 'csr', pem: read.pem });
    expect((await readCsr(pem.replace(/\n/g, ' '))).pem).toBe(read.pem);
    expect((await readCsr(pem.replace(/-----.*-----/g, ''))).pem).toBe(read.pem);
    expect(openssl('req', '-in', written(read.pem), '-noout', '-verify', '-subject')).toContain('acme.com');
  });

  it('every part of the subject is read', async () => {
    const subject = '/C=US/ST=New York/L=Albany/O=Acme Ltd/OU=IT/CN=acme.com/emailAddress=it@acme.com';
    const read = await readCsr(request(rsa(2048), '-subj', subject));
    expect(read).toMatchObject({
      ...{ names: ['acme.com'], organization: 'Acme Ltd', organizationUnit: 'IT', state: 'New York' },
      ...{ locality: 'Albany', email: 'it@acme.com', country: 'US' },
    });
  });
});

describe('what is refused, and in which words', () => {
  it('a key that is too small or of an odd kind', async () => {
    expect(await refusal(request(rsa(1024)))).toMatch(/has 1024 bits.*at least 2048/);
    expect(await refusal(request(ec('P-521')))).toMatch(/do not accept/);
  });

  it('a weak signature', async () => {
    expect(await refusal(request(rsa(2048), '-sha1'))).toMatch(/SHA-1.*too weak/);
    expect(await refusal(request(rsa(2048), '-md5'))).toMatch(/too weak/);
  });

  it('another name, and a wildcard where the product has none or needs one', async () => {
    const pem = request(rsa(2048));
    expect(await refusal(pem, { domain: 'other.com' })).toBe(
      'This CSR is for acme.com, but the certificate is for other.com. Please create a CSR for other.com.',
    );
    expect(await refusal(pem, { domain: 'cme.com' })).toContain('is for acme.com');
    expect(await refusal(pem, { domain: 'acme.com', wildcard: true })).toContain('*.acme.com');
    const star = request(rsa(2048), '-subj', '/CN=*.acme.com');
    expect(await refusal(star, { domain: 'acme.com', wildcard: false })).toContain(
      'does not support wildcard names',
    );
    expect((await readCsr(star, { domain: 'acme.com', wildcard: true })).names).toEqual(['*.acme.com']);
    expect(await refusal(request(rsa(2048), '-subj', '/O=Acme'))).toContain('does not contain a host name');
  });

  it.each(['RSA', 'EC', 'P-256 in DER', 'beside a request'])(
    'a private key (%s), with advice',
    async (kind) => {
      const pem = request(kind === 'EC' || kind.startsWith('P') ? ec('P-256') : rsa(2048));
      const key = readFileSync(file('key.pem'), 'utf8');
      let text = key;
      if (kind === 'beside a request') text = `${pem}\n${key}`;
      if (kind === 'P-256 in DER') {
        openssl('pkey', '-in', file('key.pem'), '-outform', 'DER', '-out', file('key.der'));
        expect(csrFile(readFileSync(file('key.der')))).toEqual({ kind: 'private-key' });
        text = readFileSync(file('key.der')).toString('base64');
      }
      expect(await refusal(text)).toMatch(/private key, not a CSR.*not stored/);
    },
  );

  it('a certificate, a damaged request, and anything else', async () => {
    const pem = request(rsa(2048));
    const certificate = openssl('req', '-x509', '-key', file('key.pem'), '-subj', '/CN=acme.com');
    expect(await refusal(certificate)).toContain('This is a certificate, not a CSR');
    expect(await refusal('hello')).toContain('cannot read this CSR');
    expect(await refusal(pem.slice(0, 300))).toContain('cannot read this CSR');
    const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
    der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
    expect(await refusal(der.toString('base64'))).toContain('does not match its key');
  });
});

function written(pem: string): string {
  const path = file('written.pem');
  execFileSync('tee', [path], { input: pem, stdio: ['pipe', 'ignore', 'inherit'] });
  return path;
}
