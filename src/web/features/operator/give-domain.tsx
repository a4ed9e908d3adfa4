import { Alert, Button, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { giveDomain } from '#contracts/operations/operator.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useGiveDomain } from './api.ts';

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
type Field = keyof typeof empty;
const labels: Record<Field, string> = {
  organizationId: 'Organization ID',
  organization: 'Organization name',
  customerId: 'Customer ID',
  reason: 'Reason',
};
const fields = Object.keys(labels) as Field[];

function GiveDomain(props: { domain: string; give: ReturnType<typeof useGiveDomain>; onClose: () => void }) {
  const { domain, give, onClose } = props;
  const [typed, setTyped] = useState(empty);
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({});
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
      {fields.map((field) => (
        <TextInput
          key={field}
          label={labels[field]}
          required
          maxLength={field === 'reason' ? mostCharacters.reason : 200}
          value={typed[field]}
          error={faults[field]}
          onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
        />
      ))}
    </FormDialog>
  );
}
