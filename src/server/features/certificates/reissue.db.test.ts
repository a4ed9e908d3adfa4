import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sql } from '#kernel/db/database.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { CertificateInput } from '../../ports/registrar.ts';
import { findById, updateCertificate } from './certificates.repo.ts';
import { createCertificates } from './certificates.service.ts';
import { createMachineCertificates } from './machine.ts';
import { createReissue, type ReissueRequest } from './reissue.ts';
import { insertReissue, moveReissue } from './reissues.repo.ts';
import { createCertificateTasks } from './tasks.ts';

/** What a reissue asks of the registrar, what each answer leaves behind, and which certificates the portal reissues by itself. */

const now = new Date('2026-11-22T12:00:00Z');
const in_ = (days: number) => new Date(now.getTime() + days * 86_400_000);
const clock = { now: () => now };
const contacts = contactsOf({ organization: 'Acme Ltd' });
type Answer = Outcome<{ orderId: string; state: string }>;
const done: Answer = { kind: 'done', value: { orderId: '81', state: 'awaiting-approval' } };
let database: TestDatabase;
let organisationId: string;
let customerId: string;
const orderCertificate = vi.fn(async (_input: CertificateInput, _fence: unknown): Promise<Answer> => done);

beforeAll(async () => {
  database = await createTestDatabase();
  await anotherOrganization();
});
afterAll(() => database.close());
beforeEach(() => {
  vi.resetAllMocks();
  orderCertificate.mockResolvedValue(done);
});

async function anotherOrganization(): Promise<void> {
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
}

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const place = (certificateId: string) => ({ organisationId, certificateId });
const read = async (id: string) => {
  const row = await tenant((tx) => findById(tx, place(id)));
  if (!row) throw new Error(`no certificate ${id}`);
  return row;
};
type Change = Parameters<typeof certificateRow>[2];
/** In use, proven by a record that the portal wrote, in the middle of its term. */
const certificate = (change: Change = {}) =>
  certificateRow(database, organisationId, {
    ...{ address: 'a.com', product_type: 'rapidssl', registrar_order_id: '71', issued_order_id: '79' },
    ...{ customer_id: customerId, csr: 'CSR of then', serial: '0a', contacts: JSON.stringify(contacts) },
    ...{ validation_method: 'DNS', proof_state: 'set' as const, auto_reissue: true, ordered_at: in_(-100) },
    ...{ valid_from: in_(-100), valid_to: in_(20), term_ends_at: in_(200), ...change },
  });
const reissueAt = () =>
  createReissue({ db: database.db, clock, actMs: 60_000, registrar: { orderCertificate } });
const reissue = async (id: string, given: Partial<ReissueRequest> = {}) =>
  reissueAt()(await read(id), { csr: 'CSR of now', automatic: false, ...given });
const reissuesOf = (id: string) =>
  tenant((tx) =>
    tx
      .selectFrom('certificate_reissues')
      .selectAll()
      .where('certificate_id', '=', id)
      .orderBy('created_at')
      .execute(),
  );
const sent = () => orderCertificate.mock.calls.map(([input]) => input);

