import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { OperationSpec } from '../src/contracts/operation.ts';
import type { OrganisationVerdict } from '../src/contracts/operations/operator.ts';
import * as op from '../src/contracts/operations/operator.ts';
import * as people from '../src/contracts/operations/operators.ts';
import * as recoveries from '../src/contracts/operations/recovery.ts';
import { organizationText } from '../src/contracts/values/closing.ts';
import { agreementText, differenceTexts } from '../src/contracts/values/differences.ts';
import { moneyText, signedMoneyText, usdText } from '../src/contracts/values/format.ts';
import { usdToCents } from '../src/contracts/values/money.ts';
import { figureLines } from '../src/contracts/values/operator-figures.ts';
import { recoveryStepText } from '../src/contracts/values/recovery-steps.ts';
import { needsSecondPerson } from '../src/contracts/values/second-person.ts';
import { confirm, Refused } from './operator/confirm.ts';
import { Misused, unknown } from './operator/misused.ts';
import { type Options, read } from './operator/options.ts';
import { requireWords } from './operator/words.ts';

/**
 * The operators' command line (docs/operations.md). It speaks to the running portal with an operator's own key:
 *
 *   npm run operator -- status | queue | retry KIND ID | end-domain ID REASON |
 *     give-domain DOMAIN ID NAME CUSTOMER REASON | differences | reconcile | recovery [begin TIME | settle ID REASON] | prices |
 *     correct ORGANISATION NAME AMOUNT REFERENCE REASON | corrections | confirm ID | decline ID | withdraw ID | acts |
 *     operators [add NAME | end ID] | audit verify [--organisation ID] | keys | keys reseal | set-price domain com new 12.50 [--from 2027-01-01T00:00:00Z] [--note TEXT] | set-prices FILE.json
 *
 * What moves money, changes prices, takes a domain from a list or puts it on one, ends a key, begins a recovery or settles a finding shows
 * what it will do and asks; a script adds --yes.
 */
const usage = `npm run operator -- <command>

  status                                figures of everything that needs attention
  queue                                 reviews, failed charges, refused renewals, stuck events, missing domains,
                                        balances below zero, with their age
  retry KIND ID                         retry one entry of the queue; never orders or credits anything twice
  end-domain ID REASON                  end a missing domain of the queue that has left the registrar's account. The registrar is
                                        read once more before. REASON is kept in the organisation's log
  give-domain DOMAIN ID NAME CUSTOMER REASON
                                        give a domain that the registrar holds for the portal, and that no organisation lists, to
                                        a customer. ID and NAME both identify the organisation, CUSTOMER is the customer's id. The
                                        registrar is read right before. No money moves (see correct), and auto renew is off.
                                        REASON is kept in the organisation's log
  differences                           list the differences between registrar, ledger and payments; exits with 1 if the last
                                        comparison could not ask everything
  reconcile                             compare them now and wait for the result
  recovery                              show how far the comparison after a restore is, and what it found
  recovery begin TIME                   stop sending and compare everything since then, for a machine that was set back
  recovery settle ID REASON             state that a person has decided about a finding; after the last one sending goes on.
                                        REASON is kept in the operators' log (see acts)
  prices                                the price list with cost and margin
  set-price PRODUCT NAME KIND PRICE     create a version with one entry; PRICE in US dollars, or "none" for cost + margin
  set-prices FILE                       create a version from a JSON file: [{"product","name","kind","price"}]

  correct ID NAME AMOUNT REFERENCE REASON
                                        correct the balance of an organisation with an entry. ID and NAME both identify
                                        the organisation. AMOUNT is in US dollars (12.50, or -12.50 to take back). Each
                                        REFERENCE (a payment, an order item) allows one entry. REASON is shown in the
                                        statement. Above an operator's daily limit, another operator must confirm
  corrections                           list corrections: first those that wait for a second person, then the newest
  confirm ID                            confirm a correction that another operator requested
  decline ID                            decline a correction that another operator requested
  withdraw ID                           withdraw a correction that you requested
  acts                                  list the acts of operators: who, when, from where, and the outcome

  operators                             list the people with their own key
  operators add NAME                    create a key for a person; it is shown once
  operators end ID                      end a person's key

  keys                                  count the values under each sealing key
  keys reseal                           reseal everything under the newest key; exits with 1 if a value cannot be opened

  audit verify [--organisation ID]      verify the audit logs; names the first bad entry and exits with 1 if there is one

  --from TIME   when new prices apply (2027-01-01T00:00:00Z); at once when absent
  --note TEXT   the purpose of the version
  --yes         do without asking what asks: correct, confirm, end-domain, give-domain, operators end, set-price, set-prices,
                recovery begin, recovery settle; a script needs it
  --json        output as JSON

OPERATOR_KEY holds your own key. OPERATOR_TOKEN, a setting of the portal, works only for the operators commands.
PUBLIC_URL is the portal's address. Next to a portal that npm start runs, both are found automatically.`;

