/** `users.cancelInvite` -> `users: cancel invite` */
export function inWords(action: string): string {
  const [feature = '', verb = ''] = action.split('.');
  return `${feature}: ${verb.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}
