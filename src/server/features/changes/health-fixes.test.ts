import { expect, test } from 'vitest';
import { isOfSettings, requestText, type ZoneRequest } from '#contracts/values/changes.ts';
import { recordData } from '#contracts/values/dns-records.ts';
import type { HealthKind } from '#contracts/values/health.ts';
import { danglingText, fixOf } from '#contracts/values/health-fixes.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import { planZone } from './zone-plan.rules.ts';

const txt = (subdomain: string, text: string) => recordOf({ type: 'TXT', subdomain, text });

/** The texts after the fix of a finding. */
function fixed(kind: HealthKind, ...zone: ReturnType<typeof txt>[]): string[] {
  return fixedBy(fixOf(kind, ''), zone);
}

function fixedBy(request: ReturnType<typeof fixOf>, zone: ReturnType<typeof txt>[]): string[] {
  if (!request) return ['no fix'];
  if (isOfSettings(request)) return [requestText(request)];
  const verdict = planZone(request as ZoneRequest, 'acme.com', zone);
  return verdict.kind === 'change' ? verdict.plan.after.map(recordData) : [verdict.kind];
}

test('each fix makes of the fault what it should be, and leaves a sound zone alone', () => {
  expect(fixed('dmarc-missing', txt('', 'v=spf1 -all'))).toEqual(['v=DMARC1; p=quarantine']);
  expect(fixed('dmarc-missing', txt('_dmarc', 'v=DMARC1; p=reject'))).toEqual(['same']);
  expect(fixed('dmarc-none', txt('_dmarc', 'v=DMARC1; p=none; sp=none; rua=mailto:a@acme.com'))).toEqual([
    'v=DMARC1; p=quarantine; sp=none; rua=mailto:a@acme.com',
  ]);
  expect(fixed('dmarc-none', txt('_dmarc', 'v=DMARC1; p=reject'))).toEqual(['same']);
  expect(fixed('spf-open', txt('', 'v=spf1 include:mail.example +all'))).toEqual([
    'v=spf1 include:mail.example ~all',
  ]);
  expect(fixed('spf-open', txt('', 'v=spf1 -all'))).toEqual(['same']);
  expect(fixed('unlocked')).toEqual(['Lock against transfers']);
  expect(fixed('spf-missing')).toEqual(['no fix']);
});

test('of several DMARC records the mildest that can be read stays, with its reports', () => {
  const none = 'v=DMARC1; p=none; rua=mailto:a@acme.com';
  const reject = 'v=DMARC1; p=reject';
  const broken = 'v=DMARC1; p=maybe';
  expect(fixed('dmarc-two', txt('_dmarc', reject), txt('_dmarc', none), txt('_dmarc', broken))).toEqual([
    none,
  ]);
  expect(fixed('dmarc-two', txt('_dmarc', broken), txt('_dmarc', reject))).toEqual([reject]);
  expect(fixed('dmarc-two', txt('_dmarc', broken), txt('_dmarc', 'v=DMARC1'))).toEqual([broken]);
  expect(
    fixed('dmarc-two', txt('_dmarc', 'other'), txt('_dmarc', broken), txt('_dmarc', 'v=DMARC1')),
  ).toEqual([...['other', broken]]);
  expect(fixed('dmarc-two', txt('_dmarc', none))).toEqual(['same']);
  expect(fixed('dmarc-two', txt('_dmarc', none), txt('_dmarc', 'other'), txt('x', reject))).toEqual(['same']);
});

test('aliases to what does not exist go; others and those of services stay', () => {
  const cname = (subdomain: string, hostname: string) => recordOf({ type: 'CNAME', subdomain, hostname });
  const evidence = [
    danglingText({ name: 'shop', target: 'gone.example' }),
    danglingText({ name: 'old', target: 'lost.example' }),
  ].join(', ');
  const request = fixOf('web-dangling', evidence);
  expect(request).toEqual({ kind: 'remove-aliases', hosts: ['gone.example', 'lost.example'] });
  const zone = [
    ...[cname('shop', 'GONE.example.'), cname('old', 'lost.example'), cname('www', 'here.example')],
    ...[cname('s1._domainkey', 'gone.example'), cname('_x', 'gone.example'), txt('t', 'gone.example')],
  ];
  const verdict = planZone(request as ZoneRequest, 'acme.com', zone);
  const gone = verdict.kind === 'change' && verdict.plan.before.map(({ subdomain }) => subdomain);
  expect(gone).toEqual(['old', 'shop']);
  expect(verdict).toMatchObject({ plan: { after: [], removed: 2, others: 4 } });
  expect(fixedBy(request, [txt('', 'x')])).toEqual(['same']);
  expect(fixOf('web-dangling', 'unreadable')).toBeNull();
});
