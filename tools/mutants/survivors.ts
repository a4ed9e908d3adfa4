/** Mutants that no test can notice, because they change nothing that anybody could see, each with the reason. */
export const survivors: readonly { file: string; mutation: string; reason: string }[] = [
  {
    file: 'src/contracts/values/fresh-sign-in.ts',
    mutation: 'authenticatedAt === null -> false',
    reason: 'A sign-in of no known time would count as one of 1970, which is not fresh either.',
  },
];
