import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SignedInPerson } from './oidc.ts';
import { answerOtherTabs, askOtherTabs } from './other-tabs.ts';

/** What one tab of a browser tells another of who is there, and by which token. */

const nowMs = Date.parse('2026-11-28T12:00:00Z');
const minuteMs = 60_000;

/** A message has arrived in the other tabs before the call returns. */
class Channel {
  static open = new Set<Channel>();
  static heard: { name: string; data: unknown }[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
    Channel.open.add(this);
  }
  postMessage(data: unknown) {
    Channel.heard.push({ name: this.name, data });
    for (const other of Channel.open)
      if (other !== this && other.name === this.name) other.onmessage?.({ data: structuredClone(data) });
  }
  close() {
    Channel.open.delete(this);
  }
}

let kept: Record<string, string>;
beforeEach(() => {
  vi.useFakeTimers({ now: nowMs });
  [Channel.open, Channel.heard] = [new Set(), []];
  vi.stubGlobal('BroadcastChannel', Channel);
  kept = { 'nameward.profile': JSON.stringify({ build: 'x', email: 'ann@msp.example', profile: {} }) };
  vi.stubGlobal('localStorage', { getItem: (name: string) => kept[name] ?? null });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const person = (email: string, change: Partial<SignedInPerson> = {}): SignedInPerson => ({
  ...{
    subject: email,
    email,
    name: 'Ann',
    accessToken: `token of ${email}`,
    expiresAtMs: nowMs + 5 * minuteMs,
  },
  ...change,
});
const ann = person('ann@msp.example');

test('a tab that is opened hears who is there from another one, and nothing of it goes to any third', async () => {
  answerOtherTabs(() => ann);
  const beside = askOtherTabs();
  expect(beside?.person).toEqual(ann);
  expect(await beside?.named).toEqual(ann);
  const answers = Channel.heard.filter(({ data }) => typeof data === 'object');
  expect(answers).toEqual([{ name: expect.stringMatching(/^nameward\.answer-to\.0\.\d+$/), data: ann }]);
  // The one that answers questions, and the one that hears this answer.
  expect(Channel.open.size).toBe(2);
});

test('the first who names the person counts', () => {
  answerOtherTabs(() => person('bob@msp.example'));
  answerOtherTabs(() => ann);
  answerOtherTabs(() => person(ann.email, { accessToken: 'later' }));
  expect(askOtherTabs()?.person).toEqual(ann);
});

test.each<[string, SignedInPerson | null]>([
  ['nobody is there', null],
  ['somebody else is there', person('bob@msp.example')],
  ['their token is nearly over', person(ann.email, { expiresAtMs: nowMs + 2 * minuteMs - 1 })],
])('a tab hears of nobody where %s', (_why, here) => {
  answerOtherTabs(() => here);
  expect(askOtherTabs()).toMatchObject({ person: null });
});

test('a tab that is loaded again is not named to be somebody else’s: what it keeps would be gone', () => {
  answerOtherTabs(() => ann);
  const tab = { 'nameward.tab-of': 'bob@msp.example' };
  vi.stubGlobal('sessionStorage', { getItem: (name: keyof typeof tab) => tab[name] ?? null });
  expect(askOtherTabs()).toMatchObject({ person: null });
  tab['nameward.tab-of'] = ann.subject;
  expect(askOtherTabs()).toMatchObject({ person: ann });
});

test('a token of two minutes is handed on', () => {
  const last = person(ann.email, { expiresAtMs: nowMs + 2 * minuteMs });
  answerOtherTabs(() => last);
  expect(askOtherTabs()?.person).toEqual(last);
});

test('a token that is nearly over is not sent', () => {
  answerOtherTabs(() => person(ann.email, { expiresAtMs: nowMs + 2 * minuteMs - 1 }));
  askOtherTabs();
  expect(Channel.heard.map(({ data }) => typeof data)).toEqual(['string']);
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'ann'],
  ['no subject', { ...ann, subject: undefined }],
  ['no name', { ...ann, name: null }],
  ['no token', { ...ann, accessToken: 7 }],
  ['another end', { ...ann, expiresAtMs: '2099' }],
  ['an end in the past', { ...ann, expiresAtMs: nowMs - 1 }],
])('what another version of the program answers in another way names nobody: %s', (_what, answer) => {
  const beside = askOtherTabs();
  new Channel(String(Channel.heard[0]?.data)).postMessage(answer);
  expect(beside?.person).toBeNull();
});

test.each<[string, string | undefined]>([
  ['nobody was here', undefined],
  ['what is kept is damaged', '{"email":'],
  ['what is kept names nobody', '{"email":7}'],
  ['what is kept is nothing', 'null'],
])('no tab is asked where %s', (_why, profile) => {
  kept = profile === undefined ? {} : { 'nameward.profile': profile };
  expect([askOtherTabs(), Channel.heard]).toEqual([null, []]);
});

test('each who asks is answered where no other one listens', () => {
  for (let n = 0; n < 2; n += 1) askOtherTabs();
  expect(new Set(Channel.heard.map(({ data }) => data)).size).toBe(2);
});

test('a question that is none is not answered', () => {
  answerOtherTabs(() => ann);
  for (const data of ['nameward.session', 7, null]) new Channel('nameward.who-is-there').postMessage(data);
  expect(Channel.heard).toHaveLength(3);
});

test('a tab that has been left answers no more', () => {
  const stop = answerOtherTabs(() => ann);
  stop();
  expect(askOtherTabs()?.person).toBeNull();
});

test('nothing stays open behind a question that nobody answers', () => {
  askOtherTabs();
  expect(Channel.open.size).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(Channel.open.size).toBe(0);
});

test('a browser that forbids such channels asks nobody and answers nobody', () => {
  vi.stubGlobal('BroadcastChannel', function forbidden() {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  answerOtherTabs(() => ann)();
  expect(askOtherTabs()).toBeNull();
});

test('a browser without such channels asks nobody', () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  answerOtherTabs(() => ann)();
  expect(askOtherTabs()).toBeNull();
});
