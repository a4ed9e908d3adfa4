/** Who acts for the portal itself: a person with their own key, or the holder of the setting OPERATOR_TOKEN. */
export interface Operator {
  /** Null: the setting, which makes keys and does nothing else. */
  id: string | null;
  name: string;
  /** Where the request came from. */
  ip: string | null;
  requestId: string;
}

/** How an operator is called in the logs of organisations. */
export function operatorActor(operator: Pick<Operator, 'name' | 'ip'>) {
  return { userId: null, email: `operator ${operator.name}`, ip: operator.ip };
}
