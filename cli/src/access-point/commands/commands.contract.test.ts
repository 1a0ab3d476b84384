// What the operator allows, what is offered of it, and what is done.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { hostapdStatus, oneRadio, phyInfo, twoRadios } from '../../../../test/pure/iw-recordings.ts';
import { RecordedMachine } from '../../../../test/pure/recorded-machine.ts';
import { Hostapd } from '../hostapd/hostapd.ts';
import { runTool, ToolFailure, ToolMissing } from '../machine/tool.ts';
import { parseAllowance, toAllowText } from './allowance.ts';
import type { CommandOffer } from './command-offer.ts';
import { offerScripts } from './script-commands.ts';
import { offerSystemCommands } from './system-commands.ts';
import { channelShape, offerWifiCommands } from './wifi-commands.ts';

const allowed = (text: string) => parseAllowance([text]).commands;
const offerWifi = (machine: RecordedMachine, commands: ReturnType<typeof allowed>) =>
  offerWifiCommands(machine, new Hostapd({ machine, signal: AbortSignal.abort(), say() {} }), commands);
const named = (offers: CommandOffer[], name: string) => offers.find(({ declaration }) => declaration.name === name)!;

test('an allowance is read, written, and refused with what there is', () => {
  const allowance = parseAllowance(['set_tx_power, reboot', 'run:blink,identify,']);
  expect(toAllowText(allowance)).toBe('set_tx_power,reboot,run:blink');
  expect(() => parseAllowance(['rm'])).toThrow('unknown command rm: use set_tx_power, set_channel');
  expect(() => parseAllowance(['run:../evil'])).toThrow('is not a valid command name');
  expect(() => parseAllowance(['run:reboot'])).toThrow('would hide');
});

describe('radios', () => {
  const machine = () =>
    new RecordedMachine().tool('iw dev', oneRadio).tool('iw phy phy0 info', phyInfo).tool('iw phy phy1 info', '');

  test('offer nothing that is not allowed, and nothing without hardware that can', async () => {
    expect(await offerWifi(machine(), allowed('reboot'))).toEqual([]);
    expect(await offerWifi(new RecordedMachine(), allowed('set_tx_power,set_channel'))).toEqual([]);
    const dumb = machine().tool('iw phy phy0 info', new ToolFailure('no'));
    expect(await offerWifi(dumb, allowed('set_tx_power,set_channel'))).toEqual([]);
  });

  test('take power within the bounds of the hardware, and tell what was really set', async () => {
    const recorded = machine().tool('iw dev wlan0 set txpower fixed 1450', '');
    const offer = named(await offerWifi(recorded, allowed('set_tx_power')), 'set_tx_power');
    expect(offer.declaration).toEqual({
      name: 'set_tx_power',
      parameter: 'tx_power',
      params: { dbm: { type: 'number', minimum: 0, maximum: 23, unit: 'dBm' } },
    });
    recorded.tool('iw dev', oneRadio.replace('txpower 20.00', 'txpower 14.00'));
    expect(await offer.run({ dbm: 14.5 })).toEqual({ applied: { dbm: 14 } });
    for (const dbm of ['20; reboot', Number.NaN, 24, undefined])
      await expect(offer.run({ dbm })).rejects.toThrow('dbm must be');
    expect(recorded.ran.filter((line) => line.includes('set'))).toEqual(['iw dev wlan0 set txpower fixed 1450']);
  });

  test('change the channel by hostapd as wide as before, else by the kernel', async () => {
    const recorded = machine();
    const offer = named(await offerWifi(recorded, allowed('set_channel')), 'set_channel');
    expect(offer.declaration.params).toEqual({ channel: { type: 'integer', enum: [36, 40, 44, 149] } });
    recorded.tool('iw dev wlan0 set channel 40', '');
    expect(await offer.run({ channel: 40 })).toEqual({ applied: { channel: 40 } });
    const shape = 'center_freq1=5210 sec_channel_offset=1 bandwidth=80 ht vht';
    recorded
      .tool('hostapd_cli -i wlan0 status', hostapdStatus)
      .tool(`hostapd_cli -i wlan0 chan_switch 5 5220 ${shape}`, 'OK\n')
      .tool(
        'hostapd_cli -i wlan0 chan_switch 5 5745 center_freq1=5775 sec_channel_offset=1 bandwidth=80 ht vht',
        'FAIL\n',
      );
    await offer.run({ channel: 44 });
    await expect(offer.run({ channel: 149 })).rejects.toThrow('hostapd rejects the channel: FAIL');
    await expect(offer.run({ channel: 52 })).rejects.toThrow('cannot use this channel');
    await expect(offer.run({ channel: '$(reboot)' })).rejects.toThrow('cannot use this channel');
  });

  test('are chosen by name where there are several', async () => {
    const recorded = machine().tool('iw dev', twoRadios).tool('iw phy phy1 info', phyInfo.replace('phy0', 'phy1'));
    recorded.tool('iw dev wlan2 set txpower fixed 500', '');
    const offer = named(await offerWifi(recorded, allowed('set_tx_power')), 'set_tx_power');
    expect(offer.declaration.params).toMatchObject({ interface: { enum: ['wlan2', 'wlan0'] } });
    expect(await offer.run({ dbm: 5, interface: 'wlan2' })).toEqual({ applied: { dbm: 17.5, interface: 'wlan2' } });
    await expect(offer.run({ dbm: 5 })).rejects.toThrow('interface must be one of wlan2, wlan0');
    await expect(offer.run({ dbm: 5, interface: 'eth0' })).rejects.toThrow('interface must be one of');
  });

  const ht = { ht: true, vht: false, he: false };
  const vht = { ht: true, vht: true, he: false };
  test.each([
    [36, 80, vht, 'center_freq1=5210 sec_channel_offset=1 bandwidth=80 ht vht'],
    [48, 80, vht, 'center_freq1=5210 sec_channel_offset=-1 bandwidth=80 ht vht'],
    [104, 80, { ...vht, he: true }, 'center_freq1=5530 sec_channel_offset=-1 bandwidth=80 ht vht he'],
    [157, 40, ht, 'center_freq1=5795 sec_channel_offset=1 bandwidth=40 ht'],
    [157, 40, vht, 'center_freq1=5795 sec_channel_offset=1 bandwidth=40 ht vht'],
    [161, 160, vht, 'center_freq1=5775 sec_channel_offset=-1 bandwidth=80 ht vht'],
    [165, 80, ht, 'bandwidth=20 ht'],
    [40, 20, ht, 'bandwidth=20 ht'],
    // Without its middle hostapd refuses a narrow channel of a VHT access point.
    [40, 20, vht, 'center_freq1=5200 bandwidth=20 ht vht'],
  ])('channel %i at %i MHz lies where the standard has it', (channel, width, modes, words) => {
    const target = { channel, frequencyMhz: 5000 + 5 * channel, maxDbm: 20 };
    expect(channelShape(target, width, modes).join(' ')).toBe(words);
  });
});

