import { Badge } from '@mantine/core';
import { stateText } from '#contracts/values/certificate-life.ts';

const tones: Readonly<Record<string, string>> = {
  completed: 'green',
  declined: 'red',
  cancelled: 'gray',
  expired: 'red',
  revoked: 'red',
};

/** How a certificate stands, in the words of the lists. */
export function CertificateStatus({ state }: { state: string }) {
  return (
    <Badge color={tones[state] ?? 'accent'} variant="light">
      {stateText(state)}
    </Badge>
  );
}
