/** Where the slices of a device are drawn: two tracks (compute, memory) of one bar. */
import type { Device, DeviceSlice } from "../api/types";

export type Segment = {
  key: string;
  /** Percent of the track's width. */
  start: number;
  width: number;
  slice: DeviceSlice;
};
export type Track = {
  segments: Segment[];
  /** Percent of the track's width that is free; it follows the segments. */
  free: number;
  used: number;
  capacity: number;
  /** Percent of the width at which the capacity ends; below 100 when more than that is given out. */
  capacityAt: number;
};

/** So that a slice without a reservation of its own is still seen. */
const LEAST_WIDTH = 0.8;

export function layoutTrack(
  slices: readonly DeviceSlice[],
  capacity: number,
  amount: (slice: DeviceSlice) => number,
): Track {
  const amounts = slices.map((slice) => (slice.exclusive ? capacity : Math.max(0, amount(slice))));
  const used = amounts.reduce((sum, each) => sum + each, 0);
  const full = Math.max(capacity, used, 1);
  const raw = amounts.map((each) => Math.max((each / full) * 100, LEAST_WIDTH));
  const total = raw.reduce((sum, each) => sum + each, 0);
  // Least widths may push the sum above the track; then all shrink alike.
  const scale = total > 100 ? 100 / total : 1;
  let start = 0;
  const segments = slices.map((slice, index) => {
    const width = (raw[index] ?? 0) * scale;
    const segment = { key: slice.allocation ?? `other-${String(index)}`, start, width, slice };
    start += width;
    return segment;
  });
  return { segments, free: Math.max(0, 100 - start), used, capacity, capacityAt: (capacity / full) * 100 };
}

export function layoutDevice(device: Pick<Device, "slices" | "memory_mib">): { cores: Track; memory: Track } {
  return {
    cores: layoutTrack(device.slices, 100, (slice) => slice.cores),
    memory: layoutTrack(device.slices, device.memory_mib, (slice) => slice.memory_mib),
  };
}