let values: Options = { yes: false, json: false, help: false };
/** What `npm start` has left in the data folder; a portal that was started otherwise has none. */
const started = readStarted();
const address = process.env.PUBLIC_URL ?? started.url ?? 'http://127.0.0.1:4300';
const followMs = 1_000;

class Failure extends Error {}

/** A word that is one of these. */
function requireWord(what: string, typed: string, known: readonly string[]): void {
  if (!known.includes(typed)) throw unknown(what, typed, known);
}

function readStarted(): { url?: string | null; settings?: Record<string, string> } {
  try {
    const text = readFileSync(join(resolve(process.env.DATA_DIR ?? 'data'), 'instance.json'), 'utf8');
    return JSON.parse(text) as { url: string | null; settings: Record<string, string> };
  } catch {
    return {};
  }
}

async function call<T extends OperationSpec>(
  operation: T,
  params: Record<string, string> = {},
  body?: unknown,
  query: Record<string, string> = {},
): Promise<z.output<T['reply']>> {
  const variable = operation.access === 'bootstrap' ? 'OPERATOR_TOKEN' : 'OPERATOR_KEY';
  const token = process.env[variable] ?? started.settings?.[variable];
  if (!token) throw new Failure(`${variable} is not set.`);
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const reply = await fetch(`${address}/api${path}?${new URLSearchParams(query)}`, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Failure(
      `${address} does not answer: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const answer = (await reply.json().catch(() => {
    throw new Failure(
      `${address} answered ${reply.status} and nothing that a portal says. Is PUBLIC_URL right?`,
    );
  })) as { data: unknown; message?: string; details?: { path: string; message: string }[] };
  if (reply.ok) return operation.reply.parse(answer.data) as z.output<T['reply']>;
  const details = (answer.details ?? []).map((one) => `\n  ${one.path}: ${one.message}`).join('');
  throw new Failure(`${reply.status} ${answer.message ?? ''}${details}`);
}

function show(answer: unknown, lines: readonly string[], none = 'Nothing.'): void {
  if (values.json) console.log(JSON.stringify(answer, null, 2));
  else console.log(lines.length > 0 ? lines.join('\n') : none);
}

/** Shows what an act will change, and goes on only when a person has agreed, or the script with --yes. */
const ask = (lines: readonly string[], question: string) => confirm(lines, { question, yes: values.yes });

const commands: Record<string, (args: string[]) => Promise<void>> = {
  async status() {
    const figures = await call(op.getFigures);
    show(figures, figureLines(figures));
  },
  async queue() {
    const entries = await call(op.getQueue);
    const lines = entries.map((entry) =>
      [
        `${String(Math.floor(entry.ageSeconds / 3_600)).padStart(5)} h  ${entry.kind.padEnd(8)} ${entry.id}`,
        `         ${entry.organization}  ${entry.subject}  ${moneyText(entry.amount)}`,
        ...(entry.note ? [`         ${entry.note}`] : []),
      ].join('\n'),
    );
    show(entries, lines, 'Nothing needs attention.');
  },
  async retry([kind = '', ...parts]) {
    requireWord('kind of entry', kind, op.queueKinds);
    // An automatic renewal is called by its organisation and its domain, as the queue prints it.
    const answer = await call(op.retryEntry, { kind, id: parts.join(' ') });
    show(answer, [answer.message]);
  },
  async 'end-domain'([id = '', reason]) {
    const missing = (await call(op.getQueue)).find((one) => one.kind === 'missing' && one.id === id);
    const leaves = missing
      ? `${missing.subject} leaves the list of ${missing.organization}`
      : `Domain ${id} leaves its list`;
    await ask([`${address}: ${leaves}. Anybody can then order it again.`, `Reason: ${reason}`], 'End it?');
    const answer = await call(op.endDomain, { id }, { reason });
    show(answer, [answer.message]);
  },
  async 'give-domain'([domain, organizationId = '', organization, customerId = '', reason]) {
    const body = checked(op.giveDomain.body, { domain, organizationId, organization, customerId, reason });
    const { name, closedAt } = await call(op.getOrganization, { id: organizationId });
    const [found] = await call(op.listOrganizationCustomers, { id: organizationId }, undefined, {
      customerId,
    });
    const customer = found?.name ?? customerId;
    await ask(
      [
        `${address}: ${domain} goes to ${customer}, a customer of ${organizationText(name, closedAt)}.`,
        'Auto renew is off, and no money moves. The customer and their MSP see the domain at once.',
        `Reason: ${reason}`,
      ],
      'Give it?',
    );
    const answer = await call(op.giveDomain, {}, body);
    show(answer, [answer.message]);
  },
  async differences() {
    const { runs, differences } = await call(op.getReconciliation);
    const missed = runs.find(({ endedAt }) => endedAt !== null)?.incomplete;
    // A script that takes the list for the whole has to hear of it, too.
    if (missed) {
      console.error(`The last comparison was incomplete: ${missed}`);
      process.exitCode = 1;
    }
    show(
      differences,
      differences.map(({ kind, subject, organization, text, firstSeenAt }) =>
        [
          [kind, organization, `since ${firstSeenAt}`].filter((part) => part !== '').join('  '),
          `    ${text}`,
          `    ${differenceTexts[kind].advice}`,
          ...(text.includes(subject) ? [] : [`    ${subject}`]),
        ].join('\n'),
      ),
      `${agreementText(runs)}.`,
    );
  },
  async reconcile() {
    const before = (await call(op.getReconciliation)).runs[0]?.startedAt;
    await call(op.startReconciliation);
    for (;;) {
      const [run] = (await call(op.getReconciliation)).runs;
      if (run && run.startedAt !== before && run.endedAt !== null) break;
      await new Promise((resolve) => setTimeout(resolve, followMs));
    }
    await commands.differences?.([]);
  },
  async recovery([what, argument = '', why]) {
    if (what === 'begin') await beginRecovery(argument);
    if (what === 'settle') await settleFinding(argument, why);
    const answer = await call(recoveries.getRecovery);
    const { recovery, findings } = answer;
    if (!recovery) return show(answer, [], 'There has been no recovery.');
    const { state, reason, step, done, total, since, hindrance } = recovery;
    show(answer, [
      `${state}  since ${since} (${reason})  ${recoveryStepText(step, `${done}`, total === null ? null : `${total}`)}`,
      ...(hindrance ? [`  cannot go on at the moment: ${hindrance}`] : []),
      ...findings.map(({ id, kind, text, needsPerson, settledAt }) =>
        [`${needsPerson && !settledAt ? 'DECIDE' : '      '}  ${kind}  ${id}`, `          ${text}`].join(
          '\n',
        ),
      ),
    ]);
  },
  async prices() {
    const prices = await call(op.getPrices);
    const amount = (value: number | null) => (value === null ? '-' : usdText(value)).padStart(10);
    const heading = `${'product'.padEnd(12)}${'name'.padEnd(24)}${'kind'.padEnd(9)}      cost     price  margin`;
    show(prices, [
      heading,
      ...prices.rows.map((row) =>
        [
          `${row.product.padEnd(12)}${row.name.padEnd(24)}${row.kind.padEnd(9)}`,
          `${amount(row.cost)}${amount(row.price)}${`${row.marginPercent ?? '-'}%`.padStart(8)}`,
          row.listed === null ? '  cost + margin' : '',
        ].join(''),
      ),
    ]);
  },
  async audit() {
    const verdicts = await verifyLogs();
    show(
      verdicts,
      verdicts.map(({ organizationId, organization, closedAt, rows, head, broken }) => {
        const name = organizationText(organization, closedAt);
        return broken
          ? `BROKEN  ${organizationId}  ${name}: entry ${broken.sequence} ${broken.reason}`
          : `whole   ${organizationId}  ${name}: ${rows} entries, head ${head}`;
      }),
      'There is no audit log yet.',
    );
    if (verdicts.some(({ broken }) => broken !== null)) process.exitCode = 1;
  },
  async keys([what]) {
    const moved = what === 'reseal' ? await resealAll() : null;
    const use = await call(op.getKeyUse);
    const lines = use.places.flatMap(({ place, keys }) =>
      keys.map(({ key, values: count }) => `  key ${key}  ${String(count).padStart(8)}  ${place}`),
    );
    const lost = moved?.unreadable ?? [];
    show({ ...use, ...(moved ?? {}) }, [
      ...(moved ? [`${moved.resealed} values were resealed.`] : []),
      ...lost.map(
        (one) =>
          `NOT READABLE  ${one.values} of ${one.place}: their key is not configured, or the values were changed`,
      ),
      `Key ${use.newest} seals; ${use.configured.join(', ')} open.`,
      ...lines,
    ]);
    if (lost.length > 0) process.exitCode = 1;
  },
  async correct([organizationId = '', organization, amount = '', reference, reason]) {
    if (!/^-?\d+(\.\d{1,2})?$/.test(amount)) throw new Misused('AMOUNT must be like 12.50 or -12.50.');
    const body = checked(op.correctionBody, {
      ...{ organizationId, organization, amount: Number(amount), reference, reason },
    });
    const { name, closedAt, balance, aloneLeft } = await call(op.getOrganization, { id: organizationId });
    const cents = usdToCents(body.amount);
    const waits = needsSecondPerson(cents, aloneLeft);
    await ask(
      [
        `${address}: ${signedMoneyText(cents)} for ${organizationText(name, closedAt)}. Its balance: ${moneyText(balance)} -> ${moneyText(balance + cents)}.`,
        ...(waits
          ? [
              'It is more than you may enter alone: the balance changes once another operator has confirmed it.',
            ]
          : []),
        `Reason: ${reason} (${reference}). The organization reads it in its statement.`,
      ],
      waits ? 'Request it?' : 'Enter it?',
    );
    const answer = await call(op.correctBalance, {}, body);
    show(answer, [
      answer.balance === null
        ? `Nothing is entered yet. Another operator must confirm it. npm run operator -- confirm ${answer.id}`
        : `The balance of ${organization} is now ${moneyText(answer.balance)}.`,
    ]);
  },
  async corrections() {
    const rows = await call(people.listCorrections);
    show(rows, rows.map(correctionLine), 'There are no corrections.');
  },
  async confirm([id = '']) {
    const waiting = (await call(people.listCorrections)).find((one) => one.id === id);
    await ask([`${address}: ${waiting ? correctionLine(waiting) : `correction ${id}`}`], 'Enter it?');
    const row = await call(people.confirmCorrection, { id });
    show(row, [correctionLine(row)]);
  },
  async decline([id = '']) {
    const row = await call(people.declineCorrection, { id });
    show(row, [correctionLine(row)]);
  },
  async withdraw([id = '']) {
    const row = await call(people.withdrawCorrection, { id });
    show(row, [correctionLine(row)]);
  },
  async acts() {
    const acts = await call(people.listOperatorActs);
    const lines = acts.map(({ at, operator, address: from, operation, input, outcome }) =>
      [at, operator, from ?? '-', operation, outcome ?? 'running', JSON.stringify(input)].join('  '),
    );
    show(acts, lines, 'There are no acts yet.');
  },
  async operators([what, name = '']) {
    if (what === 'add') {
      const made = await call(people.makeOperator, {}, { name });
      return show(made, [`The key of ${made.name}, shown this once:`, made.key]);
    }
    if (what === 'end') {
      const one = (await call(people.listOperators)).find(({ id }) => id === name);
      if (!one) throw new Failure(`Nobody has the key ${name}.`);
      await ask(
        [`${address}: ${keyLine(one)}`, 'It opens nothing from the next request on.'],
        'End this key?',
      );
      const ended = await call(people.endOperator, { id: name });
      return show(ended, [`The key of ${ended.name} has ended.`]);
    }
    const list = await call(people.listOperators);
    show(list, list.map(keyLine), 'Nobody has a key yet.');
  },
  async 'set-price'([product = '', name = '', kind = '', price = '']) {
    requireWord('product', product, op.priceProduct.options);
    requireWord('kind of price', kind, op.priceKind.options);
    const amount = price === 'none' ? null : Number(price);
    if (amount !== null && !/^\d+(\.\d{1,2})?$/.test(price))
      throw new Misused('PRICE must be like 12.50, or none.');
    await setPrices([{ product, name, kind, price: amount }]);
  },
  async 'set-prices'([file = '']) {
    await setPrices(await readEntries(file));
  },
};

const keyLine = (one: people.OperatorKey) =>
  `${one.id}  ${one.name.padEnd(24)}  ${one.endedAt ? `ended ${one.endedAt}` : `last used ${one.lastUsedAt ?? 'never'}`}`;

/** What was typed, as the portal takes it: nobody is asked about what would be refused. */
function checked<T extends z.ZodType>(body: T, typed: unknown): z.output<T> {
  const { data, error } = body.safeParse(typed);
  if (error) throw new Misused(z.prettifyError(error));
  return data as z.output<T>;
}

function correctionLine(row: people.CorrectionRow): string {
  const who = [row.askedBy?.name ?? '-', ...(row.decidedBy === null ? [] : [row.decidedBy])].join(', ');
  return `${row.id}  ${row.state.padEnd(9)}  ${signedMoneyText(usdToCents(row.amount)).padStart(11)}  ${organizationText(row.organization, row.organizationClosedAt)}  ${row.reference}: ${row.reason}  (${who})`;
}

/** One log, or all of them: some at a time, until none are left. */
async function verifyLogs(): Promise<OrganisationVerdict[]> {
  const { organisation } = values;
  if (organisation) {
    const one = await call(op.verifyAudits, {}, undefined, { organization: organisation });
    return Promise.all(one.map(toItsEnd));
  }
  const verdicts: OrganisationVerdict[] = [];
  for (;;) {
    const after = verdicts.at(-1)?.organizationId;
    const more = await call(op.verifyAudits, {}, undefined, after ? { after } : {});
    if (more.length === 0) return verdicts;
    for (const verdict of more) verdicts.push(await toItsEnd(verdict));
  }
}

/** A log that was too long for one reply, walked on part by part. */
async function toItsEnd(verdict: OrganisationVerdict): Promise<OrganisationVerdict> {
  let last = verdict;
  while (!last.whole) {
    const { organizationId: organization, rows, head } = last;
    const from = { organization, rows: String(rows), head };
    const [next] = await call(op.verifyAudits, {}, undefined, from);
    if (!next) throw new Failure(`The log of ${organization} could not be verified to its end: it is gone.`);
    last = next;
  }
  return last;
}

/** Some hundreds at a time, until nothing is left that a configured key opens. */
async function resealAll() {
  let resealed = 0;
  for (;;) {
    const step = await call(op.reseal);
    resealed += step.resealed;
    if (!step.more) return { resealed, unreadable: step.unreadable };
  }
}

async function readEntries(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Misused(`${file || 'FILE'} cannot be read as JSON: ${(error as Error).message}`);
  }
}

async function setPrices(given: unknown): Promise<void> {
  const entries = z.array(op.priceChange).safeParse(given);
  if (!entries.success) throw new Misused(`These are no prices: ${z.prettifyError(entries.error)}`);
  const from = values.from === undefined ? 'from now on' : `from ${timeOf(values.from)}`;
  const { rows } = await call(op.getPrices);
  const changes = entries.data.map((entry) => `  ${changeText(entry, rows)}`);
  const heading = `${address}: these prices apply ${from}:`;
  await ask([heading, ...changes], 'Save them?');
  const body = {
    entries: entries.data,
    note: values.note ?? '',
    ...(values.from ? { validFrom: values.from } : {}),
  };
  const answer = await call(op.setPrices, {}, body);
  show(answer, [`Version ${answer.version} has been saved.`]);
}

/** One price before and after. */
function changeText(
  { product, name, kind, price }: z.output<typeof op.priceChange>,
  rows: readonly op.PriceRow[],
): string {
  const row = rows.find((one) => one.product === product && one.name === name && one.kind === kind);
  const margin = 'cost plus the default margin';
  const now = row?.price == null ? 'not known' : usdText(row.price);
  const before = row?.listed === null ? `${now} (${margin})` : now;
  const cost = row?.cost == null ? '' : `; it costs ${usdText(row.cost)}`;
  const next = row?.next ? `; another is entered from ${row.next.validFrom}` : '';
  return `${product} ${name} ${kind}: ${before} -> ${price === null ? margin : usdText(price)}${cost}${next}`;
}

/** A time as it was typed. */
function timeOf(typed: string): string {
  if (!z.iso.datetime().safeParse(typed).success) {
    throw new Misused(`"${typed}" is no time. Write it like 2027-01-01T00:00:00Z.`);
  }
  return typed;
}

async function beginRecovery(since: string): Promise<void> {
  const hours = Math.floor((Date.now() - Date.parse(timeOf(since))) / 3_600_000);
  if (hours < 0) throw new Misused(`${since} is still to come. Give a time in the past.`);
  const { recovery } = await call(recoveries.getRecovery);
  await ask(
    [
      `${address}: everything since ${since} (${hours} h ago) will be compared with registrar and payment provider.`,
      'Until that has ended the portal sends nothing: no order, no renewal, no charge, no DNS change, no mail. Changes answer 503.',
      ...(recovery && recovery.state !== 'ended'
        ? [`A recovery is ${recovery.state} already. It starts over; what was decided stays decided.`]
        : []),
    ],
    'Begin?',
  );
  await call(recoveries.beginRecovery, {}, { since });
}

async function settleFinding(id: string, reason: string | undefined): Promise<void> {
  const body = checked(recoveries.settleRecoveryFinding.body, { reason });
  const { findings } = await call(recoveries.getRecovery);
  const waiting = findings.filter(({ needsPerson, settledAt }) => needsPerson && settledAt === null);
  const finding = waiting.find((one) => one.id === id);
  if (!finding) throw new Failure(`No finding ${id} waits for a decision.`);
  const left = waiting.length - 1;
  await ask(
    [
      `${address}: ${finding.text}`,
      `Reason: ${reason}`,
      'The portal does nothing about it. Act on it first, at the registrar or the payment provider.',
      left > 0
        ? `After it, ${left} more to decide.`
        : 'It is the last one. Once it is decided, everything is sent again.',
    ],
    'Is it decided?',
  );
  await call(recoveries.settleRecoveryFinding, { id }, body);
}

/** What the usage says of one command; all of it would push the message above it off the screen. */
function usageOf(name: string | undefined): string | null {
  const lines = usage.split('\n');
  const found = lines.flatMap((line, at) => {
    if (line !== `  ${name}` && !line.startsWith(`  ${name} `)) return [];
    const rest = lines.slice(at + 1);
    const next = rest.findIndex((one) => !one.startsWith('      '));
    return [line, ...rest.slice(0, next)];
  });
  return found.length > 0 ? found.join('\n') : null;
}

let typedCommand: string | undefined;
try {
  const typed = read(process.argv.slice(2));
  values = typed.values;
  const [name, ...args] = typed.words;
  typedCommand = name;
  const wantsHelp = values.help || name === 'help';
  if (name === undefined || wantsHelp) {
    console.log(usageOf(name) ?? usage);
    process.exitCode = wantsHelp ? 0 : 2;
  } else {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw unknown('command', name, Object.keys(commands));
    // The queue prints the id of a renewal with a space in it.
    const words = name === 'retry' ? args.flatMap((word) => word.split(' ')) : args;
    requireWords(name, words, values);
    await command(words);
  }
} catch (error) {
  const isPlain = error instanceof Failure || error instanceof Misused || error instanceof Refused;
  console.error(isPlain ? error.message : error);
  if (error instanceof Misused && error.showsUsage) {
    const own = usageOf(typedCommand);
    console.error(`${own ? `\n${own}\n` : ''}\nnpm run operator -- --help shows all commands and options.`);
  }
  process.exitCode = error instanceof Misused ? error.exitCode : 1;
}
