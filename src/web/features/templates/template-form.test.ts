import { expect, test } from 'vitest';
import { ApiError } from '../../lib/api-error.ts';
import { bodyOf, failureText, pasted, templateShown, valuesOf, variablesIn } from './template-form.ts';

const empty = valuesOf(null);

test('lines become records, their marks variables with what they are called', () => {
  const values = {
    name: 'Mail',
    text: '@ MX 10 mx.{host}\n@ TXT {proof} {domain}',
    labels: { host: 'Provider' },
    version: 3,
  };
  expect(variablesIn(values)).toEqual([
    { key: 'host', label: 'Provider' },
    { key: 'proof', label: 'proof' },
  ]);
  const sent = bodyOf(values);
  expect(sent).toMatchObject({
    ok: true,
    body: {
      name: 'Mail',
      version: 3,
      records: { MX: [{ subdomain: '', hostname: 'mx.{host}', priority: 10 }] },
    },
  });
  const template = { id: 't', uses: { total: 0, drifted: 0, outdated: 0 }, version: 3 };
  expect(
    sent.ok && valuesOf({ ...template, ...sent.body, variables: sent.body.variables ?? [] }),
  ).toMatchObject({
    ...{ name: 'Mail', text: values.text, version: 3 },
  });
});

test('a line that is none is named; a template without records is none', () => {
  expect(bodyOf({ ...empty, text: '@ A 192.0.2.1\nnonsense' })).toMatchObject({
    message: expect.stringMatching(/^Line 2: /),
  });
  expect(bodyOf(empty)).toEqual({ ok: false, message: 'Please enter at least one record' });
});

test('a public template that is pasted becomes lines, and keeps a name that was typed', () => {
  const connect = JSON.stringify({
    ...{ providerName: 'Post', serviceName: 'Mail', variableDescription: 'key: Your key' },
    records: [
      { type: 'TXT', host: '@', data: 'post=%key%' },
      { type: 'REDIR301', target: 'x' },
    ],
  });
  expect(pasted(empty, connect)).toEqual({
    values: { name: 'Post Mail', text: '@ TXT post={key}', labels: { key: 'Your key' }, version: 1 },
    notes: ['REDIR301 is not known here and was left out.'],
  });
  const mine = { ...empty, name: 'Mine', version: 4 };
  expect(pasted(mine, connect)?.values).toMatchObject({ name: 'Mine', version: 4 });
  expect(pasted(empty, '@ A 192.0.2.1')).toBe(null);
  expect(pasted(empty, '{"records": [')).toMatchObject({
    values: { text: '{"records": [' },
    notes: [expect.any(String)],
  });
});

test('a template that somebody deletes stays on the screen as long as it is being changed, and no longer', () => {
  const [mail, web] = ['mail', 'web'].map((id) => ({ id, version: 1 }));
  const next = { id: 'mail', version: 2 };
  expect(templateShown([next], 'mail', mail ?? null)).toBe(next);
  expect(templateShown([next], 'web', web ?? null)).toBe(web);
  expect(templateShown([next], 'web', null)).toBeNull();
  expect(templateShown([next], 'web', mail ?? null)).toBeNull();
});

test('why a template was not saved is said in words: that it was deleted, too', () => {
  const gone = new ApiError('This could not be found.', { code: 'not_found', status: 404 });
  const taken = new ApiError('Somebody else', { code: 'conflict', status: 409 });
  expect(failureText(gone)).toBe('Somebody has deleted this template. Copy what you want to keep.');
  expect(failureText(taken)).toBe('Somebody else');
  expect(failureText(new Error('Offline'))).toBe('Offline');
});
