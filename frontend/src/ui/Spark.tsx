/** A tiny line of what was seen lately; the number beside it says the value, so it is hidden from screen readers. */
export function Spark({
  values,
  most,
  width = 64,
  height = 18,
}: {
  values: readonly (number | null)[];
  most?: number;
  width?: number;
  height?: number;
}) {
  const known = values.filter((value): value is number => value !== null);
  if (known.length < 2) return <svg className="spark" width={width} height={height} aria-hidden />;
  const top = most ?? Math.max(1, ...known);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index) =>
    value === null ? null : ([index * step, height - 1 - (Math.min(value, top) / top) * (height - 2)] as const),
  );
  const line = points.reduce(
    (path, point, index) =>
      point === null
        ? path
        : `${path}${index > 0 && points[index - 1] !== null ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`,
    "",
  );
  return (
    <svg
      className="spark"
      width={width}
      height={height}
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path className="sparkarea" d={`${line}L${String(width)} ${String(height)}L0 ${String(height)}Z`} />
      <path className="sparkline" d={line} />
    </svg>
  );
}
