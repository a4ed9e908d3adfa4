import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { profileOf } from '../../../tests/support/screen.tsx';
import { headings, landingHeading } from '../lib/headings.ts';
import { sessionMarks } from '../lib/session-marks.ts';
import { callbackPath } from '../lib/sign-in-paths.ts';
import { showFirstLook, showNotLoaded } from './first-look.ts';

const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } };
const home = window.location.href;
const config = { appType: 'msp', productName: 'Nameward', brand: null } as PublicConfig;

function opened(path: string, given: PublicConfig | null = config): Element | null {
  const text = given === null ? '__PUBLIC_CONFIG__' : JSON.stringify(given);
  document.head.innerHTML = '<meta name="public-config" />';
  document.querySelector('meta')?.setAttribute('content', text);
  document.body.innerHTML = '<div id="root"></div>';
  happyDOM.setURL(new URL(path, home).href);
  showFirstLook();
  return document.querySelector('#root + *');
}

function expectMember(kind: Parameters<typeof profileOf>[0], change: object = {}): void {
  sessionMarks.setSignedIn(true);
  sessionMarks.keepProfile({
    ...{ build: '', email: 'ann@msp.example', profile: { ...profileOf(kind), ...change } },
  });
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  document.head.innerHTML = '';
  document.body.innerHTML = '';
  happyDOM.setURL(home);
  vi.unstubAllGlobals();
});

const heading = (look: Element | null) => look?.querySelector('h1')?.textContent;

describe('before there is an app', () => {
  test('a visitor reads what the portal is for', () => {
    const look = opened('/');
    expect(heading(look)).toBe(landingHeading);
    expect(look?.querySelector('h1 + p')?.textContent).toMatch(/^Register, renew and transfer domains/);
    expect(look?.querySelector('header')?.textContent).toBe('Nameward');
  });

  test('a visitor of a provider’s portal reads its name, and whose domains these are', () => {
    const brand = { name: 'Marsh <b>IT</b>', logoPath: '/files/logo.png' };
    const look = opened('/', { ...config, appType: 'client', brand });
    expect(look?.querySelector('header')?.textContent).toBe(brand.name);
    expect(look?.querySelector('header img')?.getAttribute('src')).toBe(brand.logoPath);
    expect(look?.querySelector('h1 + p')?.textContent).toContain('looked after by Marsh <b>IT</b>.');
    expect(look?.querySelector('b')).toBeNull();
  });

  test('a visitor elsewhere sees the frame alone: they may be led away', () => {
    expect(heading(opened('/cart'))).toBeUndefined();
    expect(opened('/cart')?.querySelector('header')).not.toBeNull();
  });

  test('a member reads the heading of the screen, and the start’s by what they may do', () => {
    expectMember('MSP_OWNER');
    expect(heading(opened('/cart'))).toBe(headings['/cart']);
    expect(heading(opened('/domain/example.com/dns'))).toBe('example.com');
    expect(heading(opened('/'))).toBe('Search for domains');
    expectMember('MSP_CUSTOMER', { permissions: ['profile.self'] });
    expect(heading(opened('/'))).toBe('Your domains and certificates');
  });

  test('a customer’s own user sees the name and the picture of their provider', () => {
    expectMember('MSP_CUSTOMER', { organization: 'Marsh IT', logoPath: null });
    const look = opened('/', { ...config, appType: 'client' });
    expect(look?.querySelector('header')?.textContent).toBe('Marsh IT');
    expect(look?.querySelector('img')).toBeNull();
  });

  test('who was here with another version sees the frame, and no heading that may not be theirs', () => {
    sessionMarks.setSignedIn(true);
    sessionMarks.keepProfile({ build: 'other', email: 'ann@msp.example', profile: profileOf('MSP_OWNER') });
    expect(heading(opened('/'))).toBeUndefined();
    expect(opened('/')?.querySelector('header')).not.toBeNull();
  });

  test('who has yet to finish their account has no menu', () => {
    expectMember('MSP_OWNER');
    const spansOf = (path: string) => opened(path)?.querySelectorAll('header span').length;
    expect(spansOf('/onboarding/2')).toBe((spansOf('/cart') ?? 0) - 1);
  });

  test('it is a picture: a screen reader and the keyboard pass it by', () => {
    expectMember('MSP_OWNER');
    const look = opened('/cart');
    expect(look?.getAttribute('aria-hidden')).toBe('true');
    expect(look?.querySelectorAll('header[inert], main[inert]')).toHaveLength(2);
    expect(look?.querySelector('a, button, input, [tabindex]')).toBeNull();
  });

  test('nothing is drawn where a sign-in ends, and where the page came without its configuration', () => {
    expect(opened(callbackPath)).toBeNull();
    expect(opened('/', null)).toBeNull();
  });
});

describe('the picture', () => {
  const root = () => document.getElementById('root') as HTMLElement;
  const turn = () => new Promise((done) => setTimeout(done));

  test('stays while the app has drawn nothing but styles, and goes with its first drawing', async () => {
    const look = opened('/');
    root().append(document.createElement('style'), document.createComment('waits'));
    await turn();
    expect(look?.isConnected).toBe(true);
    root().append(document.createElement('header'));
    await turn();
    expect(look?.isConnected).toBe(false);
  });

  test('gives way to a word where the app cannot be loaded, and a way to try again', () => {
    const look = opened('/');
    showNotLoaded();
    expect(look?.isConnected).toBe(false);
    const alert = document.querySelector('[role=alert]');
    expect(alert?.closest('[aria-hidden]')).toBeNull();
    expect(alert?.textContent).toMatch(/^The portal could not be loaded\..* reload the page\./);
    const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
    alert?.querySelector('button')?.click();
    expect(reload).toHaveBeenCalledOnce();
  });

  test('does not cover what is drawn already', () => {
    opened('/');
    document.querySelector('#root + *')?.remove();
    root().append(document.createElement('header'));
    showFirstLook();
    expect(document.querySelector('#root + *')).toBeNull();
  });

  test.each([
    ['dark', false, 'dark'],
    ['light', true, 'light'],
    ['auto', true, 'dark'],
    ['auto', false, 'light'],
    [null, true, 'dark'],
  ])('has the colours that were chosen: %s, in a system that is dark: %s', (kept, isDark, scheme) => {
    if (kept) localStorage.setItem('mantine-color-scheme-value', kept);
    vi.stubGlobal('matchMedia', () => ({ matches: isDark }));
    opened('/');
    expect(document.documentElement.dataset.mantineColorScheme).toBe(scheme);
  });
});
