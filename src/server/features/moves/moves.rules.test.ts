import { describe, expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import type { Hindrance, Line, LineFacts, LineZone } from './line.ts';
import { isComparedOn, isOutdated, nextStep, standingOf, usualDns } from './moves.rules.ts';
import { changedText } from './old-zone.rules.ts';

const now = new Date('2026-11-23T12:00:00Z');
const managed = ['ns1.ours.net', 'ns2.ours.net'];
const isOurs = (names: readonly string[]) =>
  names.length > 0 && names.every((name) => managed.includes(name));
const about = { isOurs, now, underWay: null };
const record: DnsRecord = { type: 'A', subdomain: '', ip_address: '203.0.113.1' };
const facts: LineFacts = {
  hindrance: null,
  priceCents: 12_31,
  nameservers: ['ns1.old.net', 'ns2.old.net'],
  signed: false,
  registrar: null,
  expiresAt: null,
};
const zone: LineZone = { how: 'whole', records: [record], leftOut: [] };
const line = (more: Partial<Line> = {}): Line => ({
  ...{ id: 'l', organisationId: 'o', moveId: 'm', number: 1, address: 'acme.com', problem: null },
  ...{ hasCode: true, codeProblem: null, state: 'checked', leftOut: false, dns: 'bring', dnsChosen: false },
  ...{ facts, zone, itemId: null, stagedAt: null, switchedAt: null, held: null, comparedAt: null },
  ...{ differences: null, checkedAt: now, accepted: null, item: null, transfer: null, ...more },
});
const without = (...types: string[]) => ({
  ...{ ...zone, leftOut: types.map((type) => ({ name: 'acme.com', type, data: '', reason: '' })) },
});
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const item = (state: string, error: string | null = null) => ({ state, error, orderId: 'o' });
const says = (more: Partial<Line>) => standingOf(line(more), about);
const onItsWay = (step: 'approval' | 'release', late = false) =>
  standingOf(line({ item: item('pending') }), {
    isOurs,
    now,
    underWay: { step, expectedBy: '2026-11-24T12:00:00.000Z', late },
  });

describe('whether DNS comes along where nobody chose', () => {
  test.each<[string, Partial<LineFacts>, LineZone | null, 'keep' | 'bring']>([
    ['at the old registrar, with its zone known', {}, zone, 'bring'],
    ['of which nobody knows the zone', {}, null, 'keep'],
    ['whose zone is empty', {}, { ...zone, records: [] }, 'keep'],
    ['with a provider of DNS', { nameservers: ['a.ns.cloudflare.com', 'b.ns.cloudflare.com'] }, zone, 'keep'],
    ['with us already', { nameservers: managed }, zone, 'keep'],
    ['signed', { signed: true }, zone, 'keep'],
    ['whose nameservers nobody told', { nameservers: null }, zone, 'keep'],
    ['whose mail would be gone', {}, without('TXT', 'MX'), 'keep'],
    ['of which a host would be gone', {}, without('CNAME'), 'keep'],
    ['of which a part is delegated', {}, without('NS'), 'keep'],
    ['of which a service would be gone', {}, without('SRV'), 'keep'],
    ['without anything that hosts and mail need', {}, without('CAA', 'TXT'), 'bring'],
  ])('a domain %s', (_, more, read, dns) => {
    expect(usualDns({ ...facts, ...more }, read, isOurs)).toBe(dns);
  });
});

describe('before the order a line says what will happen', () => {
  test('with its price and what becomes of its DNS', () => {
    expect(says({})).toMatchObject({
      stage: 'ready',
      text: 'Will be transferred and renewed for a year for $12.31. Its 1 record will be served here, and its nameservers are changed when it arrives.',
      warnings: [],
    });
    expect(says({ dns: 'keep' }).text).toContain('Its DNS stays at ns1.old.net.');
    const ours = says({ dns: 'keep', facts: { ...facts, nameservers: managed } });
    expect(ours).toMatchObject({ text: expect.stringContaining('Its DNS is here already'), warnings: [] });
    const unread = says({ dns: 'keep', facts: { ...facts, nameservers: null } });
    expect(unread.text).toContain('It keeps its nameservers.');
    expect(unread.warnings).toEqual(['Its nameservers could not be read at the moment.']);
  });

  test.each<[Hindrance['kind'], string, string | null]>([
    ['locked', 'It is locked at its current registrar', 'unlock'],
    ['young', 'less than 60 days ago', 'look'],
    ['unregistered', 'Nobody has registered it', null],
    ['deleted', 'deleted at the registry', null],
    ['under-way', 'already under way', 'look'],
    ['here', 'in your account already', null],
    ['other-account', 'by the portal’s support only', null],
    ['unanswered', 'The registrar did not answer', 'look'],
    ['refused', 'It cannot be transferred: because.', 'look'],
    ['nobody', 'has no access any more', 'look'],
  ])('%s: what is in the way, and what helps', (kind, text, help) => {
    const said = says({ facts: { ...facts, hindrance: { kind, text: 'because.' } } });
    expect(said).toMatchObject({ stage: 'blocked', help });
    expect(said.text).toContain(text);
  });

  test('what is wrong with the line itself comes before what the registrar says', () => {
    expect(says({ problem: 'No name', codeProblem: 'No code' }).text).toBe('No name');
    expect(says({ codeProblem: 'No code' })).toMatchObject({
      stage: 'blocked',
      text: 'No code',
      help: 'code',
    });
    expect(says({ state: 'unchecked' }).stage).toBe('checking');
    expect(says({ leftOut: true }).stage).toBe('left-out');
    expect(says({ zone: null, dnsChosen: true })).toMatchObject({ stage: 'blocked', help: 'keep' });
    expect(says({ zone: null, dns: 'keep' }).stage).toBe('ready');
  });

  test('what should be known besides: DNSSEC, guessed names, records that cannot be held, DNS that may end', () => {
    const warnings = says({
      facts: { ...facts, signed: true },
      zone: { ...without('CAA', 'NS', 'CAA'), how: 'usual' },
    }).warnings;
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain('DNSSEC is on. Its nameservers are not changed before DNSSEC is off');
    expect(says({ dns: 'keep', facts: { ...facts, signed: true } }).warnings[0]).toContain(
      'It keeps working while the domain keeps its current nameservers.',
    );
    expect(warnings[1]).toContain('found under common names');
    expect(warnings[2]).toContain('3 records cannot be held by the managed DNS (CAA, NS)');
    expect(says({ dns: 'keep' }).warnings).toEqual([
      'Many registrars switch off their own DNS when a domain leaves.',
    ]);
    const incomplete = { dns: 'keep', zone: without('MX') } as const;
    expect(says(incomplete).warnings[0]).toBe(
      '1 record cannot be held by the managed DNS (MX), so it keeps its nameservers.',
    );
    expect(says({ ...incomplete, dnsChosen: true }).warnings).toHaveLength(1);
    expect(says({ dns: 'keep', zone: without('CAA') }).warnings).toHaveLength(1);
    const apart = { ...facts, nameservers: ['a.ns.cloudflare.com', 'b.ns.cloudflare.com'] };
    expect(says({ ...incomplete, facts: apart }).warnings).toEqual([]);
  });
});

describe('when it expires', () => {
  const warned = (expiresAt: string | null) => says({ facts: { ...facts, expiresAt } }).warnings;
  test.each([
    ['2026-12-07T12:00:00Z', []],
    ['2026-12-07T11:59:59Z', ['It expires on Dec 7, 2026. If it may not be here by then, renew it']],
    ['2026-11-23T12:00:00Z', ['It expires on Nov 23, 2026. If it may not']],
    ['2026-11-23T11:59:59Z', ['It expired on Nov 23, 2026. Many registrars release a name only after']],
    [null, []],
  ])('%s', (expiresAt, warnings) => {
    expect(warned(expiresAt)).toEqual(warnings.map((text) => expect.stringContaining(text)));
  });
});

describe('after the order a line says where it is', () => {
  test.each<[Partial<Line>, string, string | null]>([
    [{ item: item('sending') }, 'ordered', null],
    [{ item: item('review') }, 'review', null],
    [{ item: item('declined', 'Wrong code.') }, 'failed', 'code'],
    [{ item: item('succeeded'), state: 'ordered' }, 'arriving', null],
    [{ item: item('succeeded'), state: 'ordered', held: 'It is signed.' }, 'held', 'look'],
    [{ item: item('succeeded'), state: 'settled', comparedAt: now }, 'done', null],
  ])('%#', (more, stage, help) => {
    expect(says(more)).toMatchObject({ stage, help });
  });

  test('with the date that is expected, and when that has passed, what can be done', () => {
    const fresh = onItsWay('approval');
    expect(fresh).toMatchObject({ stage: 'approval', help: 'cancel', late: false });
    expect(fresh.expectedBy).toBe('2026-11-24T12:00:00.000Z');
    expect(onItsWay('approval', true).text).toContain('Cancel it and start again with the right code');
    expect(onItsWay('release')).toMatchObject({ stage: 'release', help: null });
    expect(onItsWay('release', true)).toMatchObject({ late: true });
    expect(onItsWay('release', true).text).toContain('Ask it to approve');
  });

  test('one that failed says that nothing was charged', () => {
    expect(says({ item: item('declined', 'Wrong code.') }).text).toBe('Wrong code. You were not charged.');
  });

  test('answers that differ are counted; old DNS that says nothing is said to have ended', () => {
    const differs = (now: string[], count: number) =>
      Array.from({ length: count }, () => ({ name: 'acme.com', type: 'A', before: ['203.0.113.1'], now }));
    const came = { item: item('succeeded'), state: 'ordered' as const };
    expect(says({ ...came, differences: differs(['203.0.113.9'], 1) })).toMatchObject({
      stage: 'differs',
      help: 'look',
    });
    expect(says({ ...came, differences: differs(['203.0.113.9'], 2) }).text).toContain('2 DNS answers');
    const silent = says({ ...came, dns: 'keep', differences: differs([], 2) });
    expect(silent).toMatchObject({ help: 'bring' });
    expect(silent.text).toContain('Its old DNS no longer answers');
    expect(says({ ...came, state: 'settled', differences: [], comparedAt: now }).stage).toBe('done');
  });

  test('what answers is what was read, on the day on which it was last seen at its old DNS', () => {
    const done = { item: item('succeeded'), state: 'settled' as const, comparedAt: now, switchedAt: now };
    const here = 'It has arrived. It is served here now, and all of its 1 record answer';
    expect(says({ ...done, checkedAt: ago(24) }).text).toBe(`${here} as they did on Nov 22, 2026.`);
    expect(says({ ...done, checkedAt: null }).text).toBe(`${here} as before.`);
    expect(says({ ...done, zone: without('CAA') }).text).toBe(
      `${here} as they did on Nov 23, 2026. 1 record cannot be held by the managed DNS (CAA).`,
    );
    expect(says({ ...done, switchedAt: null, zone: without('CAA') }).text).toBe(
      'It has arrived. It keeps its nameservers, and all of its 1 record answer as they did on Nov 23, 2026.',
    );
  });

  test('where its old DNS has changed, a person may have its records served all the same', () => {
    const differences = [{ name: 'acme.com', type: 'A', before: ['203.0.113.1'], now: ['203.0.113.9'] }];
    const held = { item: item('succeeded'), state: 'ordered' as const, differences };
    expect(says({ ...held, held: changedText(differences, now) })).toMatchObject({
      stage: 'held',
      text: 'Its old DNS has changed since Nov 23, 2026: acme.com (A). Correct its records here and check again, or serve its records here as they are.',
      help: 'bring',
    });
    expect(says({ ...held, held: 'It is signed.' }).help).toBe('look');
  });
});

describe('what a job does next', () => {
  const came = { item: item('succeeded') };
  const pending = (checkedAt: Date | null) => ({ item: item('pending'), stagedAt: now, checkedAt });
  test.each<[string, Partial<Line>, string | null, string]>([
    ['waits for the transfer', { item: item('sending') }, null, 'wait'],
    ['gives the records to the editor while it comes', { item: item('pending') }, 'transferring', 'stage'],
    ['waits once they are there', { item: item('pending'), stagedAt: now }, 'transferring', 'wait'],
    ['waits where DNS stays', { item: item('pending'), dns: 'keep' }, 'transferring', 'wait'],
    ['waits with what was read a short time ago', pending(ago(6)), 'transferring', 'wait'],
    ['reads again what was read long ago', pending(ago(6.1)), 'transferring', 'read-again'],
    ['reads it again also where DNS stays', { ...pending(null), dns: 'keep' }, 'transferring', 'read-again'],
    ['has nothing to read again', { ...pending(null), zone: null }, 'transferring', 'wait'],
    ['reads nothing again before the transfer has begun', pending(null), null, 'wait'],
    ['writes them where it came too fast', came, 'active', 'stage'],
    ['then changes the nameservers', { ...came, stagedAt: now }, 'active', 'switch'],
    ['then compares', { ...came, stagedAt: now, switchedAt: now }, 'active', 'compare'],
    ['compares at once where DNS stays', { ...came, dns: 'keep' }, 'active', 'compare'],
    ['compares at once where the zone is not known', { ...came, zone: null }, 'active', 'compare'],
    ['waits for the portal’s own row', came, 'transferring', 'wait'],
    ['ends with a domain that left', came, null, 'give-up'],
    ['ends with an order that came to nothing', { item: item('declined') }, null, 'give-up'],
  ])('%s', (_, more, status, step) => {
    expect(nextStep(line(more), status === null ? null : { status }, now)).toBe(step);
  });
});

test('nothing is ordered by a check that is older than a day, or of which nobody knows when it was', () => {
  expect(isOutdated({ checkedAt: ago(24) }, now)).toBe(false);
  expect(isOutdated({ checkedAt: ago(24.1) }, now)).toBe(true);
  expect(isOutdated({ checkedAt: null }, now)).toBe(true);
});

test('answers that differ are looked at again for a day after the domain has come or its DNS, whichever was later', () => {
  const transfer = (completedAt: Date | null) => ({
    ...{ requestedAt: ago(90), registrarStatus: null, statusSince: null, failedAt: null, completedAt },
  });
  const goesOn = (completed: Date | null, switchedAt: Date | null, comparedAt: Date | null = null) =>
    isComparedOn({ transfer: completed && transfer(completed), switchedAt, comparedAt }, now);
  expect(goesOn(ago(24), null)).toBe(true);
  expect(goesOn(ago(24.1), null)).toBe(false);
  expect(goesOn(ago(72), ago(1))).toBe(true);
  expect(goesOn(ago(72), ago(24.1))).toBe(false);
  expect(goesOn(ago(1), ago(72))).toBe(true);
  expect([goesOn(null, null), goesOn(null, null, ago(24.1))]).toEqual([true, false]);
});

describe('every place where a line can be has its words', () => {
  test.each<[Partial<Line>, string, string | null]>([
    [{ problem: 'No such name.' }, 'No such name.', null],
    [{ codeProblem: 'The code is wrong.' }, 'The code is wrong.', 'code'],
    [{ state: 'unchecked' }, 'Its state, price and zone are being checked.', null],
    [{ facts: null }, 'Its state, price and zone are being checked.', null],
    [{ leftOut: true, facts: null }, 'Left out. It will not be ordered.', null],
    [{ zone: null }, 'Its records could not be read, so its DNS cannot come along.', 'keep'],
    [{ item: item('pending') }, 'It is ordered. The registrar is being asked.', null],
    [{ item: item('succeeded') }, 'It has arrived. Its DNS is being set up.', null],
    [
      { item: item('review') },
      'The people who run this portal are looking into it. The funds stay reserved.',
      null,
    ],
    [{ item: item('declined') }, 'The transfer did not succeed. You were not charged.', 'code'],
    [{ item: item('declined', 'Denied.') }, 'Denied. You were not charged.', 'code'],
  ])('%j: %s', (more, text, help) => {
    const rest = { stage: expect.any(String), warnings: [], expectedBy: null, late: false };
    expect(says(more)).toEqual({ ...rest, text, help });
  });

  test('a price that is not known is left out', () => {
    expect(says({ facts: { ...facts, priceCents: null } }).text).toMatch(
      /^Will be transferred and renewed for a year\. /,
    );
  });

  test('what cannot come along is said by its types, each once and in order', () => {
    expect(says({ zone: without('MX', 'CNAME', 'MX') }).warnings).toEqual([
      '3 records cannot be held by the managed DNS (CNAME, MX). Keep the current nameservers if they are needed.',
    ]);
  });

  test('what has arrived says which records answer as before, where they were compared', () => {
    const arrived = { item: item('succeeded'), state: 'settled', switchedAt: now } as const;
    expect(says({ ...arrived, comparedAt: now }).text).toBe(
      'It has arrived. It is served here now, and all of its 1 record answer as they did on Nov 23, 2026.',
    );
    expect(says(arrived).text).toBe('It has arrived. It is served here now.');
    expect(says({ ...arrived, comparedAt: now, zone: { ...zone, records: [] } }).text).toBe(
      'It has arrived. It is served here now.',
    );
    expect(says({ ...arrived, comparedAt: now, checkedAt: null }).text).toContain('answer as before.');
    expect(says({ ...arrived, switchedAt: null, zone: null, dns: 'keep' }).text).toBe(
      'It has arrived. It keeps its nameservers.',
    );
  });

  test('an old DNS is silent only where it was kept and none of its answers comes', () => {
    const [gone, other] = [[], ['192.0.2.1']].map((here) => ({
      name: 'acme.com',
      type: 'A',
      before: ['1'],
      now: here,
    }));
    const said = (dns: 'keep' | 'bring', ...differences: unknown[]) =>
      says({ item: item('succeeded'), dns, differences: differences as NonNullable<Line['differences']> })
        .text;
    expect(said('keep', gone, gone)).toBe('It has arrived. Its old DNS no longer answers.');
    expect(said('keep', gone, other)).toBe('It has arrived. 2 DNS answers differ from before.');
    expect(said('bring', gone)).toBe('It has arrived. One DNS answer differs from before.');
  });
});

test('a line whose domain has left again is given up', () => {
  const arrived = line({ item: item('succeeded'), dns: 'keep' });
  expect(nextStep(arrived, { status: 'ended' }, now)).toBe('give-up');
  expect(nextStep(arrived, null, now)).toBe('give-up');
  expect(nextStep(arrived, { status: 'active' }, now)).toBe('compare');
});
