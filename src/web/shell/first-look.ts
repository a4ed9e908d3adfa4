import type { PublicConfig } from '#contracts/operations/system.ts';
import { type Brand, brandOf } from '../features/users/brand-of.ts';
import { expected } from '../features/users/kept-profile.ts';
import { landingHeading, landingText } from '../lib/headings.ts';
import { configOfPage } from '../lib/page-config.ts';
import { sessionMarks } from '../lib/session-marks.ts';
import { callbackPath } from '../lib/sign-in-paths.ts';
import { keptScheme } from '../lib/storage.ts';
import home from '../screens/home.module.css';
import trail from '../ui/breadcrumbs.module.css';
import page from '../ui/page.module.css';
import { headerOf } from './header-title.ts';
import { type Heading, headingOf } from './heading-of.ts';
import shell from './shell.module.css';

/**
 * The frame and the heading of the screen, before there is an app: a phone takes seconds to load and draw that
 * (docs/decisions/0324). It is a picture, with nothing to press, and goes when the app draws something.
 */

export interface Look {
  brand: Pick<Brand, 'name' | 'logo'>;
  /** Somebody is expected: they get room for what they navigate by. */
  isMember: boolean;
  /** They can already go somewhere. */
  hasMenu: boolean;
  /** The header has a line for the search where the window is narrow. */
  hasSearchLine: boolean;
  heading: Heading | null;
  /** Of the landing page. */
  lead: string | null;
}

/** Null: nothing is drawn ahead, as where a sign-in ends. */
export function lookOf(config: PublicConfig, path: string): Look | null {
  if (path === callbackPath) return null;
  if (!sessionMarks.signedIn()) {
    const brand = brandOf(config, null);
    const lead = path === '/' ? landingText(config.appType === 'msp', brand) : null;
    return { brand, isMember: false, hasMenu: false, hasSearchLine: false, heading: null, lead };
  }
  const member = { isMember: true, hasMenu: !path.startsWith('/onboarding'), lead: null };
  const profile = expected()?.profile ?? null;
  // Somebody who was here with another version: what they may do is not known.
  if (profile === null) {
    return { ...member, brand: brandOf(config, null), hasSearchLine: false, heading: null };
  }
  const mayBuy = profile.permissions.includes('catalogue.read');
  const { title, search } = headerOf(path, false, mayBuy);
  return {
    ...{ ...member, brand: brandOf(config, profile) },
    hasSearchLine: search && !(title !== null && mayBuy),
    heading: headingOf(path, mayBuy),
  };
}

/** Draws it where nothing is drawn yet, in the colours that the person has chosen. */
export function showFirstLook(): void {
  document.documentElement.dataset.mantineColorScheme = schemeNow();
  const config = configOfPage();
  const look = config && lookOf(config, window.location.pathname);
  const root = document.getElementById('root');
  if (!look || !root || hasDrawn(root)) return;
  const element = drawn(look);
  // To be seen only, as all that is drawn before it is known who is there: a screen reader says the screen when it is.
  element.setAttribute('aria-hidden', 'true');
  for (const part of element.querySelectorAll('header, main')) part.setAttribute('inert', '');
  root.after(element);
  const observer = new MutationObserver(() => {
    if (!hasDrawn(root)) return;
    observer.disconnect();
    element.remove();
  });
  observer.observe(root, { childList: true });
}

/** Where the app cannot be loaded: a browser that failed to get a file gets it with the next page only. */
export function showNotLoaded(): void {
  const alert = box('div', shell.main, { role: 'alert' });
  document.querySelector('#root + *')?.remove();
  document.body.append(box('div', shell.firstLook, {}, box('div', shell.body, {}, alert)));
  // Said when it is there.
  alert.append(
    box('h1', shell.title, { textContent: 'The portal could not be loaded.' }),
    text('p', 'Please check your connection and reload the page.'),
    box('button', '', { textContent: 'Reload page', onclick: () => window.location.reload() }),
  );
}

/** The app's first drawings have nothing to look at but styles. */
const hasDrawn = (root: Element) => [...root.children].some(({ tagName }) => tagName !== 'STYLE');

function schemeNow(): 'light' | 'dark' {
  const kept = keptScheme();
  if (kept === 'light' || kept === 'dark') return kept;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

function drawn({ brand, isMember, hasMenu, hasSearchLine, heading, lead }: Look): HTMLElement {
  const logo = brand.logo === null ? [] : [box('img', shell.logo, { src: brand.logo, alt: '' })];
  const name = box('span', shell.name, {}, ...logo, box('span', '', { textContent: brand.name }));
  const start = box('div', shell.start, {}, ...(hasMenu ? [box('span', shell.menuButton)] : []), name);
  const search = hasSearchLine ? [box('div', shell.search)] : [];
  return box(
    'div',
    shell.firstLook,
    {},
    box('header', shell.bar, {}, box('div', shell.row, {}, start, ...search)),
    box(
      'div',
      shell.body,
      {},
      ...(isMember ? [box('div', shell.side)] : []),
      box('main', shell.main, {}, ...(lead === null ? headed(heading) : [landing(lead)]), waiting()),
    ),
  );
}

const landing = (lead: string) => box('div', home.landing, {}, text('h1', landingHeading), text('p', lead));

function headed(heading: Heading | null): HTMLElement[] {
  if (heading === null) return [];
  const h1 = text('h1', heading.text);
  if (heading.place === 'shell') return [box('h1', shell.title, { textContent: heading.text })];
  const head = box('div', page.head, {}, box('div', page.title, {}, h1));
  return heading.place === 'trail' ? [box('div', trail.trail, { textContent: '\u00a0' }), head] : [head];
}

/** Says after a second that the portal is still on its way. */
const waiting = () => box('p', shell.firstWait, { textContent: 'Loading…' });

const text = (tag: 'h1' | 'p', textContent: string) => box(tag, '', { textContent });

function box<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...inside: Node[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), { className }, properties);
  element.append(...inside);
  return element;
}
