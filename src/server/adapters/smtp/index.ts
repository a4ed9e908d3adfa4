import type { Transporter } from 'nodemailer';
import { assertNoTransaction } from '#kernel/db/transaction-context.ts';
import type { Mail } from '../../ports/mail.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { htmlOf, logoId, textOf } from './layout.ts';

const loopback = ['127.0.0.1', 'localhost', '[::1]'];
/** Submission without and with TLS from the start (RFC 8314). */
const usualPort: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };

/** Sends through an SMTP server: one message, one recipient, and no line break gets into a header. */
export function createSmtp(options: {
  url: string;
  from: string;
  productName: string;
  mayAct?: () => Promise<boolean>;
}): Mail {
  const url = new URL(options.url);
  const local = loopback.includes(url.hostname);
  let transport: Transporter | undefined;
  const settings = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (usualPort[url.protocol] ?? 25),
    secure: url.protocol === 'smtps:',
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
    // A server without TLS is only ever one on this machine: letters hold links that let people in.
    ignoreTLS: url.protocol === 'smtp:' && local,
    requireTLS: url.protocol === 'smtp:' && !local,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  /** The library takes 20 MB, so it is there from the first letter on. */
  async function opened(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    transport ??= createTransport(settings);
    return transport;
  }
  return {
    async send(message) {
      assertNoTransaction('mail');
      if (options.mayAct && !(await options.mayAct())) {
        throw new UpstreamUnavailable('no mail is sent while the records are compared');
      }
      const mailer = await opened();
      const { brand, inItsName } = message;
      const sent = await mailer.sendMail({
        from:
          brand && inItsName
            ? { name: oneLine(brand.name), address: bareAddress(options.from) }
            : options.from,
        // As an object it is one address, whatever commas it holds.
        to: { name: '', address: oneLine(message.to) },
        subject: oneLine(message.letter.subject),
        text: textOf(message, options.productName),
        html: htmlOf(message, options.productName),
        attachments: brand?.logo
          ? [{ cid: logoId, content: brand.logo, contentType: 'image/png', contentDisposition: 'inline' }]
          : [],
        messageId: `<${message.messageId.replace(/[^\w.@+-]/g, '-')}@nameward>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      if ((sent.rejected ?? []).length > 0) throw new Error('the mail server refused the recipient');
    },
  };
}

/** `Name <address>` or the address alone. */
function bareAddress(from: string): string {
  return /<([^<>]+)>/.exec(from)?.[1] ?? from;
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
