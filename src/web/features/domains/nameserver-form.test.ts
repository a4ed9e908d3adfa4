import { expect, test } from 'vitest';
import { inputsOf, problemsOf, tidied } from './nameserver-form.ts';

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
