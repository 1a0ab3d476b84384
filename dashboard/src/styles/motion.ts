// How much moves: as the system has it, or as little as possible; remembered in this browser.
import { signal } from '@preact/signals';
import { keep, readKept } from '../data/kept.ts';
import './motion.css';

export type MotionChoice = 'system' | 'reduced';

const storageKey = 'weft.motion';

export const motionChoice = signal<MotionChoice>('system');

/** Takes up what was chosen before. */
export function startMotion(): void {
  apply(readKept('browser', storageKey) === 'reduced' ? 'reduced' : 'system');
}

export function chooseMotion(choice: MotionChoice): void {
  keep('browser', storageKey, choice);
  apply(choice);
}

function apply(choice: MotionChoice): void {
  motionChoice.value = choice;
  if (choice === 'system') delete document.documentElement.dataset.motion;
  else document.documentElement.dataset.motion = choice;
}