test('the machine is restarted by systemd, if it has one and that was allowed', async () => {
  const all = allowed('restart_wifi,reboot');
  expect(await offerSystemCommands(new RecordedMachine(), all)).toEqual([]);
  const machine = new RecordedMachine()
    .tool('systemctl --version', 'systemd 252\n')
    .tool('systemctl cat hostapd.service', new ToolFailure('no files found'))
    .tool('systemctl reboot', new ToolFailure('Access denied'));
  const [only, ...rest] = await offerSystemCommands(machine, all);
  expect([only!.declaration.name, rest]).toEqual(['reboot', []]);
  await expect(only!.run({})).rejects.toThrow('Access denied');
  machine.tool('systemctl cat hostapd.service', '[Unit]\n').tool('systemctl restart hostapd.service', '');
  await named(await offerSystemCommands(machine, all), 'restart_wifi').run({});
  expect(machine.ran.at(-1)).toBe('systemctl restart hostapd.service');
});

describe('programs of the operator', () => {
  let folder: string;
  const said: string[] = [];
  const program = (name: string, text: string, mode = 0o755) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  const offer = (names: string[], more = {}) =>
    offerScripts({
      ...{
        folder,
        names: new Set(names),
        signal: new AbortController().signal,
        say: (text: string) => said.push(text),
      },
      ...more,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-commands-'));
    said.length = 0;
    return () => rmSync(folder, { recursive: true });
  });

  test('get their arguments on standard input, as they are, and nothing else', async () => {
    program('echo', '#!/bin/sh\ncat\necho "$# $(env | grep -c WEFT_)"\n');
    process.env.WEFT_ENROLMENT_TOKEN = 'secret';
    const [echo] = await offer(['echo']);
    const args = { place: `$(touch ${folder}/x)`, other: '`touch x`; "\'\n' };
    expect(await echo!.run(args)).toEqual({ result: { output: `${JSON.stringify(args)}\n0 0\n` } });
    expect(existsSync(join(folder, 'x'))).toBe(false);
    delete process.env.WEFT_ENROLMENT_TOKEN;
  });

  test('are declared as the file beside them says', async () => {
    program('blink', '#!/bin/sh\n');
    writeFileSync(join(folder, 'blink.json'), '{"parameter":"led","params":{"times":{"type":"integer"}}}');
    const [blink] = await offer(['blink']);
    expect(blink!.declaration).toEqual({ name: 'blink', parameter: 'led', params: { times: { type: 'integer' } } });
    writeFileSync(join(folder, 'blink.json'), '{');
    expect(await offer(['blink'])).toEqual([]);
    expect(said).toEqual([`run:blink is not offered: ${folder}/blink.json is not valid JSON`]);
  });

  test('are not offered if they are missing, cannot be run, or can be changed by others', async () => {
    program('open', '#!/bin/sh\n', 0o777);
    program('plain', 'text', 0o644);
    symlinkSync('/tmp', join(folder, 'folder'));
    expect(await offer(['open', 'plain', 'folder', 'missing'])).toEqual([]);
    expect(said.sort()).toEqual([
      `run:folder is not offered: ${folder}/folder is not a file`,
      `run:missing is not offered: ${folder}/missing does not exist`,
      `run:open is not offered: ${folder}/open can be changed by others: chmod go-w, chown root`,
      `run:plain is not offered: ${folder}/plain is not executable: chmod +x`,
    ]);
  });

  test('are checked at every call, with every folder above them and where a link leads', async () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner, { mode: 0o755 });
    writeFileSync(join(inner, 'real'), '#!/bin/sh\necho fine\n', { mode: 0o755 });
    symlinkSync(join(inner, 'real'), join(folder, 'link'));
    program('say', '#!/bin/sh\necho fine\n');
    const [link, say] = await offer(['link', 'say']);
    for (const one of [link, say]) expect(await one!.run({})).toEqual({ result: { output: 'fine\n' } });
    chmodSync(inner, 0o777);
    await expect(link!.run({})).rejects.toThrow(`${inner} can be changed by others`);
    chmodSync(folder, 0o775);
    await expect(say!.run({})).rejects.toThrow(`${folder} can be changed by others`);
    chmodSync(folder, 0o700);
    expect(await say!.run({})).toEqual({ result: { output: 'fine\n' } });
    chmodSync(join(folder, 'say'), 0o757);
    await expect(say!.run({})).rejects.toThrow(`${folder}/say can be changed by others`);
  });

  test('tell how they failed, are cut at 4 KiB, and end in time with all they have started', async () => {
    program('fail', '#!/bin/sh\necho "no such lamp" >&2\nexit 3\n');
    program('talk', '#!/bin/sh\nhead -c 100000 /dev/zero | tr "\\\\0" x\n');
    program('hang', `#!/bin/sh\nsleep 60 &\necho $! > ${folder}/pid\nwait\n`);
    const [fail, talk, hang] = await offer(['fail', 'talk', 'hang'], { timeoutMs: 500 });
    await expect(fail!.run({})).rejects.toThrow('fail failed with exit code 3: no such lamp');
    expect(await talk!.run({})).toEqual({ result: { output: 'x'.repeat(4096), is_cut: true } });
    await expect(hang!.run({})).rejects.toThrow('hang did not end within 0.5 s');
    const { output } = await runTool('sh', [
      '-c',
      'ps -o stat= -p "$(cat "$0")" | grep -v Z || echo gone',
      `${folder}/pid`,
    ]);
    expect(output.trim()).toBe('gone');
  });

  test('end when the agent stops', async () => {
    program('hang', '#!/bin/sh\nexec sleep 60\n');
    const stopping = new AbortController();
    const [hang] = await offer(['hang'], { signal: stopping.signal });
    const running = hang!.run({});
    stopping.abort();
    await expect(running).rejects.toThrow('was stopped, because the agent stops');
  });
});

test('a tool that is not there is told from one that fails', async () => {
  await expect(runTool('weft-no-such-tool', [])).rejects.toBeInstanceOf(ToolMissing);
  await expect(runTool('false', [])).rejects.toBeInstanceOf(ToolFailure);
  expect(await runTool('printf', ['%s', '$HOME; a'])).toEqual({ output: '$HOME; a', isCut: false });
});
