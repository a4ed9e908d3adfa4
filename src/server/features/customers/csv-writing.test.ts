import { describe, expect, test } from 'vitest';
import { rejectsCsv, suggestedCells } from './csv-writing.ts';

const columns = ['a', 'import_problem', 'b', 'import_suggestion'];
const fault = (column: string, reason: string, suggestion: string | null) => ({ column, reason, suggestion });
const row = {
  cells: ['1', 'old problem', '2', 'old suggestion'],
  faults: [fault('a', 'Bad', 'good'), fault('', 'Twice', null), fault('b', 'Odd', '')],
};
const linesOf = async (...input: Parameters<typeof rejectsCsv>) =>
  (await rejectsCsv(...input)).toString().replace('\ufeff', '').replace(/\r\n$/, '').split('\r\n');

describe('the file of rejected rows', () => {
  test('has each row as it was, with all that is wrong now and all that is suggested, and nothing of before', async () => {
    expect(await linesOf(columns, [row], false)).toEqual([
      'a,b,import_problem,import_suggestion',
      '1,2,a: Bad; Twice; b: Odd,a: good; b: ',
    ]);
  });

  test('has on request what is suggested in place of it, and an empty cell where that is to be left empty', async () => {
    expect((await linesOf(columns, [row], true))[1]).toBe('good,,a: Bad; Twice; b: Odd,a: good; b: ');
  });

  test('has no cell that a spreadsheet would run, and none beyond the columns', async () => {
    const long = { cells: ['=1', '', '2', '', 'more'], faults: [fault('a', '=bad', '+1')] };
    expect((await linesOf(columns, [long], false))[1]).toBe("'=1,2,a: =bad,a: +1");
    expect((await linesOf(columns, [long], true))[1]).toBe("'+1,2,a: =bad,a: +1");
  });

  test('begins with a mark for spreadsheets, and has its header without any row', async () => {
    expect((await rejectsCsv(['a'], [], false)).toString()).toBe(
      '\ufeffa,import_problem,import_suggestion\r\n',
    );
  });
});

test('suggestions go where their columns are; a short row is filled up, and what is beyond the columns stays', () => {
  const faults = [fault('b', 'Bad', 'x'), fault('c', 'Bad', 'y'), fault('a', 'Bad', null)];
  expect(suggestedCells(['a', 'b'], { cells: ['1'], faults })).toEqual(['1', 'x']);
  expect(suggestedCells(['a', 'b'], { cells: ['1', '2', '3'], faults })).toEqual(['1', 'x', '3']);
});
