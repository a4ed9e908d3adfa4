import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { isValidElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { OperatorDoor } from './operator-key.tsx';

test('who enters sees nothing that another operator has read in the same browser, least of all their name', () => {
  const client = new QueryClient();
  client.setQueryData(['operator', 'me'], { id: 'anna', name: 'Anna' });
  client.setQueryData(['operator', 'corrections'], []);
  client.setQueryData(['customers'], []);
  const forms: ReactNode[] = [];
  const fallback = (form: ReactNode) => {
    forms.push(form);
    return null;
  };
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <OperatorDoor fallback={fallback}>inside</OperatorDoor>
    </QueryClientProvider>,
  );
  // The key of the second operator has been tried and is good.
  const [form] = forms;
  if (!isValidElement<{ onKey: (key: string) => void }>(form)) throw new Error('no form');
  form.props.onKey('key-of-ben');
  const kept = client.getQueryCache().getAll();
  expect(kept.map(({ queryKey }) => queryKey)).toEqual([['customers']]);
});
