import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { useReissue } from './api.ts';

type Given = Pick<CertificateDetail, 'orderId' | 'state' | 'csr' | 'reissue'>;

/** A reissue with another request than the one that was ordered: with what was read of it, and nothing else. */
export function useCsrReissue(props: {
  certificate: Given;
  mayChange: boolean;
  typed: string;
  /** The request that was read; null: what is typed was not, or it was refused. */
  read: string | null;
  onReissued: () => void;
}) {
  const { certificate, typed, read } = props;
  const { mutate, isPending, error } = useReissue(certificate.orderId ?? '');
  const isOther = typed.trim() !== certificate.csr.trim();
  const obstacle = obstacleOf(certificate);
  const wish = props.mayChange && obstacle === null && isOther && read !== null ? { csr: read } : null;
  return {
    ...{ isPending, error, isOther, isOffered: wish !== null },
    /** Why another request is of no use at the moment. */
    obstacle: isOther ? obstacle : null,
    order() {
      if (wish) mutate(wish, { onSuccess: props.onReissued });
    },
  };
}

/** An order keeps its request until the certificate is issued, a reissue too, and one that has ended keeps it for good. */
function obstacleOf({ state, reissue }: Given): string | null {
  if (openCertificateStates.includes(state)) {
    return 'You cannot change the CSR of an order in progress. To use another CSR, cancel the order, or reissue the certificate once it is issued.';
  }
  if (state !== 'completed' && state !== 'expired') {
    return 'This order has ended. To use another CSR, order a new certificate.';
  }
  return reissue && 'A reissue is in progress. You can use another CSR once it is issued.';
}
