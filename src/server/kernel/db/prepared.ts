/** Texts that connections prepare by name: parsed, and the policies written into them, once instead of each time. */
const names = new Map<string, string | null>();
/** Who asks only once need not be remembered by the database. */
const seenOnce = new Set<string>();
/** There are some hundreds of statements; should one be of endless shapes, it does not fill the database's memory. */
const mostNames = 1_000;
const mostSeen = 2_000;
/** No name is ever given to a second text: connections keep what they have prepared. */
let made = 0;

/** The name under which connections prepare this text; undefined for one that they do not. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known ?? undefined;
  if (names.size >= mostNames) return undefined;
  if (!seenOnce.delete(text)) {
    // The oldest makes room: what is asked often comes again before it is forgotten.
    const [oldest] = seenOnce.size < mostSeen ? [] : seenOnce;
    if (oldest !== undefined) seenOnce.delete(oldest);
    seenOnce.add(text);
    return undefined;
  }
  made += 1;
  const name = `nameward_${made}`;
  names.set(text, name);
  return name;
}

/** As in a new process. Tests of everything share one, and ask more kinds of statements than a portal does. */
export function forgetNames(): void {
  names.clear();
  seenOnce.clear();
}

/** SQLSTATE of "cached plan must not change result type". */
const featureNotSupported = '0A000';

/**
 * Whether a newer version has changed a table under a statement that was prepared before (a rolling upgrade). It is not
 * prepared any more then, and can be sent again.
 */
export function outlivedByItsTable(error: unknown, text: string): boolean {
  if (!(error instanceof Error && 'code' in error) || error.code !== featureNotSupported) return false;
  if (!names.get(text)) return false;
  names.set(text, null);
  return true;
}

/**
 * The name for a statement that cannot be sent again when it has failed. What `SELECT *` yields changes with its table, which
 * ends a prepared statement, and with it the transaction it is in.
 */
export function lastingName(text: string): string | undefined {
  let isLasting = lasting.get(text);
  if (isLasting === undefined) {
    isLasting = !/(?:\bselect|\breturning|,)\s+(?:"?\w+"?\.)?\*/i.test(text);
    if (lasting.size < mostSeen) lasting.set(text, isLasting);
  }
  return isLasting ? preparedName(text) : undefined;
}

const lasting = new Map<string, boolean>();
