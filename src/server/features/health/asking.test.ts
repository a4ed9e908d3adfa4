import { expect, test } from 'vitest';
import type { Resolver } from '../../ports/resolver.ts';
import { sparingly } from './asking.ts';

/** A resolver that counts what it is asked, and answers when the test says so. */
function counting() {
  const asked: string[] = [];
  const open: (() => void)[] = [];
  let most = 0;
  const ask = async (question: string) => {
    asked.push(question);
    most = Math.max(most, asked.length - answered);
    await new Promise<void>((answer) => open.push(answer));
    return [];
  };
  let answered = 0;
  const resolver: Resolver = {
    nameservers: (name) => ask(`NS ${name}`),
    txt: (name) => ask(`TXT ${name}`),
    cname: (name) => ask(`CNAME ${name}`),
    addresses: (name) => ask(`A ${name}`),
    mx: (name) => ask(`MX ${name}`),
    caa: (name) => ask(`CAA ${name}`),
  };
  return {
    ...{ asked, resolver },
    most: () => most,
    answerAll: async () => {
      for (let next = open.shift(); next; next = open.shift()) {
        answered += 1;
        next();
        await new Promise((turn) => setTimeout(turn, 1));
      }
    },
  };
}
/** Each may be two questions, so six of them are three. */
const quick = { parallel: 6, perSecond: 1_000_000 };
const turn = () => new Promise((next) => setTimeout(next, 5));

test('no more questions are under way at once than the limit says, and all are answered in the end', async () => {
  const world = counting();
  const own = sparingly(world.resolver, quick).of('a.com');
  const answers = Promise.all(Array.from({ length: 10 }, (_, n) => own.txt(`n${n}.net`)));
  await turn();
  expect(world.asked).toHaveLength(3);
  while (world.asked.length < 10) await world.answerAll();
  await world.answerAll();
  expect(await answers).toHaveLength(10);
  expect(world.most()).toBe(3);
});

test('questions follow each other no faster than the limit says', async () => {
  const world = counting();
  const own = sparingly(world.resolver, { parallel: 100, perSecond: 20 }).of('a.com');
  const started = performance.now();
  const answers = Promise.all(Array.from({ length: 4 }, (_, n) => own.txt(`n${n}.net`)));
  while (world.asked.length < 4) await turn();
  // Three pauses of 50 ms; slower is no fault.
  expect(performance.now() - started).toBeGreaterThanOrEqual(149);
  await world.answerAll();
  await answers;
});

test('addresses count for two questions', async () => {
  const world = counting();
  const own = sparingly(world.resolver, { parallel: 100, perSecond: 20 }).of('a.com');
  const started = performance.now();
  const answers = Promise.all([own.addresses('a.net'), own.txt('b.net')]);
  while (world.asked.length < 2) await turn();
  expect(performance.now() - started).toBeGreaterThanOrEqual(99);
  await world.answerAll();
  await answers;
});

test('what several domains name is asked once; the own names are asked afresh', async () => {
  const world = counting();
  const asking = sparingly(world.resolver, quick);
  const [one, other] = [asking.of('a.com'), asking.of('b.com')];
  const answers = Promise.all([one.txt('_spf.mail.net'), other.txt('_spf.mail.net')]);
  await turn();
  expect(world.asked).toEqual(['TXT _spf.mail.net']);
  await world.answerAll();
  await answers;
  for (const name of ['a.com', '_dmarc.a.com']) {
    const twice = Promise.all([one.txt(name), one.txt(name)]);
    await turn();
    await world.answerAll();
    await twice;
  }
  expect(world.asked.slice(1)).toEqual(['TXT a.com', 'TXT a.com', 'TXT _dmarc.a.com', 'TXT _dmarc.a.com']);
});

test('a question that nobody answered is asked again', async () => {
  let times = 0;
  const failing = {
    ...counting().resolver,
    txt: async () => {
      times += 1;
      throw new Error('no answer');
    },
  };
  const own = sparingly(failing, quick).of('a.com');
  for (let n = 0; n < 2; n += 1) await expect(own.txt('x.net')).rejects.toThrow('no answer');
  expect(times).toBe(2);
});
