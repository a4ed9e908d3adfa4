import { describe, expect, test } from 'vitest';
import {
  addressOf,
  authorizationBody,
  isFor,
  namesOf,
  type OrderView,
  orderBody,
  problemOfName,
  problemsOfSet,
  refusalOf,
  statusOf,
} from './order.rules.ts';
import { AcmeProblem } from './problems.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const dns = (...values: string[]) => ({ identifiers: values.map((value) => ({ type: 'dns', value })) });

function refusal(run: () => unknown): AcmeProblem {
  try {
    run();
  } catch (error) {
    if (error instanceof AcmeProblem) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('the names of an order', () => {
  test('are lower case, sorted, and each once', () => {
    expect(namesOf(dns('www.Example.com', 'example.com', 'EXAMPLE.com'))).toEqual([
      'example.com',
      'www.example.com',
    ]);
    expect(namesOf(dns('*.example.com'))).toEqual(['*.example.com']);
  });

  test.each([
    ['none', { identifiers: [] }],
    ['no list', { identifiers: 'example.com' }],
    ['no value', { identifiers: [{ type: 'dns' }] }],
    ['no type', { identifiers: [{ value: 'example.com' }] }],
    ['nothing', { identifiers: [null] }],
    ['a wished beginning', { ...dns('example.com'), notBefore: now.toISOString() }],
    ['a wished end', { ...dns('example.com'), notAfter: now.toISOString() }],
    ['101 names', dns(...Array.from({ length: 101 }, (_, index) => `n${index}.example.com`))],
  ])('%s: malformed', (_what, payload) => {
    expect(refusal(() => namesOf(payload)).type).toBe('malformed');
  });

  test('100 names are read', () => {
    expect(namesOf(dns(...Array.from({ length: 100 }, (_, index) => `n${index}.example.com`)))).toHaveLength(
      100,
    );
  });

  test('other kinds of identifiers are not supported yet', () => {
    const problem = refusal(() => namesOf({ identifiers: [{ type: 'ip', value: '192.0.2.1' }] }));
    expect(problem).toMatchObject({
      type: 'unsupportedIdentifier',
      subproblems: [{ identifier: { type: 'ip' } }],
    });
    const long = refusal(() => namesOf({ identifiers: [{ type: 'x'.repeat(51), value: 'y'.repeat(256) }] }));
    expect(long.subproblems[0]?.identifier).toEqual({ type: 'x'.repeat(50), value: 'y'.repeat(255) });
  });

  test('that cannot be had are told together, each with its reason, and each advice once', () => {
    const identifier = { type: 'dns', value: 'a.example' };
    const [one, other] = [
      { ...{ type: 'rejectedIdentifier' as const, detail: 'One.', identifier }, advice: 'Do this.' },
      { ...{ type: 'unsupportedIdentifier' as const, detail: 'Other.', identifier } },
    ];
    expect(refusalOf([one])).toMatchObject({ type: one.type, message: 'One.', advice: 'Do this.' });
    expect(refusalOf([other])).toMatchObject({ type: other.type, message: 'Other.', advice: '' });
    expect(refusalOf([other, one, one, { ...one, advice: 'Or that.' }])).toMatchObject({
      message: '4 of the names cannot be had. Other. One. One. One.',
      ...{ type: 'rejectedIdentifier', advice: 'Do this. Or that.' },
    });
    expect(() => refusalOf([])).toThrow('a refusal needs a reason');
  });

  test.each([
    '',
    'com',
    '192.0.2.1',
    'a..b.com',
    '*.*.example.com',
    'foo.*.com',
    '-a.example.com',
    'example.com.',
    'exämple.com',
  ])('"%s" is no name', (value) => {
    expect(refusal(() => namesOf(dns('example.com', value)))).toMatchObject({
      type: 'rejectedIdentifier',
      subproblems: [{ identifier: { type: 'dns', value } }],
    });
  });
});

describe('a name', () => {
  const managed = { domain: 'example.com', managed: true };
  test('of a managed domain that the access covers is taken', () => {
    expect(problemOfName('www.example.com', null, managed)).toBeNull();
    expect(problemOfName('www.example.com', ['www.example.com'], managed)).toBeNull();
  });

  test('of somebody else, of nobody, and one that the access leaves out are refused with the same words', () => {
    const words = [
      problemOfName('www.example.com', null, null),
      problemOfName('www.example.com', ['shop.example.com'], null),
      problemOfName('www.example.com', ['shop.example.com'], managed),
      problemOfName('www.example.com', ['shop.example.com'], { ...managed, managed: false }),
      problemOfName('www.example.com', ['shop.example.com'], { ...managed, managed: null }),
    ].map((problem) => problem?.detail);
    expect(new Set(words).size).toBe(1);
    expect(words[0]).toBe(
      'www.example.com is not among the names of this access. Ask the provider who gave you the access to add the name, or check how it is spelled.',
    );
  });

  test('whose DNS is elsewhere, or not known yet, is told what to do', () => {
    expect(problemOfName('example.com', null, { ...managed, managed: false })?.detail).toContain(
      'move the DNS of example.com',
    );
    expect(problemOfName('example.com', null, { ...managed, managed: null })?.detail).toContain(
      'in a few minutes',
    );
  });
});

describe('the names of one certificate', () => {
  const single = {
    productType: 'a',
    certificate: 'RapidSSL',
    provider: 'R',
    wildcard: false,
    businessValidated: false,
  };
  const star = { ...single, certificate: 'RapidSSL Wildcard', wildcard: true };
  const refused = (product: typeof single, ...names: string[]) =>
    problemsOfSet(names, product).map(({ identifier }) => identifier.value);

  test.each([
    [['example.com']],
    [['example.com', 'www.example.com']],
    [['www.example.com']],
    [['shop.example.com', 'www.shop.example.com']],
  ])('a plain product covers %s', (names) => {
    expect(refused(single, ...names)).toEqual([]);
  });

  test('a plain product leaves out what is not the name or its www, and wildcards', () => {
    expect(refused(single, 'example.com', 'mail.example.com', 'www.example.com')).toEqual([
      'mail.example.com',
    ]);
    expect(refused(single, '*.example.com', 'example.com')).toEqual(['*.example.com']);
    for (const names of [
      ['a.example.com', 'b.example'],
      ['b.example', 'a.example.com'],
    ]) {
      expect(refused(single, ...names)).toEqual(['a.example.com']);
    }
    expect(problemsOfSet(['example.com', 'other.example'], single)[0]).toMatchObject({
      detail: expect.stringContaining('covers example.com and www.example.com, but not other.example.'),
      identifier: { value: 'other.example' },
    });
  });

  test('a wildcard product covers the wildcard with the name above it, and nothing else', () => {
    expect(refused(star, '*.example.com')).toEqual([]);
    expect(refused(star, '*.example.com', 'example.com')).toEqual([]);
    expect(refused(star, 'example.com')).toEqual(['example.com']);
    expect(refused(star, '*.example.com', 'www.example.com')).toEqual(['www.example.com']);
    expect(refused(star, '*.example.com', '*.other.example')).toEqual(['*.other.example']);
  });

  test.each([
    ['www.example.com', '*.example.com, with or without example.com.'],
    ['www.com', '*.www.com, with or without www.com.'],
  ])('who asks a wildcard product for %s is told which wildcard to ask for', (name, wildcard) => {
    expect(problemsOfSet([name], star)[0]?.detail).toContain(`Ask for ${wildcard}`);
  });

  test('are known to the registrar by the shortest', () => {
    expect(addressOf(['example.com', 'www.example.com'])).toBe('example.com');
    expect(addressOf(['www.example.com', 'example.com'])).toBe('example.com');
    expect(addressOf(['*.example.com', 'example.com'])).toBe('example.com');
    expect(addressOf(['*.example.com'])).toBe('example.com');
    expect(addressOf(['www.example.com'])).toBe('www.example.com');
  });

  test('a certificate is for them with what the authority adds for nothing, and with nothing else', () => {
    expect(isFor(['example.com'], ['example.com'])).toBe(true);
    expect(isFor(['example.com'], ['example.com', 'www.example.com'])).toBe(true);
    expect(isFor(['www.example.com'], ['www.example.com', 'example.com'])).toBe(true);
    expect(isFor(['*.example.com'], ['*.example.com', 'example.com'])).toBe(true);
    expect(isFor(['example.com', 'www.example.com'], ['example.com'])).toBe(false);
    expect(isFor(['example.com'], ['example.com', 'mail.example.com'])).toBe(false);
    expect(isFor(['example.com'], ['*.example.com', 'example.com'])).toBe(false);
  });
});

describe('an order', () => {
  const order: OrderView = {
    ...{ id: '1', names: ['*.example.com', 'example.com'], state: 'ready', givenUp: [], replaces: null },
    ...{ problem: null, createdAt: now, finalizedAt: null, expiresAt: new Date(now.getTime() + 1_000) },
  };
  const at = (path: string) => `https://portal.test/acme/${path}`;

  test('ends when nobody finalizes it in time, or an authorization is given up', () => {
    expect(statusOf(order, now)).toBe('ready');
    expect(statusOf(order, order.expiresAt)).toBe('invalid');
    expect(statusOf({ ...order, givenUp: [0] }, now)).toBe('invalid');
    for (const state of ['processing', 'valid'] as const) {
      expect(statusOf({ ...order, state }, order.expiresAt)).toBe(state);
    }
  });

  test('names its certificate when there is one, and its problem', () => {
    for (const absent of ['certificate', 'replaces', 'error']) {
      expect(orderBody(order, at, now)).not.toHaveProperty(absent);
    }
    expect(orderBody({ ...order, replaces: 'former' }, at, now)).toMatchObject({ replaces: 'former' });
    expect(orderBody({ ...order, state: 'valid' }, at, now)).toMatchObject({
      certificate: 'https://portal.test/acme/certificate/1',
      authorizations: [at('authz/1/0'), at('authz/1/1')],
    });
    expect(orderBody({ ...order, state: 'invalid', problem: { type: 'x' } }, at, now)).toMatchObject({
      error: { type: 'x' },
    });
  });

  test('has authorizations that are valid from the start', () => {
    const show = (index: number, given = order, when = now, withdrawn = false) =>
      authorizationBody(given, index, { at, token: 't', now: when, withdrawn });
    expect(show(0)).toMatchObject({
      ...{ status: 'valid', wildcard: true, identifier: { type: 'dns', value: 'example.com' } },
      challenges: [{ type: 'dns-01', status: 'valid', url: at('challenge/1/0'), token: 't' }],
    });
    expect(show(1)).not.toHaveProperty('wildcard');
    expect(show(0, { ...order, givenUp: [0] })).toMatchObject({ status: 'deactivated' });
    expect(show(1, { ...order, givenUp: [0] })).toMatchObject({ status: 'valid' });
    expect(show(0, order, order.expiresAt)).toMatchObject({ status: 'expired' });
    // The access cannot have the name any more.
    expect(show(1, order, now, true)).toMatchObject({ status: 'revoked' });
    expect(show(0, { ...order, givenUp: [0] }, now, true)).toMatchObject({ status: 'deactivated' });
    expect([show(2), show(-1)]).toEqual([null, null]);
  });
});
