import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { stateText } from '#contracts/values/certificate-life.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useCertificateOffer } from './api.ts';

export type CertificateOffer = NonNullable<ReturnType<typeof useCertificateOffer>['data']>;

interface OwnedDomain {
  address: string;
  customerId: string | null;
  certificate: { state: string; orderId: string | null } | null;
}

/** The SSL column (P2 §2): the state of the certificate, or a link to buy one. Declined ones do not count. */
export function DomainCertificate(props: {
  domain: OwnedDomain;
  mayBuy: boolean;
  onOffer: (offer: CertificateOffer) => void;
}) {
  const { domain, mayBuy } = props;
  const { certificate } = domain;
  if (!certificate) return mayBuy ? <PurchaseLink domain={domain} onOffer={props.onOffer} /> : null;
  const text = `Status: ${stateText(certificate.state)}`;
  if (!certificate.orderId) return <Text size="sm">{text}</Text>;
  return (
    <Anchor component={Link} to={`/SSL/${certificate.orderId}`} size="sm">
      {text}
    </Anchor>
  );
}

function PurchaseLink(props: { domain: OwnedDomain; onOffer: (offer: CertificateOffer) => void }) {
  const offer = useCertificateOffer();
  return (
    <Stack gap={2} align="flex-start">
      <Anchor
        component={Link}
        to="/cart"
        size="sm"
        aria-label={`Purchase SSL Certificate for ${props.domain.address}`}
        onClick={(event) => {
          event.preventDefault();
          offer.mutate(props.domain, { onSuccess: (item) => item && props.onOffer(item) });
        }}
      >
        {offer.isPending ? 'Loading prices...' : 'Purchase SSL Certificate'}
      </Anchor>
      <FailureText error={offer.error} size="xs" />
    </Stack>
  );
}
