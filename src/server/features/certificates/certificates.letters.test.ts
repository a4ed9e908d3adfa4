import { describe, expect, test } from 'vitest';
import { type CertificateNews, certificateLetter } from './certificates.letters.ts';
import type { NoticeKind } from './notices.rules.ts';

/** What a letter about certificates says: of one all that its reader needs, of several a list for each kind of news. */

const news = (kind: NoticeKind, change: Partial<CertificateNews> = {}): CertificateNews => ({
  ...{ kind, address: 'a.com', hostNames: ['a.com', 'www.a.com'], serial: '0a1b', customer: 'Acme' },
  ...{ validTo: new Date('2027-01-02T23:30:00Z'), termEndsAt: new Date('2027-03-04T00:30:00Z') },
  ...{ remark: null, orderId: '71', reissuing: false, ...change },
});
const url = 'https://portal.test';
const letterOf = (...all: CertificateNews[]) => certificateLetter(all, url);
const rowsOf = ({ parts }: ReturnType<typeof letterOf>) =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : part.rows));
const textsOf = ({ parts }: ReturnType<typeof letterOf>) => parts.filter((part) => typeof part === 'string');

describe('of one certificate', () => {
  test.each<[NoticeKind, Partial<CertificateNews>, string, RegExp]>([
    ['issued', {}, 'Certificate for a.com issued', /is ready\. Download and install it/],
    ['reissued', {}, 'Install the new certificate for a.com', /install it before the old one expires/],
    ['announce', {}, 'Certificate for a.com will be reissued soon', /reissued automatically, free of charge/],
    ['expiry-30', {}, 'Certificate for a.com expires on Jan 2, 2027', /^Reissue it now/],
    ['expiry-1', {}, 'Certificate for a.com expires on Jan 2, 2027', /^Reissue it now/],
    [
      ...(['expiry-7', { reissuing: true }, 'Certificate for a.com expires on Jan 2, 2027'] as const),
      /^A reissue is in progress.*has not completed it/,
    ],
    [
      'term-60',
      {},
      'Renew the certificate for a.com before Mar 4, 2027',
      /^The order term ends on Mar 4, 2027/,
    ],
    [
      'term-1',
      { reissuing: true },
      'Renew the certificate for a.com before Mar 4, 2027',
      /renew the certificate/,
    ],
    [
      ...(['declined', { remark: 'Not this name' }, 'Certificate for a.com declined'] as const),
      /declined the order: Not this name\.$/,
    ],
    ['declined', {}, 'Certificate for a.com declined', /declined the order: no reason was given\.$/],
  ])('%s (%j) says what happened and what to do', (kind, change, subject, body) => {
    const letter = letterOf(news(kind, change));
    expect(letter.subject).toBe(subject);
    expect(textsOf(letter)).toEqual([expect.stringMatching(body)]);
  });

  test('its hosts, customer, serial and dates are listed, and the button opens it', () => {
    const letter = letterOf(news('issued'));
    expect(rowsOf(letter)).toEqual([
      ['Host', 'a.com, www.a.com'],
      ['Customer', 'Acme'],
      ['Serial', '0a1b'],
      ['Valid until', 'Jan 2, 2027'],
      ['Order term ends', 'Mar 4, 2027'],
    ]);
    expect(letter.button).toEqual({ text: 'Open the certificate', address: 'https://portal.test/SSL/71' });
  });

  test('what was never issued is named by its address, and says what is not known', () => {
    const none = { hostNames: [], serial: null, validTo: null, termEndsAt: null, customer: '' };
    expect(rowsOf(letterOf(news('declined', none)))).toEqual([
      ['Host', 'a.com'],
      ['Serial', 'none yet'],
      ['Valid until', 'unknown'],
      ['Order term ends', 'unknown'],
    ]);
  });
});

describe('of several certificates', () => {
  test.each<[NoticeKind, Partial<CertificateNews>, string, RegExp]>([
    ['declined', {}, '2 certificate orders declined', /declined these orders:$/],
    ['expiry-14', {}, '2 certificates expire soon', /Reissue them now/],
    ['expiry-14', { reissuing: true }, '2 certificates expire soon', /A reissue of each is in progress/],
    ['reissued', {}, 'Install 2 new certificates', /install them before the old ones expire/],
    ['term-30', {}, 'Renew 2 certificates', /order terms of these certificates end soon/],
    ['issued', {}, '2 certificates issued', /^These certificates are ready/],
    [
      'announce',
      {},
      '2 certificates will be reissued soon',
      /will be reissued automatically, free of charge/,
    ],
  ])('of one kind (%s, %j) are one list under its heading', (kind, change, subject, heading) => {
    const letter = letterOf(news(kind, change), news(kind, { ...change, address: 'b.com' }));
    expect(letter.subject).toBe(subject);
    expect(textsOf(letter)).toEqual([expect.stringMatching(heading)]);
    expect(rowsOf(letter).map(([about]) => about)).toEqual(['a.com (Acme)', 'b.com (Acme)']);
    expect(letter.button).toEqual({
      ...{ text: 'Open the list of certificates', address: 'https://portal.test/certificates' },
    });
  });

  test('of several kinds are a list each, the most urgent first, whatever order they came in', () => {
    const kinds = ['announce', 'issued', 'term-7', 'reissued', 'expiry-1', 'declined'] as const;
    const late = news('expiry-7', { address: 'late.com', reissuing: true });
    const letter = letterOf(...kinds.map((kind) => news(kind, { address: `${kind}.com` })), late);
    expect(letter.subject).toBe(
      'Certificates: 1 declined, 1 expire soon, 1 with an unfinished reissue, 1 reissued, 1 to be renewed, 1 issued, 1 will be reissued soon',
    );
    expect(rowsOf(letter).map(([about]) => about)).toEqual(
      ['declined', 'expiry-1', 'late', 'reissued', 'term-7', 'issued', 'announce'].map(
        (kind) => `${kind}.com (Acme)`,
      ),
    );
  });

  test('each row has its dates and its serial; one that was declined has the reason', () => {
    const [mine, other] = [news('issued'), news('issued', { customer: '', serial: null, validTo: null })];
    expect(rowsOf(letterOf(mine, other))).toEqual([
      ['a.com (Acme)', 'valid until Jan 2, 2027, order term ends Mar 4, 2027', 'serial 0a1b'],
      ['a.com', 'valid until unknown, order term ends Mar 4, 2027', 'serial none yet'],
    ]);
    const why = news('declined', { remark: 'Not this name' });
    expect(rowsOf(letterOf(why, news('declined')))).toEqual([
      ['a.com (Acme)', 'Not this name'],
      ['a.com (Acme)', 'no reason was given'],
    ]);
  });

  test('beyond a hundred of a kind the number of the others is told', () => {
    const many = (count: number) =>
      letterOf(...Array.from({ length: count }, (_, at) => news('issued', { address: `shop${at}.com` })));
    expect([rowsOf(many(100)).length, textsOf(many(100)).length]).toEqual([100, 1]);
    expect(rowsOf(many(102))).toHaveLength(100);
    expect(textsOf(many(102)).at(-1)).toBe('and 2 more');
    expect(many(102).subject).toBe('102 certificates issued');
  });
});
