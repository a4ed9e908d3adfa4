import { useState } from 'react';
import type { ListedNameState } from '#contracts/operations/domains.ts';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import { inCalls } from './name-list.ts';

/** Looks names up part by part; what is known so far is shown meanwhile. */
export function useLookupList() {
  const [found, setFound] = useState<ListedNameState[]>([]);
  const lookup = useMutation({
    mutationFn: async (names: string[]) => {
      setFound([]);
      for (const part of inCalls(names)) {
        const states = await call('POST /domain/lookup', { body: { names: part } });
        setFound((known) => [...known, ...states]);
      }
    },
  });
  return { found, lookup };
}
