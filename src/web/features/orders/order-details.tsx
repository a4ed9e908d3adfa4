import { Alert, Anchor, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Order, OrderItem } from '#contracts/operations/orders.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { useSaveReceipt } from './order-api.ts';
import { itemKinds, itemStates, itemStory, orderStates, reservedOf } from './order-texts.ts';

/** An order with the outcome, the cost and the registrar order of each item. */
export function OrderDetails({ order }: { order: Order }) {
  const state = orderStates[order.state];
  return (
    <Stack gap="lg">
      <Paper withBorder p="lg">
        <Group justify="space-between" align="flex-start" gap="md">
          <Group gap="xl" align="flex-start">
            <Fact label="State">
              <Badge color={state.tone} variant="light" tt="none">
                {state.label}
              </Badge>
            </Fact>
            <Fact label="Ordered">
              <DateTime at={order.createdAt} />
            </Fact>
            <Fact label="By">{order.by || 'A former user'}</Fact>
            <Fact label="Charged">{usdText(order.charged)}</Fact>
            <Fact label="Reserved">{moneyText(reservedOf(order))}</Fact>
          </Group>
          <Receipt order={order} />
        </Group>
      </Paper>
      <Stack component="ul" gap="sm" m={0} p={0} aria-label="Items" aria-live="polite">
        {order.items.map((item) => (
          <Item key={item.itemId} item={item} order={order} />
        ))}
      </Stack>
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" size="sm" className="number" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}

function Receipt({ order }: { order: Order }) {
  const save = useSaveReceipt();
  if (order.charged === 0) return null;
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
      {save.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {save.error.message}
        </Text>
      )}
    </Stack>
  );
}

function Item({ item, order }: { item: OrderItem; order: Order }) {
  const state = itemStates[item.state];
  const elsewhere = item.orderId !== order.orderId;
  return (
    <Paper component="li" withBorder p="md" style={{ listStyle: 'none' }}>
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
        {itemStory(item)}
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
    </Paper>
  );
}
