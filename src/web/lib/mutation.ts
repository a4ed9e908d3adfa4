import {
  type MutateOptions,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useLibraryMutation,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

type Callbacks<Data, Err, Input, Context> = MutateOptions<Data, Err, Input, Context>;
type Send<Data, Err, Input, Context> = (
  input: Input,
  callbacks?: Callbacks<Data, Err, Input, Context>,
) => Promise<Data>;

interface Running<Data, Input> {
  input: Input;
  answer: Promise<Data>;
  /** Answered well; the screen does not show it yet. */
  done: boolean;
}

/**
 * The library's `useMutation` for every write of the web app: two presses with the same input are one call. A button
 * becomes disabled with the next frame only, and a second press in the same frame would send the request twice and end
 * in an error about what the first one did. A write that failed may be sent again at once.
 */
export function useMutation<Data = unknown, Err = Error, Input = void, Context = unknown>(
  options: UseMutationOptions<Data, Err, Input, Context>,
  /** What makes two presses the same write. */
  same: (a: Input, b: Input) => boolean = sameInput,
): UseMutationResult<Data, Err, Input, Context> {
  const mutation = useLibraryMutation<Data, Err, Input, Context>(options);
  const running = useRef<Running<Data, Input>[]>([]);
  const { isPending } = mutation;
  const send = mutation.mutateAsync as Send<Data, Err, Input, Context>;

  // The answer is on the screen now. A person who presses from here on has seen it.
  useEffect(() => {
    if (!isPending) running.current = running.current.filter(({ done }) => !done);
  });

  const mutateAsync = useCallback(
    (input: Input, callbacks?: Callbacks<Data, Err, Input, Context>): Promise<Data> => {
      const known = running.current.find((entry) => same(entry.input, input));
      if (known) return known.answer;
      const entry: Running<Data, Input> = { input, answer: send(input, callbacks), done: false };
      running.current.push(entry);
      const forget = () => {
        running.current = running.current.filter((other) => other !== entry);
      };
      entry.answer.then(() => {
        // Of several at a time the library shows the last one only: nothing on the screen waits for the others.
        if (running.current.at(-1) === entry) entry.done = true;
        else forget();
      }, forget);
      return entry.answer;
    },
    [send, same],
  );
  const mutate = useCallback(
    (input: Input, callbacks?: Callbacks<Data, Err, Input, Context>): void => {
      // The screen shows the failure by `error`.
      mutateAsync(input, callbacks).catch(() => undefined);
    },
    [mutateAsync],
  );
  return { ...mutation, mutate, mutateAsync } as UseMutationResult<Data, Err, Input, Context>;
}

/** Equal plain values, or the very same object: two files are two inputs even with the same name. */
export function sameInput(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => sameInput(value, b[index]));
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameInput(a[name], b[name]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
