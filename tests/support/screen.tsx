import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, cleanup, configure, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ComponentType } from 'react';
import * as react from 'react';
import { expect, onTestFinished, vi } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/contracts/errors.ts';
import type { ReplyOf } from '../../src/contracts/operation.ts';
import type { PublicConfig } from '../../src/contracts/operations/system.ts';
import type { getProfile } from '../../src/contracts/operations/users.ts';
import { operations } from '../../src/contracts/operations.ts';
import { may, type Permission, permissions, type Role } from '../../src/contracts/permissions.ts';
import { setTokenSource } from '../../src/web/lib/api-client.ts';
import { followNothing } from '../../src/web/lib/followed-work.ts';
import { parseSearchText, readSearch, writeSearchText } from '../../src/web/lib/screen-search.ts';
import { type Session, SessionContext } from '../../src/web/lib/session.tsx';
import { keepFocus } from '../../src/web/ui/keep-focus.ts';
import { theme } from '../../src/web/ui/theme.ts';
import { eventually, patienceMs } from './eventually.ts';

/**
 * Screens without a browser: one component with the providers around it, in a document of its own, and what the portal answers
 * to each call. Answers have the shape that the contract promises, or the test fails. What needs layout, keys of the browser
 * itself or several pages is `tests/e2e`'s.
 */

/** What React knows of the latest drawing: whether it waits for a part. It tells nobody else. */
const { __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: waiting } =
  react as unknown as Record<string, { didUsePromise: boolean }>;
if (waiting?.didUsePromise === undefined) throw new Error('This React waits for parts in another way.');

// React notes for each of the first 10,000 elements of a second where it was made, for its own messages: an eighth of all time.
Object.defineProperty(waiting, 'recentlyCreatedOwnerStacks', { get: () => 10_000, set: () => undefined });

configure({
  // Styles are not there, and asking for them of every element takes most of the time.
  defaultHidden: true,
  asyncUtilTimeout: patienceMs,
  // The whole document with each element that is not found tells less than its roles.
  getElementError: (message) => new Error((message ?? '').slice(0, 4_000)),
  // Where a part has to be loaded first, React drops what is left to draw unless the event is waited for.
  eventWrapper: (event) => {
    let result: unknown;
    const done: unknown = act(() => {
      result = event();
    });
    if (waiting.didUsePromise) (done as PromiseLike<void>).then(() => undefined);
    return result;
  },
});

// What the document of the tests lacks: text fields that grow with their text listen to its fonts.
if (!('fonts' in document)) Object.defineProperty(document, 'fonts', { value: new EventTarget() });

// And it never says that it is idle, which a screen's test would wait for in vain.
Object.assign(window, {
  requestIdleCallback: (does: () => void) => does(),
  cancelIdleCallback: () => undefined,
});

/** A call as it was sent. */
export interface Call {
  name: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  key: string | null;
}
/** `data`, a page of rows (`paged`), a `Response` (`refused`), what makes one of these from the call, or `Held`. */
type Answer = unknown | ((call: Call) => unknown);
export type Answers = Record<string, Answer>;

interface Opening {
  /** The route as in `routes.tsx`, e.g. `/customers/$customerId`. */
  route?: string;
  path?: string;
  role?: Role;
  /** What is different about them. Null: they have signed in and have no profile. */
  profile?: Partial<ReplyOf<typeof getProfile>> | null;
  status?: Session['status'];
  /** false: nobody has asked for their profile yet. */
  isKnown?: boolean;
  config?: Partial<PublicConfig>;
  /** By `METHOD /path` of the contract. A call without an answer fails the test. */
  answers?: Answers;
}

type Person = ReturnType<typeof userEvent.setup>;

export interface Opened {
  user: Person;
  /** Until what goes on by itself, or went on by a `Held` answer, is done. */
  settled(): Promise<void>;
  /** What was sent of this operation, in order. */
  sent(name: string): Call[];
  /** From here on the portal answers this. */
  answer(name: string, answer: Answer): void;
  /** Where the person is. */
  path(): string;
  /** The names of the files that the browser was handed to keep (`file`). */
  saved(): string[];
  session: { [K in 'signIn' | 'signOut' | 'arrive']: ReturnType<typeof vi.fn> };
}

/** Each field's message, by its label. */
export function fieldErrors(container: HTMLElement = document.body): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of container.querySelectorAll<HTMLElement>('[aria-invalid="true"]')) {
    const label =
      container.querySelector(`label[for="${CSS.escape(field.id)}"]`)?.textContent ??
      field.getAttribute('aria-label') ??
      field.id;
    const ids = (field.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);
    const errors = ids
      .filter((id) => id.endsWith('-error'))
      .map((id) => document.getElementById(id)?.textContent ?? '');
    found[label.replace(/\s*\*$/, '')] = errors.join(' ');
  }
  return found;
}

/** The first field with a fault in it has the focus, where the next key is to be typed. */
export const faultHasFocus = () =>
  eventually(() => {
    expect(document.activeElement).toBe(document.querySelector('[aria-invalid="true"]'));
  });

