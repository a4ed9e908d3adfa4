import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';

/** Scripts that the page was given, with what they tell of their loading. */
class Script extends EventTarget {
  src = '';
  async = false;
}
let scripts: Script[];
const factory = vi.fn((key: string) => ({ key }));

beforeEach(() => {
  scripts = [];
  factory.mockClear();
  vi.stubGlobal('document', {
    createElement: () => new Script(),
    head: { append: (script: Script) => void scripts.push(script) },
  });
  vi.stubGlobal('window', { Stripe: factory });
  // What was loaded stays with the page.
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const payments = { publishableKey: 'pk_test', scriptUrl: 'https://pay.test/script.js', dashboardUrl: '' };
const load = async () => (await import('./payments-script.ts')).loadPayments(payments);
/** Once the script was asked for. */
const ends = async (at: number, how: 'load' | 'error') => {
  await eventually(() => expect(scripts).toHaveLength(at + 1));
  scripts[at]?.dispatchEvent(new Event(how));
};

test('the script of the payment provider is loaded once, from its address, and begun with the public key', async () => {
  const asked = [load(), load()];
  await ends(0, 'load');
  const [first, second] = await Promise.all(asked);
  expect(second).toBe(first);
  expect(await load()).toBe(first);
  expect(scripts.map(({ src }) => src)).toEqual([payments.scriptUrl]);
  expect(factory.mock.calls).toEqual([['pk_test']]);
});

test('a script that did not load, or is none of the provider’s, is told, and asked for again the next time', async () => {
  const failed = load();
  void ends(0, 'error');
  await expect(failed).rejects.toThrow('the payment form could not be loaded');
  vi.stubGlobal('window', {});
  const other = load();
  void ends(1, 'load');
  await expect(other).rejects.toThrow('the payment form could not be loaded');
  vi.stubGlobal('window', { Stripe: factory });
  const again = load();
  void ends(2, 'load');
  expect(await again).toEqual({ key: 'pk_test' });
});
