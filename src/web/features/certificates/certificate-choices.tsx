import { Button, Stack } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { usdText } from '#contracts/values/format.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { useCertificatePrices } from './api.ts';
import { CsrInput } from './csr-input.tsx';

interface Chosen {
  address: string;
  provider: string;
  productType: string;
  csr: string;
  csrName: string;
}

/** Provider and CSR of a certificate in the cart (P1 §2 and §5). */
export function CertificateChoices<T extends Chosen>(props: {
  item: T;
  disabled: boolean;
  onChange: (item: T) => void;
  /** Comes after the CSR was checked: other choices may have been made since. */
  onCsr: (csr: string, csrName: string) => void;
}) {
  const { item, disabled } = props;
  const prices = useCertificatePrices();
  // P1 §5: business-validated products are excluded from the choice.
  const products = (prices.data ?? []).filter(({ businessValidated }) => !businessValidated);
  const product = prices.data?.find(({ productType }) => productType === item.productType);
  const choose = (productType: string | null) => {
    const next = products.find((entry) => entry.productType === productType);
    if (!next) return;
    // A request with the wrong kind of name is of no use for it.
    const keeps = next.wildcard === (product?.wildcard ?? false);
    const csr = keeps ? {} : { csr: '', csrName: '' };
    props.onChange({ ...item, provider: next.provider, productType: next.productType, ...csr });
  };
  return (
    <Stack gap="sm" w="100%">
      <LongSelect
        label="Provider"
        aria-label={`Provider of the certificate for ${item.address}`}
        data={products.map((entry) => ({
          value: entry.productType,
          label: `${entry.provider}: ${entry.certificate} (${usdText(entry.pricePerYear)} a year)`,
        }))}
        value={item.productType}
        allowDeselect={false}
        searchable
        disabled={disabled || products.length === 0}
        onChange={choose}
        maw={480}
      />
      <CsrInput
        domain={item.address}
        productType={item.productType}
        wildcard={product?.wildcard ?? false}
        csr={item.csr}
        csrName={item.csrName}
        disabled={disabled}
        onChange={props.onCsr}
      />
    </Stack>
  );
}

/** Beside a new domain: one click puts its certificate into the cart too. */
export function AddCertificate(props: { address: string; disabled: boolean; onAdd: () => void }) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      ms="-0.5rem"
      leftSection={<IconCertificate size={16} />}
      disabled={props.disabled}
      onClick={props.onAdd}
      aria-label={`Add SSL certificate for ${props.address}`}
    >
      Add SSL certificate
    </Button>
  );
}
