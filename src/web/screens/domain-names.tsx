import { Button, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { ListedNameState } from '#contracts/operations/domains.ts';
import { moneyText, usdText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { mostListedNames, nameListTextMost, readNameList } from '#contracts/values/name-list.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { canBuy, stateText } from '../features/domains/name-list.ts';
import { useLookupList } from '../features/domains/name-list-api.ts';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useProfile } from '../features/users/api.ts';
import { keepText, readText } from '../lib/storage.ts';
import { Card } from '../ui/card.tsx';
import { Chip } from '../ui/chip.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { UnreadChoices } from '../ui/error-state.tsx';
import { FailureText } from '../ui/failure.tsx';
import { Faults } from '../ui/faults.tsx';
import { LongSelect } from '../ui/long-select.tsx';
import { Page } from '../ui/page.tsx';

const kept = 'name-list';

/** /domains/list: a pasted list of names, each with its state and price, into the cart. */
export default function DomainNamesScreen() {
  const { has } = useCart(useProfile().data?.userId);
  const { found, lookup } = useLookupList();
  const [asked, setAsked] = useState<string[]>([]);
  const look = (names: string[]) => {
    setAsked(names);
    lookup.mutate(names);
  };
  const isBuyable = (name: ListedNameState) => canBuy(name, has);
  return (
    <Page
      title="Register a list of names"
      below="Each name is looked up at the registry. Those that are available go into the cart."
    >
      <Stack gap="lg">
        <Card title="Your list">
          <NameListForm running={lookup.isPending} error={lookup.error} onLook={look} />
        </Card>
        {lookup.isPending && (
          <div>
            <Text role="status" size="sm" className="number">
              {found.length} of {asked.length} names looked up
            </Text>
            <Progress value={(found.length / asked.length) * 100} animated aria-label="Looked up" />
          </div>
        )}
        {asked.length > 0 && (
          <Card
            flush
            title="Result"
            end={<AddAll names={found.filter(isBuyable)} waits={lookup.isPending} />}
          >
            <DataTable
              label="Names"
              columns={[
                {
                  key: 'name',
                  title: 'Name',
                  width: '40%',
                  render: ({ domain }) => <DomainName name={domain} />,
                },
                {
                  key: 'state',
                  title: 'State',
                  width: '35%',
                  render: (name) => {
                    const { label, tone } = stateText(name);
                    return <Chip tone={tone}>{has(name.domain) ? 'In your cart' : label}</Chip>;
                  },
                },
                {
                  key: 'price',
                  title: 'Price a year',
                  align: 'right',
                  render: (name) => (
                    <span className="number">
                      {name.status === 'available' && name.price !== null ? usdText(name.price) : '–'}
                      {name.premium && ' (premium)'}
                    </span>
                  ),
                },
              ]}
              rows={found}
              rowKey={({ domain }) => domain}
              loading={lookup.isPending}
              error={null}
              onRetry={() => undefined}
              loadingText="Looking names up..."
              empty={<EmptyState title="Nothing has been looked up yet" />}
            />
          </Card>
        )}
      </Stack>
    </Page>
  );
}

function NameListForm(props: { running: boolean; error: Error | null; onLook: (names: string[]) => void }) {
  // Names are no secret: they are there again after a reload.
  const [text, setText] = useState(() => readText('session', kept) ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const listed = readNameList(text.slice(0, nameListTextMost));
  const faults = listed.filter(({ domain }) => domain === null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const names = listed.flatMap(({ domain }) => domain ?? []);
    const wrong =
      text.length > nameListTextMost || names.length > mostListedNames
        ? `A list has at most ${mostListedNames} names`
        : names.length === 0
          ? 'Please enter names'
          : null;
    setProblem(wrong);
    if (wrong === null) props.onLook(names);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Textarea
          label="Names"
          description="One per line, or separated by spaces or commas. Names without an extension are looked up as .com."
          placeholder={'example.com\nanother-example'}
          autosize
          minRows={5}
          maxRows={14}
          value={text}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.currentTarget.value);
            keepText('session', kept, event.currentTarget.value.slice(0, nameListTextMost));
            setProblem(null);
          }}
        />
        <div aria-live="polite">
          <Faults faults={faults.map(({ typed, problem: what }) => ({ about: typed, text: what ?? '' }))} />
        </div>
        <FailureText error={props.error} />
        <Group>
          <Button type="submit" disabled={props.running}>
            {props.running ? 'Looking up...' : 'Look them up'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** All that can be bought, for one customer, into the ordinary cart. */
function AddAll({ names, waits }: { names: readonly ListedNameState[]; waits: boolean }) {
  const customers = useCustomerChoices();
  const [customerId, setCustomerId] = useState<string | null>(null);
  const cents = names.reduce((sum, { price }) => sum + usdToCents(price ?? 0), 0);
  const add = () => {
    cart.add(...names.map(({ domain }) => ({ ...newDomainItem(domain), customerId })));
  };
  return (
    <Group gap="sm">
      <UnreadChoices of={[customers]} />
      <LongSelect
        aria-label="Customer"
        placeholder="Customer"
        searchable
        clearable
        data={customerOptions(customers.data)}
        value={customerId}
        onChange={setCustomerId}
      />
      {names.length > 0 || waits ? (
        <Button disabled={waits || names.length === 0} onClick={add}>
          {`Add ${names.length} to cart (${moneyText(cents)})`}
        </Button>
      ) : (
        <Button component={Link} to="/cart">
          Go to cart
        </Button>
      )}
    </Group>
  );
}
