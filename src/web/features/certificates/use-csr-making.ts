import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { KeyKind } from './make-csr.ts';

interface Wish {
  /** The host name. */
  name: string;
  kind: KeyKind;
  organization: string;
}

/** Of the two files, without its end. */
export const fileStemOf = (name: string) => name.replace('*', 'wildcard');

/** Makes a key and its request in this browser. Two presses must not make two keys: one of them would fit nothing. */
export function useCsrMaking(
  { name, kind, organization }: Wish,
  /** Whether the request is taken. The key is saved only then: that of a refused one would fit nothing either. */
  take: (csrPem: string, fileName: string, saveKey: () => void) => Promise<boolean>,
) {
  return useMutation({
    mutationFn: async () => {
      const { makeCsr } = await import('./make-csr.ts');
      const made = await makeCsr({ name, organization: organization.trim(), country: '' }, kind);
      const stem = fileStemOf(name);
      const saveKey = () => saveFile({ blob: new Blob([made.keyPem]), fileName: `${stem}.key` });
      return take(made.csrPem, `${stem}.csr`, saveKey);
    },
  });
}
