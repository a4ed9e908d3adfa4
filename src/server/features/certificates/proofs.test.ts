import { describe, expect, test, vi } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { StoredProof } from '#kernel/db/schema.ts';
import { createProofs, proofSet } from './proofs.ts';
import type { PlainCertificate } from './rows.ts';

/** A proof of control in DNS: written where the zone is the portal's, and looked for where it is somebody else's. */

const place = { organisationId: 'msp', certificateId: 'c-1' };
const proof = (change: Partial<StoredProof> = {}): StoredProof => ({
  ...{ method: 'DNS' as const, dnsName: '_dnsauth.a.com', dnsType: 'TXT' as const, dnsValue: 'value' },
  ...{ filePath: null, fileContent: null, ...change },
});
type Written = 'set' | 'not-managed' | 'no-domain';

/** What is asked and written, and the state that the proof has then. */
async function prove(
  given: StoredProof | null,
  { row = {}, written = 'set' as Written | Error, txt = [] as string[], cname = [] as string[] } = {},
) {
  const setProof = vi.fn(async (_proof: object) => {
    if (written instanceof Error) throw written;
    return written;
  });
  const resolver = { txt: vi.fn(async () => txt), cname: vi.fn(async () => cname) };
  const stored = { address: 'a.com', state: 'awaiting-approval', proof: null, proof_state: null, ...row };
  const { prove: run } = createProofs({ resolver: resolver as never, setProof });
  const state = await run(place, stored as PlainCertificate, given);
  return {
    state,
    set: setProof.mock.calls.map(([one]) => one),
    asked: { txt: resolver.txt.mock.calls.flat(), cname: resolver.cname.mock.calls.flat() },
  };
}

describe('a record', () => {
  test('is written into the zone of the own organization, and not looked for', async () => {
    expect(await prove(proof())).toEqual({
      state: 'set',
      set: [
        {
          ...{ organisationId: 'msp', name: '_dnsauth.a.com', type: 'TXT', value: 'value', instead: null },
          reason: 'Proof of control for the certificate of a.com',
        },
      ],
      asked: { txt: [], cname: [] },
    });
    expect((await prove(proof({ dnsType: 'CNAME' }))).set).toMatchObject([{ type: 'CNAME' }]);
    expect((await prove(proof({ dnsType: null }))).set).toMatchObject([{ type: 'TXT' }]);
  });

  test.each<[string, StoredProof, string | null]>([
    ['another value at its name', proof({ dnsValue: 'before' }), 'before'],
    ['the same value', proof(), null],
    ['a value at another name', proof({ dnsName: '_other.a.com', dnsValue: 'before' }), null],
  ])('takes the place of what it kept: %s', async (_what, kept, instead) => {
    expect((await prove(proof(), { row: { proof: kept } })).set).toMatchObject([{ instead }]);
  });

  test('that others write is looked for where its kind is', async () => {
    const elsewhere = { written: 'not-managed' as const, txt: ['value'], cname: ['value'] };
    expect(await prove(proof(), { ...elsewhere, cname: [] })).toMatchObject({
      ...{ state: 'present', asked: { txt: ['_dnsauth.a.com'], cname: [] } },
    });
    expect(await prove(proof({ dnsType: 'CNAME' }), { ...elsewhere, txt: [] })).toMatchObject({
      ...{ state: 'present', asked: { txt: [], cname: ['_dnsauth.a.com'] } },
    });
    expect((await prove(proof(), { ...elsewhere, txt: ['other'] })).state).toBe('missing');
    expect((await prove(proof(), { written: 'no-domain' })).state).toBe('waiting');
    expect((await prove(proof(), { written: 'no-domain', row: { state: 'completed' } })).state).toBe(
      'missing',
    );
  });

  test('whose zone is busy keeps the state that it has; a mistake of ours is none of its', async () => {
    const busy = new AppError('in_progress');
    expect(await prove(proof(), { written: busy, row: { proof_state: 'present' } })).toMatchObject({
      ...{ state: 'present', asked: { txt: [], cname: [] } },
    });
    await expect(prove(proof(), { written: new Error('mistake') })).rejects.toThrow('mistake');
  });

  test.each<[string, StoredProof | null]>([
    ['there is no proof', null],
    ['a file proves it', proof({ method: 'File' })],
    ['its name is not known', proof({ dnsName: null })],
    ['its value is not known', proof({ dnsValue: null })],
  ])('is neither written nor looked for while %s', async (_why, given) => {
    expect(await prove(given)).toEqual({ state: null, set: [], asked: { txt: [], cname: [] } });
  });
});

test('what is kept of a proof is its method, and a state where it is a record', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  expect(proofSet(null, 'set', now)).toEqual({});
  expect(proofSet(proof(), 'missing', now)).toEqual({
    ...{ proof: JSON.stringify(proof()), validation_method: 'DNS', proof_state: 'missing' },
    proof_checked_at: now,
  });
  const file = proof({ method: 'File' });
  expect(proofSet(file, 'set', now)).toMatchObject({ validation_method: 'File', proof_state: null });
});
