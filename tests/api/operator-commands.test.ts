import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirm, Refused } from '../../tools/operator/confirm.ts';
import { Misused } from '../../tools/operator/misused.ts';
import { operate, operateAs } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { seedOrganisation } from './support/world.ts';

/** What an operator may have typed by mistake, and what asks before it is done. */

let portal: Portal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal[Symbol.asyncDispose]());

const versions = async () =>
  Number((await portal.owner.query('SELECT count(*) FROM price_versions')).rows[0].count);
const recoveries = async () =>
  Number((await portal.owner.query('SELECT count(*) FROM recoveries')).rows[0].count);

describe('a word that is not known', () => {
  test.each([
    [['stauts'], 'There is no command "stauts". Did you mean "status"?'],
    [['set-prise', 'domain', 'com', 'new', '1'], 'Did you mean "set-price"?'],
    [['xyz'], 'There is no command "xyz".\n'],
    // The name of what every object has.
    [['toString'], 'There is no command "toString".'],
    [['status', '--jsn'], 'There is no option "--jsn". Did you mean "--json"?'],
    [['set-price', 'domain', 'com', 'new', '1', '--form', 'x'], 'Did you mean "--from"?'],
    [['status', '-y'], 'There is no option "-y".'],
    [['set-price', 'domain', 'com', 'new', '1', '--from'], '--from needs a value.'],
    [['status', '--json=1'], '--json takes no value.'],
    [['recovery', 'beginn', '2026-11-23T06:00:00Z'], 'Did you mean "begin"?'],
    [['recovery', 'begin', 'yesterday', '--yes'], '"yesterday" is no time.'],
    [['operators', 'ad', 'Ben'], 'Did you mean "add"?'],
    [['keys', 'resea'], 'Did you mean "reseal"?'],
    [['audit', 'verfy'], 'Did you mean "verify"?'],
    [['set-price', 'domian', 'com', 'new', '1', '--yes'], 'Did you mean "domain"?'],
    [['set-price', 'domain', 'com', 'nwe', '1', '--yes'], 'There is no kind of price "nwe".'],
    [['set-price', 'domain', 'com', 'new', '1,5', '--yes'], 'PRICE must be like 12.50, or none.'],
    [
      ['set-price', 'domain', 'com', 'new', '1', '2027-01-01T00:00:00Z', '--yes'],
      '"2027-01-01T00:00:00Z" is one word too many',
    ],
    [
      ['set-price', 'domain', 'com', '--yes'],
      'set-price needs PRODUCT NAME KIND PRICE; KIND PRICE is missing.',
    ],
    [
      ['set-price', 'domain', 'com', 'new', '1', '--organisation', 'x', '--yes'],
      'set-price takes no --organisation.',
    ],
    [['recovery', 'begin'], 'recovery begin needs TIME; TIME is missing.'],
    [['recovery', 'begin', '2099-01-01T00:00:00Z', '--yes'], '2099-01-01T00:00:00Z is still to come.'],
    [['recovery', 'settle'], 'recovery settle needs ID REASON; ID REASON is missing.'],
    // As it was called before a reason was asked for.
    [['recovery', 'settle', 'id', '--yes'], 'recovery settle needs ID REASON; REASON is missing.'],
    [['recovery', 'settle', 'id', 'Charged', 'it'], '"it" is one word too many'],
    [['recovery', 'settle', 'id', 'No'], 'Please give a short reason'],
    [['audit'], 'audit needs a second word: verify.'],
    [['acts', 'all'], 'acts takes no more words; "all" is one word too many.'],
    [['retry', 'reviw', 'x'], 'There is no kind of entry "reviw". Did you mean "review"?'],
    [['retry', 'renewal', 'x'], 'retry renewal needs ORGANISATION DOMAIN; DOMAIN is missing.'],
    [['correct', 'id', 'Acme', '12,50', 'ref', 'reason'], 'AMOUNT must be like 12.50 or -12.50.'],
    // A text without its quotation marks would be entered for good as its first word.
    [['correct', 'id', 'Acme', '12.50', 'ref', 'Never', 'arrived'], '"arrived" is one word too many'],
    [['end-domain', 'id', 'Sold', 'to', 'another'], '"to" is one word too many'],
    [['give-domain', 'a.com', 'id', 'Acme', 'customer', 'Lost', 'it'], '"it" is one word too many'],
    [['give-domain', 'a.com', 'id', 'Acme', 'customer'], 'REASON is missing.'],
    [
      ['operators', 'add', 'Ada', 'Smith'],
      '"Smith" is one word too many. Put a text of several words in quotation marks.',
    ],
    [['set-price', 'domain', 'com', 'new', '1', '--from', 'monday', '--yes'], '"monday" is no time.'],
    [['set-prices', 'nowhere.json', '--yes'], 'nowhere.json cannot be read as JSON'],
  ])('%j is answered by one line that says what is wrong, and nothing is done', async (args, line) => {
    const before = [await versions(), await recoveries()];
    const { code, text } = await operate(portal.app, ...args);
    expect(code).toBe(2);
    expect(`${text.split('\n')[0]}\n`).toContain(line);
    // The whole usage would push that line off the screen.
    expect(text).toContain('npm run operator -- --help shows all commands and options.');
    expect(text.split('\n').length).toBeLessThan(14);
    expect(text).not.toMatch(/^ +at /m);
    expect([await versions(), await recoveries()]).toEqual(before);
  });

  test('what the usage says of the command, and of no other, follows', async () => {
    const { text } = await operate(portal.app, 'end-domain', 'id');
    expect(text).toContain('  end-domain ID REASON ');
    expect(text).toContain("REASON is kept in the organisation's log");
    expect(text).not.toContain('differences');
  });

  test('no word at all is answered by the usage', async () => {
    expect(await operate(portal.app)).toMatchObject({ code: 2, text: expect.stringContaining('<command>') });
    for (const word of ['--help', 'help']) {
      expect(await operate(portal.app, word)).toMatchObject({
        code: 0,
        text: expect.stringContaining('<command>'),
      });
    }
    const { code, text } = await operate(portal.app, 'recovery', '--help');
    expect({ code, lines: text.split('\n').length }).toEqual({ code: 0, lines: 5 });
  });
});

