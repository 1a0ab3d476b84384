// `weft config plan`, `apply` and `export`: what access points shall be, as a folder of files that is kept in version control. A layer is a
// file; layers are told apart by their names.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@weft/contract/is-object';
import type { ChangePreview, ChangeSet, ConfigLayer, LayerDraft, RolloutPlan } from '@weft/contract/operations';
import type { App } from '@weft/sdk';
import { type Command, type CommandLine, jsonOption } from '../command.ts';
import { connect, identityHelp, urlOption } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { CommandFailure, exitCode, type Surroundings, UsageError } from '../surroundings.ts';
import { counted } from '../table.ts';
import { followRollout } from './rollout-command.ts';

/** What Ansible and others take for "something would change". */
const changesFound = 2;

export const configCommand: Command = {
  summary: 'say what access points shall be, by a folder of layers',
  usage: [
    'config plan -f DIR [--remove] [--json]',
    'config apply -f DIR [--remove] [--rollout FILE] [--no-wait] [--json]',
    'config export DIR',
  ],
  about: `A layer is a file NAME.json with name, selector, weight and settings. plan says what would change: its exit code is 0 if nothing would, 2 if something would, 1 if that cannot be said. apply rolls it out and waits until that has ended. export writes the layers in force: applied, they change nothing.
Layers that are in force and not in the folder stay, unless --remove is given. The command config print, of a server, shows the settings of Weft itself.
${identityHelp}`,
  options: {
    folder: { short: 'f', value: 'DIR', about: 'the folder with the layers' },
    remove: { about: 'also remove layers that are not in the folder' },
    rollout: { value: 'FILE', about: 'waves, gates and limits of the roll-out, as JSON; default: all at once' },
    'no-wait': { about: 'do not wait for the end of the roll-out' },
    ...jsonOption,
    ...urlOption,
  },
  examples: ['config export layers', 'config plan -f layers', 'config apply -f layers --rollout waves.json'],
  async run(line, around) {
    const [action, written] = line.words;
    if (written !== undefined) return exportLayers(written, line, around);
    const folder = line.get('folder');
    if (folder === undefined) throw new UsageError(`Give the folder: weft config ${action} -f DIR`);
    return action === 'plan' ? plan(folder, line, around) : apply(folder, line, around);
  },
};

interface Change {
  layers: LayerDraft[];
  remove: string[];
}

async function plan(folder: string, line: CommandLine, around: Surroundings): Promise<number> {
  const app = connect(line, around);
  const change = await changeOf(app, folder, line);
  if (isEmpty(change)) return nothingToDo({ changed: 0, groups: [], refusals: [] }, line, around);
  const set = await draft(app, change);
  try {
    const preview = await app.config.preview(set.id);
    around.stdout.write(line.has('json') ? `${toJson(preview)}\n` : inWords(change, preview));
    return preview.refused > 0 ? exitCode.failure : changesFound;
  } finally {
    await app.config.discard(set.id);
  }
}

async function apply(folder: string, line: CommandLine, around: Surroundings): Promise<number> {
  const app = connect(line, around);
  const file = line.get('rollout');
  const given = file === undefined ? {} : (readJsonFile(file) as RolloutPlan);
  const change = await changeOf(app, folder, line);
  if (isEmpty(change)) return nothingToDo(null, line, around);
  const set = await draft(app, change);
  const rollout = await app.config.rollOut(set.id, given).catch(async (error) => {
    await app.config.discard(set.id);
    throw error;
  });
  if (!line.has('json'))
    around.stderr.write(`Roll-out ${rollout.id} to ${counted(rollout.total, 'access point')} has begun.\n`);
  const end = line.has('no-wait') ? rollout : await followRollout(app, rollout.id, line, around);
  if (line.has('json')) around.stdout.write(`${toJson(end)}\n`);
  return line.has('no-wait') || end.state === 'completed' ? exitCode.ok : exitCode.failure;
}

