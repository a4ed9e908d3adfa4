import { describe, expect, test } from 'vitest';
import { commands } from './command-table.ts';
import { meaningOf, wordsOf } from './outcome.ts';
import type { Reply } from './parse.ts';
import { refusalText } from './texts.ts';
import type { XcpMap } from './xcp.ts';

const reply = (code: string, success: boolean, text = '', attributes: XcpMap = {}): Reply => ({
  code,
  success,
  text,
  attributes,
  top: {},
});
const kindOf = (command: keyof typeof commands, ...args: Parameters<typeof reply>) => {
  const meaning = meaningOf(reply(...args), commands[command].rules);
  return meaning.kind === 'refused' ? meaning.reason : meaning.kind;
};

const acts = ['register', 'renew', 'transfer', 'orderCertificate'] as const;

describe('for an order that costs money', () => {
  test.each(acts)('%s: success needs code and is_success to agree', (command) => {
    expect(kindOf(command, '200', true)).toBe('done');
    expect(kindOf(command, '200', false)).toBe('unknown');
    expect(kindOf(command, '250', true)).toBe('pending');
    expect(kindOf(command, '250', false)).toBe('unknown');
  });

  test.each(acts)(
    '%s: nobody knows after 400, 404, 405, 436, 702–705, 720 and codes no table has',
    (command) => {
      for (const code of [
        '400',
        '404',
        '405',
        '436',
        '702',
        '703',
        '704',
        '705',
        '720',
        '212',
        '446',
        '999',
        '0',
      ]) {
        expect([code, kindOf(command, code, false, 'Internal server error.')]).toEqual([code, 'unknown']);
        expect([code, kindOf(command, code, true, 'x')]).toEqual([code, 'unknown']);
      }
      expect(kindOf(command, '705', false, 'Timed out, resubmit request.')).toBe('unknown');
      expect(kindOf(command, '400', false, 'Unable to complete registration, please retry')).toBe('unknown');
    },
  );

  test.each(acts)('%s: a refusal code with is_success 1 is a contradiction, not a refusal', (command) => {
    for (const code of ['415', '420', '435', '440', '460', '465', '480', '485', '487', '541', '552', '555']) {
      expect([code, kindOf(command, code, true)]).toEqual([code, 'unknown']);
    }
  });

  test.each(acts)('%s: 300, 310, 350, 437 and 486 had no effect and may be sent again', (command) => {
    for (const code of ['300', '310', '350', '437', '486']) expect(kindOf(command, code, false)).toBe('busy');
    for (const code of ['310', '350', '437', '486']) expect(kindOf(command, code, true)).toBe('unknown');
  });

  test('300 with success is an order that waits, not a rate limit', () => {
    for (const command of acts) expect(kindOf(command, '300', true)).toBe('pending');
  });

  test('a closed door is certain, in each of its shapes', () => {
    expect(kindOf('register', '401', false, 'Authentication Failed')).toBe('forbidden');
    expect(kindOf('register', '410', false, 'Reseller authentication error')).toBe('forbidden');
    expect(kindOf('register', '400', false, 'Access denied: invalid IP address')).toBe('forbidden');
    expect(kindOf('register', '404', true, 'Missing X-Username: header')).toBe('forbidden');
    expect(kindOf('register', '400', false, 'Invalid Command: SW_REGISTR')).toBe('other');
  });

  test('no funds of ours is never shown to a customer', () => {
    const meaning = meaningOf(
      reply('440', false, 'Registration Failed: over quota'),
      commands.register.rules,
    );
    expect(meaning).toMatchObject({ kind: 'refused', reason: 'registrar-funds', alert: true });
    expect(refusalText('registrar-funds', 'Registration Failed: over quota')).not.toMatch(/quota|funds/i);
  });
});

test('485 means what the command makes of it', () => {
  expect(kindOf('register', '485', false, 'Domain taken')).toBe('taken');
  expect(kindOf('transfer', '485', false)).toBe('taken');
  expect(kindOf('createHost', '485', false, 'Nameserver already exists')).toBe('already-done');
  expect(kindOf('createZone', '485', false, 'DNS zone already exists')).toBe('already-done');
  expect(kindOf('deleteHost', '485', false, 'Nameserver in use')).toBe('in-use');
  expect(kindOf('updateHost', '485', false, 'New nameserver hostname already in registry')).toBe('in-use');
});

test('a renewal that was made already is known in the live, the test and the waiting form', () => {
  expect(kindOf('renew', '555', false, 'already renewed')).toBe('already-done');
  expect(kindOf('renew', '465', false, 'Domain Already Renewed\nfor this year')).toBe('already-done');
  expect(
    kindOf(
      'renew',
      '400',
      false,
      'Domain already renewed; another renewal cannot be applied until the first request completes at the registry',
    ),
  ).toBe('already-done');
  expect(kindOf('renew', '541', false)).toBe('year-mismatch');
  expect(kindOf('renew', '465', false, 'Invalid data')).toBe('invalid');
  expect(kindOf('renew', '480', false, 'Renewals not supported for this TLD')).toBe('invalid');
});

test('a transfer that is not possible is told from a young name of ours', () => {
  expect(kindOf('transfer', '487', false)).toBe('not-transferable');
  expect(kindOf('transfer', '552', false)).toBe('not-transferable');
  expect(kindOf('modify', '552', false)).toBe('forbidden');
});

test('nothing to change is a success for settings, and means nothing for orders', () => {
  for (const command of ['modify', 'nameservers', 'setZone', 'updateHost'] as const) {
    expect(kindOf(command, '220', true)).toBe('done');
    expect(kindOf(command, '220', false)).toBe('done');
  }
  expect(kindOf('register', '220', true)).toBe('unknown');
});

describe('what is shown', () => {
  test('the detail of bad data, on one line', () => {
    const said = reply('465', false, 'Registration Failed: Invalid data', {
      error: 'owner:\n  phone is invalid',
    });
    expect(wordsOf(said)).toBe('owner: phone is invalid');
  });
  test('the reason below the first line of 487', () => {
    expect(wordsOf(reply('487', false, 'Domain not transferable\nDomain is locked'))).toBe(
      'Domain is locked',
    );
    expect(wordsOf(reply('487', false, 'Domain not transferable'))).toBe('Domain not transferable');
  });
  test('nothing, where the registrar says nothing: its code is no text', () => {
    expect(wordsOf(reply('435', false, ' \n'))).toBeNull();
  });
  test('no more than 300 characters', () => {
    expect(wordsOf(reply('465', false, 'x'.repeat(5_000)))).toHaveLength(300);
  });
});
