import { expect, test } from 'vitest';
import { digestLetter } from './attention.letters.ts';

const item = (name: string | null) => ({ name, title: 'is waiting', detail: 'since today', when: '3 days' });

test('the daily mail names what waits, says how many more there are, and leads to the list', () => {
  expect(digestLetter([item('a.com'), item(null)], 1_202, 'https://portal.test')).toEqual({
    subject: '1,202 things need attention',
    parts: [
      'These need a person. The most urgent come first.',
      {
        rows: [
          ['a.com is waiting', 'since today', '3 days'],
          ['is waiting', 'since today', '3 days'],
        ],
      },
      'and 1,200 more',
    ],
    button: { text: 'Open the list', address: 'https://portal.test/attention' },
    note: 'You asked for this email. You can turn it off below the list.',
  });
});

test('of one thing it speaks of one, and of no more where there are none', () => {
  const { subject, parts } = digestLetter([item('a.com')], 1, 'https://portal.test');
  expect([subject, parts.length]).toEqual(['One thing needs attention', 2]);
  const two = digestLetter([item('a.com')], 2, '');
  expect([two.subject, two.parts.at(-1)]).toEqual(['2 things need attention', 'and 1 more']);
});
