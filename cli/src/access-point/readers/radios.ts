// Finds the wireless interfaces in AP mode: with `iw` if available, else with `hostapd_cli`.
import { askHostapd } from '../hostapd/hostapd.ts';
import type { Machine } from '../machine/machine.ts';
import { ToolMissing } from '../machine/tool.ts';
import { parseAllStations, parseStatus } from './hostapd-output.ts';
import { parseInterfaces, parseStations, parseSurvey } from './iw-output.ts';
import type { ObservedRadio, Radio } from './radio.ts';
import { wirelessOf } from './served-radio.ts';

/** Without devices and channels. Throws ToolFailure. */
export async function findRadios(machine: Machine): Promise<Radio[]> {
  return (await byIw(machine)) ?? (await byHostapd(machine, false)) ?? [];
}

/** Throws ToolFailure. */
export async function observeRadios(machine: Machine): Promise<ObservedRadio[]> {
  const radios = await byIw(machine);
  if (!radios) return (await byHostapd(machine, true)) ?? [];
  return Promise.all(
    radios.map(async (radio) => ({
      ...radio,
      stations: parseStations(await machine.run('iw', ['dev', radio.interface, 'station', 'dump'])),
      // Not every driver supports the survey.
      survey: await machine.run('iw', ['dev', radio.interface, 'survey', 'dump']).then(parseSurvey, () => undefined),
      utilisationPct: undefined,
    })),
  );
}

async function byIw(machine: Machine): Promise<Radio[] | undefined> {
  const text = await unlessMissing(machine.run('iw', ['dev']));
  return text === undefined ? undefined : parseInterfaces(text).filter(({ type }) => type === 'AP');
}

async function byHostapd(machine: Machine, isAskedAll: boolean): Promise<ObservedRadio[] | undefined> {
  const radios: ObservedRadio[] = [];
  for (const name of await wirelessOf(machine)) {
    const ask = (...words: string[]) => askHostapd(machine, name, ...words);
    const text = await unlessMissing(ask('status'));
    if (text === undefined) return undefined;
    const radio = parseStatus(name, text);
    if (!radio) continue;
    radios.push({ ...radio, stations: isAskedAll ? parseAllStations(await ask('all_sta')) : [] });
  }
  return radios;
}

async function unlessMissing(output: Promise<string>): Promise<string | undefined> {
  try {
    return await output;
  } catch (error) {
    if (error instanceof ToolMissing) return undefined;
    throw error;
  }
}
