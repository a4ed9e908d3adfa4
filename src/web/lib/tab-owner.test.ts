import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepReturnPath, peekReturnPath } from './return-path.ts';
import { keepText, readText } from './storage.ts';
import { beTabOf, forgetOrganization } from './tab-owner.ts';

/** What a tab keeps, with its entries as properties of its own, as browsers have it. */
class Kept {
  [name: string]: unknown;
  getItem(name: string) {
    return Object.hasOwn(this, name) ? String(this[name]) : null;
  }
  setItem(name: string, text: string) {
    this[name] = text;
  }
  removeItem(name: string) {
    delete this[name];
  }
}

beforeEach(() => void vi.stubGlobal('sessionStorage', new Kept()));
afterEach(() => vi.unstubAllGlobals());
const listed = () => readText('session', 'name-list');

test('what one person kept in a tab is not there for the next one', () => {
  beTabOf('ann');
  keepText('session', 'name-list', 'secret-plan.com');
  beTabOf('ann');
  expect(listed()).toBe('secret-plan.com');
  beTabOf('bob');
  expect(listed()).toBeNull();
});

test('a sign-out leaves nothing, not even for the same person', () => {
  beTabOf('ann');
  keepText('session', 'name-list', 'secret-plan.com');
  beTabOf(null);
  expect(listed()).toBeNull();
  beTabOf('ann');
  expect(listed()).toBeNull();
});

test('what was kept of an organization that was closed is gone, with the way back into it; the tab stays theirs', () => {
  beTabOf('ann');
  keepReturnPath('/customers?page=2');
  keepText('session', 'name-list', 'secret-plan.com');
  forgetOrganization();
  expect([listed(), peekReturnPath()]).toEqual([null, null]);
  keepText('session', 'name-list', 'new-plan.com');
  beTabOf('ann');
  expect(listed()).toBe('new-plan.com');
});

test('the way back that leads through the sign-in stays, and so does what is not ours', () => {
  sessionStorage.setItem('oidc.state', 'x');
  keepReturnPath('/customers?page=2');
  beTabOf('ann');
  expect(peekReturnPath()).toBe('/customers?page=2');
  expect(sessionStorage.getItem('oidc.state')).toBe('x');
});
