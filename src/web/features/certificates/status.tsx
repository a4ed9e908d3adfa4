import { Badge } from '@mantine/core';
import { stateText } from '#contracts/values/certificate-life.ts';

const tones: Readonly<Record<string, string>> = {
  declined: 'red',
  cancelled: 'gray',
  expired: 'red',
  revoked: 'red',
};

/** How a certificate is, in the words of the lists; green only where nothing needs a person. */
export function CertificateStatus({
  state,
  worst,
}: {
  state: string;
  worst?: 'warning' | 'danger' | undefined;
}) {
  const noticed = worst === 'danger' ? 'red' : worst === 'warning' ? 'yellow' : undefined;
  const tone = state === 'completed' ? (noticed ?? 'green') : (tones[state] ?? 'accent');
  return (
    <Badge color={tone} variant="light">
      {stateText(state)}
    </Badge>
  );
}
