import { useTranslation } from "react-i18next";

import type { Device } from "../api/types";
import { bucket } from "../lib/ids";
import { useFormats } from "./format";
import { layoutDevice, type Track } from "./sliceLayout";

const COLOURS = 10;
/** Below this share of the bar a label would be cut to nothing. */
const LABEL_FROM = 14;

/** Each slice of a card as a segment named after its job; the free part hatched. */
export function SliceBar({ device, large = false }: { device: Device; large?: boolean }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { cores, memory } = layoutDevice(device);
  const told = t("slice.told", {
    count: device.slices_used,
    max: device.max_slices,
    cores: device.cores_allocated,
    used: formats.gib(device.memory_allocated_mib),
    memory: formats.gib(device.memory_mib),
  });
  return (
    <div
      className={large ? "slicebar large" : "slicebar"}
      role="img"
      aria-label={told}
      title={large ? undefined : told}
    >
      <SliceTrack track={cores} kind={t("device.cores")} labels={!large} large={large} device={device} />
      <SliceTrack track={memory} kind={t("device.memory")} labels={large} large={large} device={device} />
    </div>
  );
}

type TrackProps = { track: Track; kind: string; labels: boolean; large: boolean; device: Device };

function SliceTrack({ track, kind, labels, large, device }: TrackProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <div className="slicetrack">
      {large && <span className="slicekind">{kind}</span>}
      <div className="slicesegments">
        {track.segments.map(({ key, start, width, slice }) => {
          const name = slice.job?.name ?? t("slice.otherTenant");
          const text = `${name} · ${formats.percent(slice.exclusive ? 100 : slice.cores)} · ${formats.gib(
            slice.exclusive ? device.memory_mib : slice.memory_mib,
          )} GiB`;
          return (
            <span
              key={key}
              className="sliceseg"
              data-hue={slice.job === null ? "other" : String(bucket(slice.job.id, COLOURS))}
              data-stopping={slice.state === "stopping" || undefined}
              style={{ left: `${String(start)}%`, width: `${String(width)}%` }}
              title={text}
            >
              {(labels || large) && width >= LABEL_FROM ? name : ""}
            </span>
          );
        })}
        {track.capacityAt < 100 && <span className="slicelimit" style={{ left: `${String(track.capacityAt)}%` }} />}
      </div>
    </div>
  );
}
