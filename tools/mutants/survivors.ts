/**
 * Mutants that no test can notice, because they change nothing that anybody could see, each with the reason. An entry stands for one
 * place: a text that survives in two places of a file is listed twice.
 */
const survivors: readonly { file: string; mutation: string; reason: string }[] = [
  {
    file: 'src/contracts/values/fresh-sign-in.ts',
    mutation: 'authenticatedAt === null -> false',
    reason: 'A sign-in of no known time would count as one of 1970, which is not fresh either.',
  },
  {
    file: 'src/contracts/values/fresh-sign-in.ts',
    mutation: 'authenticatedAt === null -> false',
    reason: 'Such a sign-in is not fresh; the types do not know.',
  },
  ...alike(
    'src/contracts/values/column-mapping.ts',
    'A name without blanks around it does not begin with one.',
    ['end < 0 -> end <= 0'],
  ),
  ...alike(
    'src/contracts/values/contact-suggestions.ts',
    'A text without blanks around it does not begin with one.',
    ['end > 0 -> end >= 0'],
  ),
  ...alike('src/contracts/values/customer-csv.ts', 'A number that is refused holds no address.', [
    "column === 'billing_email' -> true",
  ]),
  ...alike(
    'src/contracts/values/customer-csv.ts',
    'A row of which one part does not read has a fault, and is none.',
    [
      'owner.data && admin && billing && rest.data -> true',
      'owner.data && admin && billing && rest.data -> owner.data && admin && billing || rest.data',
      'owner.data && admin && billing -> true',
      'owner.data && admin && billing -> owner.data && admin || billing',
      'owner.data && admin -> true',
      'owner.data && admin -> owner.data || admin',
    ],
  ),
  ...alike(
    'src/contracts/values/customer-csv.ts',
    'What is the owner’s reads the same a second time, and its faults are told at the owner.',
    ['own === contacts.owner -> false'],
  ),
  ...alike('src/contracts/values/dns-records.ts', 'Sorting asks only whether one comes before the other.', [
    'a.key > b.key -> true',
    'a.key > b.key -> false',
    'a.key > b.key -> a.key >= b.key',
    'a.key > b.key -> a.key <= b.key',
  ]),
  ...alike(
    'src/contracts/values/dns-templates.ts',
    'A record of another type has no text; the types do not know.',
    ["record.type === 'TXT' -> true"],
  ),
  ...alike('src/contracts/values/domain-connect.ts', 'No variable has a name without letters.', [
    'at > 0 -> at >= 0',
  ]),
  ...alike(
    'src/contracts/values/domain-connect.ts',
    'Undefined is no object either; the types ask for null.',
    ['{ return null; } -> {}'],
  ),
  ...alike('src/contracts/values/domain-life.ts', 'Sorting asks only whether one comes before the other.', [
    'a.at > b.at -> true',
    'a.at > b.at -> false',
    'a.at > b.at -> a.at >= b.at',
    'a.at > b.at -> a.at <= b.at',
  ]),
  ...alike('src/contracts/values/domain-name.ts', 'One suffix is on offer.', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
    'offeredSuffixes.some((suffix) => name.endsWith(`.${suffix}`)) -> offeredSuffixes.every(suffix => name.endsWith(`.${suffix}`))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
    'offeredSuffixes.some((suffix) => name.endsWith(`.${suffix}`)) -> offeredSuffixes.every(suffix => name.endsWith(`.${suffix}`))',
  ]),
  ...alike(
    'src/contracts/values/domain-settings.ts',
    'Two names that differ in case alone are equal in either case.',
    ['name.toLowerCase() -> name.toUpperCase()'],
  ),
  ...alike('src/contracts/values/format.ts', 'What is kept only spares making it again.', [
    '!format -> true',
    'made.set(key, format); -> ;',
    'at.getTime() / dayMs -> at.getTime() * dayMs',
    'known !== undefined -> false',
    'texts.size >= mostDays -> true',
    'texts.size >= mostDays -> false',
    'texts.size >= mostDays -> texts.size > mostDays',
    'texts.size >= mostDays -> texts.size < mostDays',
    'texts.set(day, text); -> ;',
  ]),
  ...alike(
    'src/contracts/values/inner-address.ts',
    'An address that is not shortened has all of its groups in one part.',
    ['[] -> ["Stryker was here"]', '[] -> ["Stryker was here"]'],
  ),
  ...alike('src/contracts/values/inner-address.ts', 'A group that is not written has no bits, like zero.', [
    "part.split(':').filter(Boolean) -> part.split(':')",
  ]),
  ...alike('src/contracts/values/move-lines.ts', 'What is refused has a reason; the types do not know.', [
    'issues[0]?.message -> issues[0].message',
  ]),
  ...alike('src/contracts/values/move-lines.ts', 'The pattern fits every line; the types do not know.', [
    'match?.[1] -> match[1]',
    'match?.[2] -> match[2]',
  ]),
  ...alike(
    'src/contracts/values/phone.ts',
    'A function that ends without a value returns undefined as well.',
    ['{ // No country has this dial code, and the text names none. return undefined; } -> {}'],
  ),
  ...alike('src/contracts/values/meant.ts', 'What is learnt or made a second time is what it was.', [
    'codes.size === 0 -> true',
    'known -> false',
    'regionsByCountry.set(country, names); -> ;',
  ]),
  ...alike(
    'src/contracts/values/meant.ts',
    'No name in the list of all languages is another country’s in English.',
    ['codes.size === 0 -> codes.size !== 0'],
  ),
  ...alike('src/contracts/values/meant.ts', 'Every country has English names; the types do not know.', [
    '[] -> ["Stryker was here"]',
  ]),
  ...alike(
    'src/contracts/values/mail-records.ts',
    'The version reads as a modifier that nobody knows, which is allowed.',
    ['text.split(/ +/).slice(1) -> text.split(/ +/)'],
  ),
  ...alike(
    'src/contracts/values/mail-records.ts',
    'What is found has a name, and a first tag; the types do not know.',
    [
      '/^[-+~?]?([a-z][a-z0-9._-]*)/i.exec(term)?.[1]?.toLowerCase -> /^[-+~?]?([a-z][a-z0-9._-]*)/i.exec(term)?.[1].toLowerCase',
      'tags[0]?.value -> tags[0].value',
    ],
  ),
  {
    file: 'src/server/ledger/ledger.rules.ts',
    mutation: 'cents >= 0 -> cents > 0',
    reason: 'A sum of nothing posts nothing, whichever way it goes.',
  },
  {
    file: 'src/server/ledger/ledger.rules.ts',
    mutation: 'cents >= 0 -> cents > 0',
    reason: 'A sum of nothing posts nothing, whichever way it goes.',
  },
  {
    file: 'src/server/ledger/ledger.rules.ts',
    mutation: 'cents >= 0 -> cents > 0',
    reason: 'A sum of nothing posts nothing, whichever way it goes.',
  },
  {
    file: 'src/server/kernel/changed-parts.rules.ts',
    mutation: "key === '__proto__' -> true",
    reason: 'A key that is defined is written like one that is set: setting only takes less time.',
  },
  {
    file: 'src/server/features/certificates/refresh.rules.ts',
    mutation: 'text.toLowerCase() -> text.toUpperCase()',
    reason: 'Two texts that differ in case alone are equal in either case.',
  },
  {
    file: 'src/server/features/dns/zone-proofs.rules.ts',
    mutation: 'proof.instead !== null -> true',
    reason: 'To take away a record without a value takes none away, and counts as gone already.',
  },
  {
    file: 'src/server/features/operator/prices.rules.ts',
    mutation: 'price === null -> false',
    reason: 'A price is unknown only where the cost is; the types do not know.',
  },
  {
    file: 'src/server/features/renewals/plan.rules.ts',
    mutation: 'domain.attempt?.reason -> domain.attempt.reason',
    reason: 'One that is stuck has an attempt; the types do not know.',
  },
  {
    file: 'src/server/features/statement/papers.rules.ts',
    mutation: '!first || !last -> !first && !last',
    reason: 'Lines that have a first have a last; the types do not know.',
  },
  {
    file: 'src/server/features/recovery/recovery.rules.ts',
    mutation: 'text.toLowerCase() -> text.toUpperCase()',
    reason: 'Two texts that differ in case alone are equal in either case.',
  },
  {
    file: 'src/server/features/moves/moves.rules.ts',
    mutation: 'line.item?.error -> line.item.error',
    reason: 'Only what was ordered can fail; the types do not know.',
  },
  {
    file: 'src/server/features/health/mail.rules.ts',
    mutation: '[] -> ["Stryker was here"]',
    reason: 'What a pattern found as a whole is not read.',
  },
  {
    file: 'src/server/features/health/mail.rules.ts',
    mutation: '[] -> ["Stryker was here"]',
    reason: 'No record leads to a name with blanks.',
  },
  {
    file: 'src/server/features/changes/zone-plan.rules.ts',
    mutation: 'text.trim().toLowerCase() -> text.trim().toUpperCase()',
    reason: 'Two texts that differ in case alone are equal in either case.',
  },
  {
    file: 'src/server/features/changes/zone-plan.rules.ts',
    mutation: "record.type === 'TXT' -> true",
    reason: 'No record of another type has a text, and nothing is no policy; the types do not know.',
  },
  {
    file: 'src/server/features/changes/zone-plan.rules.ts',
    mutation: "record.type === 'TXT' -> true",
    reason: 'No record of another type has a text, and nothing is no policy; the types do not know.',
  },
  {
    file: 'src/server/features/changes/zone-plan.rules.ts',
    mutation: 'problem?.message -> problem.message',
    reason: 'What is no record has a problem; the types do not know.',
  },
  {
    file: 'src/server/features/certificates/term.rules.ts',
    mutation:
      'yearsAfter(orderedAt, years + 1) <= termEndsAt -> yearsAfter(orderedAt, years + 1) < termEndsAt',
    reason: 'A term of whole years stays as it is, also when its last year counts as added to it.',
  },
  {
    file: 'src/server/features/acme/jws.rules.ts',
    mutation: '{ return undefined; } -> {}',
    reason: 'A function that ends without a value returns undefined as well.',
  },
  {
    file: 'src/contracts/values/money.ts',
    mutation:
      'Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 -> Math.abs(value * 100 - Math.round(value * 100)) <= 1e-6',
    reason: 'No sum differs from a whole cent by exactly a millionth of one.',
  },
  {
    file: 'src/web/features/orders/cart-state.ts',
    mutation: '[] -> ["Stryker was here"]',
    reason: 'A text in a stored list is no item and no mark, and is left out like nothing.',
  },
  {
    file: 'src/web/features/orders/cart-state.ts',
    mutation: '[] -> ["Stryker was here"]',
    reason: 'A text among the marks is that of no item, and is left out with them.',
  },
  {
    file: 'src/web/features/orders/cart-state.ts',
    mutation: 'default: return null; -> default:',
    reason: 'Undefined is no item either; the types ask for null.',
  },
  {
    file: 'src/web/features/orders/summary.ts',
    mutation: "item.type === 'certificate' -> true",
    reason: 'No other kind of item has a signing request or the mark of a renewal; the types do not know.',
  },
  {
    file: 'src/web/features/orders/summary.ts',
    mutation: "item.type === 'certificate' -> true",
    reason: 'No other kind of item has a signing request or the mark of a renewal; the types do not know.',
  },
  {
    file: 'src/web/features/orders/cart.ts',
    mutation: 'owner -> true',
    reason: 'No screen shows a cart before it knows whose it is.',
  },
  {
    file: 'src/web/features/orders/cart.ts',
    mutation: 'owner -> true',
    reason: 'No screen shows a cart before it knows whose it is.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: 'a.type === b.type && a.subdomain === b.subdomain -> true',
    reason: 'The key, which is compared last, has type and name in it: they only spare making it.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation:
      'a.type === b.type && a.subdomain === b.subdomain -> a.type === b.type || a.subdomain === b.subdomain',
    reason: 'The key, which is compared last, has type and name in it: they only spare making it.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: 'a.type === b.type -> true',
    reason: 'The key, which is compared last, has type and name in it: they only spare making it.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: 'a.subdomain === b.subdomain -> true',
    reason: 'The key, which is compared last, has type and name in it: they only spare making it.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: "next.action === 'update' -> true",
    reason: 'Nothing but an update has an earlier record; the types do not know.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: "earlier.action === 'update' -> true",
    reason: 'Nothing but an update has an earlier record; the types do not know.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: "change.action === 'update' -> true",
    reason: 'Nothing but an update has an earlier record; the types do not know.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: "change.action === 'update' -> true",
    reason: 'Nothing but an update has an earlier record; the types do not know.',
  },
  {
    file: 'src/web/features/dns/record-rows.ts',
    mutation: "action === 'remove' -> action !== 'remove'",
    reason: 'It tells two kinds apart, whichever of them has which word.',
  },
  {
    file: 'src/web/features/dns/record-form.ts',
    mutation: "values.type === 'TXT' -> true",
    reason: 'Another type has no text: what became of it is not read.',
  },
  {
    file: 'src/web/features/dns/record-form.ts',
    mutation: 'field && field in empty -> true',
    reason: 'The contract names no other field of a record; the types do not know.',
  },
  {
    file: 'src/web/features/dns/record-form.ts',
    mutation: 'field && field in empty -> field || field in empty',
    reason: 'The contract names no other field of a record; the types do not know.',
  },
  {
    file: 'src/contracts/values/zone-changes.ts',
    mutation: "record.type !== 'MX' && record.type !== 'SRV' -> false",
    reason: 'No other record that comes so far names a host, and nothing is no alias; the types do not know.',
  },
  {
    file: 'src/contracts/values/zone-warnings.ts',
    mutation: "record.type !== 'TXT' -> false",
    reason: 'No other record has a text that could be one of the two; the types do not know.',
  },
];

/** Of what survived in a file, the places that are not listed; all of those with one text where fewer of them are. */
export function unlistedOf<T extends { text: string }>(
  file: string,
  left: readonly T[],
  listed: readonly { file: string; mutation: string }[] = survivors,
): T[] {
  const placesOf = (text: string) => left.filter((one) => one.text === text).length;
  const listedOf = (text: string) =>
    listed.filter((one) => one.file === file && one.mutation === text).length;
  return left.filter(({ text }) => placesOf(text) > listedOf(text));
}

function alike(file: string, reason: string, mutations: readonly string[]) {
  return mutations.map((mutation) => ({ file, mutation, reason }));
}
