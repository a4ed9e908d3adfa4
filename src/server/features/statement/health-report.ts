import { type CustomerHealth, healthReport } from '#contracts/operations/health.ts';
import { countText, isoDay, utcMomentText } from '#contracts/values/format.ts';
import { type Binding, bind, FileReply } from '#kernel/binding.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Scope } from '#kernel/scope.ts';
import type { MailBrand } from '../../ports/mail.ts';
import { renderPdf, type Table } from './pdf.ts';

export interface HealthReportDeps {
  clock: Clock;
  productName: string;
  logo: { brandOf(organisationId: string): Promise<MailBrand | null> };
  health: { report(scope: Scope, customerId: string): Promise<CustomerHealth> };
}

/** What the world sees of a customer's domains, on paper, under the name and logo of the organisation. */
function createHealthReport({ clock, productName, logo, health }: HealthReportDeps) {
  return async (scope: Scope, customerId: string): Promise<Buffer> => {
    const { name, domains, lookedAt, watched, findings, more } = await health.report(scope, customerId);
    const brand = await logo.brandOf(scope.organisationId);
    const organisation = brand?.name ?? productName;
    const now = clock.now();
    const weighing = (weight: string) => countText(findings.filter((each) => each.weight === weight).length);
    const heading = {
      ...{ product: organisation, title: 'Health of your domains', number: `H-${isoDay(now)}`, organisation },
      ...{ logo: brand?.logo ?? null, issuer: [organisation], recipient: [name] },
      facts: [
        ['Domains', `${countText(domains)}, of which ${countText(lookedAt)} were looked at`],
        ...(watched > 0 ? [['Held elsewhere', countText(watched)] as const] : []),
        ['To be mended now', weighing('bad')],
        ['To be mended soon', weighing('warn')],
        ['Advice', weighing('note')],
        ['Made', utcMomentText(now)],
      ] as const,
    };
    const note =
      'Domains are looked at every day, as the world sees them: nameservers, mail, websites, certificates and registry. ' +
      `${more ? 'There are more findings than fit here. ' : ''}What is muted is not in this report.`;
    return renderPdf(heading, findingTable(findings), note, now);
  };
}

const urgency = { bad: 'Now', warn: 'Soon', note: 'Advice' } as const;

const elsewhereText = ({ registrar }: { registrar: string | null }) =>
  registrar === null ? 'Watched, held elsewhere' : `Watched, held at ${registrar}`;

export function findingTable(findings: CustomerHealth['findings']): Table {
  return {
    columns: [
      { title: 'Domain', width: 120 },
      { title: 'When', width: 44 },
      { title: 'What was found', width: 170 },
      { title: 'What it means, and what to do', width: 165 },
    ],
    rows: findings.map(({ domain, watched, weight, title, detail, meaning, remedy }) => [
      ...[watched ? `${domain}\n${elsewhereText(watched)}` : domain],
      ...[urgency[weight], `${title}\n${detail.slice(0, 300)}`, `${meaning} ${remedy}`],
    ]),
    total: [findings.length === 0 ? 'Nothing is wrong' : `${countText(findings.length)} in all`, '', '', ''],
  };
}

/** Its one address. */
export function healthReportRoutes(deps: HealthReportDeps): Binding[] {
  const report = createHealthReport(deps);
  return [
    bind(
      healthReport,
      async (c) => new FileReply(await report(c.scope, c.params.id), 'application/pdf', 'health-report.pdf'),
    ),
  ];
}
