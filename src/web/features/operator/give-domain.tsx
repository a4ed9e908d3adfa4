import { Alert, Button, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { giveDomain, type OrganizationCustomer } from '#contracts/operations/operator.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError } from '../../lib/api-error.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { mostCustomers, useGiveDomain, useOrganization, useOrganizationCustomers } from './api.ts';

/** What lists names that are nobody's: the button of a row, what was done last, and the dialog that asks whose the name is. */
export function useGiving(): { button: (domain: string) => ReactNode; done: ReactNode; dialog: ReactNode } {
  const give = useGiveDomain();
  const [domain, setDomain] = useState<string | null>(null);
  const ask = (of: string) => {
    give.reset();
    setDomain(of);
  };
  return {
    button: (of) => (
      <Button variant="default" size="xs" aria-label={`Give to a customer: ${of}`} onClick={() => ask(of)}>
        Give to a customer
      </Button>
    ),
    done: (
      <div aria-live="polite">
        {give.data && domain === null && (
          <Alert color="teal" variant="light">
            {give.data.message}
          </Alert>
        )}
      </div>
    ),
    dialog: domain !== null && <GiveDomain domain={domain} give={give} onClose={() => setDomain(null)} />,
  };
}

const empty = { organizationId: '', organization: '', customerId: '', reason: '' };

function GiveDomain(props: { domain: string; give: ReturnType<typeof useGiveDomain>; onClose: () => void }) {
  const { domain, give, onClose } = props;
  const [typed, setTyped] = useState(empty);
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
  const { organizationId } = typed;
  const isWhole = giveDomain.body.shape.organizationId.safeParse(organizationId).success;
  const organization = useOrganization(isWhole ? organizationId : null);
  const isUnknown = organization.error instanceof ApiError && organization.error.code === 'not_found';
  const set = (change: Partial<typeof empty>) => {
    setTyped({ ...typed, ...change });
    // What was wrong with a field is not said of what stands there now.
    setFaults(Object.fromEntries(Object.entries(faults).filter(([field]) => !(field in change))));
  };
  return (
    <FormDialog
      title="Give to a customer"
      submitLabel="Give domain"
      runningLabel="Asking the registrar..."
      running={give.isPending}
      error={give.error}
      onSubmit={(event) => {
        event.preventDefault();
        const { error, data } = giveDomain.body.safeParse({ domain, ...typed });
        setFaults(
          Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [String(path[0]), message])),
        );
        if (data) give.mutate(data, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <Text fw={600}>{domain}</Text>
      <Text size="sm">
        The portal asks the registrar once more. If the domain is in the account, the customer gets it, with
        auto renew off. No money moves: settle with a correction what was paid for it.
      </Text>
      <TextInput
        label="Organization ID"
        required
        value={organizationId}
        error={isUnknown ? organization.error?.message : faults.organizationId}
        // The customer who was chosen is of the former one.
        onChange={(event) => set({ organizationId: event.currentTarget.value.trim(), customerId: '' })}
      />
      <TextInput
        label="Organization name"
        required
        maxLength={200}
        value={typed.organization}
        error={faults.organization}
        onChange={(event) => set({ organization: event.currentTarget.value })}
      />
      {organization.error && !isUnknown ? (
        <ErrorState error={organization.error} onRetry={organization.refetch} />
      ) : (
        <CustomerChoice
          // What was looked for and chosen is of one organization.
          key={organizationId}
          organizationId={organizationId}
          count={organization.data?.customers}
          isLoading={organization.isFetching}
          missing={faults.customerId !== undefined && typed.customerId === ''}
          onChoose={(customerId) => set({ customerId })}
        />
      )}
      <TextInput
        label="Reason"
        required
        maxLength={mostCharacters.reason}
        value={typed.reason}
        error={faults.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

/** There may be ten thousand: the server looks for what is typed. */
function CustomerChoice(props: {
  organizationId: string;
  /** How many there are. Undefined until the organization is known. */
  count: number | undefined;
  isLoading: boolean;
  missing: boolean;
  onChoose: (id: string) => void;
}) {
  const { organizationId, count, isLoading, missing, onChoose } = props;
  const [chosen, setChosen] = useState<OrganizationCustomer | null>(null);
  const [text, setText] = useState('');
  // The name of what is chosen is in the field, too, and is nothing that is looked for.
  const wanted = text === chosen?.name ? '' : text.trim();
  const [search] = useDebouncedValue(wanted, 150);
  const customers = useOrganizationCustomers(organizationId, search, (count ?? 0) > 0);
  const looking = wanted !== search || customers.isFetching;
  const found = customers.data ?? [];
  const offered = !chosen || found.some(({ id }) => id === chosen.id) ? found : [chosen, ...found];
  const unknown = isLoading ? 'Loading customers...' : 'Enter the organization’s ID first';
  if (customers.error) return <ErrorState error={customers.error} onRetry={customers.refetch} />;
  return (
    <LongSelect
      label="Customer"
      required
      searchable
      disabled={!count}
      placeholder={
        count === undefined ? unknown : count > 0 ? 'Choose a customer' : 'This organization has no customers'
      }
      description={
        (count ?? 0) > mostCustomers &&
        `Up to ${mostCustomers} are listed. Type a part of the name to find others.`
      }
      looking={looking}
      nothingFoundMessage={looking ? 'Loading customers...' : 'No customers found'}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen?.id ?? null}
      error={missing ? 'Please choose a customer' : null}
      onSearchChange={setText}
      onChange={(id) => {
        setChosen(offered.find((one) => one.id === id) ?? null);
        onChoose(id ?? '');
      }}
    />
  );
}
