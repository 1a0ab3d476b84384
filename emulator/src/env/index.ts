// Environments to learn in, for programs: the worlds, the tasks, and how good a policy is.
export { type Act, baselineNames, baselineOf, type Observation } from './baselines.ts';
export {
  type Answer,
  type Component,
  components,
  Environment,
  EnvironmentError,
  type EnvironmentSnapshot,
  type EnvironmentSpec,
  type Layout,
  preferSpeed,
} from './environment.ts';
export { serveFrames } from './frame-server.ts';
export { type Episode, judge, play, seedsFor, tableOf, type Verdict } from './judge.ts';
export { type Task, taskNames, taskOf } from './tasks.ts';
