import { Alert, Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Order, OrderItem } from '#contracts/operations/orders.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { DateTime, Day } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { Figures } from '../../ui/figures.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
import { useSaveReceipt } from './order-api.ts';
import classes from './order-details.module.css';
import {
  hasReceipt,
  itemKinds,
  itemMark,
  itemStory,
  orderStates,
  paidBackOf,
  reservedOf,
} from './order-texts.ts';

/** An order with the outcome, the cost and the registrar order of each item. */
export function OrderDetails({ order }: { order: Order }) {
  const state = orderStates[order.state];
  const paidBack = paidBackOf(order);
  return (
    <>
      <Figures
        label="Order"
        figures={[
          {
            title: 'State',
            value: (
              <Badge color={state.tone} variant="light" tt="none">
                {state.label}
              </Badge>
            ),
          },
          {
            title: 'Ordered',
            value: <Day at={order.createdAt} />,
            detail: `by ${order.by || 'a former user'}`,
          },
          {
            title: 'Charged',
            value: usdText(order.charged),
            detail: paidBack > 0 ? `after ${moneyText(paidBack)} was paid back` : 'from your balance',
          },
          { title: 'Reserved', value: moneyText(reservedOf(order)), detail: 'until it is decided' },
        ]}
      />
      <Card flush title="Items" beside={<Text c="var(--text-3)">{order.items.length}</Text>}>
        <ul className={classes.items} aria-label="Items" aria-live="polite">
          {order.items.map((item) => (
            <Item key={item.itemId} item={item} order={order} />
          ))}
        </ul>
      </Card>
    </>
  );
}

/** The paper for the books, once something was charged. It stays when that was paid back: both are on it. */
export function Receipt({ order }: { order: Order }) {
  const save = useSaveReceipt();
  if (!hasReceipt(order)) return null;
  return (
    <Stack gap={4} align="flex-end">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        disabled={save.isPending}
        onClick={() => save.mutate(order.orderId)}
      >
        {save.isPending ? 'Preparing...' : 'Receipt'}
      </Button>
      <FailureText error={save.error} />
    </Stack>
  );
}

function Item({ item, order }: { item: OrderItem; order: Order }) {
  const state = itemMark(item);
  const elsewhere = item.orderId !== order.orderId;
  return (
    <li>
      <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
        <Stack gap={2} miw={0}>
          <Text size="xs" c="dimmed">
            {itemKinds[item.kind]}, {item.period === 1 ? '1 year' : `${item.period} years`}
            {item.customer && ` · ${item.customer}`}
          </Text>
          <DomainName name={item.address} />
        </Stack>
        <Stack gap={4} align="flex-end">
          <Text fw={600} className="number">
            {usdText(item.price)}
          </Text>
          <Badge color={state.tone} variant="light" tt="none">
            {state.label}
          </Badge>
        </Stack>
      </Group>
      <Text size="sm" mt="xs">
        <FoldedText about={item.address}>{itemStory(item)}</FoldedText>
      </Text>
      {item.state === 'review' && (
        <Alert color="yellow" variant="light" mt="xs">
          You do not need to do anything. If you order it again, it joins this order and is not bought twice.
        </Alert>
      )}
      <Group gap="md" mt="xs">
        {item.registrarOrderId && (
          <Text size="xs" c="dimmed" className="number">
            Registrar order {item.registrarOrderId}
          </Text>
        )}
        {item.state === 'unknown' && item.nextCheckAt && (
          <Text size="xs" c="dimmed">
            Next check <DateTime at={item.nextCheckAt} />
          </Text>
        )}
        <Text size="xs" c="dimmed">
          Last change <DateTime at={item.updatedAt} />
        </Text>
        {elsewhere && (
          <Anchor component={Link} to={`/orders/${item.orderId}`} size="xs">
            Bought in an earlier order, and charged there
          </Anchor>
        )}
      </Group>
    </li>
  );
}
