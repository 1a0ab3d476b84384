// What a metric is called on a chart: the agent's own label, else its name made readable.

const unitsByName: Record<string, string> = {
  db: 'dB',
  dbm: 'dBm',
  dbi: 'dBi',
  w: 'W',
  mw: 'mW',
  kw: 'kW',
  v: 'V',
  mv: 'mV',
  a: 'A',
  ma: 'mA',
  wh: 'Wh',
  hz: 'Hz',
  khz: 'kHz',
  mhz: 'MHz',
  ghz: 'GHz',
  bps: 'bit/s',
  kbps: 'kbit/s',
  mbps: 'Mbit/s',
  gbps: 'Gbit/s',
  ns: 'ns',
  us: 'µs',
  ms: 'ms',
  s: 's',
  sec: 's',
  seconds: 's',
  minutes: 'min',
  hours: 'h',
  percent: '%',
  pct: '%',
  ratio: 'ratio',
  ppm: 'ppm',
  c: '°C',
  celsius: '°C',
  k: 'K',
  lux: 'lx',
  lx: 'lx',
  bytes: 'B',
  kb: 'kB',
  mb: 'MB',
  gb: 'GB',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
  m: 'm',
  km: 'km',
  deg: '°',
};
const acronyms = new Set(
  'ap ber bler bssid cpu cqi dl evm gps gpu http id ip lan led mac mcs mimo nr pci prb qos ram rsrp rsrq rssi rtt sinr snr ssid tcp udp ue ul usb vlan wan wlan'.split(
    ' ',
  ),
);

/** `tx_power_dbm` -> `Tx power (dBm)`. A name of other make is left as it is. */
export function readableName(name: string): string {
  const words = name.split('_').filter((word) => word !== '');
  if (words.length === 0) return name;
  const unit = words.length > 1 ? unitOf(words.at(-1)!) : undefined;
  if (unit !== undefined) words.pop();
  const text = words.map((word) => (acronyms.has(word.toLowerCase()) ? word.toUpperCase() : word)).join(' ');
  const [first = ''] = text;
  const sentence = first.toUpperCase() + text.slice(first.length);
  return unit === undefined ? sentence : `${sentence} (${unit})`;
}

/** `configuration.metrics` holds name -> `{label, unit}`, if the agent says so and as far as it is well-formed. */
export function labelOf(name: string, configuration: Record<string, unknown>): string {
  const own = member(member(configuration, 'metrics'), name);
  const label = member(own, 'label');
  return typeof label === 'string' && label !== '' ? label : readableName(name);
}

function unitOf(word: string): string | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(unitsByName, key) ? unitsByName[key] : undefined;
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
