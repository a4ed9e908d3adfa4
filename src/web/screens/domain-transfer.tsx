import { Button, CloseButton, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import { authCodeProblem } from '#contracts/values/move-lines.ts';
import { OwnerChoice } from '../features/customers/owner-choice.tsx';
import { useCheckTransfer } from '../features/domains/transfer-api.ts';
import { type CheckOutcome, failureOf, nameOf, outcomeOf } from '../features/domains/transfer-check.ts';
import { CheckResult, PresentNameservers } from '../features/domains/transfer-result.tsx';
import type { TransferItem } from '../features/orders/cart.ts';
import { placed } from '../features/orders/use-add.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useProfile } from '../features/users/api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { focusFault } from '../ui/first-fault.ts';
import { Page } from '../ui/page.tsx';

/** A check that was made, and what it was about. */
interface Checked {
  domain: string;
  outcome: CheckOutcome;
  records: TransferCheckReply['dnsRecords'] | null;
}

/** /domain/transfer (P2 §2): one name at a time into the cart. */
export default function DomainTransferScreen() {
  const transfer = useTransferForm();
  const { checked } = transfer;
  const fields = useRef<HTMLDivElement>(null);
  return (
    <Page
      title="Transfer a domain you already own"
      action={
        <Button variant="default" component={Link} to="/domain/moves">
          Transfer a list
        </Button>
      }
    >
      <Paper ref={fields} withBorder p="md" maw={720}>
        <Stack gap="md">
          <NameField transfer={transfer} />
          {checked && <CheckResult domain={checked.domain} outcome={checked.outcome} />}
          {checked?.records && (
            <PresentNameservers records={checked.records} refused={checked.outcome.kind === 'refused'} />
          )}
          <OwnerChoice
            label="Destination Customer for Domain Transfer *"
            what="this domain"
            value={transfer.customerId}
            missing={checked?.outcome.kind === 'transferable' && transfer.authInfo !== ''}
            onChange={transfer.setCustomerId}
          />
          <TextInput
            label="AuthInfo / EPP code"
            description="It is typically found in your current provider's panel."
            value={transfer.authInfo}
            error={transfer.codeProblem}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => transfer.setAuthInfo(event.currentTarget.value)}
          />
          <Group>
            <Button
              disabled={checked?.outcome.kind !== 'transferable' || !transfer.customerId}
              onClick={() => {
                transfer.add();
                focusFault(fields.current);
              }}
            >
              Add to Cart
            </Button>
          </Group>
        </Stack>
      </Paper>
      <RefusedDialog checked={transfer.refused} onClose={transfer.closeRefused} />
      <AddedDialog opened={transfer.added} onReset={transfer.reset} />
    </Page>
  );
}

type TransferForm = ReturnType<typeof useTransferForm>;

function useTransferForm() {
  // The cart is kept for each person: it is loaded before anything is put into it.
  useCart(useProfile().data?.userId);
  const check = useCheckTransfer();
  // Of a transfer that did not succeed: it is known what is to be transferred again.
  const given = useSearch({ strict: false, select: (search) => search.name });
  const [name, setName] = useState(given ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [refused, setRefused] = useState<Checked | null>(null);
  const [customerId, setCustomerId] = useState<string | null>(null);
  const [authInfo, setAuthInfo] = useState('');
  const [codeProblem, setCodeProblem] = useState<string | null>(null);
  const [added, setAdded] = useState(false);
  // The answer to a name that was changed meanwhile is nobody's.
  const asked = useRef('');

  /** P2 §4: editing the name resets the check. */
  const changeName = (typed: string) => {
    setName(typed);
    setProblem(null);
    setChecked(null);
    asked.current = '';
  };
  const conclude = (domain: string, outcome: CheckOutcome, records: Checked['records']) => {
    if (asked.current !== domain) return;
    const result = { domain, outcome, records };
    setChecked(result);
    if (outcome.kind === 'refused') setRefused(result);
  };
  const runCheck = () => {
    const typed = nameOf(name);
    setChecked(null);
    setProblem(typed.ok ? null : typed.message);
    if (!typed.ok) return;
    const { domain } = typed;
    asked.current = domain;
    setName(domain);
    check.mutate(domain, {
      onSuccess: (reply) => conclude(domain, outcomeOf(reply), reply.dnsRecords),
      onError: (error) => conclude(domain, failureOf(error), null),
    });
  };
  const reset = () => {
    changeName('');
    setCustomerId(null);
    setAuthInfo('');
    setCodeProblem(null);
    setAdded(false);
  };
  const add = () => {
    if (!checked) return;
    const wrong = authCodeProblem(authInfo);
    setCodeProblem(wrong);
    if (wrong !== null) return;
    const { domain: address } = checked;
    const item: TransferItem = {
      ...{ type: 'transfer', address, registration: 1, autoRenew: false, customerId, EPPCode: authInfo },
    };
    // In the cart already: with what was typed now. What finds no place stays in the form.
    setAdded(placed(item));
  };
  return {
    ...{ name, changeName, problem, checking: check.isPending, runCheck, checked },
    ...{ refused, closeRefused: () => setRefused(null), customerId, setCustomerId, authInfo, codeProblem },
    ...{ added, add, reset },
    /** Pasted codes come with blanks around them. */
    setAuthInfo: (code: string) => {
      setAuthInfo(code.trim());
      setCodeProblem(null);
    },
  };
}

function NameField({ transfer }: { transfer: TransferForm }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    transfer.runCheck();
    focusFault(event.currentTarget);
  };
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Domain name"
        placeholder="example.com"
        value={transfer.name}
        maxLength={300}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={transfer.problem}
        errorProps={{ role: 'alert' }}
        // The button stands beside the field, whatever is said below it.
        inputContainer={(field) => (
          <Group align="flex-start" gap="sm" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>{field}</div>
            <Button type="submit" variant="default" disabled={transfer.checking}>
              {transfer.checking ? 'Checking...' : 'Check'}
            </Button>
          </Group>
        )}
        rightSection={
          transfer.name !== '' && (
            <CloseButton aria-label="Clear the domain name" onClick={() => transfer.changeName('')} />
          )
        }
        onChange={(event) => transfer.changeName(event.currentTarget.value)}
      />
    </form>
  );
}

/** P2 §8: a dialog titled Error. */
function RefusedDialog({ checked, onClose }: { checked: Checked | null; onClose: () => void }) {
  const reason = checked?.outcome.kind === 'refused' ? checked.outcome.reason : '';
  return (
    <Dialog opened={checked !== null} onClose={onClose} title="Error" centered>
      <Text mb="md">
        Domain {checked?.domain} is not transferrable because {reason}.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Dialog>
  );
}

function AddedDialog({ opened, onReset }: { opened: boolean; onReset: () => void }) {
  const navigate = useNavigate();
  const view = () => {
    onReset();
    void navigate({ to: '/cart' });
  };
  return (
    <Dialog opened={opened} onClose={onReset} title="Transfer added" centered>
      <Text mb="md">You have successfully added this transfer to your cart</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onReset}>
          Transfer Another
        </Button>
        <Button onClick={view} data-autofocus>
          View Cart
        </Button>
      </Group>
    </Dialog>
  );
}
