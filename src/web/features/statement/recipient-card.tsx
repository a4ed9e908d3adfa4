import { Button, Skeleton, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { BillingAddress } from '#contracts/operations/earnings.ts';
import { mostAddressLines, mostCharacters } from '#contracts/values/text-limits.ts';
import { faultsByField } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useRecipient, useSetRecipient } from './api.ts';
import { addressProblem, bodyOf, formOf, isUnset, type KeptAddress, offerOf } from './recipient.ts';

export interface RecipientProps {
  organization: string;
  editing: boolean;
  onEditing: (editing: boolean) => void;
  /** As the payment provider has it; undefined while it is being asked. */
  kept: KeptAddress | null | undefined;
}

/** Who statements and receipts are made out to. */
export function RecipientCard(props: RecipientProps) {
  const recipient = useRecipient();
  const { data } = recipient;
  return (
    <Card
      title="Recipient of statements and receipts"
      end={
        <Button size="xs" variant="default" disabled={!data} onClick={() => props.onEditing(true)}>
          Change the recipient
        </Button>
      }
    >
      {recipient.error && !data ? (
        <ErrorState error={recipient.error} onRetry={recipient.refetch} />
      ) : data ? (
        <Shown {...data} organization={props.organization} />
      ) : (
        <Skeleton height={60} />
      )}
      {props.editing && data && props.kept !== undefined && (
        <Form {...props} recipient={data} kept={props.kept} onClose={() => props.onEditing(false)} />
      )}
    </Card>
  );
}

function Shown({ organization, ...recipient }: BillingAddress & { organization: string }) {
  const { name, address, taxId } = recipient;
  return (
    <>
      <Text fw={560}>{name || organization}</Text>
      {[...address, ...(taxId ? [`Tax ID: ${taxId}`] : [])].map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same, and nothing is kept in them.
        <Text key={at} c="var(--text-2)">
          {line}
        </Text>
      ))}
      {isUnset(recipient) && (
        <Text size="sm" c="dimmed">
          Statements and receipts have no address or tax number yet.
        </Text>
      )}
    </>
  );
}

/** Where nothing is set yet, the address at the payment provider is filled in, to be checked and saved. */
function Form(
  props: Pick<RecipientProps, 'organization'> & {
    recipient: BillingAddress;
    kept: KeptAddress | null;
    onClose: () => void;
  },
) {
  const { recipient, onClose } = props;
  const offer = offerOf(props.kept);
  const filledIn = offer !== null && isUnset(recipient);
  const save = useSetRecipient();
  const form = useForm({
    initialValues: { ...formOf(recipient), ...(filledIn ? offer : {}) },
    validateInputOnBlur: true,
    validate: { address: addressProblem },
  });
  return (
    <FormDialog
      title="Recipient of statements and receipts"
      submitLabel="Save"
      runningLabel="Saving..."
      running={save.isPending}
      error={save.error}
      onSubmit={form.onSubmit((values) =>
        save.mutate(bodyOf(values), {
          onSuccess: onClose,
          onError: (error) => form.setErrors(faultsByField(error)),
        }),
      )}
      onClose={onClose}
    >
      {filledIn && (
        <Text size="sm">
          This is the billing address of your payment account. Please check it before you save.
        </Text>
      )}
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        data-autofocus
        placeholder={props.organization}
        description="Leave empty to use the name of your organization"
        maxLength={mostCharacters.addressLine}
        autoComplete="organization"
      />
      <Textarea
        {...form.getInputProps('address')}
        label="Address"
        description={`As on an envelope, at most ${mostAddressLines} lines`}
        autosize
        minRows={3}
        autoComplete="street-address"
      />
      <TextInput
        {...form.getInputProps('taxId')}
        label="Tax ID"
        description="VAT, GST or another tax number, where you have one"
        maxLength={mostCharacters.taxId}
        autoComplete="off"
      />
      {offer && !filledIn && (
        <Button
          variant="subtle"
          h="auto"
          mih={36}
          py={6}
          styles={{ label: { whiteSpace: 'normal' } }}
          onClick={() => form.setValues(offer)}
        >
          Use the billing address of your payment account
        </Button>
      )}
      <Text size="sm" c="dimmed">
        All statements and receipts show it from now on, including those of earlier months.
      </Text>
    </FormDialog>
  );
}
