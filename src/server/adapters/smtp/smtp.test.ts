import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { markTransaction } from '#kernel/db/transaction-context.ts';
import type { Mail } from '../../ports/mail.ts';
import { createSmtp } from './index.ts';

interface Received {
  recipients: string[];
  raw: string;
  mail: Email;
}
let received: Received[] = [];
let refuse: 'nobody' | 'recipient' | 'message' = 'nobody';
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  logger: false,
  onRcptTo: (_address, _session, done) => done(refuse === 'recipient' ? new Error('no such mailbox') : null),
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', async () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      received.push({ recipients, raw, mail: await PostalMime.parse(raw) });
      done(refuse === 'message' ? new Error('mailbox full') : null);
    });
  },
});
let mail: Mail;
const message = {
  to: 'a@msp.example',
  letter: {
    subject: 'Invitation — Nameward',
    parts: ['Hello <A & B>,', 'please come in.'],
    button: { text: 'Accept', address: 'https://portal.example/invite/abc?x=1&y=2' },
  },
  messageId: 'invite:01980000/1',
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  mail = createSmtp({
    url: `smtp://127.0.0.1:${port}`,
    from: 'Nameward <no-reply@msp.example>',
    productName: 'Nameward',
  });
});
beforeEach(() => {
  received = [];
  refuse = 'nobody';
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

test('a message arrives as text and as HTML, with its own id', async () => {
  await mail.send(message);
  const [got] = received;
  expect(got?.recipients).toEqual(['a@msp.example']);
  expect(got?.mail).toMatchObject({
    subject: 'Invitation — Nameward',
    from: { name: 'Nameward', address: 'no-reply@msp.example' },
    messageId: '<invite-01980000-1@nameward>',
  });
  expect(got?.mail.text?.trim()).toBe(
    'Hello <A & B>,\n\nplease come in.\n\nAccept:\nhttps://portal.example/invite/abc?x=1&y=2\n\nNameward',
  );
  expect(got?.mail.html).toContain('<a href="https://portal.example/invite/abc?x=1&#38;y=2"');
  expect(got?.mail.html).toContain('Hello &#60;A &#38; B&#62;,');
  expect(got?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
});

test('no line break in any field makes a header or a second recipient', async () => {
  const injected = '\r\nBcc: evil@elsewhere.example\r\nX-Evil: 1';
  const letter = { ...message.letter, subject: `Hi${injected}` };
  await mail.send({ ...message, letter, messageId: `x${injected}` });
  await mail.send({ ...message, to: `a@msp.example, evil@elsewhere.example` }).catch(() => undefined);
  await mail.send({ ...message, to: `a@msp.example${injected}` }).catch(() => undefined);
  expect(received.length).toBeGreaterThan(0);
  for (const { recipients, mail: parsed } of received) {
    expect(recipients).not.toContain('evil@elsewhere.example');
    expect(recipients).toHaveLength(1);
    const names = parsed.headers.map(({ key }) => key);
    expect(names).not.toContain('bcc');
    expect(names).not.toContain('x-evil');
  }
});

test('a message may bear another’s name, never another’s address', async () => {
  const name = 'Acme <evil@elsewhere.example>\r\nX-Evil: 1';
  await mail.send({ ...message, brand: { name, logo: null }, inItsName: true });
  const [got] = received.slice(-1);
  expect(got?.mail.from?.address).toBe('no-reply@msp.example');
  expect(got?.mail.from?.name).toContain('Acme');
  expect(got?.mail.headers.map(({ key }) => key)).not.toContain('x-evil');
});

test('a logo goes with the mail as its own part; mail programs load nothing from outside', async () => {
  const logo = Buffer.from('89504e470d0a1a0a', 'hex');
  await mail.send({ ...message, brand: { name: 'Acme IT', logo } });
  const [attachment, ...others] = received[0]?.mail.attachments ?? [];
  expect(others).toEqual([]);
  expect(attachment).toMatchObject({
    mimeType: 'image/png',
    disposition: 'inline',
    contentId: '<logo@nameward>',
  });
  expect(Buffer.from(attachment?.content as ArrayBuffer)).toEqual(logo);
  expect(received[0]?.mail.html).toContain('src="cid:logo@nameward"');
});

test('to a server on another machine nothing is sent without TLS, with a user or without', async () => {
  // The same server, by an address that is not one of this machine’s.
  const { port } = server.server.address() as AddressInfo;
  for (const user of ['', 'ann:secret@']) {
    const far = createSmtp({
      ...{
        url: `smtp://${user}[::ffff:127.0.0.1]:${port}`,
        from: 'no-reply@msp.example',
        productName: 'Nameward',
      },
    });
    await expect(far.send(message)).rejects.toThrow(/STARTTLS/);
  }
  expect(received).toEqual([]);
});

test('a message that was not taken is an error, so that its job tries again', async () => {
  for (const who of ['recipient', 'message'] as const) {
    refuse = who;
    await expect(mail.send(message)).rejects.toThrow();
  }
});

test('no mail is sent inside a transaction', async () => {
  await expect(markTransaction(() => mail.send(message))).rejects.toThrow(
    'outside call inside a transaction',
  );
  expect(received).toEqual([]);
});
