import {
  type CertificateLife,
  reissueDaysBefore,
  reissuesItself,
} from '#contracts/values/certificate-life.ts';
import { dayMs } from '#contracts/values/time.ts';

/** Whether and how a certificate is reissued: pure, from its life, its order, and now. */

/** Why it cannot be reissued; null when it can. */
export function reissueRefusal(
  { state }: Pick<CertificateLife, 'state'>,
  termEndsAt: Date | null,
  now: Date,
): string | null {
  if (!termEndsAt || termEndsAt <= now) return 'The order term has ended. Renew the certificate instead.';
  if (state === 'completed' || state === 'expired') return null;
  return 'You can reissue a certificate only after it has been issued.';
}

/** How the authority is to check control: by DNS where the portal writes the proof, else as it was done before. */
export function reissueValidation(
  life: Parameters<typeof reissuesItself>[0],
  before: { method: 'DNS' | 'File' | 'Email' | undefined; approverEmail: string | null; address: string },
): { validation: 'DNS' | 'File' | 'Email'; approverEmail: string | null } {
  if (reissuesItself(life)) return { validation: 'DNS', approverEmail: null };
  const validation = before.method ?? 'Email';
  const approverEmail = validation === 'Email' ? (before.approverEmail ?? `admin@${before.address}`) : null;
  return { validation, approverEmail };
}

/** Certificates that reissue themselves now: they end soon, and a day lies between two tries that came to nothing. */
export function dueForReissueAt(now: Date): { endingBefore: Date; triedSince: Date } {
  return {
    endingBefore: new Date(now.getTime() + reissueDaysBefore * dayMs),
    triedSince: new Date(now.getTime() - dayMs),
  };
}
