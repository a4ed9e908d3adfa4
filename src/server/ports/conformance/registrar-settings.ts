import { describe, expect, test } from 'vitest';
import type { ZoneRecords } from '../registrar.ts';
import { type ConformanceContext, someone } from './registrar.ts';

const done = { kind: 'done' };

/** Settings, nameservers, glue, zones, lists: what is set is what is read afterwards. */
export function settingConformance(context: ConformanceContext): void {
  settingsOfDomain(context);
  nameserversOfDomain(context);
  eventsOfAccount(context);
  zoneConformance(context);
}

function settingsOfDomain(context: ConformanceContext): void {
  const { registrar, freshName, registered, world } = context;

  describe('settings of a domain', () => {
    test.each([
      ['the lock', 'setLock', 'locked'],
      ['automatic renewal', 'setAutoRenew', 'autoRenew'],
      ['privacy', 'setPrivacy', 'privacy'],
    ] as const)('%s: on, off, and the same again', async (_name, set, field) => {
      const domain = await registered();
      for (const on of [true, true, false, false, true]) {
        expect(await registrar()[set](domain, on)).toMatchObject(done);
        expect((await registrar().domain(domain))?.[field]).toBe(on);
      }
    });

    test('one contact is changed, the others stay', async () => {
      const domain = await registered();
      const admin = { ...someone, firstName: 'Ann', email: 'ann@example.org' };
      expect(await registrar().setContacts(domain, { admin })).toMatchObject(done);
      const contacts = (await registrar().domain(domain))?.contacts;
      expect(contacts?.admin).toEqual(admin);
      expect(contacts?.billing).toEqual(someone);
    });

    test('the transfer code is there and is one', async () => {
      expect(await registrar().authCode(await registered())).toMatch(/\S{6,}/);
    });

    test('of somebody else’s name nothing can be changed or read', async () => {
      const domain = freshName();
      await world.elsewhere(domain, { authCode: 'Code-123456' });
      const refused = { kind: 'refused' };
      expect(await registrar().setLock(domain, false)).toMatchObject(refused);
      expect(await registrar().setContacts(domain, { owner: someone })).toMatchObject(refused);
      expect(await registrar().setNameservers(domain, ['ns1.example.net', 'ns2.example.net'])).toMatchObject(
        refused,
      );
      await expect(registrar().authCode(domain)).rejects.toMatchObject({ name: 'UpstreamRefused' });
      expect(await registrar().domain(domain)).toBeNull();
    });

    test('the registrant’s verification has a state, and the mail can be sent again', async () => {
      const domain = await registered();
      const { state, deadline, emailBounced } = await registrar().verification(domain);
      expect(['verified', 'waiting']).toContain(state);
      if (state === 'waiting') expect(deadline?.getTime()).toBeGreaterThan(Date.now());
      expect(emailBounced).toBe(false);
      expect(await registrar().resendVerification(domain)).toMatchObject(done);
    });

    test('the verification of somebody else’s registrant is refused', async () => {
      await expect(registrar().verification(freshName())).rejects.toMatchObject({ name: 'UpstreamRefused' });
      expect(await registrar().resendVerification(freshName())).toMatchObject({ kind: 'refused' });
    });

    test('a signed name has its DS records; removed they are gone, and removing them again does no harm', async () => {
      const domain = await registered();
      expect(await registrar().dsRecords(domain)).toEqual([]);
      await world.sign(domain);
      const [record, ...others] = await registrar().dsRecords(domain);
      expect(others).toEqual([]);
      expect(record).toEqual({
        keyTag: expect.stringMatching(/^\d+$/),
        algorithm: expect.stringMatching(/^\d+$/),
        digestType: expect.stringMatching(/^\d+$/),
        digest: expect.stringMatching(/^[0-9A-F]+$/),
      });
      for (let times = 0; times < 2; times += 1) {
        expect(await registrar().removeDsRecords(domain)).toMatchObject(done);
        expect(await registrar().dsRecords(domain)).toEqual([]);
      }
      await expect(registrar().dsRecords(freshName())).rejects.toMatchObject({ name: 'UpstreamRefused' });
    });

    test('expiring names are listed to the last page', async () => {
      const names = await Promise.all(Array.from({ length: 45 }, () => registered()));
      const from = new Date();
      const to = new Date(from.getTime() + 400 * 86_400_000);
      const found = new Set<string>();
      for await (const row of registrar().expiring(from, to)) {
        expect(found.has(row.domain)).toBe(false);
        found.add(row.domain);
      }
      expect(names.filter((name) => !found.has(name))).toEqual([]);
    });
  });
}

