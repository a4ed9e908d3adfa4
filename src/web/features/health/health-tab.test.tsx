import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DomainHealth, HealthFinding } from '#contracts/operations/health.ts';
import { HealthTab } from './health-tab.tsx';

const finding: HealthFinding = {
  ...{ id: 'f', kind: 'spf-open', area: 'mail', weight: 'bad', title: 'SPF allows every server' },
  ...{ meaning: 'Mail can be forged.', remedy: 'End it with "-all".', certainty: 'sure' },
  ...{ detail: 'v=spf1 +all', firstSeen: '2026-11-20T12:00:00Z', lastSeen: '2026-11-22T12:00:00Z' },
  ...{ clearedAt: null, muted: null, fix: null },
};

/** The tab as it stands when this has been read. */
function shown(health: Partial<DomainHealth>, mayMute = true, missing = false): string {
  const client = new QueryClient();
  const whole = {
    ...{ checkedAt: '2026-11-22T12:00:00Z', nextAt: '2090-01-01T00:00:00Z', findings: [], watched: null },
  };
  client.setQueryData(['health', 'domain', 'a.com'], { ...whole, ...health });
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <HealthTab domain="a.com" mayMute={mayMute} missing={missing} />
      </MantineProvider>
    </QueryClientProvider>,
  ).replace(/<[^>]+>/g, ' ');
}

test('a finding says how much it weighs, the evidence, what it means and what to do', () => {
  const text = shown({ findings: [finding] });
  for (const part of ['Fix now', finding.title, finding.detail, finding.meaning, 'End it with', 'Mute']) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('If this is intended');
  expect(shown({ findings: [{ ...finding, certainty: 'likely' }] })).toContain('If this is intended');
  expect(shown({ findings: [finding] }, false)).not.toContain('Mute');
});

test('a muted one says until when and why, and can speak again; a mended one is apart', () => {
  const muted = { until: '2026-12-24T12:00:00Z', reason: 'It sends no mail' };
  expect(shown({ findings: [{ ...finding, muted }] })).toMatch(/muted until.*It sends no mail.*Unmute/s);
  const text = shown({ findings: [{ ...finding, clearedAt: '2026-11-22T12:00:00Z' }] });
  expect(text).toMatch(/Nothing is wrong with this domain.*Fixed in the last 30 days.*Fixed/s);
  expect(text).not.toContain('Mute');
});

test.each<[string, Partial<DomainHealth>, string, boolean]>([
  ['nothing was looked at yet', { checkedAt: null }, 'This domain has not been checked yet', true],
  ['a look is under way', { nextAt: '2020-01-01T00:00:00Z' }, 'This takes a minute or two', true],
  ['the operator has turned it off', { nextAt: null }, 'Nothing is wrong with this domain', false],
])('when %s the tab says so', (_what, health, text, offers) => {
  const markup = shown(health);
  expect(markup).toContain(text);
  expect(markup.includes('Check now')).toBe(offers);
});

test('one that has left the account says why it is not checked; watched, it is checked as any', () => {
  const unseen = { checkedAt: null, nextAt: null };
  const text = shown(unseen, true, true);
  expect(text).toMatch(/This domain is not checked.*no longer in the registrar’s account.*watched domains/s);
  expect(text).not.toMatch(/not been checked|Not checked yet|every day|Check now/);
  expect(shown(unseen, false, true)).not.toContain('watched domains');
  const watched = { registrar: null, expiresAt: null, customerId: null, customer: '' };
  expect(shown({ watched, findings: [finding] }, true, true)).toMatch(/Checked.*Check now.*SPF allows/s);
  expect(shown({ ...unseen, watched }, true, true)).toContain('This domain has not been checked yet');
});
