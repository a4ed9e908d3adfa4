import { act, fireEvent } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { openScreen, screen } from '../../../tests/support/screen.tsx';
import { LongSelect } from './long-select.tsx';

/** A choice among many: what the keyboard does on one that is closed. */

const names = ['Acme', 'Blue Fig', 'Cobalt', 'Delta', 'Echo'];
let chosen: (string | null)[] = [];
type Further = { likely?: boolean; allowDeselect?: boolean; error?: string; openOnFocus?: boolean };
function Choice({ searchable, ...others }: { searchable: boolean } & Further) {
  const [value, setValue] = useState<string | null>('Cobalt');
  return (
    <LongSelect
      label="Customer"
      data={names}
      {...{ value, searchable, openOnFocus: false, ...others }}
      onChange={(name) => {
        chosen.push(name);
        setValue(name);
      }}
    />
  );
}
const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Customer' });
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
/** What Enter would choose. */
const active = () =>
  document.getElementById(field().getAttribute('aria-activedescendant') ?? '')?.textContent ?? null;

beforeEach(() => {
  chosen = [];
});
afterEach(() => {
  vi.restoreAllMocks();
});

const lists = () => screen.queryAllByRole('option', { hidden: true }).length;

/** What is to be done when the page has rested. */
function resting() {
  const calls: (() => void)[] = [];
  const { setTimeout: after } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((does: () => void, ms: number) =>
    ms === 600 ? calls.push(does) : after(does, ms)) as typeof after);
  return { calls };
}

test('that is likely to be opened has no list in the page until the page has rested', async () => {
  const rest = resting();
  await openScreen(() => <Choice searchable likely />);
  expect([lists(), document.querySelector('[data-portal]')]).toEqual([0, null]);
  expect(rest.calls).toHaveLength(1);
  act(() => rest.calls[0]?.());
  await eventually(() => expect(lists()).toBeGreaterThan(0));
});

test('has no list in the page until somebody comes to it, and keeps it from then on', async () => {
  const rest = resting();
  const { user } = await openScreen(() => <Choice searchable />);
  expect([lists(), document.querySelector('[data-portal]'), rest.calls]).toEqual([0, null, []]);
  await user.tab();
  expect(field()).toBe(document.activeElement);
  await eventually(() => expect(lists()).toBeGreaterThan(0));
  await user.tab();
  expect(lists()).toBeGreaterThan(0);
});

test.each([true, false])(
  'an arrow key opens it at what is chosen, and goes on from there: searchable %s',
  async (searchable) => {
    const { user } = await openScreen(() => <Choice searchable={searchable} />);
    for (const arrow of ['{ArrowDown}', '{ArrowUp}']) {
      field().focus();
      await user.keyboard(arrow);
      await eventually(() => expect(options()).toEqual(names));
      expect(active()).toBe('Cobalt');
      await user.keyboard('{Escape}');
    }
    await user.keyboard('{ArrowDown}');
    await eventually(() => expect(options()).toEqual(names));
    await new Promise((done) => setTimeout(done));
    await user.keyboard('{ArrowDown}');
    expect(active()).toBe('Delta');
    await user.keyboard('{Enter}');
    expect([chosen, field().value]).toEqual([['Delta'], 'Delta']);
  },
);

test('draws one option while it is closed', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  const drawn = () => screen.getAllByRole('option', { hidden: true }).map(({ textContent }) => textContent);
  field().focus();
  await eventually(() => expect(drawn()).toEqual(['Cobalt']));
  await user.keyboard('{ArrowDown}');
  await eventually(() => expect(options()).toEqual(names));
  await user.keyboard('{Escape}');
  await eventually(() => expect(drawn()).toEqual(['Cobalt']));
});

test.each([
  ['at the first of them', null, 7],
  ['at the chosen one, with what comes before and after it', 'Name 20', 27],
])(
  'of a hundred those that are in sight are drawn with the press, the others after it: %s',
  async (_what, value, first) => {
    const hundred = Array.from({ length: 100 }, (_, n) => `Name ${n}`);
    await openScreen(() => <LongSelect label="Customer" data={hundred} value={value} searchable />);
    const added: number[] = [];
    const watching = new MutationObserver(() => void added.push(options().length));
    watching.observe(document.body, { childList: true, subtree: true });
    // Testing Library's own press waits for what follows it.
    field().click();
    await eventually(() => expect(options()).toEqual(hundred));
    watching.disconnect();
    expect(added[0]).toBe(first);
  },
);

