import { createPublicKey } from 'node:crypto';
import type { Pkcs10CertificateRequest } from '@peculiar/x509';
import { AppError } from '#contracts/errors.ts';
import { certificateText, csrText, notACsrText, privateKeyText } from '#contracts/values/csr-text.ts';
import { isSafeExponent } from '#contracts/values/rsa-exponent.ts';
import { loadX509, type X509 } from './x509.ts';

/** What a signing request says of itself. */
export interface CsrReading {
  pem: string;
  /** Common name and alternative names, lower case, each once. */
  names: string[];
  organization: string;
  organizationUnit: string;
  state: string;
  locality: string;
  email: string;
  country: string;
}

/** What the request is for; absent parts are not checked. */
export interface CsrUse {
  domain?: string | undefined;
  wildcard?: boolean | undefined;
}

const leastRsaBits = 2048;
const mostRsaBits = 8192;
const curves = ['P-256', 'P-384'];
const strongHashes = ['SHA-256', 'SHA-384', 'SHA-512'];

export type ReadCsr = (text: string, use?: CsrUse) => Promise<CsrReading>;

/**
 * Reads a signing request and refuses what no authority signs, each fault with its own words at the field `csr`.
 * Nothing that is refused is stored, a private key least of all.
 */
export async function readCsr(text: string, use: CsrUse = {}): Promise<CsrReading> {
  const given = csrText(text);
  if (given.kind === 'private-key') refuse(privateKeyText);
  if (given.kind === 'certificate') refuse(certificateText);
  if (given.kind !== 'csr') refuse(notACsrText);
  const { reading } = await whole(given.pem);
  requireNames(reading.names, use);
  return reading;
}

/** What else a request says of itself. */
interface CsrFacts {
  /** SPKI. */
  publicKey: Buffer;
  /** Names that are no host names. */
  otherNames: string[];
}

/** A request is read when it comes and again when it is ordered; what is said of the same text is the same. */
const recent = new Map<string, { reading: CsrReading; facts: CsrFacts }>();
const mostRecent = 100;

async function whole(pem: string) {
  return recent.get(pem) ?? (await readWhole(pem));
}

async function readWhole(pem: string): Promise<{ reading: CsrReading; facts: CsrFacts }> {
  const x509 = await loadX509();
  const request = parsed(x509, pem);
  requireKey(request);
  requireSignature(request);
  if (!(await request.verify().catch(() => false))) {
    refuse(
      'The signature of this CSR does not match its key, so it was damaged or changed. Please create a new CSR.',
    );
  }
  const found = { reading: readingOf(x509, request, pem), facts: factsOf(x509, request) };
  const [oldest] = recent.keys();
  if (recent.size >= mostRecent && oldest !== undefined) recent.delete(oldest);
  recent.set(pem, found);
  return found;
}

/** What else a request that was read says. */
export async function csrFacts(pem: string): Promise<CsrFacts> {
  return (await whole(pem)).facts;
}

function factsOf(x509: X509, request: Pkcs10CertificateRequest): CsrFacts {
  const alternative = request.extensions.find(
    (extension) => extension instanceof x509.SubjectAlternativeNameExtension,
  );
  const others = (alternative?.names.items ?? []).filter(({ type }) => type !== 'dns');
  return {
    publicKey: Buffer.from(request.publicKey.rawData),
    otherNames: others.map(({ value }) => String(value)),
  };
}

function parsed(x509: X509, pem: string): Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(pem);
  } catch {
    return refuse(notACsrText);
  }
}

function requireKey(request: Pkcs10CertificateRequest): void {
  const { algorithm } = request.publicKey;
  if ('modulusLength' in algorithm) {
    const bits = bitsOf(request);
    if (bits < leastRsaBits) {
      refuse(
        `The key of this CSR has ${bits} bits. Use RSA with at least ${leastRsaBits} bits, or an EC key.`,
      );
    }
    if (bits > mostRsaBits)
      refuse(`The key of this CSR has ${bits} bits. Certificate authorities accept at most ${mostRsaBits}.`);
    if (!('publicExponent' in algorithm && isSafeExponent(algorithm.publicExponent as Uint8Array))) {
      refuse('The key of this CSR has an unsafe public exponent. Make a new key, with the exponent 65537.');
    }
    return;
  }
  const curve = 'namedCurve' in algorithm ? String(algorithm.namedCurve) : algorithm.name;
  if (!curves.includes(curve)) {
    refuse(
      `Certificate authorities do not accept the type of key in this CSR (${curve}). Use RSA, P-256 or P-384.`,
    );
  }
}

/** To the bit: the library counts whole bytes. */
function bitsOf({ publicKey }: Pkcs10CertificateRequest): number {
  const key = createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' });
  return key.asymmetricKeyDetails?.modulusLength ?? 0;
}

function requireSignature(request: Pkcs10CertificateRequest): void {
  const { signatureAlgorithm } = request;
  const hash = 'hash' in signatureAlgorithm ? signatureAlgorithm.hash : undefined;
  const name = typeof hash === 'string' ? hash : (hash?.name ?? '');
  if (strongHashes.includes(name)) return;
  const what = name || 'an old method';
  refuse(
    `This CSR is signed with ${what}, which is too weak. Please create it again with SHA-256 (openssl req -sha256).`,
  );
}

function readingOf(x509: X509, request: Pkcs10CertificateRequest, pem: string): CsrReading {
  const field = (name: string) => (request.subjectName.getField(name)[0] ?? '').trim();
  const alternative = request.extensions.find(
    (extension) => extension instanceof x509.SubjectAlternativeNameExtension,
  );
  const listed = (alternative?.names.items ?? []).filter(({ type }) => type === 'dns');
  const names = [field('CN'), ...listed.map(({ value }) => value)].map((name) => name.toLowerCase());
  return {
    pem,
    names: [...new Set(names.filter((name) => name !== ''))],
    organization: field('O'),
    organizationUnit: field('OU'),
    state: field('ST'),
    locality: field('L'),
    email: field('E'),
    country: field('C'),
  };
}

function requireNames(names: readonly string[], { domain, wildcard }: CsrUse): void {
  if (names.length === 0)
    refuse('This CSR does not contain a host name. Its common name must be the domain.');
  if (domain === undefined) return;
  const foreign = names.find((name) => !belongs(name, domain));
  if (foreign !== undefined) {
    refuse(
      `This CSR is for ${foreign}, but the certificate is for ${domain}. Please create a CSR for ${domain}.`,
    );
  }
  const star = names.find((name) => name.startsWith('*.'));
  if (star && wildcard === false) {
    refuse(
      `This CSR is for ${star}, but the chosen product does not support wildcard names. Choose a wildcard product.`,
    );
  }
  if (!star && wildcard === true) {
    refuse(`The chosen product is a wildcard. Please create a CSR for *.${domain}.`);
  }
}

function belongs(name: string, domain: string): boolean {
  const bare = name.replace(/^\*\./, '');
  return bare === domain || bare.endsWith(`.${domain}`);
}

function refuse(message: string): never {
  throw new AppError('validation_failed', { message, details: [{ path: 'csr', message }] });
}
