import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type SandboxStore } from '../store.ts';
import { type MailPart, startMail } from './index.ts';
import { linksOf } from './messages.ts';

let dir: string;
let store: SandboxStore;
let mail: MailPart;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sandbox-mail-'));
  store = openStore(dir);
  mail = await startMail({ store, host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await mail.close();
  store.close();
  await rm(dir, { recursive: true });
});

beforeEach(async () => {
  await mail.control.clear?.({});
});

function send(to: string | string[], extra: Record<string, unknown> = {}, url = mail.url) {
  return createTransport(url).sendMail({
    from: 'portal@msp.example',
    to,
    subject: 'Hällo',
    text: 'Hi',
    ...extra,
  });
}

describe('the mailbox', () => {
  it('keeps what arrives by SMTP, with its subject, both bodies and every link once', async () => {
    await send('Ada@Example.org', {
      text: 'Open https://portal.example/invite?token=abc&x=1.\nThanks',
      html: '<p><a href="https://portal.example/invite?token=abc&amp;x=1">Open</a> or <a href="https://help.example/">help</a></p>',
    });
    const message = mail.latest('ada@example.org');
    expect(message).toMatchObject({
      to: 'ada@example.org',
      from: 'portal@msp.example',
      subject: 'Hällo',
      deliveries: 1,
    });
    expect(message?.text).toContain('Thanks');
    expect(message?.html).toContain('<p>');
    expect(message?.links).toEqual(['https://portal.example/invite?token=abc&x=1', 'https://help.example/']);
  });

  it('keeps one message per recipient, newest first, and lists those of one', async () => {
    await send(['a@example.org', 'b@example.org'], { subject: 'first' });
    await send('a@example.org', { subject: 'second' });
    const listed = (await mail.control.messages?.({ to: 'A@example.org' })) as { subject: string }[];
    expect(listed.map(({ subject }) => subject)).toEqual(['second', 'first']);
    expect(mail.list()).toHaveLength(3);
  });

  it('takes the same message id for the same recipient as one message', async () => {
    await send('a@example.org', { messageId: '<one@portal>' });
    await send('a@example.org', { messageId: '<one@portal>' });
    expect(mail.list('a@example.org').map(({ deliveries }) => deliveries)).toEqual([2]);
  });

  it('bounce@, tempfail@ and greylist@ are answered by their names', async () => {
    await expect(send('bounce@example.org')).rejects.toMatchObject({ responseCode: 550 });
    await expect(send('tempfail+1@example.org')).rejects.toMatchObject({ responseCode: 451 });
    await expect(send('greylist@example.org')).rejects.toMatchObject({ responseCode: 451 });
    await send('greylist@example.org');
    expect(mail.list()).toHaveLength(1);
  });

  it('a dropped connection leaves the sender without an answer and the message in the box', async () => {
    await mail.control.fault?.({ mode: 'drop' });
    await expect(send('a@example.org', { messageId: '<drop@portal>' })).rejects.toMatchObject({
      code: 'ECONNECTION',
    });
    await send('a@example.org', { messageId: '<drop@portal>' });
    expect(mail.list('a@example.org').map(({ deliveries }) => deliveries)).toEqual([2]);
  });

  it('a scripted refusal holds for as many messages as it says', async () => {
    await mail.control.fault?.({ mode: 'tempfail', times: 2 });
    await expect(send('a@example.org')).rejects.toMatchObject({ responseCode: 451 });
    await expect(send('a@example.org')).rejects.toMatchObject({ responseCode: 451 });
    await send('a@example.org');
    expect(mail.list()).toHaveLength(1);
  });

  it('takes a sender that signs in, whatever the name and password', async () => {
    await send('a@example.org', {}, mail.url.replace('smtp://', 'smtp://user:secret@'));
    expect(mail.list()).toHaveLength(1);
  });

  it('keeps its messages over a restart', async () => {
    await send('a@example.org', { subject: 'kept' });
    await mail.close();
    mail = await startMail({ store, host: '127.0.0.1', port: 0 });
    expect(mail.latest('a@example.org')?.subject).toBe('kept');
  });
});

describe('linksOf', () => {
  it('leaves out the full stop after a link and anything that is not a web address', () => {
    expect(linksOf('See (https://a.example/b).', '<a href="javascript:alert(1)">x</a>')).toEqual([
      'https://a.example/b',
    ]);
  });
});
