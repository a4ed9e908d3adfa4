import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ViewScreen } from '#contracts/operations/views.ts';
import { call } from '../../lib/api-client.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody } from '../../lib/operations.ts';

const key = (screen: ViewScreen) => ['views', screen];

export function useViews(screen: ViewScreen, enabled: boolean) {
  return useQuery({
    queryKey: key(screen),
    queryFn: ({ signal }) => call('GET /view', { query: { screen }, signal, isAside: true }),
    enabled,
  });
}

export function useSaveView(screen: ViewScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /view'>) => call('POST /view', { body }),
    // Refused, there may be one of that name by now.
    onSettled: () => client.invalidateQueries({ queryKey: key(screen) }),
  });
}

export function useRenameView(screen: ViewScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: CallBody<'PATCH /view/:id'> & { id: string }) =>
      call('PATCH /view/:id', { params: { id }, body }),
    // Refused, it may have another name by now, or be gone.
    onSettled: () => client.invalidateQueries({ queryKey: key(screen) }),
  });
}

export function useDeleteView(screen: ViewScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /view/:id', { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: key(screen) }),
  });
}
