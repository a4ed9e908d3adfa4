import { describe, expect, test } from 'vitest';
import { htmlOf, textOf } from '../../src/server/adapters/smtp/layout.ts';
import { allLetters } from '../support/all-letters.ts';
import { exportedFunctions, ownLetters } from './rules/letters.ts';
import { parseSource, readSources } from './source.ts';

const sources = readSources();
/** What somebody has typed into a name. */
const typed = `<b onclick="x('1')">Ann & 'Co'</b>`;
const samples = allLetters(typed);
const brand = { name: typed, logo: Buffer.from('logo') };

describe('every mail', () => {
  test('of the product is in the catalogue of samples', () => {
    const makers = new Set(samples.map(({ maker }) => maker));
    expect(exportedFunctions(sources).filter((name) => !makers.has(name))).toEqual([]);
  });

  test('is made by a function of a letters file, and goes through the one post office', () => {
    expect(ownLetters(sources)).toEqual([]);
  });

  test.each([
    `await enqueueJob(tx, 'mail.send', { to });`,
    `await enqueueJob(tx, 'billing.notify', { to });`,
    `await mail.send({ to, letter: { subject: 'Hello', parts: [] } });`,
    `await tellManagers(tx, { notice, letter: { subject: 'Hello', parts: [] } });`,
  ])('that is written in place is caught: %s', (text) => {
    expect(ownLetters([parseSource('server/features/orders/planted.ts', text)])).toHaveLength(1);
  });

  test.each(samples)(
    'has two parts that say the same, one button at most, and no markup of others: $name',
    (sample) => {
      const { letter, from } = sample;
      const message = {
        letter,
        ...(from === 'operator' ? {} : { brand, inItsName: from === 'organization' }),
      };
      const [text, html] = [textOf(message, 'Nameward'), htmlOf(message, 'Nameward')];
      expect(text.trim().length).toBeGreaterThan(40);
      const words = readable(html);
      for (const line of text.split('\n').flatMap((part) => part.split('  '))) {
        // The address of the button has its label before it, and stands below it in the HTML part.
        expect(words).toContain(line.trim().replace(/:$/, ''));
      }
      const links = [...html.matchAll(/<a /g)];
      expect(links).toHaveLength(letter.button ? 1 : 0);
      expect(html).not.toContain('<b ');
      expect(
        [...html.matchAll(/(?:src|background)="([^"]*)"/g)].every(([, to]) => to?.startsWith('cid:')),
      ).toBe(true);
      expect(html).not.toMatch(/<script|<link|@import|url\(/);
      if (from === 'organization') expect(text + html).not.toContain('Nameward');
      else expect(text).toContain(from === 'operator' ? 'Nameward' : typed);
    },
  );
});

/** The words of the HTML part, as a mail program shows them. */
function readable(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<br>/g, '\n')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
