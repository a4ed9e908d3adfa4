import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { openSql } from '../../src/sandbox/registrar/sql.ts';
import { makeTables } from '../../src/sandbox/registrar/state/schema.ts';
import { openAuthority } from '../../src/sandbox/registrar/trust/authority.ts';
import { readCsr } from '../../src/sandbox/registrar/trust/csr.ts';
import type { CertificateOrder, IssuedCertificate, Registrar } from '../../src/server/ports/registrar.ts';
import { type Der, node, nodesIn, pemOf } from './der.ts';

const dayMs = 86_400_000;

/**
 * A registrar whose authority asks for no proof and issues at once, with real signatures. It runs within the process that is
 * measured, so it takes as little of the processor as it can: the sandbox's authority makes the first certificate, and the
 * others are the same with another key, other names and another serial, signed with the same key.
 */
export async function instantAuthority(): Promise<Registrar> {
  const db = new DatabaseSync(':memory:');
  makeTables(db);
  const sql = openSql(db);
  const authority = await openAuthority(sql, Date.now());
  const stored = sql.get<{ key_pem: string }>(
    'SELECT key_pem FROM registrar_authority WHERE name = ?',
    'intermediate',
  );
  const key = createPrivateKey(stored?.key_pem ?? '');
  const span = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 199 * dayMs };
  const chainPem = authority.chainPem;
  const orders = new Map<string, { order: CertificateOrder; issued: IssuedCertificate }>();
  // Not by how many there are: orders that come at once would share a number, and with it a certificate.
  let lastId = 0;
  let model: Promise<Buffer> | null = null;

  async function firstOf(text: string): Promise<Buffer> {
    const csr = readCsr(text);
    if (!csr) throw new Error('the signing request cannot be read');
    return derOf((await authority.issue(csr, csr.names, span)).pem);
  }

  async function issue(csr: string, domain: string): Promise<IssuedCertificate> {
    model ??= firstOf(csr);
    const { der, serial } = certificateLike(await model, derOf(csr), domain, key);
    return {
      ...{ certificatePem: pemOf('CERTIFICATE', der), chainPem, serial, state: 'active' },
      ...{ notBefore: new Date(span.notBefore), notAfter: new Date(span.notAfter) },
    };
  }

  const port: Partial<Registrar> = {
    async orderCertificate({ domain, productType, csr, tag }) {
      lastId += 1;
      const orderId = String(lastId);
      const order: CertificateOrder = {
        ...{ orderId, domain, productType, state: 'completed', productId: orderId, approverEmail: null },
        ...{ validation: null, tag, orderedAt: new Date(), notes: [] },
      };
      orders.set(orderId, { order, issued: await issue(csr, domain) });
      return { kind: 'done', value: { orderId, state: 'awaiting-approval' } };
    },
    certificateOrder: async (orderId) => orders.get(orderId)?.order ?? null,
    certificate: async (orderId) => orders.get(orderId)?.issued ?? null,
    async cancelCertificateOrder(orderId) {
      const found = orders.get(orderId);
      if (found) found.issued = { ...found.issued, state: 'revoked' };
      return { kind: 'done', value: undefined };
    },
    seekCertificateOrder: async () => ({ kind: 'absent' }),
  };
  return port as Registrar;
}

const derOf = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');

const [integer, bitString, octetString, utf8String, sequence, set] = [0x02, 0x03, 0x04, 0x0c, 0x30, 0x31];
const commonName = Buffer.from('0603550403', 'hex');
const alternativeNames = Buffer.from('0603551d11', 'hex');
const ownKeyId = Buffer.from('0603551d0e', 'hex');

/** `model` (RFC 5280 4.1) for the key and the names of a signing request (RFC 2986 4.1). */
function certificateLike(model: Buffer, csr: Buffer, domain: string, key: KeyObject) {
  const [tbs, algorithm] = nodesIn(nodesIn(model)[0]?.content);
  const [version, , signedWith, issuer, validity, , , extensions] = nodesIn(tbs?.content);
  const [, , publicKey, attributes] = nodesIn(nodesIn(nodesIn(csr)[0]?.content)[0]?.content);
  const bytes = randomBytes(16);
  // Positive, and of this length whatever the rest is.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  const parts = [
    ...[version?.whole, node(integer, bytes), signedWith?.whole, issuer?.whole, validity?.whole],
    subjectOf(domain),
    publicKey?.whole,
    withNames(extensions, namesIn(attributes)),
  ].map((part) => part ?? Buffer.alloc(0));
  const signed = node(sequence, ...parts);
  const signature = node(bitString, Buffer.from([0]), sign('sha256', signed, key));
  const der = node(sequence, signed, algorithm?.whole ?? Buffer.alloc(0), signature);
  return { der, serial: bytes.toString('hex') };
}

const subjectOf = (name: string) =>
  node(sequence, node(set, node(sequence, commonName, node(utf8String, Buffer.from(name)))));

/** The extension with the names, among what a request asks for. */
function namesIn(attributes: Der | undefined): Buffer {
  for (const attribute of nodesIn(attributes?.content)) {
    const [, values] = nodesIn(attribute.content);
    const asked = nodesIn(nodesIn(values?.content)[0]?.content);
    const found = asked.find(({ content }) => content.subarray(0, 5).equals(alternativeNames));
    const value = nodesIn(found?.content).find(({ tag }) => tag === octetString);
    if (value) return node(sequence, alternativeNames, value.whole);
  }
  throw new Error('the signing request names no hosts');
}

function withNames(extensions: Der | undefined, names: Buffer): Buffer {
  const isOfModel = ({ content }: Der) =>
    [alternativeNames, ownKeyId].some((id) => content.subarray(0, 5).equals(id));
  const others = nodesIn(nodesIn(extensions?.content)[0]?.content).filter((one) => !isOfModel(one));
  return node(extensions?.tag ?? 0, node(sequence, ...others.map(({ whole }) => whole), names));
}
