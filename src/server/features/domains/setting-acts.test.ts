import { describe, expect, test } from 'vitest';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import { owner as ann } from '../../../../tests/support/people.ts';
import type { RegistrarDomain } from '../../ports/registrar.ts';
import { createSettingActs } from './setting-acts.ts';

/** A change whose answer was lost counts as done only when the registrar has exactly what was sent. */

const acts = createSettingActs({ registrar: {} } as never);
const isReached = (after: DomainSettings, read: Partial<RegistrarDomain>) =>
  acts.actOf('fig.com', after).reached(read as RegistrarDomain);

describe('nameservers', () => {
  const sent = ['ns1.fig.com', 'ns2.fig.com'];
  test.each([
    ['those that were sent', ['ns1.fig.com', 'ns2.fig.com'], true],
    ['the same in another order', ['ns2.fig.com', 'ns1.fig.com'], true],
    ['one more, which was to be removed', ['ns1.fig.com', 'ns2.fig.com', 'ns3.fig.com'], false],
    ['one fewer, which was to be added', ['ns1.fig.com'], false],
    ['another one in the place of one', ['ns1.fig.com', 'ns3.fig.com'], false],
    ['one of them twice', ['ns1.fig.com', 'ns1.fig.com'], false],
    ['one whose name only begins alike', ['ns1.fig.com', 'ns2.fig.com.au'], false],
    ['none', [], false],
  ])('are there when the registrar has %s', (_what, nameservers, reached) => {
    expect(isReached({ nameservers: sent }, { nameservers })).toBe(reached);
    expect(sent).toEqual(['ns1.fig.com', 'ns2.fig.com']);
  });
});

test.each([true, false])('a switch is there when it is as it was sent: %s', (on) => {
  expect([isReached({ locked: on }, { locked: on }), isReached({ locked: on }, { locked: !on })]).toEqual([
    true,
    false,
  ]);
  const withPrivacy = (privacy: boolean | null) => isReached({ privacy: on }, { privacy });
  expect([withPrivacy(on), withPrivacy(!on), withPrivacy(null)]).toEqual([true, false, false]);
});

test.each([true, false])(
  'auto renew is there when the registrar’s own is off, turned to: %s',
  (autoRenew) => {
    expect(isReached({ autoRenew }, { autoRenew: false })).toBe(true);
    expect(isReached({ autoRenew }, { autoRenew: true })).toBe(false);
  },
);

describe('contacts', () => {
  const bob = { ...ann, firstName: 'Bob', address2: '' };
  test.each<[string, RegistrarDomain['contacts'], boolean]>([
    ['those that were sent', { owner: bob, tech: bob }, true],
    ['those, and another one', { owner: bob, tech: bob, admin: ann }, true],
    ['those, without a line that was empty', { owner: { ...ann, firstName: 'Bob' }, tech: bob }, true],
    ['one of them alone', { owner: bob }, false],
    ['one as it was', { owner: bob, tech: ann }, false],
    ['one with a line that was to be emptied', { owner: { ...bob, address2: 'Flat 2' }, tech: bob }, false],
    ['one without a line that was sent', { owner: bob, tech: { ...bob, city: '' } }, false],
    ['none', {}, false],
  ])('are there when the registrar has %s', (_what, contacts, reached) => {
    expect(isReached({ contacts: { owner: bob, tech: bob } }, { contacts })).toBe(reached);
  });
});

describe('what is sent', () => {
  const sent: unknown[][] = [];
  const note =
    (what: string) =>
    async (...told: unknown[]) => {
      sent.push([what, ...told]);
      return { kind: 'done', value: undefined };
    };
  const registrar = {
    ...{ setLock: note('lock'), setAutoRenew: note('auto renew'), setPrivacy: note('privacy') },
    ...{ setNameservers: note('nameservers'), setContacts: note('contacts') },
  };
  const nameservers = ['ns2.fig.com', 'ns1.fig.com'];
  const contacts = { tech: ann };

  test.each<[DomainSettings, unknown[], string, object]>([
    [{ locked: true }, ['lock', 'fig.com', true], 'domains.lock', { locked: true }],
    [{ locked: false }, ['lock', 'fig.com', false], 'domains.unlock', { locked: false }],
    // The registrar's own stays off whichever way it is turned: no year is bought twice.
    [{ autoRenew: true }, ['auto renew', 'fig.com', false], 'domains.autoRenew', { autoRenew: true }],
    [{ autoRenew: false }, ['auto renew', 'fig.com', false], 'domains.autoRenew', { autoRenew: false }],
    [{ privacy: true }, ['privacy', 'fig.com', true], 'domains.privacy', { privacy: true }],
    [{ privacy: false }, ['privacy', 'fig.com', false], 'domains.privacy', { privacy: false }],
    [{ nameservers }, ['nameservers', 'fig.com', nameservers], 'domains.updateNameservers', { nameservers }],
    // The portal keeps no copy of contacts.
    [{ contacts }, ['contacts', 'fig.com', contacts], 'domains.contacts', {}],
  ])('of %j is that and nothing else, under its own name in the log', async (after, call, action, known) => {
    sent.length = 0;
    const act = createSettingActs({ registrar } as never).actOf('fig.com', after);
    const fence = {} as never;
    await act.write(fence);
    expect(sent).toEqual([[...call, fence]]);
    expect([act.action, act.known]).toEqual([action, known]);
  });

  test('of nothing that the registrar keeps is a mistake of ours', () => {
    expect(() => acts.actOf('fig.com', { customerId: null })).toThrow('no setting');
  });
});
