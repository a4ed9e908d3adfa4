import { AppError } from '#contracts/errors.ts';
import { hourMs, minuteMs } from '#contracts/values/time.ts';
import {
  changesBetween,
  flatRecords,
  touchedChanges,
  type ZoneChange,
} from '#contracts/values/zone-changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { failpoint } from '#kernel/failpoint.ts';
import type { Scope } from '#kernel/scope.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import type { DnsApi } from '../dns/index.ts';
import { isManaged } from '../domains/index.ts';
import type { Checking } from './checking.ts';
import { answersOf } from './comparison.ts';
import type { Line, LineZone } from './line.ts';
import type { Progress } from './moves.repo.ts';
import { isComparedOn } from './moves.rules.ts';
import {
  asRead,
  changedText,
  changesOf,
  differencesOf,
  foundAt,
  type OldZone,
  oldZoneOf,
} from './old-zone.rules.ts';

export interface DnsStepsDeps {
  clock: Clock;
  zoneSource: ZoneSource;
  dns: Pick<DnsApi, 'requireServed'> & {
    zones: Pick<DnsApi['zones'], 'change' | 'publishStaged' | 'read'>;
    nameservers: Pick<DnsApi['nameservers'], 'force'>;
  };
  /** Hosts of the managed DNS. */
  managed: readonly string[];
}

/** The registrar's word comes by itself; this is for the case that it does not. */
export const waitMs = 10 * minuteMs;
export const heldMs = 10 * minuteMs;
const soonMs = 15_000;
/** Its old zone could not be told for certain. */
const readAgainMs = hourMs;
const reason = 'Moved here with its domain';
const reasonLater = 'Changed at its old DNS during the transfer';

/** What is done with the DNS of an ordered line. Each step may be taken twice. */
export function createDnsSteps(deps: DnsStepsDeps, { zoneAgain }: Pick<Checking, 'zoneAgain'>) {
  const { clock, dns, zoneSource } = deps;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  /** Into the zone editor: before the domain has come as what waits for it, afterwards as a change like any other. */
  async function stage(scope: Scope, { address, zone, item }: Line): Promise<Progress> {
    const records = (zone?.records ?? []).map((record): ZoneChange => ({ action: 'add', record }));
    try {
      if (records.length > 0) await dns.zones.change(scope, address, { records, reason });
    } catch (error) {
      return heldBy(error);
    }
    failpoint('moves.staged');
    return { staged: clock.now(), nextAt: later(item?.state === 'succeeded' ? 0 : waitMs) };
  }

  /** The zone may change while its domain is on its way: what waits here changes with it. */
  async function readAgain(scope: Scope | null, line: Line): Promise<Progress> {
    const checked = clock.now();
    const zone = await zoneAgain(line);
    if (!zone || (line.stagedAt && !(await takeChanges(scope, line, zone)))) {
      return { nextAt: later(readAgainMs) };
    }
    return { zone, checked, nextAt: later(waitMs) };
  }

  /** False: a person has decided otherwise about a record that has changed, or it cannot stand beside theirs. */
  async function takeChanges(
    scope: Scope | null,
    { address, zone }: Line,
    found: LineZone,
  ): Promise<boolean> {
    const before = zone?.records ?? [];
    const changes = changesBetween(before, found.records);
    if (changes.length === 0) return true;
    if (!scope) return false;
    try {
      const { version, records } = await dns.zones.read(scope, address);
      const waiting = flatRecords(records);
      // A process that died may have done it, or a person.
      const isOpen = new Set(touchedChanges(found.records, waiting, changes));
      const open = changes.filter((_, index) => isOpen.has(index));
      if (touchedChanges(before, waiting, open).length > 0) return false;
      if (open.length > 0)
        await dns.zones.change(scope, address, { records: open, version, reason: reasonLater });
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** What a person can read; other errors are ours. */
  function heldBy(error: unknown): Progress {
    if (!(error instanceof AppError)) throw error;
    const [first] = error.details ?? [];
    const why = first?.message ?? error.message;
    return { held: `Its DNS could not be put in order: ${why}`, nextAt: later(heldMs) };
  }

  /**
   * Its records are served here first; then the delegation leads here, unless its old servers say something else by now. That may
   * be a change of the zone, or a page of the registrar that the domain has left: a person decides.
   */
  async function takeOver(scope: Scope, line: Line, nameservers: readonly string[]): Promise<Progress> {
    const { organisationId, address, checkedAt } = line;
    let old: OldZone | null = null;
    try {
      await dns.zones.publishStaged({ organisationId, address });
      // Somebody else may have published it, in vain.
      await dns.requireServed({ organisationId, address });
      failpoint('moves.published');
      if (!isManaged(nameservers, deps.managed)) {
        old = await lookAtOld(scope, line, nameservers);
        if (old && old.open.length > 0) {
          const compared = { at: foundAt(line, old.open, clock.now()), differences: old.open };
          return { held: changedText(old.open, checkedAt), compared, nextAt: later(heldMs) };
        }
        await dns.nameservers.force(scope, address);
      }
    } catch (error) {
      return heldBy(error);
    }
    failpoint('moves.switched');
    const now = clock.now();
    const seen = old && { zone: old.zone, ...(old.isSure ? { checked: now } : {}) };
    return { switched: now, compared: { at: now, differences: [] }, ...seen, nextAt: now };
  }

  async function lookAtOld(
    scope: Scope,
    line: Line,
    nameservers: readonly string[],
  ): Promise<OldZone | null> {
    const { address, zone, facts, differences } = line;
    if (!zone) return null;
    const servers = nameservers.length > 0 ? nameservers : (facts?.nameservers ?? []);
    const answers = await answersOf(zoneSource, address, zone, servers);
    // What was known before they fell silent is known still.
    const changes = changesOf(answers) ?? differences ?? [];
    // Only what has changed is looked for here.
    const served = changes.length > 0 ? flatRecords((await dns.zones.read(scope, address)).records) : [];
    return oldZoneOf(line, zone, { answers, changes, served: asRead(served) });
  }

  async function compare(line: Line, servers: readonly string[]): Promise<Progress> {
    const { address, zone, item } = line;
    // The portal has not read its delegation yet.
    if (servers.length === 0 && item) return { nextAt: later(soonMs) };
    const differences = zone ? differencesOf(await answersOf(zoneSource, address, zone, servers)) : [];
    failpoint('moves.compared');
    const now = clock.now();
    const isOver = differences.length === 0 || !isComparedOn(line, now);
    return { compared: { at: now, differences }, nextAt: isOver ? null : later(heldMs) };
  }

  return { stage, readAgain, takeOver, compare };
}
