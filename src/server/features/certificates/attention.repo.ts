import { isUnderWay } from '#contracts/values/certificate-life.ts';
import { type AttentionSource, inQuestion } from '#kernel/attention.ts';
import { flaggedCertificates } from './certificates.repo.ts';
import { toRow } from './rows.ts';

/** Certificates by their worst flag. One without an order at the registrar has no page to open. */
export const certificateAttention: AttentionSource<'certificate'> = {
  cause: 'certificate',
  async present(tx, question) {
    const rows = await flaggedCertificates(tx, inQuestion('s.organisation_id', question), question.now);
    return rows.flatMap((row) => {
      const { orderId, validTo, termEndsAt, flags, address } = toRow(row, row, {
        limited: false,
        now: question.now,
      });
      const [flag] = flags;
      if (!flag || !orderId) return [];
      const deadline = validTo ?? termEndsAt;
      return {
        ...{ organisationId: row.organisation_id, object: row.id, customerId: row.customer_id, address },
        deadline: deadline === null ? null : new Date(deadline),
        facts: { ...flag, orderId, validTo, underWay: isUnderWay(flag) },
      };
    });
  },
};
