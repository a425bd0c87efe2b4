import type { DeviceFilters } from "../../api/queries";
import type { Device } from "../../api/types";

export const LOADS = ["held", "busy", "idle"] as const;
/** Below this utilisation a held card counts as idle. */
const IDLE_BELOW = 5;

/** The tabs of a device. */
export const PARTS = ["now", "metrics", "history", "raw"] as const;
export const partOf = (value: string | undefined): (typeof PARTS)[number] =>
  PARTS.find((part) => part === value) ?? "now";

type Search = {
  vendor?: string;
  model?: string;
  mode?: string;
  health?: string;
  search?: string;
  ordering?: string;
  cordoned?: string;
};

/** What the server filters by. Values that it would refuse come from an edited address and are dropped. */
export function serverFilters(search: Search, pool: string | undefined): DeviceFilters {
  const { vendor, model, mode, health, search: words, ordering, cordoned } = search;
  return {
    ...(pool && { pool }),
    ...(vendor && { vendor }),
    ...(model && { model }),
    ...(mode === "empty" || mode === "shared" || mode === "exclusive" ? { mode } : {}),
    ...(health === "healthy" || health === "unhealthy" || health === "unknown" ? { health: [health] } : {}),
    ...(words && { search: words }),
    ...(cordoned === "true" ? { cordoned: true } : {}),
    ...(ordering && { ordering: [ordering] as NonNullable<DeviceFilters["ordering"]> }),
  };
}

/** As the server filters for an export, where nothing is live. */
export function withLoad(filters: DeviceFilters, load: string | undefined): DeviceFilters {
  const known = LOADS.find((each) => each === load);
  return known === undefined ? filters : { ...filters, load: known };
}

/** Load is live, so it is filtered here. */
export function byLoad(
  devices: readonly Device[],
  load: string | undefined,
  util: (device: Device) => number | null,
): readonly Device[] {
  if (load === "held") return devices.filter((device) => device.slices_used > 0);
  if (load === "busy") return devices.filter((device) => (util(device) ?? 0) >= IDLE_BELOW);
  if (load === "idle")
    return devices.filter((device) => device.slices_used > 0 && (util(device) ?? IDLE_BELOW) < IDLE_BELOW);
  return devices;
}

export const GROUPINGS = ["node", "model", "vendor"] as const;

export function grouping(group: string | undefined): ((device: Device) => string) | undefined {
  if (group === "node") return (device) => device.node.name;
  if (group === "model") return (device) => `${device.vendor} ${device.model}`;
  return group === "vendor" ? (device) => device.vendor : undefined;
}
