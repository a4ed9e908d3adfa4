import { onlineManager, QueryClient } from '@tanstack/react-query';
import { minuteMs } from '#contracts/values/time.ts';
import { ApiError } from './api-error.ts';
import { connection } from './connection.ts';

const retries = 2;

/**
 * P1 §9: fresh for 5 minutes, kept for 10; P1 §1: not read again when the window regains focus. Nothing waits for the
 * network in secret: a read that fails says so and is made again when the portal answers, and a write that could not be
 * sent never goes out later by itself.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 5 * minuteMs,
      gcTime: 10 * minuteMs,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      retry: (failures, error) =>
        failures < retries && error instanceof ApiError && error.retryable && !connection.isOffline(),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

// "Reconnected" is when the portal answers again, whatever the browser thinks of its network.
onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(!connection.isOffline())));
