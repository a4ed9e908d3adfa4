import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLogger, linesTogether } from './logger.ts';

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

describe('lines go out together', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const line = 'x'.repeat(100);

  /** A destination of pino that holds lines until it is flushed, and says when it has written them. */
  function holding() {
    vi.useFakeTimers();
    const out = Object.assign(new EventEmitter(), {
      held: 0,
      isWriting: false,
      isFull: false,
      flushes: 0,
      lines: [] as string[],
      write(text: string) {
        if (out.isFull) return void out.emit('drop', text);
        out.lines.push(text);
        out.held += text.length;
      },
      flush() {
        out.flushes += 1;
        if (!out.isWriting) out.written(out.held);
      },
      /** What is being written already is not its concern. */
      flushSync() {
        out.held = 0;
      },
      written(bytes: number) {
        out.isWriting = false;
        out.held -= bytes;
        out.emit('write', bytes);
        out.emit('drain');
      },
    });
    return { out, logger: createLogger({ level: 'trace', destination: linesTogether(out) }) };
  }

  test('after a tenth of a second, and then nothing wakes the process', () => {
    const { out, logger } = holding();
    for (let count = 0; count < 20; count += 1) logger.info(line);
    vi.advanceTimersByTime(99);
    expect(out.flushes).toBe(0);
    vi.advanceTimersByTime(1);
    expect([out.flushes, out.held]).toEqual([1, 0]);
    vi.advanceTimersByTime(10_000);
    expect(out.flushes).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
    logger.info(line);
    vi.advanceTimersByTime(100);
    expect([out.flushes, out.held]).toEqual([2, 0]);
  });

  test('a warning goes out at once, with all before it', () => {
    const { out, logger } = holding();
    logger.info(line);
    expect(out.held).toBeGreaterThan(0);
    logger.warn(line);
    expect(out.held).toBe(0);
    logger.error(line);
    expect(out.held).toBe(0);
    expect(out.flushes).toBe(2);
  });

  test('what came while lines were written goes out after them', () => {
    const { out, logger } = holding();
    logger.info(line);
    const first = out.held;
    out.isWriting = true;
    logger.info(line);
    vi.advanceTimersByTime(100);
    expect([out.flushes, out.held]).toEqual([1, 2 * first]);
    out.written(first);
    vi.advanceTimersByTime(100);
    expect([out.flushes, out.held]).toEqual([2, 0]);
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('lines that had no room, because nobody read the log, are counted once it is read again', () => {
    const { out, logger } = holding();
    logger.info(line);
    const first = out.held;
    Object.assign(out, { isWriting: true, isFull: true });
    for (let count = 0; count < 3; count += 1) logger.info(line);
    vi.advanceTimersByTime(10_000);
    expect(out.held).toBe(first);
    out.isFull = false;
    out.written(first);
    vi.advanceTimersByTime(100);
    expect(out.held).toBe(0);
    expect(out.lines.map((text) => JSON.parse(text).lines)).toEqual([undefined, 3]);
    expect(JSON.parse(out.lines[1] ?? '')).toMatchObject({ level: 40, time: expect.any(String) });
    out.written(0);
    vi.advanceTimersByTime(1_000);
    expect(out.lines).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a line of the level fatal is written before the program goes on, also while others are written', () => {
    const { out, logger } = holding();
    logger.info(line);
    out.isWriting = true;
    logger.fatal(line);
    expect(out.held).toBe(0);
    out.isWriting = false;
    logger.info(line);
    vi.advanceTimersByTime(10_000);
    expect(out.held).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(['process.exit(3)', 'setTimeout(() => {}, 1)', 'throw new Error("unforeseen")'])(
    'the end of the process writes what is held: %s',
    (end) => {
      const module = JSON.stringify(fileURLToPath(new URL('./logger.ts', import.meta.url)));
      const program = `const { createLogger } = await import(${module}); createLogger({ level: 'info' }).info('last words'); ${end}`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
      expect(String(stdout)).toContain('last words');
    },
  );
});
