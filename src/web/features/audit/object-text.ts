import { capitalised } from '#contracts/values/format.ts';

/** Kinds of objects whose stored name is not how people write it. */
const kinds: Readonly<Record<string, string>> = {
  'acme access': 'ACME access',
  'api token': 'API token',
  'direct-charge': 'Direct charge',
  'dns template': 'DNS template',
  importMapping: 'Import mapping',
  move: 'Transfer list',
  organisation: 'Organization',
  'payment-account': 'Payment account',
};

/** An id says nothing to a person, whether it is ours or the payment provider's. */
export const isId = (object: string) => /^([0-9a-f]{8}-[0-9a-f-]{27}|acct_\w+)$/.test(object);

/** What an entry is about: the name of the thing, or of what kind it is where it has none that people know. */
export function objectText({ object, objectKind }: { object: string; objectKind: string }): string {
  return object === '' || isId(object) ? (kinds[objectKind] ?? capitalised(objectKind)) : object;
}
