// The emulator: the model of a network, and the worker that runs such networks for Weft.
export { EmulatorWorker, type EmulatorWorkerOptions } from './runs/emulator-worker.ts';
export * from './worlds.ts';
