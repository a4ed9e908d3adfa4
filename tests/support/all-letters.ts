import { refusalLetter } from '../../src/server/features/acme/acme.letters.ts';
import { digestLetter } from '../../src/server/features/attention/attention.letters.ts';
import {
  autoTopupLetter,
  notArrivedLetter,
  takenBackLetter,
} from '../../src/server/features/billing/billing.letters.ts';
import { certificateLetter } from '../../src/server/features/certificates/certificates.letters.ts';
import type { NoticeKind } from '../../src/server/features/certificates/notices.rules.ts';
import {
  disputeLetter,
  failedChargeCustomerLetter,
  failedChargeLetter,
  refundLetter,
  returnLetter,
  setupLetter,
} from '../../src/server/features/direct-billing/direct-billing.letters.ts';
import { nameserversLetter, verificationLetter } from '../../src/server/features/domains/domains.letters.ts';
import { operatorLetter } from '../../src/server/features/operator/operator.letters.ts';
import { reminderLetter, unableLetter } from '../../src/server/features/renewals/renewals.letters.ts';
import { invitationLetter } from '../../src/server/features/users/users.letters.ts';
import { alarmLetter } from '../../src/server/jobs/alarm.letters.ts';
import type { Letter } from '../../src/server/kernel/letters.ts';

/** Who a mail is written by. */
type From = 'operator' | 'portal' | 'organization';

export interface Sample {
  /** The function that makes the letter. */
  maker: string;
  name: string;
  from: From;
  letter: Letter;
}

const publicUrl = 'https://portal.example';
const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

/** Every mail that the product sends. `text` is what people have typed into it. */
export function allLetters(text: string): Sample[] {
  const sample = (
    maker: (...given: never[]) => Letter,
    from: From,
    name: string,
    letter: Letter,
  ): Sample => ({
    ...{ maker: maker.name, name: `${maker.name}: ${name}`, from, letter },
  });
  const charge = {
    ...{ msp: text, organization: text, items: `shop.com, ${text}`, cents: 131_320, failure: `${text}.` },
    ...{ next: inDays(1), address: `${publicUrl}/payment-setup/abc`, publicUrl },
  };
  const refund = { cents: 2_000, failure: `${text}.`, payment: 'pi_123', publicUrl };
  const invitation = {
    organisation: text,
    email: 'ben@example.com',
    link: `${publicUrl}/invite/abc?x=1&y=2`,
  };
  const unverified = ['one.com', 'a-rather-long-name-of-a-domain-that-somebody-has-chosen.com'].map(
    (address, at) => ({ address, verification_deadline: inDays(5 + at), verification_bounced: at === 1 }),
  );
  const expiring = ['gone.com', 'soon.com', 'later.com'].map((address, at) => ({
    ...{ address, expires_at: inDays(at * 7 - 3), auto_renew: at === 1, reason: text },
  }));
  const news = (kind: NoticeKind, at = 0) => ({
    ...{ kind, address: `shop${at}.com`, hostNames: [`shop${at}.com`, `www.shop${at}.com`] },
    ...{ serial: '0a1b2c3d4e5f60718293a4b5c6d7e8f9', validTo: inDays(180), termEndsAt: inDays(365) },
    ...{ remark: text, orderId: '4711', customer: text, reissuing: false },
  });
  const batch = Array.from({ length: 20 }, (_, at) => news(at < 17 ? 'issued' : 'declined', at));
  return [
    sample(
      invitationLetter,
      'portal',
      'colleague',
      invitationLetter({ ...invitation, place: 'Nameward', until: inDays(7) }),
    ),
    sample(
      invitationLetter,
      'organization',
      "a customer's user",
      invitationLetter({ ...invitation, place: 'your domains and certificates', until: inDays(7) }),
    ),
    sample(setupLetter, 'organization', 'link', setupLetter({ ...charge, address: charge.address })),
    sample(failedChargeCustomerLetter, 'organization', 'with a link', failedChargeCustomerLetter(charge)),
    sample(
      failedChargeCustomerLetter,
      'organization',
      'without',
      failedChargeCustomerLetter({ ...charge, address: null, next: null }),
    ),
    sample(failedChargeLetter, 'portal', 'to the MSP', failedChargeLetter(charge)),
    sample(
      notArrivedLetter,
      'portal',
      'below zero',
      notArrivedLetter({ topUpCents: 50_000, madeAt: now, balanceCents: -12_000 }, publicUrl),
    ),
    sample(refundLetter, 'portal', 'refused', refundLetter(refund)),
    sample(returnLetter, 'portal', 'returned', returnLetter(refund)),
    sample(
      disputeLetter,
      'portal',
      'disputed',
      disputeLetter({ ...refund, chargeId: 'charge-1', organization: text, items: 'shop.com' }),
    ),
    ...(['begun', 'soon', 'suspended'] as const).map((notice) =>
      sample(verificationLetter, 'portal', notice, verificationLetter(notice, unverified, now, publicUrl)),
    ),
    sample(
      nameserversLetter,
      'portal',
      'other ones',
      nameserversLetter({
        address: 'moved.com',
        before: ['ns1.old.net', text],
        after: ['ns1.new.net'],
        publicUrl,
      }),
    ),
    ...(['limit', 'declined', 'off'] as const).map((notice) =>
      sample(autoTopupLetter, 'portal', notice, autoTopupLetter(notice, publicUrl)),
    ),
    ...[25_00, -475_00].map((balanceCents) =>
      sample(
        takenBackLetter,
        'portal',
        balanceCents < 0 ? 'below zero' : 'covered',
        takenBackLetter({ topUpCents: 500_00, backCents: 500_00, madeAt: now, balanceCents }, publicUrl),
      ),
    ),
    sample(reminderLetter, 'portal', 'three', reminderLetter(expiring, now, { graceDays: 40, publicUrl })),
    sample(unableLetter, 'portal', 'three', unableLetter(expiring, publicUrl)),
    ...(['issued', 'reissued', 'declined', 'announce', 'expiry-7', 'term-30'] as const).map((kind) =>
      sample(certificateLetter, 'portal', kind, certificateLetter([news(kind)], publicUrl)),
    ),
    sample(
      certificateLetter,
      'portal',
      'a reissue that is not finished',
      certificateLetter([{ ...news('expiry-7'), reissuing: true }], publicUrl),
    ),
    sample(certificateLetter, 'portal', 'a batch', certificateLetter(batch, publicUrl)),
    sample(
      operatorLetter,
      'operator',
      'digest',
      operatorLetter(
        '3 items need attention',
        [`2 h  order  shop.com: ${text}`, `5 d  event  evt_1\nLook at it.`, text],
        publicUrl,
      ),
    ),
    sample(
      refusalLetter,
      'portal',
      'of an access',
      refusalLetter({ names: ['shop.com'], reason: text, accessId: 'a1' }, publicUrl),
    ),
    sample(
      digestLetter,
      'portal',
      'of two of three',
      digestLetter(
        [
          {
            name: 'shop.com',
            title: 'expires in 6 days',
            detail: `${text} · auto renew is off`,
            when: '6 days left',
          },
          { name: null, title: `Payment of $48.20 by ${text} failed`, detail: text, when: 'needs you' },
        ],
        3,
        publicUrl,
      ),
    ),
    sample(alarmLetter, 'operator', 'alarm', alarmLetter(`balance: ${text}`)),
  ];
}
