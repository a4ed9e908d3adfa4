import { afterAll, beforeAll, expect, test } from 'vitest';
import { crmFile, crmFiles, people } from '../../../../tests/support/crm-files.ts';
import { type ImportStand, openImportStand } from '../../../../tests/support/import-stand.ts';
import { contact } from '../../../contracts/values/contact.ts';
import { readPhone } from '../../../contracts/values/phone.ts';
import { contactFaults } from '../../../sandbox/registrar/commands/contact-rules.ts';
import type { XcpMap } from '../../../sandbox/registrar/xcp.ts';
import { toWire } from '../../adapters/opensrs/contacts.ts';

let stand: ImportStand;

beforeAll(async () => {
  stand = await openImportStand();
});
afterAll(() => stand.close());

test.each(crmFiles)(
  '35 customers of 35 countries, as people write them, come from a list of $program with what is offered alone, and are stored as the registrar takes them',
  async (file) => {
    const admin = (await stand.people.organisation(file.program)).scope;
    const key = await stand.put(admin, crmFile(file));
    const first = await stand.imports.look(admin, { key });
    // The set is asked where it is not plain; the first one offered looks most like words.
    const [charset] = first.charsets.map((choice) => choice.charset);
    expect(charset).toBe(file.program === 'HaloPSA' ? 'windows-1252' : undefined);
    const look = await stand.imports.look(admin, { key, charset });
    expect(look).toMatchObject({ source: file.program === 'own' ? null : file.program, rowCount: 35 });
    const { mapping } = look;
    const found = await stand.imports.finish(admin, { key, preview: true, charset, mapping });
    expect(found.rows.new + found.suggested).toBe(35);
    const mended = await stand.imports.applySuggestions(admin, found.importId, null);
    expect(mended).toMatchObject({ rows: { new: 35, faulty: 0 }, suggested: 0 });
    await stand.imports.start(admin, found.importId, { mode: 'all' });
    await stand.run(admin, found.importId);
    const stored = await stand.listed(admin);
    expect(stored).toHaveLength(35);
    for (const { contacts } of stored) {
      const { owner } = contacts;
      expect(contact.parse(owner)).toEqual(owner);
      expect(contactFaults('owner', toWire(owner) as XcpMap)).toEqual([]);
      const person = people.find(({ email }) => email === owner.email);
      expect(owner.country).toBe(person?.country);
      expect(owner.phone).toBe(readPhone(person?.phone ?? '', { country: owner.country }));
      if (file.program !== 'HaloPSA')
        expect(owner).toMatchObject({ lastName: person?.last, city: person?.city });
    }
    const american = stored.find(({ contacts }) => contacts.owner.country === 'US')?.contacts.owner;
    expect(american).toMatchObject({
      firstName: 'Jean Pierre',
      address1: '350 5th Ave Suite 100',
      state: 'NY',
      postalCode: '101180110',
      phone: '+1.2125550100x12',
    });
  },
);
