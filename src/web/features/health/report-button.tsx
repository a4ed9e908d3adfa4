import { Button } from '@mantine/core';
import { ErrorState } from '../../ui/error-state.tsx';
import { useHealthReport } from './api.ts';

/** Saves the report of a customer's domains, to hand to the customer. */
export function ReportButton({ customerId }: { customerId: string }) {
  const report = useHealthReport();
  return (
    <>
      <Button variant="default" loading={report.isPending} onClick={() => report.mutate(customerId)}>
        Report as PDF
      </Button>
      {report.error && <ErrorState error={report.error} onRetry={() => report.mutate(customerId)} />}
    </>
  );
}
