import { expect, test } from 'vitest';
import { isOfSettings, requestText, type ZoneRequest } from '#contracts/values/changes.ts';
import { recordData } from '#contracts/values/dns-records.ts';
import type { HealthKind } from '#contracts/values/health.ts';
import { fixOf } from '#contracts/values/health-fixes.ts';
import { recordOf } from '../../../../tests/support/zones.ts';
import { planZone } from './zone-plan.rules.ts';

const txt = (subdomain: string, text: string) => recordOf({ type: 'TXT', subdomain, text });

/** The texts after the fix of a finding. */
function fixed(kind: HealthKind, ...zone: ReturnType<typeof txt>[]): string[] {
  const request = fixOf(kind);
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
  expect(fixed('web-dangling')).toEqual(['no fix']);
});