/** What the portal refuses with. `details`: messages at fields. */
export function refused(
  status: number,
  code: string,
  {
    message = 'Not this time',
    details,
    data = null,
  }: { message?: string; details?: unknown[]; data?: unknown } = {},
): () => Response {
  // The portal never sends another one: a screen that goes by the status would be tested against nobody.
  const known = Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode].status : status;
  if (known !== status) throw new Error(`${code} is answered with ${known}, not with ${status}`);
  return () => Response.json({ code, message, data, ...(details ? { details } : {}) }, { status });
}

/** A file, as the portal sends one. */
export const file = (name: string) => () =>
  new Response('x', { headers: { 'content-disposition': `attachment; filename="${name}"` } });

/** No answer at all: nobody knows whether it was done. */
export function silence(): never {
  throw new TypeError('fetch failed');
}

/** A page of a list. */
export const paged = (rows: unknown[], meta: { total?: number; page?: number; pageSize?: number } = {}) =>
  new Rows(rows, { total: rows.length, page: 1, pageSize: 50, ...meta });

interface RowsMeta {
  total: number;
  page: number;
  pageSize: number;
}

class Rows {
  readonly data: unknown[];
  readonly meta: RowsMeta;
  constructor(data: unknown[], meta: RowsMeta) {
    this.data = data;
    this.meta = meta;
  }
}

/** Somebody of the organization, as `GET /user` tells. */
export function profileOf(
  role: Role,
  more: Partial<ReplyOf<typeof getProfile>> = {},
): ReplyOf<typeof getProfile> {
  const allowed = (Object.keys(permissions) as Permission[]).filter((permission) => may(role, permission));
  return {
    ...{ userId: uuid(1), email: 'ann@msp.example', emailVerified: true, username: 'AnnSmith', type: role },
    ...{ organization: 'Blue Fig', organizationId: uuid(2), logoPath: null, permissions: allowed },
    authorizedClientId: role === 'MSP_CUSTOMER' ? uuid(3) : null,
    ...{
      firstName: 'Ann',
      lastName: 'Smith',
      address1: '1 Main St',
      address2: '',
      address3: '',
      city: 'Troy',
    },
    ...{ state: 'NY', postalCode: '12180', country: 'US', phone: '+1.5185550100' },
    stripeAccount: { id: null, finishedRequirement: false },
    ...{ paidInitialFee: true, autoBalance: { active: false, amount: 0, mark: 0 }, freshForSeconds: 900 },
    ...more,
  };
}

/** An id that is easy to tell from others. */
export const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Opens a screen for a person, and waits until it has read what it reads at first. */
export async function openScreen(
  component: ComponentType,
  {
    route = '/',
    path = route,
    role = 'MSP_OWNER',
    profile,
    answers = {},
    status,
    isKnown = true,
    config,
  }: Opening = {},
): Promise<Opened> {
  const portal: Portal = { calls: [], running: 0, given: { ...answers }, faults: [] };
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => reply(url, init, portal));
  setTokenSource({ token: async () => 'token', renew: async () => null });
  const keeps = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 300_000 },
      mutations: { networkMode: 'always' },
    },
  });
  if (isKnown) client.setQueryData(['profile'], profile === null ? null : profileOf(role, profile));
  const router = routerOf(component, route, path);
  const session = {
    signIn: vi.fn(async () => undefined),
    signOut: vi.fn(async () => undefined),
    arrive: vi.fn(async () => undefined),
  };
  const signedIn: Session = {
    status: status ?? 'signed-in',
    email: 'ann@msp.example',
    problem: null,
    lapsed: false,
    ...session,
  };
  // As `main.tsx` does.
  const letGo = keepFocus();
  onTestFinished(() => {
    cleanup();
    letGo();
    client.clear();
    // Kept with the tab, which all tests of a process share.
    followNothing();
    vi.unstubAllGlobals();
    keeps.mockRestore();
    setTokenSource({ token: async () => null, renew: async () => null });
    expect(portal.faults).toEqual([]);
  });
  await router.load();
  // Waited for: what is loaded when it is needed is not drawn otherwise.
  await act(async () => {
    render(
      <MantineProvider theme={theme} env="test" withCssVariables={false} withGlobalClasses={false}>
        <QueryClientProvider client={client}>
          <SessionContext value={{ session: signedIn, config: { appType: 'msp', ...config } as never }}>
            <RouterProvider router={router as never} />
          </SessionContext>
        </QueryClientProvider>
      </MantineProvider>,
    );
  });
  await settled(portal);
  return {
    user: personAt(portal),
    settled: () => settled(portal),
    sent: (name) => portal.calls.filter((call) => call.name === name),
    answer: (name, answer) => {
      portal.given[name] = answer;
    },
    path: () => router.state.location.href,
    saved: () => keeps.mock.contexts.map((link) => (link as HTMLAnchorElement).download),
    session,
  };
}

