import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { ShowAll } from './show-all.tsx';

/**
 * A list without rows. `showAll`: takes search and filters away, where there are any. `first`: otherwise what belongs here and how it gets
 * here; false for people who can do nothing about it.
 */
export function EmptyList(props: {
  title: string;
  showAll: (() => void) | null;
  first: { text: string; act?: ReactNode } | false;
}) {
  const { title, showAll, first } = props;
  if (showAll) return <EmptyState title={title} action={<ShowAll onPress={showAll} />} />;
  return <EmptyState title={title} {...(first && { text: first.text, action: first.act })} />;
}
