import { utcDayText } from '#contracts/values/format.ts';
import type { Letter } from '#kernel/letters.ts';

interface Expiring {
  address: string;
  expires_at: Date;
  auto_renew: boolean;
}
interface Unable {
  address: string;
  expires_at: Date;
  reason: string | null;
}

const dueButton = (publicUrl: string) => ({
  text: 'See upcoming renewals',
  address: `${publicUrl}/domain/renewals`,
});

/** To the MSP: domains that reached a policy date, those that have expired first. */
export function reminderLetter(
  domains: readonly Expiring[],
  now: Date,
  { graceDays, publicUrl }: { graceDays: number; publicUrl: string },
): Letter {
  const gone = domains.filter(({ expires_at }) => expires_at <= now);
  const coming = domains.filter(({ expires_at }) => expires_at > now);
  return {
    subject: reminderSubject(domains, gone.length > 0),
    parts: [
      ...(gone.length > 0
        ? [
            `These domains have expired and no longer work. You can still renew them at the normal price for ${graceDays} days after their expiry:`,
            rowsOf(gone),
          ]
        : []),
      ...(coming.length > 0 ? ['These domains expire soon:', rowsOf(coming)] : []),
    ],
    button: dueButton(publicUrl),
  };
}

function reminderSubject(domains: readonly Expiring[], expired: boolean): string {
  const [first] = domains;
  if (domains.length === 1 && first) return `${first.address} ${expired ? 'has expired' : 'expires soon'}`;
  return `${domains.length} domains ${expired ? 'expired or expire soon' : 'expire soon'}`;
}

function rowsOf(domains: readonly Expiring[]) {
  return {
    rows: domains.map(({ address, expires_at, auto_renew }) => [
      address,
      utcDayText(expires_at),
      auto_renew ? 'auto renew is on' : 'auto renew is OFF: please renew it manually',
    ]),
  };
}

/** To the MSP: domains with auto renew on that could not be renewed. */
export function unableLetter(domains: readonly Unable[], publicUrl: string): Letter {
  const [first] = domains;
  return {
    subject:
      domains.length === 1 && first
        ? `${first.address} could not be renewed`
        : `${domains.length} domains could not be renewed`,
    parts: [
      'These domains have auto renew on, but could not be renewed:',
      {
        rows: domains.map(({ address, expires_at, reason }) => [
          address,
          `expires ${utcDayText(expires_at)}`,
          reason ?? '',
        ]),
      },
      'Nothing was charged. The portal keeps trying until the domain can no longer be renewed at the normal price.',
    ],
    button: dueButton(publicUrl),
  };
}