describe('the registrar', () => {
  test('is asked for the next certificate of the first order, with the contacts of then, under the tag of the reissue', async () => {
    const id = await certificate({ approver_email: 'admin@a.com' });
    expect(await reissue(id)).toBe('running');
    const [stored] = await reissuesOf(id);
    expect(sent()).toEqual([
      {
        ...{ domain: 'a.com', productType: 'rapidssl', csr: 'CSR of now', years: 1, contacts },
        ...{ validation: 'DNS', approverEmail: null, tag: stored?.id, reissues: '71' },
      },
    ]);
  });

  const proof = (method: 'DNS' | 'File' | 'Email') =>
    JSON.stringify({
      ...{ method, dnsName: null, dnsType: null, dnsValue: null, filePath: null, fileContent: null },
    });
  test.each<[string, Change, Partial<ReissueRequest>, object]>([
    [
      ...(['who approved before', { approver_email: 'it@a.com', proof: proof('Email') }, {}] as const),
      { validation: 'Email', approverEmail: 'it@a.com' },
    ],
    [
      'a mailbox that every authority may ask, where none was named',
      { proof: proof('Email') },
      ...([{}, { validation: 'Email', approverEmail: 'admin@a.com' }] as const),
    ],
    ['the file of before', { proof: proof('File') }, {}, { validation: 'File', approverEmail: null }],
    [
      'a record, where a machine asks',
      { approver_email: 'it@a.com', proof: proof('Email') },
      ...([{ byDns: true }, { validation: 'DNS', approverEmail: null }] as const),
    ],
  ])('is told that control is proven by %s', async (_what, change, given, expected) => {
    await reissue(await certificate({ ...change, auto_reissue: false }), given);
    expect(sent()).toMatchObject([expected]);
  });

  test('finds the intent written down, and once: a second reissue is not sent beside it', async () => {
    const id = await certificate();
    orderCertificate.mockImplementationOnce(async () => {
      expect(await reissuesOf(id)).toMatchObject([
        { state: 'sending', csr: 'CSR of now', automatic: false, registrar_order_id: null, ended_at: null },
      ]);
      await expect(reissue(id)).rejects.toMatchObject({ code: 'in_progress' });
      return done;
    });
    await reissue(id);
    expect(sent()).toHaveLength(1);
    expect(await reissuesOf(id)).toHaveLength(1);
  });

  test('is not asked where it cannot be: the term is over, nothing was issued, or the contacts are not known', async () => {
    for (const [change, message] of [
      [{ term_ends_at: now }, 'The order term has ended. Renew the certificate instead.'],
      [{ state: 'in-progress' }, 'You can reissue a certificate only after it has been issued.'],
      [{ contacts: null }, 'The order has no contacts. Please renew the certificate instead.'],
    ] as const) {
      const id = await certificate(change);
      await expect(reissue(id)).rejects.toMatchObject({ code: 'unprocessable', message });
      expect(await reissuesOf(id)).toEqual([]);
    }
    expect(sent()).toEqual([]);
  });

  test('is not asked when the intent cannot be written with what belongs to it', async () => {
    const id = await certificate();
    await expect(reissue(id, { intended: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
    expect([sent(), await reissuesOf(id)]).toEqual([[], []]);
  });
});

describe('its answer', () => {
  const open = { ended_at: null, remark: null };
  test.each<[Answer, string, object]>([
    [done, 'running', { ...open, registrar_order_id: '81' }],
    [
      { kind: 'pending', orderId: '82', text: 'Later' },
      ...(['running', { ...open, registrar_order_id: '82' }] as const),
    ],
    [{ kind: 'pending', orderId: null, text: 'Later' }, 'running', { ...open, registrar_order_id: null }],
    [
      { kind: 'unknown', text: 'Timed out' },
      ...(['unknown', { ended_at: null, remark: 'Timed out', registrar_order_id: null }] as const),
    ],
  ])('%j leaves it %s, and it is looked at now', async (answer, state, stored) => {
    const id = await certificate();
    orderCertificate.mockResolvedValue(answer);
    expect(await reissue(id)).toBe(state);
    expect(await reissuesOf(id)).toMatchObject([{ state, ...stored }]);
    expect(await runsAt(database.url, `certificate:${id}`)).toEqual(now);
  });

  const refusal = { kind: 'refused', reason: 'invalid', code: '465', text: 'Bad request' } as const;
  const busy = { kind: 'busy', code: '300', text: 'Later' } as const;
  test.each([
    [refusal, { code: 'registrar_refused', message: 'Bad request', error: '465' }],
    [busy, { code: 'upstream_unavailable', message: 'Later', error: '300' }],
  ])('%j ends it, and a person is told', async (answer, told) => {
    const id = await certificate();
    orderCertificate.mockResolvedValue(answer);
    await expect(reissue(id)).rejects.toMatchObject(told);
    expect(await reissuesOf(id)).toMatchObject([{ state: 'declined', remark: answer.text, ended_at: now }]);
    // Another one can be asked for at once.
    orderCertificate.mockResolvedValue(done);
    expect(await reissue(id)).toBe('running');
  });

  test.each([refusal, busy])('%j ends one that a job began, and the job goes on', async (answer) => {
    const id = await certificate();
    orderCertificate.mockResolvedValue(answer);
    expect(await reissue(id, { automatic: true })).toBe('declined');
    expect(await reissuesOf(id)).toMatchObject([{ state: 'declined', automatic: true, ended_at: now }]);
  });

  test.each([
    ['takes it', done, true],
    ['refuses it', refusal, false],
  ] as const)(
    'that comes when it was given up, and %s: operators hear of it: %s',
    async (_how, answer, told) => {
      const id = await certificate();
      await takeJobs(database.url);
      orderCertificate.mockImplementationOnce(async ({ tag }) => {
        const change = { state: 'declined' as const, ended_at: now };
        await tenant((tx) => moveReissue(tx, clock, tag, { change, olderThanMs: 0 }));
        return answer;
      });
      await reissue(id, { automatic: true });
      const [stored] = await reissuesOf(id);
      const alerts = (await takeJobs(database.url)).filter(({ task }) => task === 'operator.alert');
      const text = `The registrar took the reissue ${stored?.id} after it had been given up: order 81.`;
      expect(alerts.map(({ payload }) => payload)).toEqual(told ? [{ kind: 'late answer', text }] : []);
      expect(stored).toMatchObject({ state: 'declined', registrar_order_id: null });
    },
  );
});

test('a reissue by itself is in the log, for the customer whose certificate it is; one of a person is not told twice', async () => {
  await anotherOrganization();
  const [mine, theirs] = [await certificate(), await certificate()];
  await reissue(mine, { automatic: true });
  await reissue(theirs, { intended: async () => undefined });
  const [stored] = await reissuesOf(mine);
  expect(await logged(database.db, { organisationId }, 'certificates.autoReissue')).toEqual([
    {
      ...{ by: 'Automatic reissue', kind: 'certificate', object: 'a.com', before: null },
      after: { reissue: stored?.id },
    },
  ]);
  expect(await loggedAbout(database.db, { organisationId }, 'certificates.autoReissue')).toEqual([
    customerId,
  ]);
});

describe('for a machine', () => {
  const refresh = vi.fn(async () => undefined);
  const machine = () =>
    createMachineCertificates({ db: database.db, clock, reissue: reissueAt(), refresh } as never);

  test('the reissue is of its own request, proven by a record, and known as its access’s', async () => {
    const accessId = newId();
    await anotherOrganization();
    const madeBy = await userRow(database, organisationId);
    await tenant((tx) =>
      tx
        .insertInto('acme_accesses')
        .values({
          ...{ id: accessId, organisation_id: organisationId, customer_id: customerId, name: 'web' },
          ...{ key_id: accessId, hmac_sealed: Buffer.from('sealed'), hosts: null, product_type: 'rapidssl' },
          ...{ made_by: madeBy, by_customer: false, revoked_at: null, expires_at: null },
        })
        .execute(),
    );
    const id = await certificate({ approver_email: 'it@a.com', auto_reissue: false });
    const intended = vi.fn(async () => undefined);
    await machine().reissue(place(id), { csr: 'CSR of the machine', accessId, intended });
    expect(sent()).toMatchObject([{ csr: 'CSR of the machine', validation: 'DNS', approverEmail: null }]);
    const [stored] = await reissuesOf(id);
    expect(stored).toMatchObject({ automatic: true, csr: 'CSR of the machine', acme_access_id: accessId });
    expect(intended.mock.calls).toEqual([[expect.anything(), stored?.id]]);
    // The one who asked for it logs it.
    expect(await logged(database.db, { organisationId }, 'certificates.autoReissue')).toEqual([]);
  });

  test('a certificate that was read a moment ago is not asked about again', async () => {
    for (const [ms, asked] of [
      [1_999, 0],
      [2_000, 1],
    ] as const) {
      refresh.mockClear();
      const id = await certificate({ synced_at: new Date(now.getTime() - ms) });
      await machine().bring(place(id));
      expect(refresh, String(ms)).toHaveBeenCalledTimes(asked);
    }
    const never = await certificate({ synced_at: null });
    await machine().bring(place(never));
    expect(refresh).toHaveBeenLastCalledWith(place(never), expect.objectContaining({ id: never }));
    await machine().bring(place(newId()));
    expect(refresh).toHaveBeenCalledTimes(2);
    await expect(machine().required(place(newId()))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the sweep', () => {
  /** Its work alone: what it has looked at, and what it has reissued. */
  async function sweep() {
    const reissued: string[] = [];
    const tasks = createCertificateTasks({
      ...{ db: database.db, systemDb: database.systemDb, clock, refresh: async () => undefined },
      reissue: async ({ id }) => void reissued.push(id),
    });
    await tasks['certificates.sweep']();
    return reissued;
  }

  /** Nothing of it is due for the tests that follow. */
  const endsWithTest = () =>
    onTestFinished(async () => {
      await database.systemDb
        .updateTable('certificates')
        .set({ auto_reissue: false, next_sync_at: null })
        .execute();
    });

  test('reissues what comes after one that cannot be, and then fails', async () => {
    endsWithTest();
    const [broken, next] = [await certificate({ valid_to: in_(1) }), await certificate({ valid_to: in_(2) })];
    const failure = new RangeError('a date that is none');
    const reissued: string[] = [];
    const tasks = createCertificateTasks({
      ...{ db: database.db, systemDb: database.systemDb, clock, refresh: async () => undefined },
      reissue: async ({ id }) => {
        if (id === broken) throw failure;
        reissued.push(id);
      },
    });
    await expect(tasks['certificates.sweep']()).rejects.toBe(failure);
    expect(reissued).toContain(next);
  });

  test('comes to what is due, however much before it fails again and again', async () => {
    endsWithTest();
    const many = await certificate({ valid_to: in_(0.1), next_sync_at: in_(-9) });
    await sql`INSERT INTO certificates SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
        'registrar_order_id', 'copy-' || n, 'order_item_id', null))).*
      FROM certificates c, generate_series(1, 500) n WHERE c.id = ${many}`.execute(database.systemDb);
    const last = await certificate({ valid_to: in_(3), next_sync_at: in_(-1) });
    const tried = new Set<string>();
    for (let turn = 0; turn < 2; turn += 1) {
      const at = new Date(now.getTime() + turn * 60_000);
      const tasks = createCertificateTasks({
        ...{ db: database.db, systemDb: database.systemDb, clock: { now: () => at } },
        refresh: async () => undefined,
        reissue: async ({ id }) => {
          tried.add(id);
          throw new Error('cannot be reissued');
        },
      });
      await expect(tasks['certificates.sweep']()).rejects.toThrow('cannot be reissued');
      expect(tried.size).toBeLessThanOrEqual((turn + 1) * 500);
    }
    expect(tried).toContain(last);
    expect(await runsAt(database.url, `certificate:${last}`)).not.toBeNull();
    await database.systemDb
      .deleteFrom('certificates')
      .where('registrar_order_id', 'like', 'copy-%')
      .execute();
  });

  test('marks what has run out, has looked at what is due, and leaves the rest alone', async () => {
    const [over, due, waits] = [
      await certificate({ valid_to: now, auto_reissue: false }),
      await certificate({ next_sync_at: now, auto_reissue: false }),
      await certificate({ next_sync_at: in_(1), auto_reissue: false }),
    ];
    const mine = (ids: string[]) => ids.filter((id) => [over, due, waits].includes(id));
    expect(mine(await sweep())).toEqual([]);
    expect([(await read(over)).state, (await read(due)).state]).toEqual(['expired', 'completed']);
    expect(await runsAt(database.url, `certificate:${due}`)).toEqual(now);
    for (const id of [over, waits]) expect(await runsAt(database.url, `certificate:${id}`)).toBeNull();
  });

  test('reissues what ends in less than 30 days, what ends first before the others', async () => {
    const [later, sooner, last] = [
      await certificate({ valid_to: in_(29.9) }),
      await certificate({ valid_to: in_(5) }),
      await certificate({ valid_to: in_(30) }),
    ];
    const ids = [later, sooner, last];
    expect((await sweep()).filter((id) => ids.includes(id))).toEqual([sooner, later]);
  });

  /** As the portal composes it. */
  async function reissuedBySweep(id: string) {
    const tasks = createCertificates({
      ...{
        db: database.db,
        systemDb: database.systemDb,
        clock,
        actMs: 60_000,
        publicUrl: 'https://portal.test',
      },
      registrar: { orderCertificate },
    } as never).tasks;
    await tasks['certificates.sweep']();
    const [stored] = await reissuesOf(id);
    return stored;
  }

  test('reissues with the same request, in nobody’s name', async () => {
    const id = await certificate();
    expect(await reissuedBySweep(id)).toMatchObject({
      csr: 'CSR of then',
      automatic: true,
      state: 'running',
    });
  });

  test.each<[string, Change]>([
    ['whose proof is none of DNS', { validation_method: 'File' }],
    ['that has expired', { state: 'expired' }],
    ['that nobody wants reissued', { auto_reissue: false }],
  ])('reissues none %s', async (_which, change) => {
    expect(await reissuedBySweep(await certificate(change))).toBeUndefined();
  });

  test('goes on after one that the registrar refuses', async () => {
    const [first, second] = [
      await certificate({ valid_to: in_(1) }),
      await certificate({ valid_to: in_(2) }),
    ];
    orderCertificate.mockImplementation(async () => ({ kind: 'busy', code: '300', text: 'Later' }));
    expect(await reissuedBySweep(second)).toMatchObject({ state: 'declined' });
    expect(await reissuesOf(first)).toMatchObject([{ state: 'declined' }]);
  });

  test.each<[string, Answer]>([
    ['is reissued', done],
    ['is refused', { kind: 'busy', code: '300', text: 'Later' }],
  ])('asks once for what %s by a sweep beside it', async (_what, answer) => {
    endsWithTest();
    const [first, second] = [
      await certificate({ valid_to: in_(1) }),
      await certificate({ valid_to: in_(2) }),
    ];
    orderCertificate.mockResolvedValue(answer).mockImplementationOnce(async () => {
      // The next minute's sweep comes while this one waits for the registrar, and what it begins comes to its end.
      await reissuedBySweep(second);
      await database.systemDb
        .updateTable('certificate_reissues')
        .set({ state: 'completed', ended_at: now })
        .where('certificate_id', '=', second)
        .where('state', '=', 'running')
        .execute();
      return done;
    });
    await reissuedBySweep(first);
    expect([(await reissuesOf(first)).length, (await reissuesOf(second)).length]).toEqual([1, 1]);
  });

  test('does not try the same one again within a day', async () => {
    const id = await certificate();
    const before = { id: newId(), csr: 'csr', automatic: true };
    await tenant((tx) => insertReissue(tx, clock, place(id), before));
    await tenant((tx) =>
      moveReissue(tx, clock, before.id, { change: { state: 'declined' }, olderThanMs: 0 }),
    );
    expect(await sweep()).not.toContain(id);
    await tenant((tx) =>
      tx
        .updateTable('certificate_reissues')
        .set({ created_at: in_(-1) })
        .where('id', '=', before.id)
        .execute(),
    );
    expect(await sweep()).toContain(id);
    await tenant((tx) => updateCertificate(tx, place(id), { term_ends_at: in_(20) }));
    expect(await sweep()).not.toContain(id);
  });
});
