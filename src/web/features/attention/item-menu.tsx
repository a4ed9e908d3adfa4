import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { shortDayText } from '#contracts/values/format.ts';
import { dayMs } from '#contracts/values/time.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useChangeAttention } from './api.ts';

const pauses = [
  { label: 'Postpone until tomorrow', days: 1 },
  { label: 'Postpone for a week', days: 7 },
  { label: 'Postpone for a month', days: 30 },
] as const;

/** Taking an item over, and putting it off. */
export function ItemMenu({ item, userId }: { item: AttentionItem; userId: string }) {
  const change = useChangeAttention();
  const { id, owner, snoozedUntil } = item;
  const isMine = owner?.userId === userId;
  const about = `${item.name ?? ''} ${item.title}`.trim();
  return (
    <>
      <Menu position="bottom-end" portalProps={{ target: 'main' }} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`More for ${about}`}
            loading={change.isPending}
          >
            <IconDotsVertical size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => change.mutate({ id, ownerId: isMine ? null : userId })}>
            {isMine ? 'Hand back' : owner ? `Take over from ${owner.name}` : 'Take over'}
          </Menu.Item>
          <Menu.Divider />
          {snoozedUntil && (
            <Menu.Item onClick={() => change.mutate({ id, snoozedUntil: null })}>
              Show again now, not on {shortDayText(new Date(snoozedUntil))}
            </Menu.Item>
          )}
          {pauses.map(({ label, days }) => (
            <Menu.Item
              key={days}
              onClick={() =>
                change.mutate({ id, snoozedUntil: new Date(Date.now() + days * dayMs).toISOString() })
              }
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <FailureText error={change.error} size="xs" />
    </>
  );
}
