import type { GlueInput, Registrar } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { UnfitInput } from '../contacts.ts';
import { type Gateway, plain } from '../gateway.ts';
import { flag, maps, text, type XcpAttributes } from '../xcp.ts';

export type GlueCommands = Pick<Registrar, 'glue' | 'createGlue' | 'updateGlue' | 'deleteGlue'>;

/** Hosts under a domain, with their addresses at the registry (§13.2). */
export function glueCommands(gateway: Gateway): GlueCommands {
  return {
    async glue(domain) {
      const reply = await gateway.read(commands.hosts, { domain, name: 'all' });
      return maps(reply.attributes, 'nameserver_list').flatMap((entry) => {
        const name = text(entry, 'name')?.toLowerCase();
        if (!name) return [];
        const canDelete = flag(entry, 'can_delete');
        return [{ name, ipv4: text(entry, 'ipaddress'), ipv6: text(entry, 'ipv6'), canDelete }];
      });
    },

    createGlue: (domain, host, fence) =>
      gateway.act(
        { command: commands.createHost, fence, domain, attributes: () => withAddress(domain, host) },
        plain,
      ),

    updateGlue: (domain, host, fence) =>
      gateway.act(
        {
          command: commands.updateHost,
          fence,
          domain,
          attributes: () => ({
            ...withAddress(domain, host),
            ...(host.newName ? { new_name: underDomain(domain, host.newName) } : {}),
          }),
        },
        plain,
      ),

    deleteGlue: (domain, host, fence) =>
      gateway.act(
        { command: commands.deleteHost, fence, domain, attributes: () => hostOf(domain, host) },
        plain,
      ),
  };
}

function hostOf(domain: string, host: GlueInput): XcpAttributes {
  return {
    domain,
    name: underDomain(domain, host.name),
    ...(host.ipv4 ? { ipaddress: host.ipv4 } : {}),
    ...(host.ipv6 ? { ipv6: host.ipv6 } : {}),
  };
}

function withAddress(domain: string, host: GlueInput): XcpAttributes {
  if (!host.ipv4 && !host.ipv6) throw new UnfitInput('A nameserver needs an IP address.');
  return hostOf(domain, host);
}

function underDomain(domain: string, name: string): string {
  if (!name.endsWith(`.${domain}`)) throw new UnfitInput(`${name} is not a name under ${domain}.`);
  return name;
}
