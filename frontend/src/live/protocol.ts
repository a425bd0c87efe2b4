/** Frames of the socket `/ws/live/`. */
import type { JobEvent, PoolUsage, TotalUsage, VendorUsage } from "../api/types";

export type NodeRow = [
  id: string,
  util: number | null,
  memoryUsedMib: number | null,
  powerW: number | null,
  ageS: number,
];
export type DeviceRow = [
  id: string,
  util: number | null,
  memoryUsedMib: number | null,
  temperatureC: number | null,
  powerW: number | null,
];
export type OverviewFrame = {
  type: "overview";
  at: string;
  pools: PoolUsage[];
  vendors: VendorUsage[];
  totals: TotalUsage;
};
export type LogFrame = {
  type: "log";
  task: string;
  offset: number;
  data: string;
  next_offset: number;
  size: number;
  complete: boolean;
};
export type Frame =
  | { type: "hello"; server_time: string; last_event: number; protocol: number }
  | { type: "heartbeat"; server_time: string; last_event: number }
  | { type: "resync" }
  | OverviewFrame
  | { type: "nodes"; at: string; nodes: NodeRow[] }
  | { type: "devices"; at: string; devices: DeviceRow[] }
  | { type: "event"; event: JobEvent }
  | LogFrame
  | { type: "log_error"; task: string; problem: { status: number; code: string; title: string; detail?: string } }
  | { type: "error"; detail: string };

/** undefined = not a frame that this console knows: a newer server may send more. */
export function parseFrame(text: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "type" in value ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}