function routerOf(component: ComponentType, route: string, path: string) {
  const root = createRootRoute();
  const place = (at: string, shown: ComponentType) =>
    createRoute({
      getParentRoute: () => root,
      path: at,
      component: shown as never,
      validateSearch: readSearch,
    });
  // Wherever a link or an act leads to: what is there is another test's.
  const routeTree = root.addChildren([place(route, component), place('$', () => null)]);
  return createRouter({
    ...{ routeTree, history: createMemoryHistory({ initialEntries: [path] }) },
    // Addresses as the app writes them.
    ...{ parseSearch: parseSearchText, stringifySearch: writeSearchText },
  });
}

/** Until nothing is being read, sent or loaded, and a few turns later still nothing is: one answer may ask the next question. */
async function settled(portal: Portal): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    // A turn, and as many more as the parts need that are loaded when they are needed.
    await act(() => vi.dynamicImportSettled());
    quiet = portal.running === 0 && !isDrawnLater() ? quiet + 1 : 0;
  }
}

/** React's marks of work on parts that had to be loaded first (its retry lanes). */
const retries = 0b11_11000000_00000000_00000000;

/** A part that came between two turns is drawn when the place that was kept for it has been there for 300 ms. */
function isDrawnLater(): boolean {
  const roots = [...document.body.children].flatMap((container) => {
    const key = Object.keys(container).find((name) => name.startsWith('__reactContainer$'));
    return key ? [(container as unknown as Record<string, ReactRoot>)[key]] : [];
  });
  const lanes = roots.map((root) => root?.stateNode?.pendingLanes);
  return lanes.some((pending) => {
    if (typeof pending !== 'number') throw new Error('This React keeps its waiting work elsewhere.');
    return (pending & retries) !== 0;
  });
}

/** Where a document's tree begins. */
interface ReactRoot {
  stateNode?: { pendingLanes?: number };
}

/** A person at the screen: each act lasts until what it set off is done, except for what waits for a `Held` answer. */
function personAt(portal: Portal): Person {
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  return new Proxy(user, {
    get(of, name: keyof Person) {
      const does = of[name];
      if (typeof does !== 'function') return does;
      return async (...input: unknown[]) => {
        await (does as (...given: unknown[]) => Promise<void>).apply(of, input);
        await settled(portal);
      };
    },
  });
}

/** An answer that comes when the test says so, by `give`. */
export class Held {
  readonly #answer = Promise.withResolvers<Answer>();
  readonly promise = this.#answer.promise;
  give(answer: Answer): void {
    this.#answer.resolve(answer);
  }
}

interface Portal {
  calls: Call[];
  /** Calls that are being answered. */
  running: number;
  given: Answers;
  /** What the test itself got wrong. */
  faults: string[];
}

async function reply(url: string, init: RequestInit | undefined, portal: Portal): Promise<Response> {
  const call = callOf(url, init ?? {});
  // The look whether the portal is there at all.
  if (call.name === 'GET /config') return Response.json({ data: {} });
  portal.calls.push(call);
  portal.running += 1;
  try {
    return await made(portal.given[call.name], call, portal);
  } finally {
    portal.running -= 1;
  }
}

/** What comes of an answer. What makes one may hold some of its calls back. */
async function answered(answer: Answer, call: Call, portal: Portal): Promise<unknown> {
  const value: unknown = typeof answer === 'function' ? await answer(call) : answer;
  if (!(value instanceof Held)) return value;
  // Nothing is done until the test goes on.
  portal.running -= 1;
  const given = await value.promise;
  portal.running += 1;
  return answered(given, call, portal);
}

async function made(answer: Answer, call: Call, portal: Portal): Promise<Response> {
  const { given, faults } = portal;
  if (!(call.name in given)) {
    faults.push(`The test has no answer to ${call.name}.`);
    return refused(404, 'not_found')();
  }
  const value = await answered(answer, call, portal);
  if (value instanceof Response) return value;
  const { data, ...meta } = value instanceof Rows ? { data: value.data, meta: value.meta } : { data: value };
  // A test must not make up a reply that the portal never gives.
  const read = operations
    .find(({ method, path }) => `${method} ${path}` === call.name)
    ?.reply.safeParse(data);
  if (read?.error) faults.push(`${call.name} never answers this: ${read.error.message}`);
  return Response.json({ data, ...meta });
}

const patterns = operations.map(({ method, path }) => ({
  name: `${method} ${path}`,
  method,
  // A fixed part counts before a parameter.
  rank: path.split('/').filter((part) => part.startsWith(':')).length,
  pattern: new RegExp(`^/api${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
}));
patterns.sort((a, b) => a.rank - b.rank);

function callOf(address: string, { method = 'GET', body, headers }: RequestInit): Call {
  const url = new URL(address, 'https://portal.test');
  const found = patterns.find((one) => one.method === method && one.pattern.test(url.pathname));
  return {
    name: found?.name ?? `${method} ${url.pathname.replace(/^\/api/, '')}`,
    params: { ...found?.pattern.exec(url.pathname)?.groups },
    query: Object.fromEntries(url.searchParams),
    body: typeof body === 'string' ? JSON.parse(body) : null,
    key: new Headers(headers).get('idempotency-key'),
  };
}

export { screen, within };
