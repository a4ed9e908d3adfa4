import { useRef, useState } from 'react';
import { type CsrText, certificateText, notACsrText, privateKeyText } from '#contracts/values/csr-text.ts';
import { messageOf } from '../../lib/api-error.ts';
import { useParseCsr } from './api.ts';

export interface CsrWish {
  domain: string;
  productType?: string | undefined;
  /** Empty: none yet. */
  csr: string;
  onChange: (csr: string, csrName: string) => void;
}

/** Looks at it here first, then has the server and the registrar read it. */
export function useCsrCheck({ domain, productType, csr, onChange }: CsrWish) {
  const parse = useParseCsr();
  // Another provider may be chosen while the CSR is being checked: it must fit that one.
  const wanted = useRef(productType);
  wanted.current = productType;
  const [problem, setProblem] = useState<string | null>(null);
  /** It was meant in place of the one before, which must not be bought now. */
  function refuse(message: string): false {
    setProblem(message);
    if (csr !== '') onChange('', '');
    return false;
  }
  async function take(given: CsrText, name: string, onTaken?: () => void): Promise<boolean> {
    if (given.kind !== 'csr') return refuse(refusalOf(given) ?? notACsrText);
    setProblem(null);
    const asked = wanted.current;
    try {
      await parse.mutateAsync({ csr: given.pem, domain, ...(asked ? { productType: asked } : {}) });
    } catch (error) {
      return refuse(messageOf(error));
    }
    if (asked !== wanted.current) return take(given, name, onTaken);
    onTaken?.();
    onChange(given.pem, name);
    return true;
  }
  return { take, problem, checking: parse.isPending };
}

export function refusalOf(given: CsrText): string | null {
  if (given.kind === 'csr') return null;
  if (given.kind === 'private-key') return privateKeyText;
  return given.kind === 'certificate' ? certificateText : notACsrText;
}
