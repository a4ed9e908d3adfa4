import { expect, test } from 'vitest';
import { inputsOf, problemsOf, tidied, withAnother, withName, without } from './nameserver-form.ts';

const names = (...given: string[]) => inputsOf(given);

test('there are never fewer inputs than a domain needs, and one for each nameserver that it has', () => {
  expect(names().map(({ name }) => name)).toEqual(['', '']);
  expect(names('a.example.net').map(({ name }) => name)).toEqual(['a.example.net', '']);
  expect(names('a', 'b', 'c').map(({ id }) => id)).toEqual([0, 1, 2]);
});

test('an empty input is asked for, and one that names another again is told so, however it is written', () => {
  expect([...problemsOf(names('ns1.example.net', ' '))]).toEqual([[1, 'This field is required']]);
  // Said at its input, and not once more of all of them.
  expect([...problemsOf(names('ns1.example.net', ' NS1.example.net. '))]).toEqual([
    [1, 'A nameserver is listed twice'],
  ]);
});

test('two good names have no problem; a name that is none is told at its input', () => {
  expect(problemsOf(names('NS1.example.net.', 'ns2.example.net')).size).toBe(0);
  expect([...problemsOf(names('ns1.example.net', 'no name')).keys()]).toEqual([1]);
});

test('pasted names lose blanks, capitals and the last dot', () => {
  expect(tidied(' NS1.Example.net. ')).toBe('ns1.example.net');
});

test.each([0, 1, 2, 3])(
  'after the input %i was removed a new one is typed into and removed alone, and so is each of the others',
  (removed) => {
    const given = ['a.example.net', 'b.example.net', 'c.example.net', 'd.example.net'];
    const rest = given.toSpliced(removed, 1);
    const inputs = withAnother(without(inputsOf(given), removed));
    expect(inputs.map(({ name }) => name)).toEqual([...rest, '']);
    for (const [index, { id }] of inputs.entries()) {
      const typed = withName(inputs, id, 'new.example.net').map(({ name }) => name);
      expect(typed).toEqual([...rest, ''].with(index, 'new.example.net'));
      expect(without(inputs, id).map(({ name }) => name)).toEqual([...rest, ''].toSpliced(index, 1));
    }
  },
);

test('no two inputs have one number, in whatever order they are added and removed', () => {
  let inputs = inputsOf([]);
  for (const step of ['add', 'add', 2, 'add', 'add', 3, 2, 'add', 4, 'add', 'add', 2, 'add'] as const) {
    inputs = step === 'add' ? withAnother(inputs) : without(inputs, inputs[step]?.id ?? -1);
    expect(new Set(inputs.map(({ id }) => id)).size).toBe(inputs.length);
  }
  expect(withAnother([])).toEqual([{ id: 0, name: '' }]);
});
