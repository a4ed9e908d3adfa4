import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useMutation } from './mutation.ts';

afterEach(cleanup);

interface Sent {
  input: string;
  answer: PromiseWithResolvers<string>;
}
type Write = ReturnType<typeof useMutation<string, Error, string>>;

function Screen(props: {
  sent: Sent[];
  same: ((a: string, b: string) => boolean) | undefined;
  take: (write: Write) => void;
}) {
  const mutationFn = (input: string) => {
    const answer = Promise.withResolvers<string>();
    props.sent.push({ input, answer });
    return answer.promise;
  };
  props.take(useMutation<string, Error, string>({ mutationFn }, props.same));
  return null;
}

/** A write on a screen: what was sent, in order, with the way to answer each. */
function open(same?: (a: string, b: string) => boolean) {
  const sent: Sent[] = [];
  const write: { now: Write | null } = { now: null };
  const take = (now: Write) => {
    write.now = now;
  };
  const client = new QueryClient({ defaultOptions: { mutations: { networkMode: 'always', retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <Screen sent={sent} same={same} take={take} />
    </QueryClientProvider>,
  );
  /** Presses in one frame. */
  const press = (...inputs: string[]) =>
    act(async () => {
      for (const input of inputs) write.now?.mutate(input);
    });
  /** Until the answer is on the screen. */
  const answer = (at: number, how: 'resolve' | 'reject' = 'resolve') =>
    act(async () => {
      if (how === 'resolve') sent[at]?.answer.resolve(`answer ${at}`);
      else sent[at]?.answer.reject(new Error(`refusal ${at}`));
      // The library tells the screen a few turns later.
      for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((done) => void setTimeout(done));
    });
  return { press, answer, write, inputs: () => sent.map(({ input }) => input) };
}

test('two presses for the same are one write as long as it runs, and another wish is another write', async () => {
  const { press, inputs } = open();
  await press('a', 'a', 'b');
  await press('a', 'b');
  expect(inputs()).toEqual(['a', 'b']);
});

test('both presses get the answer of the one write', async () => {
  const { write, answer, inputs } = open();
  const answers: Promise<string | undefined>[] = [];
  await act(async () => {
    answers.push(Promise.resolve(write.now?.mutateAsync('a')), Promise.resolve(write.now?.mutateAsync('a')));
  });
  // Before they are waited for: a second write would never be answered.
  expect(inputs()).toEqual(['a']);
  await answer(0);
  expect(await Promise.all(answers)).toEqual(['answer 0', 'answer 0']);
});

test('who has seen the answer may ask for the same again', async () => {
  const { press, answer, inputs } = open();
  await press('a');
  await answer(0);
  await press('a');
  expect(inputs()).toEqual(['a', 'a']);
});

test('a write that failed may be sent again at once, and its failure is on the screen', async () => {
  const { press, answer, inputs, write } = open();
  await press('a');
  await answer(0, 'reject');
  expect(write.now?.error?.message).toBe('refusal 0');
  await press('a');
  await answer(1);
  expect(inputs()).toEqual(['a', 'a']);
  expect([write.now?.error, write.now?.data]).toEqual([null, 'answer 1']);
});

test('of several writes at a time one that has ended may be asked for again while another runs', async () => {
  const { press, answer, inputs } = open();
  await press('a', 'b');
  await answer(0);
  await press('a', 'b');
  expect(inputs()).toEqual(['a', 'b', 'a']);
});

test('what makes two presses the same write may be a part of them', async () => {
  const { press, inputs } = open((a, b) => a[0] === b[0]);
  await press('a1', 'a2', 'b1');
  expect(inputs()).toEqual(['a1', 'b1']);
});
