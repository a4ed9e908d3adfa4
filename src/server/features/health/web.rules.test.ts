import { describe, expect, test } from 'vitest';
import type { SeenWebsite } from '../../ports/probe.ts';
import type { Facts } from './evidence.rules.ts';
import { webRules } from './web.rules.ts';

const now = new Date('2026-11-23T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
type Site = Facts['sites'][number];

function website(change: Partial<SeenWebsite['certificate']> = {}, status: number | null = 200): SeenWebsite {
  const usual = { names: [], serial: 'ab01', validFrom: inDays(-30), validTo: inDays(60), trouble: null };
  return { certificate: { ...usual, ...change }, status };
}
const site = (host: string, https: Site['https'], http?: Site['http']): Site => ({ host, https, http });
const judged = (rule: keyof typeof webRules, sites: Site[], certificates: Facts['certificates'] = []) =>
  webRules[rule]({ now, sites, certificates } as unknown as Facts);

describe('a website without HTTPS', () => {
  test('is named where it answers without it', () => {
    const sites = [site('a.net', 'refused', { status: 301 }), site('b.net', website(), { status: 200 })];
    expect(judged('web-plain', sites)).toBe('a.net');
    expect(judged('web-plain', [site('a.net', 'refused', 'refused')])).toBeNull();
  });
  test.each<[Site['https'], Site['http']]>([
    ['refused', undefined],
    [undefined, { status: 200 }],
    [undefined, 'refused'],
  ])('is not judged by %j and %j', (https, http) => {
    expect(judged('web-plain', [site('a.net', https, http)])).toBeUndefined();
  });
});

test('a website fails from status 500 on, and says with which', () => {
  const answers = [
    website({}, 500),
    website({}, 503),
    website({}, 499),
    website({}, null),
    'refused',
  ] as const;
  const sites = answers.map((https, n) => site(`h${n}.net`, https));
  expect(judged('web-fails', sites)).toBe('h0.net: 500, h1.net: 503');
  expect(judged('web-fails', sites.slice(2))).toBeNull();
  expect(judged('web-fails', [site('a.net', undefined)])).toBeUndefined();
});

describe('a certificate', () => {
  const expired = website({ trouble: 'CERT_HAS_EXPIRED', validTo: inDays(-1) });

  test('that is not accepted says why, as people say it, or as it was reported', () => {
    const named = site('a.net', website({ trouble: 'ERR_TLS_CERT_ALTNAME_INVALID' }));
    expect(judged('web-cert-wrong', [named])).toBe('a.net: it is for other names');
    expect(judged('web-cert-wrong', [site('a.net', website({ trouble: 'ODD' }))])).toBe('a.net: ODD');
    expect(judged('web-cert-wrong', [site('a.net', website()), site('b.net', expired)])).toBeNull();
  });

  test('that has expired says when, and is not told a second time as another fault', () => {
    const sites = [site('a.net', expired)];
    expect(judged('web-cert-expired', sites)).toBe('a.net: Nov 22, 2026');
    expect(judged('web-cert-expiring', sites)).toBeNull();
    expect(judged('web-cert-other', sites, [{ host: 'a.net', serial: 'ff', authorities: [] }])).toBeNull();
    expect(judged('web-cert-expired', [site('a.net', website())])).toBeNull();
  });

  test.each([
    // Of 90 days 15 % are 13.5; of a year 14 days are the most.
    [-77, 13, true],
    [-76, 14, false],
    [-351, 13.9, true],
    [-351, 14.1, false],
  ])('of %d days ago that ends in %d is ending: %s', (from, to, isEnding) => {
    const shown = site('a.net', website({ validFrom: inDays(from), validTo: inDays(to) }));
    expect(judged('web-cert-expiring', [shown]) !== null).toBe(isEnding);
  });

  test.each<[string, string | null, string, boolean]>([
    ['a.net', 'ab01', 'a.net', false],
    ['a.net', 'ff', 'a.net', true],
    ['b.net', 'ff', 'a.net', false],
    // A serial that is not known proves nothing.
    ['a.net', null, 'a.net', false],
    ['*.a.net', 'ff', 'www.a.net', true],
    ['*.a.net', 'ff', 'a.net', false],
    ['*.a.net', 'ff', 'x.www.a.net', false],
    ['*.b.net', 'ff', 'www.a.net', false],
  ])('for %s with the serial %s is another than the one at %s: %s', (host, serial, shown, isOther) => {
    const verdict = judged('web-cert-other', [site(shown, website())], [{ host, serial, authorities: [] }]);
    expect(verdict).toBe(isOther ? `${shown}: serial ab01` : null);
  });

  test('is ours where one of several is', () => {
    const both = ['ff', 'ab01'].map((serial) => ({ host: 'a.net', serial, authorities: [] }));
    expect(judged('web-cert-other', [site('a.net', website())], both)).toBeNull();
  });

  test('is not judged where nobody answered, unless another one is at fault; where HTTPS is refused there is none', () => {
    const silent = site('a.net', undefined);
    expect(judged('web-cert-expired', [silent])).toBeUndefined();
    expect(judged('web-cert-expired', [silent, site('b.net', expired)])).toBe('b.net: Nov 22, 2026');
    expect(judged('web-cert-expired', [site('a.net', 'refused')])).toBeNull();
  });
});
