/** Cells that move with the live readings: each watches its own device only. */
import { useTranslation } from "react-i18next";

import type { Device } from "../../api/types";
import { useDeviceReading } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Spark } from "../../ui/Spark";

export type Now = {
  util: number | null;
  memoryUsedMib: number | null;
  temperatureC: number | null;
  powerW: number | null;
  at: number | null;
  history: readonly (number | null)[];
};

/** The live reading, else the one that came with the device. */
export function useDeviceNow(device: Device): Now {
  const reading = useDeviceReading(device.id);
  if (reading !== undefined) return reading;
  const { live } = device;
  return {
    util: live?.util_pct ?? null,
    memoryUsedMib: live?.memory_used_mib ?? null,
    temperatureC: live?.temperature_c ?? null,
    powerW: live?.power_w ?? null,
    at: live === null ? null : live.at * 1000,
    history: [],
  };
}

/** Never heard is "—"; heard, but without this value, is what the vendor does not tell. */
function Value({ value, heard, show }: { value: number | null; heard: boolean; show: (value: number) => string }) {
  const { t } = useTranslation();
  if (value !== null) return <>{show(value)}</>;
  if (!heard) return <span className="dim">{t("cell.none")}</span>;
  return (
    <abbr className="dim" title={t("cell.notSupported")}>
      {t("cell.ns")}
    </abbr>
  );
}

export function UtilCell({ device }: { device: Device }) {
  const formats = useFormats();
  const now = useDeviceNow(device);
  return (
    <span className="utilcell num">
      <Spark values={now.history} most={100} />
      <span>
        <Value value={now.util} heard={now.at !== null} show={formats.percent} />
      </span>
    </span>
  );
}

export function MemoryUsedCell({ device }: { device: Device }) {
  const formats = useFormats();
  const { t } = useTranslation();
  const now = useDeviceNow(device);
  return (
    <span className="num">
      <Value
        value={now.memoryUsedMib}
        heard={now.at !== null}
        show={(mib) => `${formats.gib(mib)} / ${formats.gib(device.memory_mib)}`}
      />{" "}
      <small>{t("unit.gib")}</small>
    </span>
  );
}

export function TemperatureCell({ device }: { device: Device }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const now = useDeviceNow(device);
  return (
    <span className="num">
      <Value
        value={now.temperatureC}
        heard={now.at !== null}
        show={(value) => t("unit.celsius", { n: formats.integer(value) })}
      />
    </span>
  );
}

export function PowerCell({ device }: { device: Device }) {
  const formats = useFormats();
  const now = useDeviceNow(device);
  return (
    <span className="num">
      <Value value={now.powerW} heard={now.at !== null} show={formats.watts} />
    </span>
  );
}
