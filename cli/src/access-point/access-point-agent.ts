// The agent of a real access point: measures at every interval, reports, executes the commands that the operator
// allows, and logs one line per event. Runs until it is stopped.
import { join } from 'node:path';
import { folderOf } from '@weft/contract/ap-id';
import { Agent, SettingsKeeper } from '@weft/sdk';
import { CommandFailure } from '../surroundings.ts';
import { type AgentSettings, maxIntervalSeconds } from './agent-settings.ts';
import { type CommandOffer, OfferedCommands, requireNumber } from './commands/command-offer.ts';
import { offerScripts } from './commands/script-commands.ts';
import { offerSystemCommands } from './commands/system-commands.ts';
import type { Machine } from './machine/machine.ts';
import { keepPassword, type OwnPassword, ownPassword, replacementPrefix } from './own-password.ts';
import { Pace } from './pace.ts';
import type { Description } from './readers/description.ts';
import { Measurements, readersOf } from './readers/measurements.ts';
import { Speaker } from './speaker.ts';
import { createSubject, type Subject } from './subject.ts';
import { isReplaced, refusalAtStart } from './troubles.ts';

/** How often what runs is compared with what Weft was told, if nothing else is heard of it. */
const betweenLooksMs = 60_000;

export interface RunOptions {
  settings: AgentSettings;
  machine: Machine;
  /** One line. */
  say: (text: string) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/** Resolves when it was stopped. Throws CommandFailure if Weft rejects this agent. */
export async function runAccessPointAgent({ settings, machine, say, signal }: RunOptions): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signal.aborted) return;
  signal.addEventListener('abort', end);
  const speaker = new Speaker(say, settings.url);
  const pace = new Pace(settings.intervalSeconds, ending.signal);
  const subject = await createSubject({ settings, machine, pace, signal: ending.signal, say: speaker.say });
  const measurements = new Measurements({ readers: [...readersOf(machine), subject.reader], say: speaker.say });
  const description = await subject.describe();
  await measurements.look();
  subject.devices();
  const offers = async () => [
    ...offerOwn(pace, subject.describe),
    ...(await subject.offers()),
    ...(await offerSystemCommands(machine, settings.allowance.commands)),
  ];
  const { commandsDir: folder, allowance } = settings;
  const scripts = await offerScripts({ folder, names: allowance.scripts, signal: ending.signal, say: speaker.say });
  const commands = new OfferedCommands(async () => [...(await offers()), ...scripts]);
  const offered = await commands.renew();
  speaker.found(description, Object.keys(measurements.declared), offered, settings);
  const configuration = { ...description, ...settings.configuration, report_interval_seconds: pace.seconds };
  let refusal: unknown;
  const giveUp = (error: unknown) => {
    if (!ending.signal.aborted) refusal = error;
    end();
  };
  const agent = makeAgent(settings, speaker, configuration, giveUp);
  for (const [name, declaration] of Object.entries(measurements.declared)) agent.metric(name, declaration);
  for (const { declaration, run } of offered) agent.command(declaration, run);
  const keeper = await keeperOf(settings, subject);
  if (keeper) agent.settings(keeper);

  const starting = agent.start().catch(giveUp);
  const describe = async () => ({ ...(await subject.describe()), ...settings.configuration });
  await report({ agent, measurements, pace, speaker, subject, describe, commands, keeper });
  await agent.stop();
  await keeper?.stop();
  await starting;
  signal.removeEventListener('abort', end);
  if (refusal !== undefined) throw refusalAtStart(refusal, settings);
  speaker.say('stopped');
}

function makeAgent(
  settings: AgentSettings,
  speaker: Speaker,
  configuration: Record<string, unknown>,
  giveUp: (error: unknown) => void,
): Agent {
  const { url, ap_id, stateDir, enrolmentToken, trustedCertificate } = settings;
  const folder = join(stateDir, folderOf(ap_id));
  let own: OwnPassword;
  try {
    own = ownPassword(folder);
  } catch (error) {
    throw new CommandFailure(`The agent cannot store its password: ${(error as Error).message}`);
  }
  return new Agent({
    url,
    ap_id,
    ...own,
    keepSecret: (secret, password) => keepPassword(folder, secret, password),
    spoolDir: stateDir,
    trustedCertificate,
    configuration,
    ...(enrolmentToken?.startsWith(replacementPrefix)
      ? { formerPassword: own.formerPassword ?? enrolmentToken }
      : enrolmentToken !== undefined && { enrolmentToken }),
    onConnected: () => speaker.connected(),
    onDisconnected: (code, reason) => speaker.lost(code, reason),
    onError: (error) => (isReplaced(error) ? giveUp(error) : speaker.trouble(error)),
  });
}

/** Of what Weft may set here, if it may. */
async function keeperOf({ stateDir, ap_id }: AgentSettings, subject: Subject): Promise<SettingsKeeper | undefined> {
  const found = await subject.settings?.(join(stateDir, folderOf(ap_id), 'boot-id'));
  return found && SettingsKeeper.of(found, { spoolDir: stateDir, ap_id });
}

interface Reporting {
  agent: Agent;
  measurements: Measurements;
  pace: Pace;
  speaker: Speaker;
  subject: Subject;
  /** The current configuration. */
  describe: () => Promise<Record<string, unknown>>;
  commands: OfferedCommands;
  keeper: SettingsKeeper | undefined;
}

async function report(reporting: Reporting): Promise<void> {
  const { agent, measurements, pace, speaker, subject, describe, commands, keeper } = reporting;
  let lookedAt = performance.now();
  let toldMetrics = Object.keys(measurements.declared).length;
  let toldSeconds = pace.seconds;
  let toldKey = subject.key;
  while (await pace.next()) {
    const values = await measurements.look();
    const devices = subject.devices();
    const { declared } = measurements;
    const found = Object.keys(declared).length;
    const key = subject.key;
    // New metrics, for example of a radio that was switched on, are declared with their first values.
    const isOther = found > toldMetrics || key !== toldKey;
    const news = {
      ...(isOther && { ...(await describe()), metrics: declared, ...(await commands.news(agent)) }),
      ...(pace.seconds !== toldSeconds && { report_interval_seconds: pace.seconds }),
    };
    if (key !== toldKey || performance.now() - lookedAt > betweenLooksMs) {
      // Somebody may have set it by hand, or a restart of hostapd.
      keeper?.changed();
      lookedAt = performance.now();
    }
    [toldMetrics, toldSeconds, toldKey] = [found, pace.seconds, key];
    if (Object.keys(values).length === 0) continue;
    const sample = {
      ...values,
      ...(devices !== undefined && { devices }),
      ...(Object.keys(news).length > 0 && { configuration: news }),
    };
    agent.post(sample).catch((error: Error) => pace.isOver || speaker.lostReport(error));
  }
}

/** Commands that every agent accepts. */
function offerOwn(pace: Pace, describe: () => Promise<Description>): CommandOffer[] {
  const seconds = { type: 'integer', minimum: 1, maximum: maxIntervalSeconds, unit: 's' };
  return [
    {
      declaration: { name: 'identify', parameter: 'identify', params: {} },
      run: async () => ({ result: { ...(await describe()), agent_uptime_seconds: Math.floor(process.uptime()) } }),
    },
    {
      declaration: { name: 'set_report_interval', parameter: 'report_interval', params: { seconds } },
      async run(args) {
        pace.set(Math.round(requireNumber(args, 'seconds', 1, maxIntervalSeconds)));
        return undefined;
      },
    },
  ];
}
