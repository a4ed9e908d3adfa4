import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { z } from 'zod';
import type { ListenOptions, SandboxPart } from '../part.ts';
import type { SandboxStore } from '../store.ts';
import { createFaults, type Faults, faultBody } from './faults.ts';
import { type Messages, openMessages, type StoredMessage } from './messages.ts';

const SIZE_LIMIT_BYTES = 10_485_760;

export interface MailOptions extends ListenOptions {
  store: SandboxStore;
}

/** A message from another stand-in, e.g. the identity provider's own mails. */
export interface OutgoingMessage {
  to: string;
  from: string;
  subject: string;
  text: string;
}

export interface MailPart extends SandboxPart {
  /** `smtp://127.0.0.1:4305` */
  url: string;
  send(message: OutgoingMessage): Promise<void>;
  latest(to: string): StoredMessage | null;
  list(to?: string): StoredMessage[];
  find(id: number): StoredMessage | null;
}

const recipientBody = z.strictObject({ to: z.string().optional() }).default({});

/** Starts the mailbox: an SMTP server that keeps every message, no matter who it is for. */
export async function startMail({ store, host, port }: MailOptions): Promise<MailPart> {
  const messages = openMessages(store);
  const faults = createFaults();
  const server = createServer(messages, faults);
  server.server.listen(port, host);
  await once(server.server, 'listening');
  const address = server.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    name: 'mail',
    url: `smtp://${name}:${address.port}`,
    control: {
      messages: (body) => messages.list(recipientBody.parse(body ?? {}).to),
      clear(body) {
        messages.clear(recipientBody.parse(body ?? {}).to);
        faults.clear();
        return { cleared: true };
      },
      fault(body) {
        faults.set(faultBody.parse(body));
        return { set: true };
      },
    },
    view: () => [
      {
        title: 'Messages',
        columns: ['Received', 'To', 'Subject', 'Arrived'],
        rows: messages
          .list()
          .slice(0, 50)
          .map((message) => [message.receivedAt, message.to, message.subject, `${message.deliveries}×`]),
      },
    ],
    async send(message) {
      messages.add({ ...message, html: null, messageId: `<${randomUUID()}@sandbox.example>` });
    },
    latest: (to) => messages.list(to)[0] ?? null,
    list: (to) => messages.list(to),
    find: (id) => messages.find(id),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function createServer(messages: Messages, faults: Faults): SMTPServer {
  const sockets = new Map<number, Socket>();
  const server = new SMTPServer({
    name: 'sandbox.example',
    banner: 'sandbox mailbox',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: SIZE_LIMIT_BYTES,
    // Closing does not wait for clients that keep a connection for later.
    closeTimeout: 200,
    onAuth(auth, _session, callback) {
      callback(null, { user: auth.username ?? 'anyone' });
    },
    onRcptTo({ address }, _session, callback) {
      const refusal = faults.forRecipient(address);
      callback(refusal ? smtpError(refusal.code, refusal.message) : null);
    },
    onData(stream, session, callback) {
      receive(messages, faults, stream, session).then(
        (outcome) => {
          // A hang-up after the effect: the sender cannot know whether the message was taken.
          if (outcome === 'drop') sockets.get(session.remotePort)?.destroy();
          else callback(outcome);
        },
        (error: unknown) => callback(error instanceof Error ? error : smtpError(451, '4.3.0 Local error')),
      );
    },
  });
  server.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    if (remotePort === undefined) return;
    sockets.set(remotePort, socket);
    socket.once('close', () => sockets.delete(remotePort));
  });
  // Clients that vanish in the middle are not this process's end.
  server.on('error', () => undefined);
  return server;
}

async function receive(
  messages: Messages,
  faults: Faults,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<Error | null | 'drop'> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  if (stream.sizeExceeded) return smtpError(552, '5.3.4 The message is too large');
  const fault = faults.take();
  if (fault === 'refuse') return smtpError(550, '5.7.1 Refused');
  if (fault === 'tempfail') return smtpError(451, '4.3.0 Try again later');
  const parsed = await PostalMime.parse(Buffer.concat(chunks));
  const messageId = parsed.messageId ?? `<${randomUUID()}@sandbox.example>`;
  const sender = session.envelope.mailFrom;
  for (const { address } of session.envelope.rcptTo) {
    messages.add({
      to: address,
      from: parsed.from?.address ?? (sender === false ? '' : sender.address),
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html ?? null,
      messageId,
    });
  }
  return fault === 'drop' ? 'drop' : null;
}

function smtpError(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code });
}
