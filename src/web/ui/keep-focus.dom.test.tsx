import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { goOnAt, keepFocus, placesFrom } from './keep-focus.ts';

let letGo: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  letGo = keepFocus();
});
afterEach(() => {
  letGo();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

/** Rows of a list, each with a link and a button, in a section of a page. */
function list(...names: string[]) {
  const rows = names.map(
    (name) =>
      `<li id="${name}"><input value="${name}"><a href="/${name}">${name}</a><button>Remove ${name}</button></li>`,
  );
  document.body.innerHTML = `<main tabindex="-1"><section aria-label="Names">${rows.join('')}</section></main>`;
}
const find = <E extends HTMLElement = HTMLElement>(selector: string) => document.querySelector(selector) as E;
const button = (name: string) => find<HTMLButtonElement>(`#${name} button`);
const settle = () => vi.advanceTimersByTimeAsync(1_000);
const focused = () => {
  const { activeElement } = document;
  return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
};

test('a row that goes leaves the focus at the next one, the last at the one before, and the only one at its list', async () => {
  list('a', 'b', 'c');
  button('b').focus();
  find('#b').remove();
  await settle();
  // At a link or a button: a text field would bring up a phone's keyboard.
  expect(focused()).toBe('c');
  find('#c').remove();
  await settle();
  expect(focused()).toBe('a');
  find('#a').remove();
  await settle();
  expect(focused()).toBe('Names');
  // It takes the focus for this once, and is no stop of the keyboard afterwards.
  find('main').focus();
  expect(find('section').hasAttribute('tabindex')).toBe(false);
});

test('a row that is no list item goes on at what the next one is called by, and not at a button that would remove that', async () => {
  const rows = ['a', 'b'].map(
    (name) =>
      `<div data-row id="${name}"><section aria-label="${name}" data-row-link><button>Remove</button></section></div>`,
  );
  document.body.innerHTML = `<main tabindex="-1"><section aria-label="Names">${rows.join('')}</section></main>`;
  button('a').focus();
  find('#a').remove();
  await settle();
  expect(focused()).toBe('b');
  button('b').focus();
  expect(find('#b section').hasAttribute('tabindex')).toBe(false);
});

test('a button that goes from a row that stays leaves the focus in that row', async () => {
  list('a', 'b');
  button('a').focus();
  button('a').remove();
  await settle();
  expect(focused()).toBe('a');
});

test('a row of a table is gone on at its own link, or at the row where that can be opened', async () => {
  document.body.innerHTML = `<table><tbody>
    <tr id="a"><td><button>Act</button></td></tr>
    <tr id="b"><td><input type="checkbox" aria-label="Choose b"><a data-row-link href="/b">b</a></td></tr>
    <tr id="c" tabindex="0" aria-label="c"><td><button>Act</button></td></tr>
  </tbody></table>`;
  button('a').focus();
  find('#a').remove();
  await settle();
  expect(focused()).toBe('b');
  find('#b').remove();
  await settle();
  expect(focused()).toBe('c');
});

test('what is replaced as a whole leaves the focus at what it was in', async () => {
  list('a', 'b');
  button('a').focus();
  find('section').remove();
  await settle();
  expect(document.activeElement).toBe(find('main'));
});

test('what was beside the content of the page leaves the focus at that content', async () => {
  list('a');
  document.body.insertAdjacentHTML('beforeend', '<div role="status"><button id="undo">Undo</button></div>');
  find('#undo').focus();
  find('#undo').remove();
  await settle();
  expect(document.activeElement).toBe(find('main'));
});

test('a button that is disabled while something is saved has the focus again when that has ended', async () => {
  list('a', 'b');
  button('a').focus();
  // As browsers do; the document of the tests leaves the focus where it is.
  button('a').blur();
  button('a').disabled = true;
  await settle();
  expect(document.activeElement).toBe(document.body);
  button('a').disabled = false;
  await settle();
  expect(document.activeElement).toBe(button('a'));
});

test('what takes the focus itself as something else goes keeps it', async () => {
  list('a', 'b');
  button('a').focus();
  find('#a').remove();
  setTimeout(() => button('b').focus(), 20);
  await settle();
  expect(document.activeElement).toBe(button('b'));
});

test('a field that let go of the focus does not get it back', async () => {
  list('a', 'b');
  button('a').focus();
  button('a').blur();
  find('#b').append('changed');
  await settle();
  expect(document.activeElement).toBe(document.body);
  find('#a').remove();
  await settle();
  expect(document.activeElement).toBe(document.body);
});

test('a person who presses beside everything meanwhile has gone on by themselves', async () => {
  list('a', 'b');
  button('a').focus();
  find('#a').remove();
  find('main').dispatchEvent(new Event('pointerdown', { bubbles: true }));
  await settle();
  expect(document.activeElement).toBe(document.body);
});

test('a second press of the same button is not one beside everything', async () => {
  list('a', 'b');
  button('a').focus();
  button('a').dispatchEvent(new Event('pointerdown', { bubbles: true }));
  find('#a').remove();
  await settle();
  expect(focused()).toBe('b');
});

test('what a dialog was opened from has the focus after it, and what is beside that when it goes later', async () => {
  list('a', 'b');
  const places = placesFrom(button('a'));
  goOnAt(places);
  await settle();
  expect(document.activeElement).toBe(button('a'));
  find('#a').remove();
  await settle();
  expect(focused()).toBe('b');
});

test('what a dialog was opened from may have gone before it closes', async () => {
  list('a', 'b');
  const places = placesFrom(button('a'));
  find('#a').remove();
  goOnAt(places);
  await settle();
  expect(focused()).toBe('b');
});
