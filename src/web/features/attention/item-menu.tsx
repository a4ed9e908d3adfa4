import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { faultAt } from '../../lib/api-error.ts';
import { FailureText } from '../../ui/failure.tsx';
import { goOnAt, placesFrom } from '../../ui/keep-focus.ts';
import { useChangeAttention } from './api.ts';
import { ownerAct, showAgainAct } from './item-acts.ts';
import { type NotChanged, notChangedOf, putOffBody } from './put-off.ts';

const pauses = [
  { label: 'Postpone until tomorrow', days: 1 },
  { label: 'Postpone for a week', days: 7 },
  { label: 'Postpone for a month', days: 30 },
] as const;

/** Taking an item over, and putting it off. */
export function ItemMenu(props: {
  item: AttentionItem;
  userId: string;
  onKept: (kept: NotChanged | null) => void;
}) {
  const { item, userId } = props;
  const change = useChangeAttention(props.onKept);
  // As the menu was opened: the list is read again meanwhile.
  const [seen, setSeen] = useState(item);
  const { id, version } = seen;
  const owning = ownerAct(seen, userId);
  const again = showAgainAct(seen);
  const about = `${item.name ?? ''} ${item.title}`.trim();
  const target = useRef<HTMLButtonElement>(null);
  // The menu gives the focus back to its button, which takes none while the change runs, and goes with an entry that was put off.
  useEffect(() => {
    if (!change.isPending) return;
    const places = placesFrom(target.current);
    return () => goOnAt(places);
  }, [change.isPending]);
  return (
    <>
      <Menu
        position="bottom-end"
        portalProps={{ target: 'main' }}
        withInitialFocusPlaceholder={false}
        onOpen={() => setSeen(item)}
      >
        <Menu.Target>
          <ActionIcon
            ref={target}
            variant="subtle"
            color="gray"
            aria-label={`More for ${about}`}
            loading={change.isPending}
          >
            <IconDotsVertical size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => change.mutate(owning.body)}>{owning.label}</Menu.Item>
          <Menu.Divider />
          {again && <Menu.Item onClick={() => change.mutate(again.body)}>{again.label}</Menu.Item>}
          {pauses.map(({ label, days }) => (
            <Menu.Item
              key={days}
              onClick={() => change.mutate(putOffBody({ id, version }, days, new Date()))}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {!notChangedOf(change.error) && <FailureText error={failureOf(change.error)} size="xs" />}
    </>
  );
}

/** A menu has no field to mark: what is wrong with the day that was chosen is said in place of that. */
function failureOf(error: Error | null) {
  const fault = faultAt(error, 'snoozedUntil');
  return fault === undefined ? error : { message: fault };
}
