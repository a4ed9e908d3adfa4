import fastify from 'fastify';
import { expect, test } from 'vitest';
import { heldHeader } from '../../contracts/values/held.ts';
import { sendError } from './errors.ts';
import { refuseWhileHeld } from './hold.ts';

const ofTheOperator = [
  'operator.beginRecovery',
  'operator.settleRecoveryFinding',
  // A finding may ask for a correction first, and a backup may lack the key of who has to decide.
  'operator.correct',
  'operator.confirmCorrection',
  'operator.declineCorrection',
  'operator.withdrawCorrection',
  'operator.makeOperator',
  'operator.endOperator',
];

async function answers(isHeld: boolean) {
  const app = fastify();
  app.setErrorHandler(sendError);
  refuseWhileHeld(app, () => isHeld);
  for (const operation of ['cart.purchase', ...ofTheOperator]) {
    app.all(`/${operation}`, { config: { operation } }, async () => ({ done: true }));
  }
  const ask = (method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'DELETE', url = '/cart.purchase') =>
    app.inject({ method, url });
  return ask;
}

test('while records are compared, changes are refused with a sentence and a time, and reading goes on', async () => {
  const ask = await answers(true);
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    const reply = await ask(method);
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('30');
    expect(reply.headers[heldHeader]).toBe('1');
    expect(reply.json().message).toBe(
      'The portal is comparing its records with the registrar and the payment provider. Nothing can be changed until it has finished. Please try again in a few minutes.',
    );
  }
  for (const method of ['GET', 'HEAD', 'OPTIONS'] as const) {
    const reply = await ask(method);
    // A page says so before somebody types what cannot be saved.
    expect([reply.statusCode, reply.headers[heldHeader]]).toEqual([200, '1']);
  }
});

test('what the operator needs to bring the comparison to its end is taken', async () => {
  const ask = await answers(true);
  for (const operation of ofTheOperator) {
    expect((await ask('POST', `/${operation}`)).statusCode, operation).toBe(200);
  }
  // What no route takes is refused, too.
  expect((await ask('POST', '/nowhere')).statusCode).toBe(503);
});

test('otherwise everything is taken', async () => {
  const reply = await (await answers(false))('POST');
  expect([reply.statusCode, reply.headers[heldHeader]]).toEqual([200, undefined]);
});