describe('a change of prices', () => {
  const change = ['set-price', 'domain', 'com', 'renewal', '14.25', '--note', 'dearer'];

  test('is shown before and after, and by a script without --yes not made', async () => {
    const before = await versions();
    const { code, text } = await operate(portal.app, ...change);
    expect(code).toBe(2);
    expect(text).toMatch(
      /these prices apply from now on:\n {2}domain com renewal: \$\d+\.\d\d \(cost plus the default margin\) -> \$14\.25; it costs \$/,
    );
    expect(text).toContain('Nothing was done. Where no person can be asked, confirm with --yes.');
    expect(await versions()).toBe(before);
  });

  test('is made with --yes, once, and then is what the next change comes from', async () => {
    const before = await versions();
    const made = await operate(portal.app, ...change, '--yes');
    expect(made).toMatchObject({ code: 0, text: expect.stringContaining('has been saved.') });
    expect(await versions()).toBe(before + 1);
    const later = ['set-price', 'domain', 'com', 'renewal', 'none', '--from', '2099-01-01T00:00:00Z'];
    expect((await operate(portal.app, ...later)).text).toMatch(
      /apply from 2099-01-01T00:00:00Z:\n {2}domain com renewal: \$14\.25 -> cost plus the default margin/,
    );
    expect(await versions()).toBe(before + 1);
  });
});

describe('the person at the terminal', () => {
  const asked = async (typed: string | null, terminal = { input: true, output: true }) => {
    const input = Object.assign(new PassThrough(), { isTTY: terminal.input });
    const output = Object.assign(new PassThrough(), { isTTY: terminal.output });
    if (typed === null) input.end();
    else input.write(typed);
    const outcome = await confirm(['a -> b'], { question: 'Save?', yes: false }, { input, output }).then(
      () => 'done',
      (error: unknown) => error,
    );
    return { outcome, said: String(output.read()) };
  };

  test.each(['y\n', 'yes\n', 'Y\n', ' yes \n'])(
    'who says %j has it done, after they saw what',
    async (typed) => {
      const { outcome, said } = await asked(typed);
      expect(outcome).toBe('done');
      expect(said).toContain('a -> b\n');
      expect(said.indexOf('a -> b')).toBeLessThan(said.indexOf('Save? [y/N]'));
    },
  );

  test.each(['\n', 'n\n', 'no\n', 'yess\n', 'ja\n', null])('who says %j has nothing done', async (typed) => {
    expect((await asked(typed)).outcome).toBeInstanceOf(Refused);
  });

  test('is not a pipe that happens to say yes', async () => {
    for (const terminal of [
      { input: false, output: true },
      { input: true, output: false },
    ]) {
      expect((await asked('y\n', terminal)).outcome).toBeInstanceOf(Misused);
    }
  });
});

