import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { CustomerHealth } from '#contracts/operations/health.ts';
import { useCustomerHealth } from '../features/health/api.ts';
import { FindingList } from '../features/health/finding-list.tsx';
import { heldText } from '../features/health/held-text.ts';
import { ReportButton } from '../features/health/report-button.tsx';
import { useProfile } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Figures } from '../ui/figures.tsx';
import { Page } from '../ui/page.tsx';
import classes from './health-report.module.css';

type Finding = CustomerHealth['findings'][number];

/** /health/report/{customerId}: what a customer is told of their domains, under the logo of their provider, also on paper. */
export default function HealthReportScreen() {
  const { customerId = '' } = useParams({ strict: false });
  const report = useCustomerHealth(customerId);
  return (
    <Page
      title="Health of your domains"
      above={<Breadcrumbs trail={[{ to: '/health', label: 'Health' }]} here="Report" />}
      below={report.data && <Below report={report.data} />}
      action={
        <Group gap="xs">
          <Button variant="default" onClick={() => window.print()}>
            Print
          </Button>
          <ReportButton customerId={customerId} />
        </Group>
      }
    >
      {report.data ? (
        <Report report={report.data} />
      ) : isMissing(report.error) ? (
        <EmptyState title="There is no such customer" />
      ) : report.error ? (
        <ErrorState error={report.error} onRetry={report.refetch} />
      ) : (
        <div role="status" aria-label="Loading report...">
          <Skeleton height={320} />
        </div>
      )}
    </Page>
  );
}

/** An id that nobody has, or that is none. */
const isMissing = (error: Error | null) =>
  error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');

function Below({ report: { name, madeAt } }: { report: CustomerHealth }) {
  return (
    <>
      {name} · <DateTime at={madeAt} />
    </>
  );
}

function Report({ report }: { report: CustomerHealth }) {
  const { domains, lookedAt, watched, findings } = report;
  const weighing = (weight: Finding['weight']) => findings.filter((each) => each.weight === weight).length;
  return (
    <Stack gap="lg">
      <Letterhead />
      <Figures
        label="Figures"
        figures={[
          { title: 'Domains', value: domains, detail: `${lookedAt} checked${elsewhereText(watched)}` },
          { title: 'Fix now', value: weighing('bad') },
          { title: 'Fix soon', value: weighing('warn') },
          { title: 'Advice', value: weighing('note') },
        ]}
      />
      {findings.length === 0 && <EmptyState title="Nothing is wrong" />}
      {byDomain(findings).map(([domain, found]) => (
        <Card
          key={domain}
          flush
          title={domain}
          beside={
            found[0]?.watched && (
              <Text size="sm" c="dimmed">
                {heldText(found[0].watched)}
              </Text>
            )
          }
        >
          <FindingList findings={found} mayMute={false} />
        </Card>
      ))}
      <Text size="sm" c="dimmed">
        Domains are checked every day, as others see them: nameservers, mail, websites, certificates and
        registry.
        {report.more && ' There are more findings than fit here.'} What is muted is not in this report.
      </Text>
    </Stack>
  );
}

const elsewhereText = (watched: number) => (watched === 0 ? '' : `, ${watched} held elsewhere`);

/** Domains with what was found of each; the one with the weightiest first. */
function byDomain(findings: readonly Finding[]): [string, Finding[]][] {
  const found = new Map<string, Finding[]>();
  for (const finding of findings) found.set(finding.domain, [...(found.get(finding.domain) ?? []), finding]);
  return [...found];
}

/** Whose report it is: of the organization that looks after the domains. */
function Letterhead() {
  const profile = useProfile().data;
  if (!profile) return null;
  return (
    <div className={classes.letterhead}>
      {profile.logoPath && <img src={profile.logoPath} alt="" />}
      <span>{profile.organization}</span>
    </div>
  );
}
