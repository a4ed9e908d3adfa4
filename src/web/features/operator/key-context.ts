import { createContext, useContext } from 'react';

/** The operator's key lives in this page's memory only: a reload asks for it again. */
interface OperatorKey {
  key: string;
  leave: () => void;
}

/** What is inside the door is drawn with it. */
export const KeyContext = createContext<OperatorKey | null>(null);

export function useOperatorKey(): OperatorKey {
  const held = useContext(KeyContext);
  if (!held) throw new Error('no operator key around this component');
  return held;
}
