import { utcDayText } from '#contracts/values/format.ts';
import type { Letter } from '#kernel/letters.ts';
import type { NoticeKind } from './notices.rules.ts';

/** One piece of news, with what its reader has to know. */
export interface CertificateNews {
  kind: NoticeKind;
  address: string;
  hostNames: string[];
  serial: string | null;
  validTo: Date | null;
  termEndsAt: Date | null;
  remark: string | null;
  orderId: string | null;
  customer: string;
  /** A reissue of it is open: no other can be ordered. */
  reissuing: boolean;
}

type Topic = 'declined' | 'issued' | 'reissued' | 'expiry' | 'unfinished' | 'announce' | 'term';

interface Words {
  /** For one certificate. */
  subject(news: CertificateNews): string;
  body(news: CertificateNews): string;
  /** For several: as a subject, as a part of a subject, and above their list. */
  subjectOfMany(count: number): string;
  count: string;
  heading: string;
}

/** A mail is read to its end; the rest is on the screen. */
const mostRows = 100;
const day = (at: Date | null) => (at ? utcDayText(at) : 'unknown');

/** By topic, the most urgent first. */
const words: Record<Topic, Words> = {
  declined: {
    subject: ({ address }) => `Certificate for ${address} declined`,
    body: ({ remark }) => `The certificate authority declined the order: ${remark ?? 'no reason was given'}.`,
    subjectOfMany: (count) => `${count} certificate orders declined`,
    count: 'declined',
    heading: 'The certificate authority declined these orders:',
  },
  expiry: {
    subject: ({ address, validTo }) => `Certificate for ${address} expires on ${day(validTo)}`,
    body: () =>
      'Reissue it now: this orders the next certificate within the term, free of charge. Then install that one.',
    subjectOfMany: (count) => `${count} certificates expire soon`,
    count: 'expire soon',
    heading:
      'These certificates expire soon. Reissue them now: this orders the next certificates within their terms, free of charge. Then install those.',
  },
  unfinished: {
    subject: ({ address, validTo }) => `Certificate for ${address} expires on ${day(validTo)}`,
    body: () =>
      'A reissue is in progress, but the certificate authority has not completed it. Check its validation, or choose another method.',
    subjectOfMany: (count) => `${count} certificates expire soon`,
    count: 'with an unfinished reissue',
    heading:
      'These certificates expire soon. A reissue of each is in progress, but the certificate authority has not completed it. Check its validation, or choose another method.',
  },
  reissued: {
    subject: ({ address }) => `Install the new certificate for ${address}`,
    body: () =>
      'The certificate was reissued within its order term. Download the new certificate and install it before the old one expires.',
    subjectOfMany: (count) => `Install ${count} new certificates`,
    count: 'reissued',
    heading:
      'These certificates were reissued within their order terms. Download the new certificates and install them before the old ones expire.',
  },
  term: {
    subject: ({ address, termEndsAt }) => `Renew the certificate for ${address} before ${day(termEndsAt)}`,
    body: ({ termEndsAt }) =>
      `The order term ends on ${day(termEndsAt)}. After that, no further reissues are possible. Please renew the certificate.`,
    subjectOfMany: (count) => `Renew ${count} certificates`,
    count: 'to be renewed',
    heading:
      'The order terms of these certificates end soon. After that, no further reissues are possible. Please renew the certificates.',
  },
  issued: {
    subject: ({ address }) => `Certificate for ${address} issued`,
    body: () => 'The certificate is ready. Download and install it.',
    subjectOfMany: (count) => `${count} certificates issued`,
    count: 'issued',
    heading: 'These certificates are ready. Download and install them.',
  },
  announce: {
    subject: ({ address }) => `Certificate for ${address} will be reissued soon`,
    body: () =>
      'It will be reissued automatically, free of charge. You will get another message when the new certificate is ready to install.',
    subjectOfMany: (count) => `${count} certificates will be reissued soon`,
    count: 'will be reissued soon',
    heading:
      'These certificates will be reissued automatically, free of charge. You will get another message when the new certificates are ready to install.',
  },
};

/** To the MSP: all news about its certificates since the last letter. */
export function certificateLetter(news: readonly CertificateNews[], publicUrl: string): Letter {
  const [first] = news;
  if (news.length === 1 && first) return letterOfOne(first, publicUrl);
  const topics = (Object.keys(words) as Topic[]).flatMap((topic) => {
    const found = news.filter((one) => topicOf(one) === topic);
    return found.length > 0 ? [{ topic, found }] : [];
  });
  return {
    subject: subjectOf(topics),
    parts: topics.flatMap(({ topic, found }) => [
      words[topic].heading,
      { rows: found.slice(0, mostRows).map(rowOf) },
      ...(found.length > mostRows ? [`and ${found.length - mostRows} more`] : []),
    ]),
    button: { text: 'Open the list of certificates', address: `${publicUrl}/certificates` },
  };
}

function subjectOf(topics: readonly { topic: Topic; found: readonly CertificateNews[] }[]): string {
  const [only] = topics;
  if (topics.length === 1 && only) return words[only.topic].subjectOfMany(only.found.length);
  return `Certificates: ${topics.map(({ topic, found }) => `${found.length} ${words[topic].count}`).join(', ')}`;
}

function letterOfOne(news: CertificateNews, publicUrl: string): Letter {
  const { subject, body } = words[topicOf(news)];
  return {
    subject: subject(news),
    parts: [
      body(news),
      {
        rows: [
          ['Host', (news.hostNames.length > 0 ? news.hostNames : [news.address]).join(', ')],
          ...(news.customer ? [['Customer', news.customer]] : []),
          ['Serial', news.serial ?? 'none yet'],
          ['Valid until', day(news.validTo)],
          ['Order term ends', day(news.termEndsAt)],
        ],
      },
    ],
    button: { text: 'Open the certificate', address: `${publicUrl}/SSL/${news.orderId ?? ''}` },
  };
}

function rowOf(news: CertificateNews): string[] {
  const about = news.customer ? `${news.address} (${news.customer})` : news.address;
  if (news.kind === 'declined') return [about, news.remark ?? 'no reason was given'];
  return [
    about,
    `valid until ${day(news.validTo)}, order term ends ${day(news.termEndsAt)}`,
    `serial ${news.serial ?? 'none yet'}`,
  ];
}

function topicOf({ kind, reissuing }: CertificateNews): Topic {
  if (kind.startsWith('expiry-')) return reissuing ? 'unfinished' : 'expiry';
  if (kind.startsWith('term-')) return 'term';
  return kind as Topic;
}
