import { createContext, useCallback, useContext, useEffect, useSyncExternalStore } from "react";

import type { Cell } from "./cells";
import type { LiveClient } from "./client";
import type { Reading } from "./readings";

export const LiveContext = createContext<LiveClient | null>(null);

export function useLive(): LiveClient {
  const live = useContext(LiveContext);
  if (live === null) throw new Error("useLive outside of LiveContext");
  return live;
}

export const useCell = <T>(cell: Cell<T>): T => useSyncExternalStore(cell.subscribe, cell.get);

/** Ask for these topics while the component is on screen. */
export function useTopics(...topics: string[]): void {
  const live = useLive();
  const joined = topics.join("\n");
  useEffect(() => live.addTopics(joined === "" ? [] : joined.split("\n")), [live, joined]);
}

export function useDeviceReading(id: string): Reading | undefined {
  const { devices } = useLive();
  return useSyncExternalStore(
    useCallback((listener: () => void) => devices.subscribe(id, listener), [devices, id]),
    () => devices.get(id),
  );
}

export function useNodeReading(id: string): Reading | undefined {
  const { nodes } = useLive();
  return useSyncExternalStore(
    useCallback((listener: () => void) => nodes.subscribe(id, listener), [nodes, id]),
    () => nodes.get(id),
  );
}
