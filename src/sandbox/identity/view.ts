import type { PanelTable } from '../part.ts';
import type { World } from './world.ts';

const time = (ms: number | null) => (ms === null ? '' : new Date(ms).toISOString());

export function view({ realm, accounts, artifacts, keys, clients }: World): PanelTable[] {
  return [
    {
      title: 'Accounts',
      columns: ['Email', 'Confirmed', 'Name', 'Created', 'Last sign-in'],
      rows: accounts
        .list()
        .map((user) => [
          user.email,
          user.emailVerified ? 'yes' : 'no',
          user.name ?? '',
          time(user.createdMs),
          time(user.signedInMs),
        ]),
    },
    {
      title: 'Provider',
      columns: ['What', 'Value'],
      rows: [
        ['Issuer', realm.issuer],
        ['Audience', realm.audience],
        [
          'Clients',
          clients()
            .map((client) => client.client_id)
            .join(', '),
        ],
        [
          'Signing keys',
          keys
            .all()
            .map((key) => key.kid)
            .join(', '),
        ],
        ['Sessions', String(artifacts.count('Session'))],
        ['Refresh tokens', String(artifacts.count('RefreshToken'))],
      ],
    },
  ];
}
