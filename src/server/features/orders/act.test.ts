import { describe, expect, test } from 'vitest';
import { openFence } from '#kernel/testing/fences.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder, RegistrarOrder } from '../../ports/registrar.ts';
import type { Sought } from '../../ports/sought.ts';
import { type ActResult, type Finding, findingFrom, sendWhenAbsent, wantedOf } from './act.ts';
import { certificateAct } from './acts/certificate.ts';
import { registrationAct } from './acts/registration.ts';
import { transferAct } from './acts/transfer.ts';
import type { Item } from './item.ts';

/** What the registrar says about an item decides about its money: nothing goes back on a doubt, nothing is sent twice. */

const contact = { firstName: 'Ann' } as never;
const item: Item = {
  ...{ id: 'item-1', organisationId: 'o', orderId: 'order', kind: 'certificate', address: 'www.a.com' },
  ...{
    customerId: null,
    years: 1,
    priceCents: 1_200,
    costCents: 1_000,
    secretsSealed: null,
    state: 'sending',
  },
  ...{
    attempt: 1,
    checks: 0,
    sentAt: null,
    unknownSince: null,
    registrarOrderId: null,
    expiryYear: null,
    publicError: null,
  },
  details: {
    contacts: { owner: contact, admin: contact, billing: contact },
    certificate: {
      ...{ provider: 'p', productType: 'rapidssl', csr: 'csr', validation: 'DNS' },
      ...{ approverEmail: null, renewsOrderId: null },
    },
  },
  outcomeNote: null,
  createdAt: new Date('2026-11-22T12:00:00Z'),
  updatedAt: new Date('2026-11-22T12:00:00Z'),
};

const order = (state: RegistrarOrder['state'], orderId = '7'): RegistrarOrder => ({
  ...{ orderId, domain: 'a.com', kind: 'new', state, tag: 'item-1' },
  ...{ costCents: null, years: 1, orderedAt: null },
});

test('an order may have been placed a day before the item says, and no earlier', () => {
  expect(wantedOf(item)).toEqual({
    ...{ domain: 'www.a.com', tag: 'item-1' },
    since: new Date('2026-11-21T12:00:00Z'),
  });
});

describe('what a look-up by tag means for the money', () => {
  test.each<[string, Sought<RegistrarOrder>, Finding['kind']]>([
    ['a completed order', { kind: 'found', orders: [order('completed')] }, 'done'],
    ['one that waits', { kind: 'found', orders: [order('pending')] }, 'pending'],
    ['one whose state is not known', { kind: 'found', orders: [order('unknown')] }, 'pending'],
    ['one that was declined', { kind: 'found', orders: [order('declined')] }, 'declined'],
    [
      'a declined and a completed one',
      { kind: 'found', orders: [order('declined'), order('completed', '8')] },
      'done',
    ],
    [
      'two completed ones',
      { kind: 'found', orders: [order('completed'), order('completed', '8')] },
      'contradictory',
    ],
    [
      'a declined one and one that waits',
      { kind: 'found', orders: [order('declined'), order('pending', '8')] },
      'pending',
    ],
    [
      'one that waits and a completed one',
      { kind: 'found', orders: [order('pending'), order('completed', '8')] },
      'done',
    ],
    ['one that was cancelled', { kind: 'found', orders: [order('cancelled')] }, 'declined'],
    ['orders that are not named', { kind: 'found', orders: [] }, 'contradictory'],
    ['one of this name without a tag', { kind: 'untagged', orders: [order('completed')] }, 'contradictory'],
    ['none', { kind: 'absent' }, 'absent'],
  ])('%s', (_what, sought, kind) => {
    expect(findingFrom(item, sought).kind).toBe(kind);
  });

  test('tells of a completed and of a waiting order which one it is', () => {
    const found = (...orders: RegistrarOrder[]) => findingFrom(item, { kind: 'found', orders });
    expect(found(order('declined'), order('completed', '8'))).toEqual({
      ...{ kind: 'done', result: { registrarOrderId: '8' } },
    });
    expect(found(order('declined'), order('pending', '8'))).toMatchObject({ registrarOrderId: '8' });
  });

  test('what cannot be read is no answer', () => {
    expect(() => findingFrom(item, { kind: 'unreadable', text: 'x' })).toThrow(UpstreamUnavailable);
  });
});

describe('an order that the registrar has cancelled', () => {
  const finding = (lookup: Parameters<typeof registrationAct>[0]['lookup']) =>
    registrationAct({
      seekOrder: async () => ({ kind: 'found', orders: [order('declined')] }),
      register: () => Promise.reject(new Error('not asked')),
      domain: async () => null,
      lookup,
    }).find({ ...item, kind: 'domain', address: 'a.com' });

  test('says of a name that is taken that somebody else has it', async () => {
    const text = 'a.com is taken. Someone else has registered it.';
    expect(await finding(async () => ({ status: 'taken', reason: null }))).toMatchObject({
      ...{ kind: 'declined', text },
    });
  });

  test('gives the money back though nobody can say whether the name is taken', async () => {
    for (const failure of [new UpstreamUnavailable('x'), new UpstreamRefused('other', '465', 'x')]) {
      expect((await finding(() => Promise.reject(failure))).kind).toBe('declined');
    }
  });
});

