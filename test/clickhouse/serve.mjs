// Serves ClickHouse's HTTP port on loopback until it is killed: node serve.mjs FOLDER PORT. The library chdb holds a whole
// ClickHouse; that it also listens is not documented, so its version is pinned.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, port] = process.argv.slice(2);
const { DataType, load, open } = createRequire(import.meta.url)('ffi-rs');
const library = join(import.meta.dirname, 'node_modules', '@chdb', `lib-linux-${process.arch}-gnu`, 'libchdb.so');
const forever = 'SELECT sleepEachRow(3) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1';
const args = [
  'clickhouse',
  `--path=${folder}`,
  '--listen_host=127.0.0.1',
  `--http_port=${port}`,
  `--query=SYSTEM START LISTEN HTTP; ${forever}`,
];
open({ library: 'chdb', path: library });
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
