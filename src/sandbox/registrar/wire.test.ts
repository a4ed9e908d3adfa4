import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from './signature.ts';
import { answerOf, envelope, newOrder, openStand, type Stand } from './test-client.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(() => stand.control('reset'));

const lookup = envelope({
  protocol: 'XCP',
  action: 'LOOKUP',
  object: 'DOMAIN',
  attributes: { domain: 'a.com' },
});
const post = async (...given: Parameters<Stand['post']>) => answerOf(await stand.post(...given));

describe('signature', () => {
  it('gives the published vectors', () => {
    expect(signatureOf(Buffer.from('<test/>'), 'key')).toBe('48ed6e2bb03a40a5c9a7d4b5957d7663');
    expect(signatureOf(Buffer.from('<x/>'), 'key')).toBe('5253b622e134b5ef112e49d8ae7f36b0');
  });

  it('a wrong key, a wrong user and a changed body are all 401 with HTTP 200', async () => {
    const wrong = { status: 200, code: '401', success: '0', message: 'Authentication Failed' };
    expect(await post(lookup, { key: 'other' })).toMatchObject(wrong);
    expect(await post(lookup, { username: 'other' })).toMatchObject(wrong);
    expect(
      await post(`${lookup}\n`, {
        headers: { 'X-Signature': signatureOf(Buffer.from(lookup), 'test-key-0123456789abcdef') },
      }),
    ).toMatchObject(wrong);
  });

  it('covers bytes, not characters', async () => {
    const xml = envelope({
      protocol: 'XCP',
      action: 'NAME_SUGGEST',
      object: 'DOMAIN',
      attributes: { searchstring: 'zürich 東京 abc' },
    });
    expect((await post(xml)).code).toBe('200');
  });

  it('no user is 404 with is_success 1, a denied address 400', async () => {
    expect(await post(lookup, { headers: { 'X-Username': '' } })).toMatchObject({
      code: '404',
      success: '1',
      message: 'Missing X-Username: header',
    });
    await stand.control('deny-ip', { ip: '127.0.0.1' });
    expect(await post(lookup)).toMatchObject({ code: '400', message: 'Access denied: invalid IP address' });
    await stand.control('deny-ip', { ip: '127.0.0.1', on: false });
    expect((await post(lookup)).code).toBe('210');
  });
});

describe('envelope', () => {
  it.each([
    ['no preamble', lookup.replace(/^.*?(?=<OPS_envelope>)/, '')],
    ['no encoding', lookup.replace(" encoding='UTF-8' standalone='no'", '')],
    ['another version', lookup.replace('0.9', '1.0')],
    ['lower case', lookup.replace('LOOKUP', 'lookup').replace('>DOMAIN<', '>domain<')],
    [
      'domain at the top',
      lookup
        .replace('<item key="domain">a.com</item>', '')
        .replace('<item key="object">', '<item key="domain">a.com</item><item key="object">'),
    ],
    ['white space', lookup.replaceAll('><', '>\n  <')],
    ['a dt_scalar', lookup.replace('>a.com<', '><dt_scalar>a.com</dt_scalar><')],
    ['a character reference', lookup.replace('a.com', 'a&#46;com')],
  ])('is read with %s', async (_, xml) => {
    expect((await post(xml)).code).toBe('210');
  });

  it.each([
    [
      'an entity of its own',
      lookup.replace("SYSTEM 'ops.dtd'", '[<!ENTITY e "a.com">]').replace('a.com', '&e;'),
    ],
    ['an unknown entity', lookup.replace('a.com', '&company;')],
    ['an outside entity', lookup.replace("SYSTEM 'ops.dtd'", '[<!ENTITY e SYSTEM "file:///etc/passwd">]')],
    ['no XML', 'hello'],
    ['half of it', lookup.slice(0, 300)],
    ['nothing', ''],
    [
      'too deep',
      lookup.replace('a.com', `${'<dt_assoc><item key="a">'.repeat(40)}x${'</item></dt_assoc>'.repeat(40)}`),
    ],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(lookup.slice(0, 300)), Buffer.from([0xff]), Buffer.from(lookup.slice(300))]),
    ],
  ])('is refused with %s', async (_, xml) => {
    expect(await post(xml)).toMatchObject({ status: 200, code: '400', success: '0' });
  });

  it('another protocol is 500, an unknown command 400', async () => {
    expect((await post(lookup.replace('XCP', 'TPP'))).message).toBe('Unrecognized protocol');
    expect((await post(lookup.replace('LOOKUP', 'CONSTRUCTOR'))).message).toBe(
      'Invalid Command: CONSTRUCTOR DOMAIN',
    );
  });

  it('replies come as the service sends them, with their keys in changing order', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => stand.post(lookup)));
    const first = replies[0];
    expect(first?.text).toMatch(
      /^<\?xml version='1\.0' encoding="UTF-8" standalone="no" \?>\n<!DOCTYPE OPS_envelope SYSTEM "ops\.dtd">\n<OPS_envelope>\n <header>\n {2}<version>0\.9<\/version>\n {2}<\/header>/,
    );
    expect(first?.headers).toMatchObject({
      'content-type': 'text/xml',
      'content-length': String(Buffer.byteLength(first?.text ?? '')),
    });
    const orders = new Set(
      replies.map(({ text }) =>
        [...text.matchAll(/^ {4}<item key="(\w+)"/gm)].map((match) => match[1]).join(),
      ),
    );
    expect(orders.size).toBeGreaterThan(3);
    const meanings = replies.map(({ text }) => answerOf({ text, status: 200, headers: {} }).top);
    for (const meaning of meanings) expect(meaning).toEqual(meanings[0]);
  });

  it('text variants change only the wording', async () => {
    await stand.control('knobs', { variants: true });
    const texts = new Set<string>();
    for (let count = 0; count < 30; count += 1) {
      const reply = await post(lookup);
      expect(reply.code).toBe('210');
      texts.add(reply.message);
    }
    expect(texts.size).toBeGreaterThan(2);
  });
});

describe('limits', () => {
  it('a connection carries 100 commands; the next is 350 and the connection closes', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 100; count += 1) expect((await post(lookup, { agent })).code).toBe('210');
    const over = await post(lookup, { agent });
    expect(over.code).toBe('350');
    expect(over.headers.connection).toBe('close');
    expect((await post(lookup, { agent })).code).toBe('210');
    agent.destroy();
  });

  it('too many a second are 300, too many connections 310', async () => {
    await stand.control('knobs', { perSecond: 1 });
    expect(
      (await Promise.all([post(lookup), post(lookup), post(lookup)])).map((reply) => reply.code),
    ).toContain('300');
    await stand.control('reset');
    await stand.control('knobs', { connections: 1, latencyMs: 20 });
    const codes = (await Promise.all([post(lookup), post(lookup), post(lookup)])).map((reply) => reply.code);
    expect(codes).toContain('310');
  });

  it('anything but POST / is no command', async () => {
    expect((await stand.post(lookup, { path: '/other' })).status).toBe(404);
    expect((await stand.post('', { method: 'GET' })).status).toBe(404);
  });

  it('the panel shows what is held, and no secret of it', async () => {
    await stand.send('SW_REGISTER', 'DOMAIN', newOrder('shown.com'));
    const { domains } = await stand.state();
    const tables = JSON.stringify(await stand.part.view());
    expect(tables).toContain('shown.com');
    expect(tables).not.toContain(domains[0]?.authCode);
    expect(tables).not.toContain('Ab12cd34Ef');
  });
});