async function exportLayers(folder: string, line: CommandLine, around: Surroundings): Promise<number> {
  const layers = await layersInForce(connect(line, around));
  mkdirSync(folder, { recursive: true });
  const names = new Set(layers.map(({ name }) => fileName(name)));
  for (const name of readdirSync(folder)) if (name.endsWith('.json') && !names.has(name)) rmSync(join(folder, name));
  for (const layer of layers) writeFileSync(join(folder, fileName(layer.name)), toFile(layer));
  around.stderr.write(`${counted(layers.length, 'layer')} ${layers.length === 1 ? 'is' : 'are'} in ${folder}.\n`);
  return exitCode.ok;
}

function draft(app: App, change: Change): Promise<ChangeSet> {
  return app.config.draft({ title: `weft config, ${new Date().toISOString()}`, ...change });
}

/** From what is in force to what the folder says. */
async function changeOf(app: App, folder: string, line: CommandLine): Promise<Change> {
  const wanted = readLayers(folder);
  const known = new Map((await layersInForce(app)).map((layer) => [layer.name, layer]));
  const layers = wanted.flatMap((layer): LayerDraft[] => {
    const before = known.get(layer.name);
    if (before && toFile(before) === toFile(layer)) return [];
    return [before ? { ...layer, id: before.id } : layer];
  });
  const kept = new Set(wanted.map(({ name }) => name));
  const remove = line.has('remove')
    ? [...known.values()].filter(({ name }) => !kept.has(name)).map(({ id }) => id)
    : [];
  return { layers, remove };
}

function nothingToDo(answer: unknown, line: CommandLine, { stdout }: Surroundings): number {
  stdout.write(line.has('json') ? `${toJson(answer)}\n` : 'Nothing to do.\n');
  return exitCode.ok;
}

function isEmpty({ layers, remove }: Change): boolean {
  return layers.length + remove.length === 0;
}

async function layersInForce(app: App): Promise<ConfigLayer[]> {
  const layers = await app.config.layers().toArray();
  const names = new Set<string>();
  for (const { name } of layers) {
    if (names.has(name))
      throw new CommandFailure(`Two layers are called ${JSON.stringify(name)}: give one of them another name first.`);
    names.add(name);
  }
  return layers;
}

function readLayers(folder: string): LayerDraft[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const names = new Map<string, string>();
  return files.map((file) => {
    const layer = readJsonFile(join(folder, file));
    if (!isObject(layer) || typeof layer.name !== 'string')
      throw new CommandFailure(`${file} is no layer: it needs a name.`);
    const other = names.get(layer.name);
    if (other !== undefined)
      throw new CommandFailure(`${other} and ${file} are both called ${JSON.stringify(layer.name)}.`);
    names.set(layer.name, file);
    return layer as LayerDraft;
  });
}

function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** One text for equal layers. */
function toFile({ name, selector, weight, optional, settings }: LayerDraft): string {
  return `${JSON.stringify({ name, selector, weight, ...(optional && { optional }), settings }, null, 2)}\n`;
}

function fileName(name: string): string {
  return `${encodeURIComponent(name).replaceAll('%20', ' ')}.json`;
}

function inWords({ layers, remove }: Change, preview: ChangePreview): string {
  const lines = [
    `Layers to change: ${layers.length}${remove.length > 0 ? `, to remove: ${remove.length}` : ''}. ${counted(preview.changed, 'access point')} ${preview.changed === 1 ? 'gets' : 'get'} other settings.`,
  ];
  for (const { count, changes, restart, ap_ids } of preview.groups) {
    const what = changes.map(({ leaf, before, after }) => `${leaf} ${toJson(before)} → ${toJson(after)}`).join(', ');
    lines.push(
      `  ${count} (${ap_ids.slice(0, 3).join(', ')}${count > 3 ? ', …' : ''}): ${what}${restart === 'none' ? '' : `; restarts the ${restart}`}`,
    );
  }
  for (const { ap_id, leaf, layer, detail } of preview.refusals)
    lines.push(`  refused: ${ap_id}, ${leaf} of ${layer}: ${detail}`);
  for (const { ap_id, leaves } of preview.overridden) lines.push(`  held by a command: ${ap_id}, ${leaves.join(', ')}`);
  if (preview.not_yours)
    lines.push('  It would change access points that you do not manage: it cannot be rolled out by you.');
  return `${lines.join('\n')}\n`;
}
