// The wire of the lab: what emulated networks can be asked beside what the core asks them.
export * from './emulator-coverage.ts';
export * from './emulator-what-if.ts';
