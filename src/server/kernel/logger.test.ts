import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  write(createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } }));
  return lines;
}

/** Named by what may stand in a request, a reply, or an answer of the registrar or the payment provider. */
const secretKeys = [
  ...['authorization', 'cookie', 'password', 'token', 'accessToken', 'refreshToken', 'authCode', 'authInfo'],
  ...['EPPCode', 'domain_auth_info', 'auth_info', 'csr', 'privateKey', 'secret', 'intentSecret'],
  ...['client_secret', 'signedUrl', 'link', 'credentials'],
];

test.each(secretKeys)('what is called "%s" never reaches a log, at any depth', (key) => {
  const canary = 'canary-5d1f';
  const secret = { [key]: canary };
  const lines = logged((logger) => {
    logger.info(secret, 'at the top');
    logger.error({ body: { ...secret, kept: 'yes' } }, 'within');
    logger.debug({ request: { headers: secret } }, 'deeper');
    logger.info({ reply: { body: { data: [{ items: [secret] }] } } }, 'in a list, at the bottom');
    logger.error({ err: Object.assign(new Error('failed'), { config: { headers: secret } }) }, 'of an error');
    logger.error(Object.assign(new Error('failed'), secret));
    logger.error(
      { error: Object.assign(new Error('failed'), secret), errors: [secret] },
      'under other names',
    );
    logger.warn({ answer: { toJSON: () => secret } }, 'by itself');
    logger.child(secret, {}).info('of a part');
    logger
      .child({ request: { headers: secret } })
      .child({}, {})
      .info('of a part, within');
    const part = logger.child({});
    part.setBindings({ within: [secret] });
    part.info('of a part, later');
  });
  expect(lines).toHaveLength(11);
  expect(lines.join('')).not.toContain(canary);
  expect(lines.filter((line) => line.includes('[removed]'))).toHaveLength(11);
  expect(lines[1]).toContain('"kept":"yes"');
});

test('what a line holds besides is written as it is, and is not changed itself', () => {
  const at = new Date('2026-11-28T05:00:00Z');
  const shared = { ok: true };
  const given = { at, list: [1, null, { token: 'abc', name: 'x' }], within: { shared, again: shared } };
  const [line] = logged((logger) => logger.info(given, 'said'));
  expect(JSON.parse(line ?? '')).toMatchObject({
    at: '2026-11-28T05:00:00.000Z',
    list: [1, null, { token: '[removed]', name: 'x' }],
    within: { shared: { ok: true }, again: { ok: true } },
    msg: 'said',
  });
  expect(given.list[2]).toEqual({ token: 'abc', name: 'x' });
});

test('an error keeps its name, text, stack and cause', () => {
  const [line] = logged((logger) =>
    logger.error({ err: new TypeError('wrong', { cause: new Error('deeper') }) }, 'failed'),
  );
  expect(JSON.parse(line ?? '').err).toMatchObject({
    type: 'TypeError',
    message: 'wrong: deeper',
    stack: expect.stringContaining('caused by: Error: deeper'),
  });
});

test('a line is written though it holds a circle, or something that cannot be read', () => {
  const circle: Record<string, unknown> = { name: 'round', token: 'abc' };
  circle.self = circle;
  const unreadable = Object.defineProperty({}, 'broken', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
  const lines = logged((logger) => logger.info({ circle, unreadable, kept: { yes: 1 } }, 'said'));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    circle: { name: 'round', token: '[removed]', self: '[circular]' },
    unreadable: '[unreadable]',
    kept: { yes: 1 },
    msg: 'said',
  });
});

test('one record is one line of JSON, whatever stands in it', () => {
  const lines = logged((logger) => logger.warn({ name: 'a\r\n{"level":60}\n' }, 'b\r\nc\u2028d'));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ name: 'a\r\n{"level":60}\n', msg: 'b\r\nc\u2028d' });
});
