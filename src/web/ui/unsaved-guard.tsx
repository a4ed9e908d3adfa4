import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './confirm-dialog.tsx';

/**
 * Asks before what was typed is left behind: by a link, by Back, by closing the tab. Another filter or order of the
 * same screen leaves nothing.
 */
export function UnsavedGuard({ dirty, question }: { dirty: boolean; question: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && isLeft(current, next),
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={blocker.status === 'blocked'}
      title={question}
      confirmLabel="Leave"
      cancelLabel="Stay"
      running={false}
      error={null}
      danger
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      What you typed is lost when you leave.
    </ConfirmDialog>
  );
}

interface Place {
  pathname: string;
  search: object;
}

/** Whether what is on the screen goes with this step. */
export function isLeft(current: Place, next: Place): boolean {
  return partOf(current) !== partOf(next);
}

/** Path and tab: what is on the screen. */
function partOf({ pathname, search }: Place): string {
  const tab = 'tab' in search && typeof search.tab === 'string' ? search.tab : '';
  return `${pathname} ${tab}`;
}
