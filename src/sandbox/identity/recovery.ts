import { z } from 'zod';
import { HttpError, readBody, readForm } from '../web.ts';
import { normalizeEmail } from './accounts.ts';
import { messagePage, newPasswordPage } from './pages.ts';
import { passwordComplaint } from './password.ts';
import { type Call, ipOf, sendPage, type World } from './world.ts';

/** Auth0's text for known and unknown addresses alike (checked 2026-11-21). */
const ANSWER = "We've just sent you an email to reset your password.";

const emailShape = z.email().max(254);

export function emailComplaint(email: string): string | null {
  return emailShape.safeParse(email).success ? null : 'Enter an email address such as name@example.com.';
}

/** Counts by address whether or not it is known, and by where the request comes from. */
export function takeResetAttempt(world: World, email: string, ip: string): void {
  for (const key of [`mail ${normalizeEmail(email)}`, `ip ${ip}`]) {
    const attempt = world.limits.take('reset', key);
    if (!attempt.allowed) {
      throw new HttpError(429, 'Too many requests. Try again later.', {
        'retry-after': String(attempt.retryAfterSeconds),
      });
    }
  }
}

export function sendResetLink(world: World, email: string): void {
  const user = world.accounts.byEmail(email);
  if (user) world.letters.reset(user);
}

const changeBody = z.object({
  client_id: z.string().optional(),
  email: z.string(),
  connection: z.string(),
});

/**
 * `POST /dbconnections/change_password`, with Auth0's body and its one answer in plain text, so that the portal has
 * one way for both (checked 2026-11-21).
 */
export async function changePassword(call: Call): Promise<void> {
  const { request, response } = call;
  allowOrigin(call);
  if (request.method === 'OPTIONS') {
    response.writeHead(204, {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    });
    response.end();
    return;
  }
  try {
    await takeChange(call);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // Failures come as JSON with a description that may be shown; the success is plain text.
    response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers });
    response.end(JSON.stringify({ statusCode: error.status, description: error.message }));
  }
}

async function takeChange(call: Call): Promise<void> {
  const { world, request, response } = call;
  if (request.method !== 'POST') throw new HttpError(405, 'Use POST.', { allow: 'POST' });
  const { client_id, email, connection } = parseChange(
    await readBody(request),
    request.headers['content-type'],
  );
  if (client_id !== undefined && !world.clients().some((client) => client.client_id === client_id)) {
    throw new HttpError(400, 'unknown client_id');
  }
  if (connection !== 'Username-Password-Authentication')
    throw new HttpError(400, 'connection does not exist');
  if (emailComplaint(email)) throw new HttpError(400, 'email is not an address');
  takeResetAttempt(world, email, ipOf(call));
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(ANSWER);
  sendResetLink(world, email);
}

function parseChange(text: string, type: string | undefined): z.output<typeof changeBody> {
  let body: unknown = null;
  try {
    const isForm = type?.startsWith('application/x-www-form-urlencoded') ?? false;
    body = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
  const parsed = changeBody.safeParse(body);
  if (!parsed.success) throw new HttpError(400, 'email and connection are required');
  return parsed.data;
}

/** Only the portal's own pages may read the answer. */
export function allowOrigin({ world, request, response }: Call): void {
  const { origin } = request.headers;
  response.setHeader('vary', 'Origin');
  if (origin && world.clients().some((client) => client.origins.includes(origin))) {
    response.setHeader('access-control-allow-origin', origin);
  }
}

const EXPIRED =
  'This link is no longer valid. It works once, for a limited time, and only the newest one counts.';

/** `GET /verify-email?token=`: the link of the mail after signing up. */
export function verifyEmail(call: Call): void {
  const { world, query } = call;
  const user = world.accounts.redeemLink('verify', query.get('token') ?? '');
  if (!user) {
    sendPage(call, 400, messagePage(world.realm, world.clients(), 'Link not valid', EXPIRED));
    return;
  }
  world.accounts.setVerified(user.id, true);
  const text = `${user.email} is confirmed. You can close this page or go on.`;
  sendPage(call, 200, messagePage(world.realm, world.clients(), 'Email confirmed', text));
}

/** `GET /reset-password?token=`: opening the link does not use it up, so that a mail scanner cannot. */
export function showNewPassword(call: Call): void {
  const { world, query } = call;
  const token = query.get('token') ?? '';
  const user = world.accounts.peekLink('reset', token);
  if (!user) {
    sendPage(call, 400, messagePage(world.realm, world.clients(), 'Link not valid', EXPIRED));
    return;
  }
  sendPage(call, 200, newPasswordPage(world.realm, token, user.email));
}

export async function saveNewPassword(call: Call): Promise<void> {
  const { world, request } = call;
  const { accounts, artifacts, letters, realm } = world;
  const form = await readForm(request);
  const token = form.get('token') ?? '';
  const password = form.get('password') ?? '';
  const asking = accounts.peekLink('reset', token);
  const complaint = asking && passwordComplaint(password, asking.email);
  if (asking && complaint) {
    sendPage(call, 400, newPasswordPage(realm, token, asking.email, { complaints: { password: complaint } }));
    return;
  }
  const user = accounts.redeemLink('reset', token);
  if (!user) {
    sendPage(call, 400, messagePage(realm, world.clients(), 'Link not valid', EXPIRED));
    return;
  }
  await accounts.setPassword(user.id, password);
  // The link came by mail to that address: who follows it holds the mailbox.
  accounts.setVerified(user.id, true);
  artifacts.endSessions(user.id);
  letters.passwordChanged(user);
  const text = 'Your password is changed. Sign in with it from now on.';
  sendPage(call, 200, messagePage(realm, world.clients(), 'Password changed', text));
}
