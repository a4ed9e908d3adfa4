import nodemailer from 'nodemailer';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import type { Mail } from '../../ports/mail.ts';

/** Sends through an SMTP server. One message, one recipient; no line breaks get into headers (the library folds them). */
export function createSmtp(options: { url: string; from: string }): Mail {
  const url = new URL(options.url);
  const transport = nodemailer.createTransport({
    host: url.hostname,
    port: Number(url.port || 25),
    secure: url.protocol === 'smtps:',
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
    // A server without TLS is only ever one on this machine.
    ignoreTLS: url.protocol === 'smtp:' && ['127.0.0.1', 'localhost', '::1'].includes(url.hostname),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message) {
      assertNoTransaction('mail');
      await transport.sendMail({
        from: options.from,
        to: message.to,
        subject: message.subject.replace(/[\r\n]+/g, ' '),
        text: message.text,
        html: htmlOf(message.text),
        messageId: `<${message.messageId.replace(/[^\w.@+-]/g, '-')}@nameward>`,
      });
    },
  };
}

/** The same words with their links as links. */
function htmlOf(text: string): string {
  const escaped = text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const linked = escaped.replace(/https?:\/\/[^\s<]+/g, (link) => `<a href="${link}">${link}</a>`);
  const paragraphs = linked.split(/\n{2,}/).map((part) => `<p>${part.replace(/\n/g, '<br>')}</p>`);
  return `<div style="font:15px/1.5 sans-serif;max-width:34em">${paragraphs.join('')}</div>`;
}
