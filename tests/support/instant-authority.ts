import { DatabaseSync } from 'node:sqlite';
import { openSql } from '../../src/sandbox/registrar/sql.ts';
import { makeTables } from '../../src/sandbox/registrar/state/schema.ts';
import { openAuthority } from '../../src/sandbox/registrar/trust/authority.ts';
import { readCsr } from '../../src/sandbox/registrar/trust/csr.ts';
import type { CertificateOrder, IssuedCertificate, Registrar } from '../../src/server/ports/registrar.ts';

const dayMs = 86_400_000;

/** A registrar whose authority asks for no proof and issues at once, with real signatures. */
export async function instantAuthority(): Promise<Registrar> {
  const db = new DatabaseSync(':memory:');
  makeTables(db);
  const authority = await openAuthority(openSql(db), Date.now());
  const orders = new Map<string, { order: CertificateOrder; issued: IssuedCertificate }>();
  // Not by how many there are: orders that come at once would share a number, and with it a certificate.
  let lastId = 0;

  async function issue(text: string): Promise<IssuedCertificate> {
    const csr = readCsr(text);
    if (!csr) throw new Error('the signing request cannot be read');
    const span = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 199 * dayMs };
    const { pem, serial, notBefore, notAfter } = await authority.issue(csr, csr.names, span);
    return {
      ...{ certificatePem: pem, chainPem: authority.chainPem, serial, state: 'active' },
      ...{ notBefore: new Date(notBefore), notAfter: new Date(notAfter) },
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
      orders.set(orderId, { order, issued: await issue(csr) });
      return { kind: 'done', value: { orderId, state: 'awaiting-approval' } };
    },
    certificateOrder: async (orderId) => orders.get(orderId)?.order ?? null,
    certificate: async (orderId) => orders.get(orderId)?.issued ?? null,
    seekCertificateOrder: async () => ({ kind: 'absent' }),
  };
  return port as Registrar;
}
