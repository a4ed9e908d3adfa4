import fastify from 'fastify';
import { expect, test } from 'vitest';
import { answers, createAnswers } from '#kernel/give-way.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { answersFirst } from './answers-first.ts';
import { startApp } from './app-under-test.ts';

/** A server whose one answer comes when the test says so. */
async function open() {
  const others = createAnswers(() => 0);
  const app = fastify();
  answersFirst(app, others);
  const held = Promise.withResolvers<string>();
  app.get('/held', () => held.promise);
  app.get('/refused', { preHandler: () => Promise.reject(new Error('no')) }, () => 'never');
  const isAnswering = () => others.ended(8) !== undefined;
  return { app, give: held.resolve, isAnswering };
}

test('a request counts from when it comes until it is answered', async () => {
  const { app, give, isAnswering } = await open();
  expect(isAnswering()).toBe(false);
  const reply = app.inject('/held');
  await eventually(() => expect(isAnswering()).toBe(true));
  give('done');
  expect((await reply).payload).toBe('done');
  await eventually(() => expect(isAnswering()).toBe(false));
  await app.close();
});

test('one that is refused and one that is not found count no longer', async () => {
  const { app, isAnswering } = await open();
  expect((await app.inject('/refused')).statusCode).toBe(500);
  expect((await app.inject('/nowhere')).statusCode).toBe(404);
  await eventually(() => expect(isAnswering()).toBe(false));
  await app.close();
});

test('those of the portal are the ones that long work of the process hears of', async () => {
  const app = await startApp();
  const during: boolean[] = [];
  app.addHook('preHandler', async () => void during.push(answers.ended(8) !== undefined));
  await app.inject('/healthz');
  expect(during).toEqual([true]);
  await app.close();
});