test.each([
  ['free', 'available', false],
  ['taken', 'taken', true],
] as const)(
  'of a name that is %s the registrar says whether it would refuse its registration: %s',
  async (_what, status, refuses) => {
    const act = registrationAct({ lookup: async () => ({ status, reason: null }) } as never);
    expect(await act.refuses?.(item)).toBe(refuses);
  },
);

test.each([
  ['transferable', { transferable: true, unavailable: false }, false],
  ['not transferable', { transferable: false, unavailable: false }, true],
  // It could not ask the registry: that is no refusal.
  ['not known', { transferable: false, unavailable: true }, false],
])(
  'of a name that is %s the registrar says whether it would refuse its transfer',
  async (_what, can, refuses) => {
    const act = transferAct({ checkTransfer: async () => can } as never);
    expect(await act.refuses?.(item)).toBe(refuses);
  },
);

describe('what nothing guards against a repeat', () => {
  const sent: Outcome<ActResult> = { kind: 'done', value: { registrarOrderId: '9' } };
  const attempt = async (find: () => Promise<Finding>) => {
    let times = 0;
    const outcome = await sendWhenAbsent(item, find, async () => {
      times += 1;
      return sent;
    });
    return { times, outcome };
  };

  test.each<[string, Finding, Outcome<ActResult>]>([
    ['absent', { kind: 'absent' }, sent],
    [
      'done',
      { kind: 'done', result: { registrarOrderId: '7' } },
      { kind: 'done', value: { registrarOrderId: '7' } },
    ],
    [
      'pending',
      { kind: 'pending', registrarOrderId: '7', text: 'x' },
      { kind: 'pending', orderId: '7', text: 'x' },
    ],
    ['declined', { kind: 'declined', text: 'x' }, { kind: 'unknown', text: 'x' }],
    ['contradictory', { kind: 'contradictory', text: 'x' }, { kind: 'unknown', text: 'x' }],
  ])('is sent only when its order is absent: %s', async (kind, finding, outcome) => {
    expect(await attempt(async () => finding)).toEqual({ times: kind === 'absent' ? 1 : 0, outcome });
  });

  test('is not sent when the registrar cannot say, and the money stays held', async () => {
    for (const failure of [new UpstreamUnavailable('x'), new UpstreamRefused('other', '465', 'x')]) {
      const asked = await attempt(() => Promise.reject(failure));
      expect(asked).toEqual({ times: 0, outcome: { kind: 'unknown', text: 'x' } });
    }
    // A mistake of ours is none of the registrar's.
    await expect(attempt(() => Promise.reject(new Error('mistake')))).rejects.toThrow('mistake');
  });

  test('a certificate that was ordered before a restore is found by its tag and not ordered again', async () => {
    let ordered = 0;
    const found: CertificateOrder = {
      ...{ orderId: '7', domain: 'www.a.com', productType: 'rapidssl', state: 'awaiting-approval' },
      ...{
        productId: null,
        approverEmail: null,
        validation: null,
        tag: 'item-1',
        orderedAt: null,
        notes: [],
      },
    };
    const act = certificateAct({
      seekCertificateOrder: async ({ tag }) => ({ kind: 'found', orders: [{ ...found, tag }] }),
      orderCertificate: async () => {
        ordered += 1;
        return { kind: 'done', value: { orderId: '8', state: 'awaiting-approval' } };
      },
    });
    expect(await act.send(item, {}, openFence)).toEqual({
      kind: 'done',
      value: { registrarOrderId: '7', state: 'awaiting-approval' },
    });
    expect(ordered).toBe(0);
  });

  test('a transfer that runs since before a restore is found by its tag and not requested again', async () => {
    let requested = 0;
    const act = transferAct({
      seekOrder: async ({ kind }) => ({ kind: 'found', orders: [{ ...order('pending'), kind }] }),
      order: async () => null,
      domain: async () => null,
      checkTransfer: () => Promise.reject(new Error('not asked')),
      transferIn: async () => {
        requested += 1;
        return { kind: 'refused', reason: 'not-transferable', code: '487', text: 'Transfer in progress' };
      },
    });
    const secrets = { username: 'u', password: 'p', authCode: 'a' };
    expect(await act.send({ ...item, kind: 'transfer' }, secrets, openFence)).toMatchObject({
      kind: 'pending',
      orderId: '7',
    });
    expect(requested).toBe(0);
  });

  test("an order of ours by its number that carries another's tag is for a person", async () => {
    const act = transferAct({
      seekOrder: async () => ({ kind: 'absent' }),
      order: async () => ({ ...order('completed'), tag: 'item-2' }),
      domain: async () => null,
      checkTransfer: () => Promise.reject(new Error('not asked')),
      transferIn: () => Promise.reject(new Error('not asked')),
    });
    expect((await act.find({ ...item, registrarOrderId: '7' })).kind).toBe('contradictory');
  });
});
