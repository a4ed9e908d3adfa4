import { expect, test } from 'vitest';
import { personalJson } from './personal-json.ts';

test('a person’s data is written row by row, and reads as if it had been written in one piece', async () => {
  const row = { id: 1, text: 'two\nlines, "quoted"', none: null, list: [], deep: { a: [1, { b: 'ä' }] } };
  const sections = [
    { title: 'First "one"', rows: [row, { id: 2 }, {}] },
    { title: 'Empty', rows: [] },
  ];
  const head = { exportedAt: '2026-11-22T00:00:00.000Z', subject: { kind: 'user', id: 'x' } };
  let steps = 0;
  const giveWay = () => {
    steps += 1;
    return undefined;
  };
  const file = (await personalJson(head, sections, giveWay)).toString();
  expect(file).toBe(`${JSON.stringify({ ...head, sections }, null, 2)}\n`);
  expect(steps).toBe(3);
  expect((await personalJson({}, [])).toString()).toBe('{\n  "sections": []\n}\n');
});
