import { setTimeout as pause } from 'node:timers/promises';
import type { PromptDetail } from 'oidc-provider';
import { HttpError, readForm } from '../web.ts';
import { normalizeEmail, type User } from './accounts.ts';
import { errorPage, forgotPage, resetSentPage, signInPage, signUpPage, welcomePage } from './pages.ts';
import { passwordComplaint } from './password.ts';
import { emailComplaint, sendResetLink, takeResetAttempt } from './recovery.ts';
import { type Call, ipOf, sendPage } from './world.ts';

interface Details {
  uid: string;
  prompt: PromptDetail;
  params: Record<string, unknown>;
}

/** `/interaction/<uid>` and below: the pages between "sign in" and the way back to the portal. */
export async function serveInteraction(call: Call): Promise<void> {
  const { world, request, path } = call;
  const [, , , screen = ''] = path.split('/');
  let details: Details;
  try {
    details = await world.provider().interactionDetails(request, call.response);
  } catch {
    // The page was left open for too long, or cookies are off.
    sendPage(call, 400, errorPage(world.realm, world.clients(), 'This sign-in has expired.'));
    return;
  }
  if (details.prompt.name === 'consent') return finish(call, { consent: {} });
  if (request.method === 'GET') return show(call, details, screen);
  if (request.method !== 'POST') throw new HttpError(405, 'Use GET or POST.', { allow: 'GET, POST' });
  requireOwnForm(call);
  const form = await readForm(request);
  if (screen === 'login') return signIn(call, details, form);
  if (screen === 'signup') return signUp(call, details, form);
  if (screen === 'forgot') return forgot(call, details, form);
  throw new HttpError(404, 'There is no such page.');
}

/** A form in somebody else's page must not sign a person in to somebody else's account. */
function requireOwnForm({ request }: Call): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw new HttpError(403, 'This form is not ours.');
}

async function show(call: Call, { uid, params }: Details, screen: string): Promise<void> {
  const { realm } = call.world;
  const email = typeof params.login_hint === 'string' ? params.login_hint : '';
  const wanted = screen === '' && params.screen_hint === 'signup' ? 'signup' : screen;
  if (wanted === '' || wanted === 'login') return sendPage(call, 200, signInPage(realm, uid, { email }));
  if (wanted === 'signup') return sendPage(call, 200, signUpPage(realm, uid, { email }));
  if (wanted === 'forgot') return sendPage(call, 200, forgotPage(realm, uid, { email }));
  throw new HttpError(404, 'There is no such page.');
}

async function finish(call: Call, result: Record<string, unknown>): Promise<void> {
  await call.world.provider().interactionFinished(call.request, call.response, result);
}

function login(user: User) {
  return { login: { accountId: user.id, amr: ['pwd'], remember: true } };
}

async function signIn(call: Call, { uid }: Details, form: URLSearchParams): Promise<void> {
  const { world } = call;
  const email = form.get('email') ?? '';
  const password = form.get('password') ?? '';
  if (email.trim() === '' || password === '') {
    const complaints = {
      ...(email.trim() === '' ? { email: 'Enter your email address.' } : {}),
      ...(password === '' ? { password: 'Enter your password.' } : {}),
    };
    return sendPage(call, 400, signInPage(world.realm, uid, { email, complaints }));
  }
  const key = `${normalizeEmail(email)} ${ipOf(call)}`;
  const attempt = world.limits.take('login', key);
  if (!attempt.allowed) {
    const minutes = Math.ceil(attempt.retryAfterSeconds / 60);
    const alert = `Too many tries. Wait ${minutes} minute${minutes === 1 ? '' : 's'}, or choose a new password.`;
    const headers = { 'retry-after': String(attempt.retryAfterSeconds) };
    return sendPage(call, 429, signInPage(world.realm, uid, { email, alert }), headers);
  }
  const waitMs = world.loginDelayMs(attempt.earlier);
  if (waitMs > 0) await pause(waitMs);
  const user = await world.accounts.authenticate(email, password);
  if (!user) {
    return sendPage(call, 401, signInPage(world.realm, uid, { email, alert: 'Wrong email or password.' }));
  }
  world.limits.forget('login', key);
  world.accounts.signedIn(user.id);
  if (!user.emailVerified && !world.accounts.hasLink(user.id, 'verify')) world.letters.verification(user);
  await finish(call, login(user));
}

async function signUp(call: Call, { uid }: Details, form: URLSearchParams): Promise<void> {
  const { world } = call;
  const email = (form.get('email') ?? '').trim();
  const password = form.get('password') ?? '';
  const wrongEmail = emailComplaint(email);
  const wrongPassword = passwordComplaint(password, email);
  if (wrongEmail || wrongPassword) {
    const complaints = {
      ...(wrongEmail ? { email: wrongEmail } : {}),
      ...(wrongPassword ? { password: wrongPassword } : {}),
    };
    return sendPage(call, 400, signUpPage(world.realm, uid, { email, complaints }));
  }
  const attempt = world.limits.take('signup', ipOf(call));
  if (!attempt.allowed) {
    const headers = { 'retry-after': String(attempt.retryAfterSeconds) };
    const alert = 'Too many new accounts. Try again later.';
    return sendPage(call, 429, signUpPage(world.realm, uid, { email, alert }), headers);
  }
  const user = await world.accounts.create({ email, password });
  if (!user) {
    const complaints = { email: 'There is an account with this address. Sign in instead.' };
    return sendPage(call, 409, signUpPage(world.realm, uid, { email, complaints }));
  }
  world.accounts.signedIn(user.id);
  world.letters.verification(user);
  const continueUrl = await world.provider().interactionResult(call.request, call.response, login(user));
  sendPage(call, 200, welcomePage(world.realm, user.email, continueUrl));
}

async function forgot(call: Call, { uid }: Details, form: URLSearchParams): Promise<void> {
  const { world } = call;
  const email = (form.get('email') ?? '').trim();
  const wrong = emailComplaint(email);
  if (wrong)
    return sendPage(call, 400, forgotPage(world.realm, uid, { email, complaints: { email: wrong } }));
  try {
    takeResetAttempt(world, email, ipOf(call));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return sendPage(call, 429, forgotPage(world.realm, uid, { email, alert: error.message }), error.headers);
  }
  sendPage(call, 200, resetSentPage(world.realm, uid, email));
  sendResetLink(world, email);
}
