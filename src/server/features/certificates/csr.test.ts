import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import { csrFile } from '#contracts/values/csr-text.ts';
import { csrFacts, readCsr } from './csr.ts';

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
/** One of each size: to make one takes longer than everything else here. */
function rsa(bits: number): string[] {
  const path = file(`rsa-${bits}.pem`);
  if (!existsSync(path)) openssl('genrsa', '-out', path, String(bits));
  return ['-key', path];
}
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

describe('the names of a request', () => {
  const withNames = (subject: string, names: string) =>
    request(ec('P-256'), '-subj', subject, '-addext', `subjectAltName=${names}`);

  it('are those of its subject and of its list, the first one first, each once and in small letters', async () => {
    const pem = withNames('/CN=Acme.com', 'DNS:www.ACME.com,DNS:acme.com');
    expect((await readCsr(pem)).names).toEqual(['acme.com', 'www.acme.com']);
    expect((await readCsr(withNames('/O=Acme', 'DNS:acme.com'))).names).toEqual(['acme.com']);
  });

  it('are host names alone; others are known as such, with the key', async () => {
    const pem = withNames('/CN=acme.com', 'DNS:acme.com,IP:192.0.2.1,email:it@acme.com');
    expect((await readCsr(pem)).names).toEqual(['acme.com']);
    const { otherNames, publicKey } = await csrFacts((await readCsr(pem)).pem);
    expect(otherNames).toEqual(['192.0.2.1', 'it@acme.com']);
    const key = openssl('req', '-in', written(pem), '-noout', '-pubkey');
    expect(publicKey.toString('base64')).toBe(key.replace(/-----.*-----|\s/g, ''));
    expect((await csrFacts((await readCsr(request(ec('P-256')))).pem)).otherNames).toEqual([]);
  });

  it('may lie below the domain, and none beside it', async () => {
    const pem = withNames('/CN=shop.acme.com', 'DNS:shop.acme.com,DNS:other.com');
    expect(await refusal(pem, { domain: 'acme.com' })).toContain('is for other.com');
    const below = withNames('/CN=*.shop.acme.com', 'DNS:shop.acme.com');
    const names = ['*.shop.acme.com', 'shop.acme.com'];
    expect((await readCsr(below, { domain: 'acme.com', wildcard: true })).names).toEqual(names);
    // Where nobody has chosen a product, either kind is taken.
    expect((await readCsr(below, { domain: 'acme.com' })).names).toEqual(names);
  });
});

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

/** A request with such an RSA key, in whole but for its signature, which nobody made: keys so large take long to make. */
function unsigned(bits: number, exponent: string): string {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  if (bits % 8) modulus[0] = (1 << (bits % 8)) - 1;
  const integer = (bytes: Buffer) =>
    node(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([zero, bytes]) : bytes);
  const rsaKey = node(0x30, integer(modulus), integer(Buffer.from(exponent, 'hex')));
  const spki = node(0x30, algorithm('2a864886f70d010101'), node(0x03, zero, rsaKey));
  const name = node(0x30, node(0x31, node(0x30, oid('550403'), node(0x0c, Buffer.from('acme.com')))));
  const body = node(0x30, node(0x02, zero), name, spki, Buffer.from([0xa0, 0]));
  const whole = node(0x30, body, algorithm('2a864886f70d01010b'), node(0x03, zero, Buffer.alloc(256, 1)));
  return whole.toString('base64');
}
const zero = Buffer.from([0]);
const oid = (hex: string) => node(0x06, Buffer.from(hex, 'hex'));
const algorithm = (hex: string) => node(0x30, oid(hex), Buffer.from([0x05, 0]));
function node(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

describe('what is refused, and in which words', () => {
  const signature = 'does not match its key';
  it.each([
    [2047, '010001', 'has 2047 bits. Use RSA with at least 2048 bits'],
    [2048, '010001', signature],
    [8192, '010001', signature],
    [8193, '010001', 'has 8193 bits. Certificate authorities accept at most 8192.'],
    [2048, '03', 'unsafe public exponent'],
    [2048, '010002', 'unsafe public exponent'],
  ])('an RSA key of %i bits with the exponent %s: %s', async (bits, exponent, words) => {
    expect(await refusal(unsigned(bits, exponent))).toContain(words);
  });

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
