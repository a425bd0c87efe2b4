import { useSyncExternalStore } from "react";

/** One timer for all ages on screen. */
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Milliseconds since the epoch, moving each second. */
export const useNow = (): number =>
  useSyncExternalStore(subscribe, () => {
    // Without a timer running, a first render would show the time of the last one.
    if (timer === undefined) now = Date.now();
    return now;
  });
