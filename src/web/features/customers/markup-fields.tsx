import { Group, NumberInput, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { usdText } from '#contracts/values/format.ts';
import type { Markups } from '#contracts/values/money.ts';
import { type MarkupPlace, markupPlaces } from './direct-billing.ts';
import type { BillingForm } from './use-billing-form.ts';

interface Props {
  form: BillingForm;
  disabled: boolean;
}

/** Markups on domains and certificates, purchase and renewal, each a percentage or a fixed amount. */
export function MarkupFields({ form, disabled }: Props) {
  return (
    <section aria-label="Markups">
      <Title order={3} size="h5" mb="sm">
        Markups
      </Title>
      <Stack gap="sm">
        {markupPlaces.map((place) => (
          <MarkupRow key={place.label} place={place} form={form} disabled={disabled} />
        ))}
      </Stack>
    </section>
  );
}

function MarkupRow({ place, form, disabled }: Props & { place: MarkupPlace }) {
  const path = `markups.${place.group}.${place.price}`;
  const markup = form.getValues().markups[place.group][place.price];
  const percentage = markup.type === 'percentage';
  return (
    <Group align="flex-end" gap="sm">
      <NumberInput
        {...form.getInputProps(`${path}.value`)}
        label={place.label}
        min={0}
        max={10_000}
        decimalScale={2}
        allowNegative={false}
        hideControls
        w={180}
        disabled={disabled}
        leftSection={percentage ? null : <Text size="sm">$</Text>}
        rightSection={percentage ? <Text size="sm">%</Text> : null}
        // An emptied field is the default markup, 0.
        onChange={(value) => form.setFieldValue(`${path}.value`, Number(value) || 0)}
      />
      <SegmentedControl
        aria-label={`${place.label}: type of markup`}
        data={[
          { value: 'percentage', label: 'Percentage' },
          { value: 'fixed', label: 'Fixed' },
        ]}
        value={markup.type}
        disabled={disabled}
        onChange={(type) => form.setFieldValue(`${path}.type`, type)}
      />
    </Group>
  );
}

export function markupText<G extends keyof Markups>(
  markups: Markups,
  group: G,
  price: keyof Markups[G] & ('purchase' | 'renewal'),
): string {
  const { type, value } = markups[group][price];
  return type === 'percentage' ? `${value}%` : usdText(value);
}
