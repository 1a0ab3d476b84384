// Live samples for a component, for as long as it is on the page. Samples are handed over once per frame, however many
// come, so that drawing keeps its pace.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isSignedIn } from '../session/session.ts';
import { noteAnswer, noteStream } from './freshness.ts';
import { type LiveFilter, type LiveSample, type LiveState, LiveValues } from './live-values.ts';

export interface UseLiveOptions extends LiveFilter {
  isWanted?: boolean;
  onSamples: (samples: LiveSample[]) => void;
  onGap?: () => void;
}

export function useLive({ agents, metrics, isWanted = true, onSamples, onGap }: UseLiveOptions): LiveState {
  const state = useSignal<LiveState>('connecting');
  const latest = useRef({ onSamples, onGap });
  latest.current = { onSamples, onGap };
  const key = JSON.stringify([agents, metrics]);
  const canAsk = isSignedIn.value;
  // The key stands for agents and metrics.
  useEffect(() => {
    if (!isWanted || !canAsk) return;
    const owner = {};
    let waiting: LiveSample[] = [];
    let frame = 0;
    const handOver = () => {
      frame = 0;
      const samples = waiting;
      waiting = [];
      noteAnswer();
      latest.current.onSamples(samples);
    };
    const stream = new LiveValues({
      ...(agents && { agents }),
      ...(metrics && { metrics }),
      onSamples: (samples) => {
        waiting.push(...samples);
        // Frames stand still in a hidden page; what piles up there is read again when it shows.
        if (waiting.length > 5000) waiting = waiting.slice(-1000);
        frame ||= requestAnimationFrame(handOver);
      },
      onState: (next) => {
        state.value = next;
        noteStream(owner, next);
      },
      onGap: () => latest.current.onGap?.(),
    });
    stream.start();
    return () => {
      stream.stop();
      cancelAnimationFrame(frame);
      noteStream(owner, undefined);
    };
  }, [key, isWanted, canAsk]);
  return state.value;
}
