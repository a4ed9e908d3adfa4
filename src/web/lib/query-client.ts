import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const minuteMs = 60_000;
const retries = 2;

/** P1 §9: fresh for 5 minutes, kept for 10; P1 §1: not read again when the window regains focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5 * minuteMs,
      gcTime: 10 * minuteMs,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < retries && error instanceof ApiError && error.retryable,
    },
    mutations: { retry: false },
  },
});
