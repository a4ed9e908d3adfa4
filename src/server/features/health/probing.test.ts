import { expect, test } from 'vitest';
import type { Probe } from '../../ports/probe.ts';
import { gently } from './probing.ts';

/** A probe that notes who is looked at, and answers when the test says so. */
function noting() {
  const looks: string[] = [];
  const open: (() => void)[] = [];
  const look = async (address: string) => {
    looks.push(address);
    await new Promise<void>((answer) => open.push(answer));
    return 'refused' as const;
  };
  const probe: Probe = {
    website: (_host, address) => look(address),
    plainWebsite: (_host, address) => look(address),
    file: (_host, address) => look(address),
    mailServer: look,
    nameserver: (_domain, address) => look(address),
  };
  const answerAll = () => {
    for (const answer of open.splice(0)) answer();
  };
  return { probe, looks, answerAll };
}
const turn = () => new Promise((next) => setTimeout(next, 5));
const quick = { parallel: 2, perSecond: 1_000_000, parallelInAll: 5 };

test('one server has no more connections than the limit says, and does not keep others waiting', async () => {
  const world = noting();
  const probe = gently(world.probe, quick);
  const all = Promise.all([
    ...Array.from({ length: 4 }, (_, n) => probe.website(`a${n}.net`, '192.0.2.1')),
    probe.nameserver('a.net', '192.0.2.2'),
  ]);
  while (world.looks.length < 3) await turn();
  await turn();
  expect(world.looks.toSorted()).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2']);
  for (; world.looks.length < 5; await turn()) world.answerAll();
  world.answerAll();
  await all;
});

test('all servers together have no more than that either', async () => {
  const world = noting();
  const probe = gently(world.probe, quick);
  const all = Promise.all(Array.from({ length: 7 }, (_, n) => probe.file('a.net', `192.0.2.${n}`, '/')));
  while (world.looks.length < 5) await turn();
  await turn();
  expect(world.looks).toHaveLength(5);
  for (; world.looks.length < 7; await turn()) world.answerAll();
  world.answerAll();
  await all;
});

test('one server is not called more often in a second than the limit says', async () => {
  const world = noting();
  const probe = gently(world.probe, { parallel: 9, perSecond: 20, parallelInAll: 9 });
  const beganAt = performance.now();
  const all = Promise.all([0, 1, 2].map(() => probe.plainWebsite('a.net', '192.0.2.1')));
  while (world.looks.length < 3) await turn();
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(99);
  world.answerAll();
  await all;
});

test('a mail server is greeted once for all the domains that name it', async () => {
  const world = noting();
  const probe = gently(world.probe, quick);
  const all = Promise.all([probe.mailServer('192.0.2.25'), probe.mailServer('192.0.2.25')]);
  while (world.looks.length < 1) await turn();
  world.answerAll();
  await all;
  expect(world.looks).toEqual(['192.0.2.25']);
});
