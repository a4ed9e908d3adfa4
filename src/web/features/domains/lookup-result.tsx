import { Badge, Button, Group, Paper, Skeleton, Stack, Table, Text } from '@mantine/core';
import { IconCheck, IconShoppingCartPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { LookupResult, Suggestion } from '#contracts/operations/domains.ts';
import { usdText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { DomainName } from '../../ui/domain-name.tsx';

export interface CartActions {
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  onRemove: (address: string) => void;
  goToCart: ReactNode;
  /** The way to a name that is the organization's own. */
  goToDomain: (address: string) => ReactNode;
}

/** The picked one of the results, with the others as suggestions (P1 §2). */
export function pickResult(result: LookupResult, picked: string | undefined): LookupResult {
  const row = result.suggestions.find(({ domain }) => domain === picked);
  if (!row) return result;
  const { domain, status, price, premium, own } = result;
  const others = result.suggestions.filter((entry) => entry !== row);
  return { ...row, reason: null, suggestions: [{ domain, status, price, premium, own }, ...others] };
}

/** The selected name, one alternative, and names to protect it with (P1 §2, /domains). */
export function LookupResultView(props: {
  result: LookupResult;
  /** Names like it are still being asked for. */
  suggesting: boolean;
  actions: CartActions;
}) {
  const { result, suggesting, actions } = props;
  const [alternative, ...others] = result.suggestions.filter((entry) => entry.status === 'available');
  return (
    <Stack gap="lg">
      <NameCard
        name={result.domain}
        status={result.status}
        price={result.price}
        premium={result.premium}
        own={result.own}
        actions={actions}
      />
      {suggesting && <Skeleton height={92} role="status" aria-label="Looking for similar names" />}
      {alternative && (
        <NameCard
          label="Great Alternative"
          name={alternative.domain}
          status={alternative.status}
          price={alternative.price}
          premium={alternative.premium}
          own={false}
          actions={actions}
        />
      )}
      {others.length > 0 && (
        <Card flush title="Protect your name with these domains">
          <SuggestionTable rows={others} actions={actions} />
        </Card>
      )}
    </Stack>
  );
}

function NameCard(props: {
  label?: string;
  name: string;
  status: 'available' | 'taken';
  price: number | null;
  premium: boolean;
  own: boolean;
  actions: CartActions;
}) {
  const { name, status, price, actions } = props;
  const available = status === 'available';
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      {props.label && (
        <Text size="sm" fw={600} c="dimmed" mb={4}>
          {props.label}
        </Text>
      )}
      <Group justify="space-between" gap="md">
        <Stack gap={6} style={{ minWidth: 0 }}>
          <DomainName name={name} large />
          <Group gap="xs">
            <Badge color={available ? 'teal' : 'yellow'} variant="light" autoContrast>
              {available ? 'Available' : 'Taken'}
            </Badge>
            {props.own && <Text size="sm">This domain is yours.</Text>}
            {props.premium && (
              <Badge color="grape" variant="light">
                Premium
              </Badge>
            )}
          </Group>
        </Stack>
        <Group gap="md">
          {!props.own && (
            <Text className="number">
              {price === null ? 'No price at the moment' : `USD ${usdText(price)} per year`}
            </Text>
          )}
          {props.own ? (
            actions.goToDomain(name)
          ) : actions.inCart(name) ? (
            <Group gap="xs">
              <Button variant="light" disabled leftSection={<IconCheck size={16} />}>
                In cart
              </Button>
              {actions.goToCart}
            </Group>
          ) : (
            <Button
              disabled={!available}
              leftSection={<IconShoppingCartPlus size={16} />}
              onClick={() => actions.onAdd(name)}
            >
              Add to cart
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}

/** On a phone the columns stand closer, so that more names keep to one line. */
const between = { base: 6, xs: 12 };

/** A row toggles its name in the cart (P1 §2); by keyboard too. */
function SuggestionTable(props: { rows: readonly Suggestion[]; actions: CartActions }) {
  const { actions } = props;
  return (
    <Table.ScrollContainer minWidth={340}>
      <Table highlightOnHover verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th ps="var(--s4)" pe={between}>
              Domain
            </Table.Th>
            <Table.Th ta="right" px={between}>
              Price per year
            </Table.Th>
            <Table.Th ta="right" ps={between} pe="var(--s4)">
              Cart
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.rows.map((row) => {
            const chosen = actions.inCart(row.domain);
            const toggle = () => (chosen ? actions.onRemove(row.domain) : actions.onAdd(row.domain));
            return (
              <Table.Tr key={row.domain} onClick={toggle} style={{ cursor: 'pointer' }}>
                <Table.Td ps="var(--s4)" pe={between}>
                  <Group gap="xs">
                    <DomainName name={row.domain} copy={false} />
                    {row.premium && (
                      <Badge color="grape" variant="light">
                        Premium
                      </Badge>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td ta="right" px={between} className="number" style={{ whiteSpace: 'nowrap' }}>
                  {row.price === null ? '' : `USD ${usdText(row.price)}`}
                </Table.Td>
                <Table.Td ps={between} pe="var(--s4)" ta="right">
                  <Button
                    size="compact-sm"
                    variant={chosen ? 'light' : 'default'}
                    aria-pressed={chosen}
                    aria-label={chosen ? `Remove ${row.domain} from cart` : `Add ${row.domain} to cart`}
                    leftSection={chosen ? <IconCheck size={14} /> : undefined}
                    onClick={(event) => {
                      event.stopPropagation();
                      toggle();
                    }}
                  >
                    {chosen ? 'In cart' : 'Add'}
                  </Button>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export function LookupSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Searching">
      <Skeleton height={92} />
      <Skeleton height={92} />
      <Skeleton height={280} />
    </Stack>
  );
}
