import { Anchor } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** The link back to the list that a screen belongs to, shown before its heading. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={Link} to={to} size="sm" style={{ display: 'inline-flex', gap: 4 }}>
      <IconArrowLeft size={16} aria-hidden /> {children}
    </Anchor>
  );
}
