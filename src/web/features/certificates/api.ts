import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { changedByOrders, readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { usePage } from '../../lib/use-page.ts';

export const certificateKeys = {
  all: ['certificates'] as const,
  one: (orderId: string) => ['certificates', 'one', orderId] as const,
};

/** What is under way is looked at every few seconds. */
const watchMs = 3_000;

export function useCertificates(query: NonNullable<CallInput<'GET /ssl'>['query']>) {
  return usePage([...certificateKeys.all, 'list'], query, (wanted, signal) =>
    callPage('GET /ssl', { query: wanted, signal }),
  );
}

export function useCustomerCertificates(
  customerId: string,
  query: NonNullable<CallInput<'GET /ssl/:customerId'>['query']>,
) {
  return usePage([...certificateKeys.all, 'customer', customerId], query, (wanted, signal) =>
    callPage('GET /ssl/:customerId', { params: { customerId }, query: wanted, signal }),
  );
}

/** How many certificates a customer has, and how many of them need somebody: of all, not of a page. */
export function customerCountQuery(customerId: string) {
  return {
    queryKey: [...certificateKeys.all, 'customer', customerId, 'count'],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const count = async (band: { band?: 'attention' }) => {
        const query = { page: 1, pageSize: 1, ...band };
        const { meta } = await callPage('GET /ssl/:customerId', { params: { customerId }, query, signal });
        return meta.total;
      };
      const [all, attention] = await Promise.all([count({}), count({ band: 'attention' })]);
      return { all, attention };
    },
  };
}

export function useCustomerCount(customerId: string) {
  return useQuery(customerCountQuery(customerId));
}

const pricesQuery = {
  queryKey: ['certificate-prices'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /ssl/prices', { signal }),
};

export function useCertificatePrices() {
  return useQuery(pricesQuery);
}

/** P1 §8, P2 §8, to the letter. */
export const noPrices = 'Could not get certificate price data, please try again';
export const noOwner = 'Could not get owner data for this domain, please try again';

/** What "Purchase SSL Certificate" puts into the cart: the first product on offer, for the domain's customer. */
export function useCertificateOffer() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (domain: { address: string; customerId: string | null; ownerLater?: boolean }) => {
      const prices = await client.fetchQuery({ ...pricesQuery, staleTime: 60_000 }).catch(() => null);
      if (!prices) throw new Error(noPrices);
      // A domain that is only about to be bought gets its owner in the cart.
      if (!domain.customerId && !domain.ownerLater) throw new Error(noOwner);
      const [first] = prices;
      if (!first) {
        // P1 §5: logged only.
        console.error('No certificates available');
        return null;
      }
      const { provider, productType } = first;
      const { address, customerId } = domain;
      return {
        type: 'certificate' as const,
        address,
        customerId,
        provider,
        productType,
        csr: '',
        csrName: '',
      };
    },
  });
}

/** What shows certificates elsewhere, and what their end pays back. Not the single one: it is just being read. */
const shownElsewhere = [
  ...['list', 'customer', 'matches'].map((part) => [...certificateKeys.all, part]),
  ...changedByOrders.filter(([of]) => of !== certificateKeys.all[0]),
];

/** One certificate. What shows it elsewhere is read again when it turns out to have gone on. */
export function certificateQuery(client: QueryClient, orderId: string) {
  const queryKey = certificateKeys.one(orderId);
  return {
    queryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const before = client.getQueryData<CertificateDetail>(queryKey);
      const now = await call('GET /ssl/order/:orderId', { params: { orderId }, signal });
      if (before && hasGoneOn(before, now)) void readAgain(client, ...shownElsewhere);
      return now;
    },
  };
}

type Course = Pick<CertificateDetail, 'state' | 'serial' | 'reissue'>;

const hasGoneOn = (before: Course, now: Course) =>
  before.state !== now.state ||
  before.serial !== now.serial ||
  (before.reissue === null) !== (now.reissue === null);

export function useCertificate(orderId: string) {
  return useQuery({
    ...certificateQuery(useQueryClient(), orderId),
    refetchInterval: (query) => (isMoving(query.state.data) ? watchMs : false),
    staleTime: 0,
  });
}

export function isMoving(certificate: Pick<CertificateDetail, 'state' | 'reissue'> | undefined): boolean {
  if (!certificate) return false;
  return openCertificateStates.includes(certificate.state) || certificate.reissue !== null;
}

export function useParseCsr() {
  return useMutation({
    mutationFn: (body: CallBody<'POST /ssl/parsecsr'>) => call('POST /ssl/parsecsr', { body }),
  });
}

export function useApprovers(orderId: string, enabled: boolean) {
  return useQuery({
    queryKey: [...certificateKeys.one(orderId), 'approvers'],
    queryFn: ({ signal }) => call('GET /ssl/order/:orderId/approvers', { params: { orderId }, signal }),
    enabled,
  });
}

const changedByActs: typeof changedByOrders = [certificateKeys.all, ['domains'], ...waitsForPeople];

/** The reply is the current state of the certificate. Lists, figures and what waits for a person are read again. */
function taken(client: QueryClient, orderId: string, changed: typeof changedByOrders = changedByActs) {
  return {
    onSuccess: (now: CertificateDetail) => client.setQueryData(certificateKeys.one(orderId), now),
    onSettled: () => void readAgain(client, ...changed),
  };
}

export function useSetProof(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /ssl/order/:orderId/validation'>) =>
      call('POST /ssl/order/:orderId/validation', { params: { orderId }, body }),
    ...taken(client, orderId),
  });
}

export function useResendApproval(orderId: string) {
  return useMutation({
    mutationFn: () => call('POST /ssl/order/:orderId/resend', { params: { orderId } }),
  });
}

export function useReissue(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /ssl/order/:orderId/reissue'>) =>
      call('POST /ssl/order/:orderId/reissue', { params: { orderId }, body }),
    ...taken(client, orderId),
  });
}

export function useCancelCertificate(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /ssl/order/:orderId/cancel', { params: { orderId } }),
    // What was paid for it comes back.
    ...taken(client, orderId, changedByOrders),
  });
}

export function useRevoke(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (confirm: string) =>
      call('POST /ssl/order/:orderId/revoke', { params: { orderId }, body: { confirm } }),
    ...taken(client, orderId),
  });
}

export function useAutoReissue(orderId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) =>
      call('POST /ssl/order/:orderId/auto-reissue', { params: { orderId }, body: { enabled } }),
    ...taken(client, orderId),
  });
}

export type CertificateFile = CallInput<'GET /ssl/order/:orderId/files/:file'>['params']['file'];

export function useSaveCertificate(orderId: string) {
  return useMutation({
    mutationFn: async (file: CertificateFile) =>
      saveFile(await callFile('GET /ssl/order/:orderId/files/:file', { params: { orderId, file } })),
  });
}
