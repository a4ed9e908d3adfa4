import { type Html, html } from '../web.ts';
import type { IdentityClient, Realm } from './options.ts';
import { PASSWORD_MIN_CHARACTERS } from './password.ts';

const PRODUCT = 'Sandbox sign-in';

type Names = Pick<Realm, 'basePath'>;

function page({ basePath }: Names, title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · ${PRODUCT}</title>
<link rel="stylesheet" href="${basePath}/assets/style.css">
<link rel="icon" href="data:,">
</head>
<body>
<main>
<p class="product">${PRODUCT}</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>`.markup;
}

interface FieldOptions {
  name: 'email' | 'password';
  label: string;
  autocomplete: string;
  value?: string;
  hint?: string | undefined;
  complaint?: string | undefined;
  autofocus?: boolean;
}

function field({ name, label, autocomplete, value = '', hint, complaint, autofocus }: FieldOptions): Html {
  // A complaint says what the hint says, and more.
  const shownHint = complaint ? undefined : hint;
  const described = complaint ? `${name}-error` : shownHint && `${name}-hint`;
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${name}" autocomplete="${autocomplete}" required value="${value}"${
    described && html` aria-describedby="${described}"`
  }${complaint && html` aria-invalid="true"`}${autofocus && html` autofocus`}>
${complaint && html`<p class="wrong" id="${name}-error">${complaint}</p>`}
${shownHint && html`<p class="hint" id="${name}-hint">${shownHint}</p>`}
</div>`;
}

/** What was wrong with the last try, and what was typed in it. */
export interface FormState {
  email?: string;
  /** Above the form. */
  alert?: string;
  /** Beside the fields. */
  complaints?: { email?: string; password?: string };
}

function alert(text: string | undefined): Html | null {
  return text === undefined ? null : html`<p class="alert" role="alert">${text}</p>`;
}

export function signInPage(realm: Names, uid: string, state: FormState = {}): string {
  const base = `${realm.basePath}/interaction/${uid}`;
  return page(
    realm,
    'Sign in',
    html`${alert(state.alert)}
<form method="post" action="${base}/login" novalidate>
${field({
  name: 'email',
  label: 'Email',
  autocomplete: 'username',
  value: state.email ?? '',
  complaint: state.complaints?.email,
  autofocus: !state.email || Boolean(state.complaints?.email),
})}
${field({
  name: 'password',
  label: 'Password',
  autocomplete: 'current-password',
  complaint: state.complaints?.password,
  autofocus: Boolean(state.email) && !state.complaints?.email,
})}
<button type="submit">Sign in</button>
</form>
<p class="links"><a href="${base}/forgot">Forgot your password?</a> · <a href="${base}/signup">Create an account</a></p>`,
  );
}

export function signUpPage(realm: Names, uid: string, state: FormState = {}): string {
  const base = `${realm.basePath}/interaction/${uid}`;
  return page(
    realm,
    'Create an account',
    html`${alert(state.alert)}
<form method="post" action="${base}/signup" novalidate>
${field({
  name: 'email',
  label: 'Email',
  autocomplete: 'username',
  value: state.email ?? '',
  complaint: state.complaints?.email,
  autofocus: !state.email || Boolean(state.complaints?.email),
})}
${field({
  name: 'password',
  label: 'Password',
  autocomplete: 'new-password',
  hint: `At least ${PASSWORD_MIN_CHARACTERS} characters.`,
  complaint: state.complaints?.password,
  autofocus: Boolean(state.email) && !state.complaints?.email,
})}
<button type="submit">Create account</button>
</form>
<p class="links">Have an account already? <a href="${base}/login">Sign in</a></p>`,
  );
}

export function welcomePage(realm: Names, email: string, continueUrl: string): string {
  return page(
    realm,
    'Check your email',
    html`<p>We've sent a link to <strong>${email}</strong>. Open it to confirm that the address is yours.</p>
<p>You can do that later and continue now.</p>
<p><a class="button" href="${continueUrl}">Continue</a></p>`,
  );
}

export function forgotPage(realm: Names, uid: string, state: FormState = {}): string {
  const base = `${realm.basePath}/interaction/${uid}`;
  return page(
    realm,
    'Forgot your password?',
    html`${alert(state.alert)}
<p>Enter your email address. We'll send you a link to choose a new password.</p>
<form method="post" action="${base}/forgot" novalidate>
${field({
  name: 'email',
  label: 'Email',
  autocomplete: 'username',
  value: state.email ?? '',
  complaint: state.complaints?.email,
  autofocus: true,
})}
<button type="submit">Send the link</button>
</form>
<p class="links"><a href="${base}/login">Back to sign in</a></p>`,
  );
}

export function resetSentPage(realm: Names, uid: string, email: string): string {
  return page(
    realm,
    'Check your email',
    html`<p>If there is an account for <strong>${email}</strong>, a link to choose a new password is on its way. It works once, within an hour.</p>
<p class="links"><a href="${realm.basePath}/interaction/${uid}/login">Back to sign in</a></p>`,
  );
}

export function newPasswordPage(realm: Names, token: string, email: string, state: FormState = {}): string {
  return page(
    realm,
    'Choose a new password',
    html`<p>For <strong>${email}</strong>. You'll be signed out everywhere.</p>
<form method="post" action="${realm.basePath}/reset-password" novalidate>
<input type="hidden" name="token" value="${token}">
${field({
  name: 'password',
  label: 'New password',
  autocomplete: 'new-password',
  hint: `At least ${PASSWORD_MIN_CHARACTERS} characters.`,
  complaint: state.complaints?.password,
  autofocus: true,
})}
<button type="submit">Change password</button>
</form>`,
  );
}

function backLink(clients: readonly IdentityClient[]): Html | null {
  const origin = clients[0]?.origins[0];
  return origin === undefined ? null : html`<p><a class="button" href="${origin}/">Go to the portal</a></p>`;
}

export function messagePage(
  realm: Names,
  clients: readonly IdentityClient[],
  title: string,
  text: string,
): string {
  return page(realm, title, html`<p>${text}</p>${backLink(clients)}`);
}

export function errorPage(realm: Names, clients: readonly IdentityClient[], detail: string): string {
  return page(
    realm,
    'This did not work',
    html`<p>Please go back and start again.</p><p class="hint">${detail}</p>${backLink(clients)}`,
  );
}

/** `form` is the library's own markup, with the secret that tells this request from a forged one. */
export function signOutPage(realm: Names, form: string): string {
  return page(
    realm,
    'Sign out?',
    html`<p>Do you want to sign out?</p>
${{ markup: form }}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm" class="second">Stay signed in</button>`,
  );
}

export function signedOutPage(realm: Names, clients: readonly IdentityClient[]): string {
  return messagePage(realm, clients, 'Signed out', 'You have signed out.');
}
