// Ansible drives `weft config` with the playbook of the documents: once something changes, then nothing, and what is refused is a failure.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWeft } from '../test/weft.ts';

const root = resolve(import.meta.dirname, '..');
const ansible = '/usr/bin/ansible-playbook';
if (!existsSync(ansible))
  process.stderr.write(
    'No Ansible found: THE TEST OF ITS PLAYBOOK IS SKIPPED. (Debian: apt-get install ansible-core)\n',
  );

test.skipIf(!existsSync(ansible))(
  'the playbook of the documents changes what is to be changed, and nothing twice',
  async () => {
    const weft = await startWeft();
    onTestFinished(() => weft.stop());
    const token = await weft.admin();
    await weft.agent('ap-1', { settings: { channel: { type: 'integer', enum: [36, 100] } } });
    const folder = mkdtempSync(join(tmpdir(), 'weft-ansible-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'layers'));
    const page = readFileSync(join(root, 'docs/configuration-of-access-points.md'), 'utf8');
    writeFileSync(join(folder, 'play.yml'), /```yaml\n(.*?)```/s.exec(page)![1]!);
    const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'controller/dist/weft.js')}' "$@"\n`;
    writeFileSync(join(folder, 'weft'), program, { mode: 0o755 });
    const env = {
      PATH: `${folder}:/usr/bin:/bin`,
      HOME: folder,
      LC_ALL: 'C.UTF-8',
      WEFT_URL: weft.url,
      WEFT_TOKEN: token,
      ANSIBLE_NOCOLOR: '1',
    };
    const play = async (...more: string[]) => {
      const child = spawn(ansible, ['-i', 'localhost,', 'play.yml', ...more], { cwd: folder, env });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => (said += text));
      const code = await new Promise((resolve) => child.on('close', resolve));
      const counts = Object.fromEntries(
        [...said.matchAll(/(ok|changed|failed|skipped)=(\d+)/g)].map(([, word, n]) => [word, Number(n)]),
      );
      return { code, said, ...counts };
    };
    const write = (layer: object) => writeFileSync(join(folder, 'layers', 'radio.json'), JSON.stringify(layer));

    expect(await play(), 'an empty folder').toMatchObject({ code: 0, changed: 0, skipped: 1 });
    const layer = { name: 'radio', selector: 'name:nobody', weight: 10, settings: { channel: 100 } };
    write(layer);
    expect(await play('--check'), 'only looked at').toMatchObject({ code: 0, changed: 1, skipped: 1 });
    expect(await play(), 'the first time').toMatchObject({ code: 0, changed: 2, failed: 0, skipped: 0 });
    expect(await play(), 'the second time').toMatchObject({ code: 0, changed: 0, skipped: 1 });
    const { items } = (await weft.request('GET', '/api/v1/config/layers', { token })).body;
    expect(items).toMatchObject([{ ...layer, version: 1 }]);
    write({ ...layer, selector: 'name:ap-1', settings: { channel: 40 } });
    const refused = await play();
    expect(refused).toMatchObject({ code: 2, failed: 1 });
    expect(refused.said).toContain('refused: ap-1, channel of radio');
  },
);
