import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { screenMarkup } from '../../../tests/support/screen-markup.tsx';
import WatchedScreen from './watched.tsx';

const choices = ['customers', 'choices'];

function readers(): QueryClient {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } });
  client.setQueryData(['profile'], { permissions: ['domains.watch'] });
  return client;
}

test('where the customers could not be read the form of watched domains says so, and does not look as if there were none', async () => {
  const client = readers();
  client.setQueryData(choices, []);
  expect(await screenMarkup(WatchedScreen, client)).not.toContain('Try again');
  const broken = readers();
  await broken.prefetchQuery({ queryKey: choices, queryFn: () => Promise.reject(new Error('No answer')) });
  expect(await screenMarkup(WatchedScreen, broken)).toMatch(/Watch domains.*No answer.*Try again/s);
});
