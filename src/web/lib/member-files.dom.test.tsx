import { afterEach, expect, test } from 'vitest';
import { loadMemberFiles } from './member-files.ts';

/** The files that members need are named to the browser before the app runs. */

const named = (content: string) => {
  document.head.replaceChildren(
    Object.assign(document.createElement('meta'), { name: 'member-files', content }),
  );
  loadMemberFiles();
  return [...document.head.querySelectorAll('link')].map((link) => link.outerHTML.replace(/["]/g, ''));
};
const files = '/assets/members-1.js /assets/members-2.css';
afterEach(() => {
  localStorage.clear();
  document.head.replaceChildren();
});

test('for who was signed in here, as what they are', () => {
  localStorage.setItem('nameward.signed-in', '1');
  expect(named(files)).toEqual([
    '<link href=/assets/members-1.js crossorigin= rel=modulepreload>',
    '<link href=/assets/members-2.css crossorigin= rel=preload as=style>',
  ]);
});

test('not for a visitor', () => {
  expect(named(files)).toEqual([]);
});

test('and none where the page names none, as that of a development server', () => {
  localStorage.setItem('nameward.signed-in', '1');
  expect(named('')).toEqual([]);
  expect(named('https://elsewhere.test/assets/x.js')).toEqual([]);
});
