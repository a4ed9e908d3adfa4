import { useState } from 'react';
import type { ChangeValues } from './change-form.ts';
import { leftAfter, type Problems, problemsOf } from './field-problems.ts';

/** What is wrong with the fields of an answer: each until its field changes, all until the form is sent again. */
export function useProblems(error: Error | null) {
  const [answer, setAnswer] = useState(error);
  const [problems, setProblems] = useState<Problems>(() => problemsOf(error));
  if (answer !== error) {
    setAnswer(error);
    setProblems(problemsOf(error));
  }
  return {
    wrong: (path: string) => problems.get(path) ?? null,
    changed: (before: ChangeValues, change: Partial<ChangeValues>) =>
      setProblems((known) => leftAfter(known, before, change)),
  };
}
