import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { DAY_MS } from '../format.ts';
import type { Sql } from '../sql.ts';
import type { ReadCsr } from './csr.ts';

cryptoProvider.set(webcrypto as Crypto);

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signing = { name: 'ECDSA', hash: 'SHA-256' } as const;
const YEARS_MS = 3650 * DAY_MS;

/** CA/Browser Forum BR §6.3.2 (checked 2026-11-21): the longest that a certificate issued at a time may be valid. */
export function maxValidityDays(atMs: number): number {
  if (atMs >= Date.UTC(2029, 2, 15)) return 47;
  if (atMs >= Date.UTC(2027, 2, 15)) return 100;
  return 200;
}

/** BR §4.2.1: how long one proof of control may be used again. */
export function reuseDays(atMs: number): number {
  if (atMs >= Date.UTC(2029, 2, 15)) return 10;
  return maxValidityDays(atMs);
}

export interface Issued {
  pem: string;
  serial: string;
  notBefore: number;
  notAfter: number;
}

export interface Authority {
  rootPem: string;
  /** What a server sends along: the intermediate, then the root as the registrar returns it. */
  chainPem: string[];
  /** For a key and with a serial of the caller's choice: what a live host shows. */
  certify(key: CertifiedKey, names: string[], span: { notBefore: number; notAfter: number }): Promise<Issued>;
  issue(csr: ReadCsr, names: string[], span: { notBefore: number; notAfter: number }): Promise<Issued>;
}

export interface CertifiedKey {
  publicKey: PublicKey;
  serial: string;
}

interface Member {
  key: CryptoKey;
  certificate: X509Certificate;
}

/** A root and an intermediate of this sandbox's own, made once and kept with its data. */
export async function openAuthority(sql: Sql, nowMs: number): Promise<Authority> {
  // A certificate that the clock was moved back on must still be valid: the authority is older than its sandbox.
  const from = nowMs - 400 * DAY_MS;
  const root = await member(sql, 'root', (pair) => makeRoot(pair, from));
  const intermediate = await member(sql, 'intermediate', (pair) => makeIntermediate(pair, root, from));
  const certify: Authority['certify'] = async ({ publicKey, serial: serialNumber }, names, span) => {
    const certificate = await X509CertificateGenerator.create({
      serialNumber,
      subject: `CN=${names[0] ?? ''}`,
      issuer: intermediate.certificate.subject,
      notBefore: new Date(span.notBefore),
      notAfter: new Date(span.notAfter),
      publicKey,
      signingKey: intermediate.key,
      signingAlgorithm: signing,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
        await AuthorityKeyIdentifierExtension.create(intermediate.certificate.publicKey),
        await SubjectKeyIdentifierExtension.create(publicKey),
      ],
    });
    return {
      pem: certificate.toString('pem'),
      serial: certificate.serialNumber,
      notBefore: certificate.notBefore.getTime(),
      notAfter: certificate.notAfter.getTime(),
    };
  };
  return {
    certify,
    rootPem: root.certificate.toString('pem'),
    chainPem: [intermediate.certificate.toString('pem'), root.certificate.toString('pem')],
    issue: ({ request }, names, span) =>
      certify({ publicKey: new PublicKey(request.publicKey.rawData), serial: serial() }, names, span),
  };
}

/** A certificate that nobody vouches for, with its key. */
export async function selfSigned(
  names: string[],
  span: { notBefore: number; notAfter: number },
): Promise<{ key: string; cert: string }> {
  const keys = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${names[0] ?? ''}`,
    notBefore: new Date(span.notBefore),
    notAfter: new Date(span.notAfter),
    keys,
    signingAlgorithm: signing,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  });
  return { key: await pemOf(keys.privateKey), cert: certificate.toString('pem') };
}

async function pemOf(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const read = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
  return String(read.export({ type: 'pkcs8', format: 'pem' }));
}

async function member(
  sql: Sql,
  name: string,
  make: (pair: CryptoKeyPair) => Promise<X509Certificate>,
): Promise<Member> {
  const row = sql.get<{ key_pem: string; certificate_pem: string }>(
    'SELECT key_pem, certificate_pem FROM registrar_authority WHERE name = ?',
    name,
  );
  if (row) {
    const der = createPrivateKey(row.key_pem).export({ type: 'pkcs8', format: 'der' });
    const key = await webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, true, ['sign']);
    return { key: key as CryptoKey, certificate: new X509Certificate(row.certificate_pem) };
  }
  const pair = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const certificate = await make(pair);
  const pem = await pemOf(pair.privateKey);
  sql.run('INSERT INTO registrar_authority VALUES (?, ?, ?)', name, pem, certificate.toString('pem'));
  return { key: pair.privateKey, certificate };
}

async function makeRoot(pair: CryptoKeyPair, fromMs: number): Promise<X509Certificate> {
  return X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=Sandbox Root CA, O=Sandbox Authority',
    notBefore: new Date(fromMs),
    notAfter: new Date(fromMs + 2 * YEARS_MS),
    keys: pair,
    signingAlgorithm: signing,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(pair.publicKey),
    ],
  });
}

async function makeIntermediate(pair: CryptoKeyPair, root: Member, fromMs: number): Promise<X509Certificate> {
  return X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=Sandbox TLS CA, O=Sandbox Authority',
    issuer: root.certificate.subject,
    notBefore: new Date(fromMs),
    notAfter: new Date(fromMs + YEARS_MS),
    publicKey: pair.publicKey,
    signingKey: root.key,
    signingAlgorithm: signing,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      await AuthorityKeyIdentifierExtension.create(root.certificate.publicKey),
      await SubjectKeyIdentifierExtension.create(pair.publicKey),
    ],
  });
}

/** BR §7.1: at least 64 bits from a generator; the first bit stays clear so that it is positive. */
export function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
