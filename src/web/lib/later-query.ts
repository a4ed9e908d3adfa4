import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { forLater } from './data-ahead.ts';
import { whenIdle } from './when-idle.ts';

interface LaterQuery<T> {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  staleTime?: number;
}

/** A reading of what is beside the things that a person came for: it is asked for when those have been drawn, and never ahead of the app. */
export function useLaterQuery<T>({ queryFn, ...options }: LaterQuery<T>): UseQueryResult<T> {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return useQuery({ ...options, queryFn: (context) => forLater(() => queryFn(context)), enabled: isIdle });
}
