/** A bar with a number: what is given out (band) and what is really used (line). */
export function Meter({ value, second, label }: { value: number | null; second?: number; label: string }) {
  const shown = Math.min(100, Math.max(0, value ?? 0));
  return (
    <div className="meter" role="img" aria-label={label} title={label}>
      {second !== undefined && <span className="meterband" style={{ width: `${String(Math.min(100, second))}%` }} />}
      <span className="meterfill" style={{ width: `${String(shown)}%` }} />
    </div>
  );
}