test('what is typed takes the place of what is chosen, and Enter takes the first that fits', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  await user.click(field());
  await eventually(() => expect(options()).toEqual(names));
  await user.keyboard('e');
  await eventually(() => expect(options()).toEqual(['Acme', 'Blue Fig', 'Delta', 'Echo']));
  await user.keyboard('c');
  await eventually(() => expect(options()).toEqual(['Echo']));
  // The library marks it, and names it to nobody before an arrow key is pressed.
  expect(document.querySelector('[data-combobox-selected]')?.textContent).toBe('Echo');
  await user.keyboard('{Enter}');
  expect([chosen, field().value]).toEqual([['Echo'], 'Echo']);
});

test('a list stays above its field when what is typed shortens it, and goes to the other side when it no longer fits', async () => {
  const rowPx = 40;
  let fieldAtPx = 700;
  const rectOf = (element: Element) => {
    if (element === field()) return new DOMRect(20, fieldAtPx, 300, rowPx);
    return element.classList.contains('mantine-Select-dropdown')
      ? new DOMRect(20, 0, 300, options().length * rowPx)
      : new DOMRect(0, 0, 400, 800);
  };
  const lies = (
    name: 'offsetHeight' | 'offsetWidth' | 'clientHeight' | 'clientWidth',
    of: (rect: DOMRect) => number,
  ) =>
    vi.spyOn(HTMLElement.prototype, name, 'get').mockImplementation(function (this: HTMLElement) {
      return of(rectOf(this));
    });
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return rectOf(this);
  });
  for (const name of ['offsetHeight', 'clientHeight'] as const) lies(name, ({ height }) => height);
  for (const name of ['offsetWidth', 'clientWidth'] as const) lies(name, ({ width }) => width);
  const side = () => document.querySelector('.mantine-Select-dropdown')?.getAttribute('data-position');
  const { user, settled } = await openScreen(() => <Choice searchable />);
  await user.click(field());
  await eventually(() => expect([options(), side()]).toEqual([names, 'top']));
  await user.keyboard('ec');
  await eventually(() => expect(options()).toEqual(['Echo']));
  window.dispatchEvent(new Event('resize'));
  await settled();
  expect(side()).toBe('top');
  await user.keyboard('{Escape}');
  fieldAtPx = 400;
  await user.click(field());
  await eventually(() => expect(side()).toBe('bottom'));
  fieldAtPx = 750;
  window.dispatchEvent(new Event('resize'));
  await eventually(() => expect(side()).toBe('top'));
});

test('what fits none says so, and an emptied field chooses nothing', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  await user.click(field());
  await user.keyboard('x');
  await eventually(() => expect(screen.getByText('Nothing found')).toBeDefined());
  await user.keyboard('{Backspace}');
  await eventually(() => expect(options()).toEqual(names));
  await user.keyboard('{Enter}');
  await user.tab();
  expect([chosen, field().value]).toEqual([[], 'Cobalt']);
});

test('typing the name of what is chosen and Enter keep it chosen', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  await user.click(field());
  await user.keyboard('cob');
  await eventually(() => expect(options()).toEqual(['Cobalt']));
  await user.keyboard('{Enter}');
  expect([chosen, field().value]).toEqual([[], 'Cobalt']);
});

test('what the browser has filled in is kept by Enter', async () => {
  const { user } = await openScreen(() => <Choice searchable allowDeselect={false} />);
  fireEvent.input(field(), { target: { value: 'Delta' } });
  await eventually(() => expect([chosen, field().value]).toEqual([['Delta'], 'Delta']));
  field().focus();
  await user.keyboard('{ArrowDown}');
  await eventually(() => expect(options()).toEqual(names));
  await user.keyboard('{Enter}');
  expect(field().value).toBe('Delta');
});

test('a click puts what is chosen out of the way of what is typed, and leaves what was typed as it is', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  const marked = () => [field().selectionStart, field().selectionEnd];
  await user.click(field());
  expect(marked()).toEqual([0, 'Cobalt'.length]);
  await user.keyboard('ec');
  await user.click(field());
  expect(marked()).toEqual([2, 2]);
});

test('what was typed and given up is no longer looked for at the next click', async () => {
  const { user } = await openScreen(() => <Choice searchable />);
  await user.click(field());
  await user.keyboard('e{Escape}');
  await user.tab();
  await eventually(() => expect(field().value).toBe('Cobalt'));
  await user.click(field());
  expect([field().selectionStart, field().selectionEnd]).toEqual([0, 'Cobalt'.length]);
});

test.each([
  ['with', 'Please choose a customer', 'false'],
  ['without', '', 'true'],
])(
  'that gets the focus %s a fault covers it with no options, else shows them',
  async (_what, error, expanded) => {
    const opened = await openScreen(() => <Choice searchable error={error} openOnFocus />);
    act(() => field().focus());
    await opened.settled();
    expect([document.activeElement, field().getAttribute('aria-expanded')]).toEqual([field(), expanded]);
  },
);
