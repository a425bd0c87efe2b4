import "uplot/dist/uPlot.min.css";

import { useComputedColorScheme, useMantineTheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";

export type Line = { label: string; color: string; values: readonly (number | null)[] };

type Props = {
  title: string;
  times: readonly number[];
  lines: readonly Line[];
  most?: number;
  from: number;
  until: number;
  format: (value: number) => string;
  formatTime: (unixSeconds: number) => string;
  /** Charts of one group share their cross-hair. */
  group: string;
};

const HEIGHT = 150;

/** A line over time (uPlot). The picture has a spoken name; the newest values stand beside it as text. */
export function TimeChart({ title, times, lines, most, from, until, format, formatTime, group }: Props) {
  const { ref, width } = useElementSize();
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme("light");
  const theme = useMantineTheme();
  const shape = lines.map((line) => `${line.label} ${line.color}`).join("|");
  const held = useRef({ times, lines, from, until, format, formatTime });
  useEffect(() => {
    held.current = { times, lines, from, until, format, formatTime };
  });

  useEffect(() => {
    const target = holder.current;
    if (target === null || width === 0) return;
    const axisColor = scheme === "dark" ? theme.colors.gray[5] : theme.colors.gray[7];
    const gridColor = scheme === "dark" ? "rgba(255,255,255,.07)" : "rgba(0,0,0,.06)";
    const axis = { stroke: axisColor ?? "gray", grid: { stroke: gridColor, width: 1 }, ticks: { show: false } };
    const made = new uPlot(
      {
        width,
        height: HEIGHT,
        cursor: { sync: { key: group }, y: false },
        legend: { live: true },
        scales: {
          x: { range: () => [held.current.from, held.current.until] },
          y: { range: (_, low, high) => [Math.min(0, low), most ?? Math.max(1, high * 1.1)] },
        },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((tick) => held.current.formatTime(tick)) },
          { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => held.current.format(tick)) },
        ],
        series: [
          { label: "", value: (_: uPlot, at: number | null) => (at === null ? "" : held.current.formatTime(at)) },
          ...held.current.lines.map((line) => ({
            label: line.label,
            stroke: line.color,
            fill: `color-mix(in srgb, ${line.color} 14%, transparent)`,
            width: 1.5,
            spanGaps: false,
            points: { show: false },
            value: (_: uPlot, value: number | null) => (value === null ? "–" : held.current.format(value)),
          })),
        ],
      },
      toData(held.current.times, held.current.lines),
      target,
    );
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [width, scheme, theme, most, group, shape]);

  useEffect(() => {
    chart.current?.setData(toData(times, lines));
  }, [times, lines, from, until]);

  return (
    <figure ref={ref} className="timechart">
      <figcaption>{title}</figcaption>
      <div ref={holder} role="img" aria-label={title} />
    </figure>
  );
}

const toData = (times: readonly number[], lines: readonly Line[]): uPlot.AlignedData => [
  [...times],
  ...lines.map((line) => [...line.values]),
];
