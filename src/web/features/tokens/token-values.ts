import { tokenBody } from '#contracts/operations/tokens.ts';

/** What the form of a new token holds. */
export interface TokenValues {
  name: string;
  permissions: string[];
  customerId: string | null;
  /** Empty: it has no end. */
  validDays: number | string;
}

export const emptyToken: TokenValues = { name: '', permissions: [], customerId: null, validDays: 365 };

/** Where its draft is kept while the person signs in again. */
export const tokenForm = 'token';

const typed = ({ validDays, ...values }: TokenValues) => ({
  ...values,
  validDays: validDays === '' ? null : Number(validDays),
});

/** What the form sends. */
export const bodyOf = (values: TokenValues) => tokenBody.parse(typed(values));

/** The contract's complaints by field. */
export function problemsOf(values: TokenValues): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { path, message } of tokenBody.safeParse(typed(values)).error?.issues ?? []) {
    problems[String(path[0])] ??= message;
  }
  return problems;
}