test('a recovery says what it stops, and begins with --yes alone', async () => {
  const begin = ['recovery', 'begin', new Date(Date.now() - 7_300_000).toISOString()];
  const before = await recoveries();
  const refused = await operate(portal.app, ...begin);
  expect(refused.code).toBe(2);
  expect(refused.text).toContain('(2 h ago)');
  expect(refused.text).toContain('Until that has ended the portal sends nothing');
  expect(await recoveries()).toBe(before);
  expect(await operate(portal.app, ...begin, '--yes')).toMatchObject({ code: 0 });
  expect(await recoveries()).toBe(before + 1);
});

test('a finding is shown before it is settled, with what follows, and is settled with --yes alone and a reason, which is kept', async () => {
  const id = '0195c1c2-0000-7000-8000-000000000007';
  await portal.owner.query(
    `INSERT INTO recovery_findings (id, recovery_id, kind, subject, text, needs_person, found_at)
     SELECT $1, id, 'order-without-price', 'x', 'Order 12 for lost.example.', true, now() FROM recoveries`,
    [id],
  );
  const settle = ['recovery', 'settle', id, 'Charged by hand'];
  const refused = await operate(portal.app, ...settle);
  expect(refused.code).toBe(2);
  expect(refused.text).toContain('Order 12 for lost.example.\nReason: Charged by hand\n');
  expect(refused.text).toContain('It is the last one. Once it is decided, everything is sent again.');
  const settled = async () =>
    (await portal.owner.query('SELECT settled_at FROM recovery_findings')).rows[0].settled_at !== null;
  expect(await settled()).toBe(false);
  // Nor without a reason, by whatever asks.
  const bare = await portal.call({
    ...{ method: 'POST', url: `/api/operator/recovery/findings/${id}/settle` },
    headers: { authorization: `Bearer ${portal.operatorKey}` },
  });
  expect([bare.status, await settled()]).toEqual([400, false]);
  expect(bare.body).toContain('{"path":"reason","message":"Please give a short reason"}');
  expect(await operate(portal.app, ...settle, '--yes')).toMatchObject({ code: 0 });
  expect(await settled()).toBe(true);
  const acts = JSON.parse((await operate(portal.app, 'acts', '--json')).text) as Record<string, unknown>[];
  expect(acts.find(({ operation }) => operation === 'operator.settleRecoveryFinding')).toMatchObject({
    ...{ operator: 'Ada Smith', outcome: 'done', input: { id, reason: 'Charged by hand' } },
  });
  const again = await operate(portal.app, ...settle, '--yes');
  expect(again).toMatchObject({
    code: 1,
    text: expect.stringContaining(`No finding ${id} waits for a decision.`),
  });
});

test('the end of a domain says which leaves whose list, and a script without --yes ends none', async () => {
  const a = await seedOrganisation(portal, 'ed');
  const { domain } = a.customers[0];
  const { rows } = await portal.owner.query(
    'UPDATE domains SET missing_since = now() WHERE address = $1 RETURNING id',
    [domain],
  );
  const refused = await operate(portal.app, 'end-domain', rows[0].id, 'Sold long ago');
  expect(refused.code).toBe(2);
  expect(refused.text).toContain(`${domain} leaves the list of `);
  expect(refused.text).toContain('Reason: Sold long ago');
  const unknown = ['end-domain', '0195c1c2-0000-7000-8000-000000000009', 'Sold long ago', '--yes'];
  expect(await operate(portal.app, ...unknown)).toMatchObject({
    code: 1,
    text: expect.stringContaining('This is no longer in the queue.'),
  });
  const acts = await operate(portal.app, 'acts', '--json');
  expect(acts.text).not.toContain(rows[0].id);
});

test('an address at which something else answers is named, without a stack', async () => {
  const other = createServer((_request, reply) => void reply.writeHead(502).end('<h1>Bad Gateway</h1>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as AddressInfo;
    const { code, text } = await operateAs('key', port, ['status']);
    expect(code).toBe(1);
    expect(text).toContain(
      `http://127.0.0.1:${port} answered 502 and nothing that a portal says. Is PUBLIC_URL right?`,
    );
    expect(text).not.toMatch(/^ +at /m);
  } finally {
    other.close();
  }
});
