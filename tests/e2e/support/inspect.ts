import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../../support/axe.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** axe finds nothing on the screen as it stands. */
export async function noAxeFindings(page: Page): Promise<void> {
  await isKnown(page);
  expect(await axeFindings(page)).toEqual([]);
}

/** Before it is known who is there, the screen is drawn and is nobody's to use (docs/decisions/0295). */
async function isKnown(page: Page): Promise<void> {
  await expect(page.locator('main[inert]')).toHaveCount(0);
}

/** Collects what must never happen: breaches of the content security policy, also silent ones, and uncaught errors. */
export function watchConsole(page: Page): string[] {
  const found: string[] = [];
  // Browsers report what a library tries and catches, without a word in the console.
  page.on('request', (request) => {
    if (request.url().endsWith('/csp-reports')) found.push(`report: ${request.postData()}`);
  });
  void page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) found.push(message.text());
  });
  page.on('pageerror', (error) => found.push(String(error)));
  return found;
}

/**
 * Looks at the screen as it stands: on a desktop and a phone, light and dark. axe finds nothing, and nothing sticks
 * out to the side. In the dark only colours differ, so only they are looked at again.
 */
export async function inspect(page: Page, what: string): Promise<void> {
  await isKnown(page);
  for (const size of [desktop, phone]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await expectNothing(page, `${what}, ${size.width}, light`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(wide, `${what}, ${size.width}: wider than the window`).toBe(false);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await expectNothing(page, `${what}, ${size.width}, dark`, ['color-contrast']);
  }
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

async function expectNothing(page: Page, what: string, rules?: string[]): Promise<void> {
  expect(await axeFindings(page, rules), what).toEqual([]);
}
