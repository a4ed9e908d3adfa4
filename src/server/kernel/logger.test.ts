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

test.each(secretKeys)('what is called "%s" never reaches a log, at any of the usual depths', (key) => {
  const canary = 'canary-5d1f';
  const lines = logged((logger) => {
    logger.info({ [key]: canary }, 'at the top');
    logger.error({ body: { [key]: canary, kept: 'yes' } }, 'within');
    logger.debug({ request: { headers: { [key]: canary } } }, 'deeper');
  });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain(canary);
  expect(lines.filter((line) => line.includes('[removed]'))).toHaveLength(3);
  expect(lines[1]).toContain('"kept":"yes"');
});

test('one record is one line of JSON, whatever stands in it', () => {
  const lines = logged((logger) => logger.warn({ name: 'a\r\n{"level":60}\n' }, 'b\r\nc\u2028d'));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ name: 'a\r\n{"level":60}\n', msg: 'b\r\nc\u2028d' });
});
