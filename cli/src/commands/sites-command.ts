// `weft sites` and `weft label`: where access points stand, and what people call them.
import type { AgentLabels, Site } from '@weft/contract';
import { withAccessPoint } from '../access-point-names.ts';
import { type Command, type CommandLine, jsonOption, printResult } from '../command.ts';
import { connect, identityHelp, listOptions, urlOption } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { CommandFailure, type Surroundings } from '../surroundings.ts';
import { lookOf, printList, toTable } from '../table.ts';

const path = '/api/v1/sites';

export const sitesCommand: Command = {
  summary: 'list sites, add, move and remove them',
  usage: [
    'sites [--wide] [--iso] [--json]',
    'sites add PATH [--name NAME] [--zone ZONE] [--json]',
    'sites move PATH NEWPATH [--json]',
    'sites remove PATH [--json]',
  ],
  about: `A path is a tree: uk/bristol/hall. Moving a site moves what is below it. One that has access points, or sites below it, is not removed.
${identityHelp}`,
  options: {
    name: { value: 'NAME', about: 'what people call it; default: the end of the path' },
    zone: { value: 'ZONE', about: 'its time zone, such as Europe/London; default: that of the site above' },
    ...listOptions,
  },
  examples: ['sites', 'sites add uk/bristol/hall --zone Europe/London', 'sites move uk/bristol/hall uk/bath/hall'],
  async run(line, around) {
    const [action, ...words] = line.words;
    if (action === undefined) return list(line, around);
    const site = await change(action, words as [string, string], line, around);
    printResult(site, action === 'remove' ? `${words[0]} is removed.` : `${site.path} is there.`, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const sites = await allSites(line, around);
  const toRow = (site: Site) => [site.path, site.name, site.time_zone ?? '–', String(site.access_points)];
  const none = 'There are no sites yet. Try: weft sites add uk/bristol/hall';
  printList(sites, { none, head: ['SITE', 'NAME', 'TIME ZONE', 'ACCESS POINTS'], toRow }, line, around);
}

async function allSites(line: CommandLine, around: Surroundings): Promise<Site[]> {
  const app = connect(line, around);
  const sites: Site[] = [];
  let cursor: string | undefined;
  do {
    const page: { items: Site[]; next: string | null } = await app.request('GET', path, { query: { cursor } });
    sites.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return sites;
}

async function change(
  action: string,
  [at, to]: [string, string],
  line: CommandLine,
  around: Surroundings,
): Promise<Site> {
  const app = connect(line, around);
  if (action === 'add') {
    const [name, time_zone] = [line.get('name'), line.get('zone')];
    return app.request('POST', path, { json: { path: at, name, time_zone } });
  }
  const { items }: { items: Site[] } = await app.request('GET', path, { query: { path: at } });
  const site = items.find((each) => each.path === at);
  if (!site) throw new CommandFailure(`There is no site ${at}. weft sites lists them.`);
  if (action === 'remove') {
    await app.request('DELETE', `${path}/${site.id}`);
    return site;
  }
  const { name, geolocation, time_zone, notes } = site;
  return app.request('PUT', `${path}/${site.id}`, { json: { path: to, name, geolocation, time_zone, notes } });
}

export const labelCommand: Command = {
  summary: 'name an access point, place it in a site, tag it',
  usage: ['label AGENT [--name NAME] [--site PATH] [--tag TAG]... [--untag TAG]...'],
  ask: 'Give one access point. weft agents lists them.',
  about: `Without options, shows the labels of the access point. An empty --name or --site takes it away.
${identityHelp}`,
  options: {
    name: { value: 'NAME', about: 'what people read in place of its id' },
    site: { value: 'PATH', about: 'the site that it stands in, which must exist' },
    tag: { value: 'TAG', about: 'add this tag; repeatable', isMany: true },
    untag: { value: 'TAG', about: 'take this tag away; repeatable', isMany: true },
    ...jsonOption,
    ...urlOption,
  },
  examples: ['label ap-roof-1', 'label ap-roof-1 --name "Roof, east" --site uk/bristol/hall --tag outdoor'],
  async run(line, around) {
    const ap_id = line.words[0]!;
    const [name, site] = [line.get('name'), line.get('site')];
    const [add_tags, remove_tags] = [line.all('tag'), line.all('untag')];
    const json = {
      ...(name !== undefined && { display_name: name === '' ? null : name }),
      ...(site !== undefined && { site: site === '' ? null : site }),
      ...(add_tags.length > 0 && { add_tags }),
      ...(remove_tags.length > 0 && { remove_tags }),
    };
    const app = connect(line, around);
    const labels = await withAccessPoint(app, ap_id, (id) => {
      const where = `/api/v1/agents/${encodeURIComponent(id)}/labels`;
      return Object.keys(json).length === 0
        ? app.request<AgentLabels>('GET', where)
        : app.request<AgentLabels>('PATCH', where, { json });
    });
    if (line.has('json')) around.stdout.write(`${toJson(labels, 2)}\n`);
    else {
      const row = [labels.ap_id, labels.display_name ?? '–', labels.site ?? '–', labels.tags.join(' ') || '–'];
      around.stdout.write(
        toTable(['ACCESS POINT', 'NAME', 'SITE', 'TAGS'], [row], around.stdout, lookOf(line, around)),
      );
    }
  },
};
