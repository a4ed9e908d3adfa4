import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { useReissue } from './api.ts';

/** A reissue with another request than the one that was ordered: with what was read of it, and nothing else. */
export function useCsrReissue(props: {
  certificate: Pick<CertificateDetail, 'orderId' | 'state' | 'csr'>;
  mayChange: boolean;
  typed: string;
  /** The request that was read; null: what is typed was not, or it was refused. */
  read: string | null;
  onReissued: () => void;
}) {
  const { certificate, typed, read } = props;
  const { mutate, isPending, error } = useReissue(certificate.orderId ?? '');
  const isOther = typed.trim() !== certificate.csr.trim();
  const wasIssued = certificate.state === 'completed' || certificate.state === 'expired';
  const wish = props.mayChange && wasIssued && isOther && read !== null ? { csr: read } : null;
  return {
    ...{ isPending, error, isOffered: wish !== null },
    /** An order keeps its request until the certificate is issued. */
    comesTooEarly: isOther && !wasIssued,
    order() {
      if (wish) mutate(wish, { onSuccess: props.onReissued });
    },
  };
}
