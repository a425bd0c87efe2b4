import { useEffect, useState } from "react";

import { useLive } from "../../live/hooks";
import { LogBuffer } from "./logBuffer";

export type TaskLogState = { buffer: LogBuffer; version: number; complete: boolean; error: string | null };

/** A task's log from its beginning, growing over the live socket; it goes on by itself after the socket was away. */
export function useTaskLog(task: string): TaskLogState {
  const live = useLive();
  const [buffer] = useState(() => new LogBuffer());
  const [state, setState] = useState({ version: 0, complete: false, error: null as string | null });
  useEffect(() => {
    // A second run of this effect (React's strict mode) must not read the beginning twice.
    buffer.lines.length = 0;
    let planned: number | undefined;
    let complete = false;
    const leave = live.followLog(task, {
      offset: 0,
      onData: (frame) => {
        buffer.append(frame.data);
        complete = frame.complete;
        planned ??= window.setTimeout(() => {
          planned = undefined;
          setState((before) => ({ version: before.version + 1, complete, error: null }));
        }, 50);
      },
      onError: (code) => {
        setState((before) => ({ ...before, error: code }));
      },
    });
    return () => {
      window.clearTimeout(planned);
      leave();
    };
  }, [live, task, buffer]);
  return { buffer, ...state };
}