function nameserversOfDomain(context: ConformanceContext): void {
  const { registrar, registered } = context;

  describe('nameservers', () => {
    test('are assigned in their order', async () => {
      const domain = await registered();
      const names = ['ns2.example.net', 'ns1.example.net', 'ns.example.org'];
      expect(await registrar().setNameservers(domain, names)).toMatchObject(done);
      expect((await registrar().domain(domain))?.nameservers.toSorted()).toEqual(names.toSorted());
      expect(await registrar().setNameservers(domain, names)).toMatchObject(done);
    });

    test('fewer than two are refused', async () => {
      const domain = await registered();
      const before = (await registrar().domain(domain))?.nameservers;
      expect(await registrar().setNameservers(domain, ['ns1.example.net'])).toMatchObject({
        kind: 'refused',
        reason: 'invalid',
      });
      expect((await registrar().domain(domain))?.nameservers).toEqual(before);
    });

    test('glue: created, addresses replaced, renamed, deleted', async () => {
      const domain = await registered();
      const host = { name: `ns1.${domain}`, ipv4: '192.0.2.1', ipv6: '2001:db8::1' };
      expect(await registrar().glue(domain)).toEqual([]);
      expect(await registrar().createGlue(domain, host)).toMatchObject(done);
      expect(await registrar().createGlue(domain, host)).toMatchObject({
        kind: 'refused',
        reason: 'already-done',
      });
      expect(await registrar().glue(domain)).toEqual([{ ...host, canDelete: true }]);
      const changed = { ...host, ipv4: '192.0.2.9', ipv6: null };
      expect(await registrar().updateGlue(domain, changed)).toMatchObject(done);
      expect(await registrar().glue(domain)).toEqual([{ ...changed, canDelete: true }]);
      const newName = `ns9.${domain}`;
      expect(await registrar().updateGlue(domain, { ...changed, newName })).toMatchObject(done);
      expect(await registrar().glue(domain)).toMatchObject([{ name: newName }]);
      expect(await registrar().deleteGlue(domain, { ...changed, name: newName })).toMatchObject(done);
      expect(await registrar().glue(domain)).toEqual([]);
    });

    test('glue in use is not deleted', async () => {
      const domain = await registered();
      const hosts = ['ns1', 'ns2'].map((label) => ({
        name: `${label}.${domain}`,
        ipv4: '192.0.2.1',
        ipv6: null,
      }));
      for (const host of hosts) await registrar().createGlue(domain, host);
      const names = hosts.map(({ name }) => name);
      expect(await registrar().setNameservers(domain, names)).toMatchObject(done);
      expect((await registrar().glue(domain)).every(({ canDelete }) => canDelete)).toBe(false);
      const [first] = hosts;
      if (first)
        expect(await registrar().deleteGlue(domain, first)).toMatchObject({
          kind: 'refused',
          reason: 'in-use',
        });
    });
  });
}

function eventsOfAccount(context: ConformanceContext): void {
  const { registrar, registered } = context;

  test('events come until each is acknowledged, and then no more', async () => {
    const domain = await registered();
    const seen = new Set<string>();
    const about = new Set<string | null>();
    for (let page = await registrar().events(50); page.length > 0; page = await registrar().events(50)) {
      expect((await registrar().events(50)).map(({ id }) => id)).toEqual(page.map(({ id }) => id));
      for (const event of page) {
        expect(seen.has(event.id)).toBe(false);
        seen.add(event.id);
        about.add(event.domain);
        await registrar().acknowledgeEvent(event.id);
      }
    }
    expect(about).toContain(domain);
    // Acknowledged twice, as after a crash, does no harm.
    await registrar().acknowledgeEvent([...seen][0] ?? '');
  });
}

const records: ZoneRecords = {
  A: [
    { subdomain: '', ip_address: '192.0.2.5' },
    { subdomain: 'www', ip_address: '192.0.2.5' },
    { subdomain: 'www', ip_address: '192.0.2.6' },
  ],
  AAAA: [{ subdomain: '', ipv6_address: '2001:db8::5' }],
  CNAME: [{ subdomain: 'shop', hostname: 'shops.example.net' }],
  MX: [
    { subdomain: '', hostname: 'mx1.example.net', priority: 10 },
    { subdomain: '', hostname: 'mx2.example.net', priority: 20 },
  ],
  TXT: [
    { subdomain: '', text: 'v=spf1 include:_spf.example.net -all' },
    { subdomain: '_dmarc', text: `v=DMARC1; p=none; "quoted" <&> 'x'` },
  ],
  SRV: [{ subdomain: '_sip._tcp', hostname: 'sip.example.net', priority: 1, weight: 5, port: 5060 }],
};
const none: ZoneRecords = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };

function zoneConformance({ registrar, registered }: ConformanceContext): void {
  describe('zones', () => {
    test('none at first; created empty; created again is the same', async () => {
      const domain = await registered();
      if ((await registrar().zone(domain)) !== null)
        expect(await registrar().deleteZone(domain)).toMatchObject(done);
      expect(await registrar().zone(domain)).toBeNull();
      expect(await registrar().createZone(domain)).toMatchObject({ kind: 'done', value: { records: none } });
      expect(await registrar().createZone(domain)).toMatchObject({ kind: 'done', value: { records: none } });
      expect(await registrar().zone(domain)).toMatchObject({ records: none });
    });

    test('what is written is what is read, every type, to the letter; a write replaces everything', async () => {
      const domain = await registered();
      await registrar().createZone(domain);
      expect(await registrar().replaceZone(domain, records)).toMatchObject({
        kind: 'done',
        value: { records },
      });
      expect((await registrar().zone(domain))?.records).toEqual(records);
      const fewer = { ...none, A: [{ subdomain: 'only', ip_address: '192.0.2.7' }] };
      expect(await registrar().replaceZone(domain, fewer)).toMatchObject({ kind: 'done' });
      expect((await registrar().zone(domain))?.records).toEqual(fewer);
      expect(await registrar().replaceZone(domain, none)).toMatchObject({ kind: 'done' });
      expect((await registrar().zone(domain))?.records).toEqual(none);
    });

    test('a zone is served when the name is delegated to the registrar', async () => {
      const domain = await registered();
      await registrar().createZone(domain);
      await registrar().setNameservers(domain, ['ns1.example.net', 'ns2.example.net']);
      expect((await registrar().zone(domain))?.delegated).toBe(false);
      expect(await registrar().useRegistrarNameservers(domain)).toMatchObject(done);
      expect((await registrar().zone(domain))?.delegated).toBe(true);
    });

    test('deleted is gone', async () => {
      const domain = await registered();
      await registrar().createZone(domain);
      expect(await registrar().deleteZone(domain)).toMatchObject(done);
      expect(await registrar().zone(domain)).toBeNull();
    });
  });
}
