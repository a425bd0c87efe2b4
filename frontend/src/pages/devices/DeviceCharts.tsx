import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { deviceSamplesQuery } from "../../api/queries";
import type { Device } from "../../api/types";
import { useScope } from "../../app/Scope";
import { RANGES } from "../../app/search";
import { useNow } from "../../lib/clock";
import { useDeviceReading } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Loaded } from "../../ui/parts";
import { TimeChart } from "../../ui/TimeChart";
import { columnsOf, joinSamples, type Sample } from "./series";

const MOST_LIVE = 4000;
const VALUES = 4;
/** Charts draw GiB, so that the marks on the axis are round. */
const MIB_A_GIB = 1024;

/** Utilisation, memory, temperature and power over the chosen time, growing live. */
export function DeviceCharts({ device }: { device: Device }) {
  const { range } = useScope();
  const query = useQuery(deviceSamplesQuery(device.id, RANGES[range]));
  const live = useLiveSamples(device.id);
  return (
    <Loaded query={query}>
      {(data) => <Charts device={device} stored={data.points} live={live} seconds={RANGES[range]} />}
    </Loaded>
  );
}

function useLiveSamples(id: string): readonly Sample[] {
  const reading = useDeviceReading(id);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (reading === undefined) return;
    const sample = [reading.at / 1000, reading.util, reading.memoryUsedMib, reading.temperatureC, reading.powerW];
    setSamples((before) => [...before, sample].slice(-MOST_LIVE));
  }, [reading]);
  return samples;
}

type ChartsProps = { device: Device; stored: readonly Sample[]; live: readonly Sample[]; seconds: number };

function Charts({ device, stored, live, seconds }: ChartsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const until = useNow() / 1000;
  const from = until - seconds;
  const { times, values } = useMemo(
    () => columnsOf(joinSamples(stored, live, Math.floor(from / 10) * 10), VALUES),
    [stored, live, from],
  );
  const [util = [], memory = [], temperature = [], power = []] = values;
  const common = {
    times,
    from,
    until,
    group: device.id,
    formatTime: (at: number) => formats.minute(new Date(at * 1000)),
  };
  return (
    <div className="charts">
      <TimeChart
        {...common}
        title={t("device.util")}
        most={100}
        lines={[{ label: t("device.util"), color: "#0b8799", values: util }]}
        format={formats.percent}
      />
      <TimeChart
        {...common}
        title={t("device.memoryUsed")}
        most={device.memory_mib / MIB_A_GIB}
        lines={[
          {
            label: t("device.memoryUsed"),
            color: "#6741d9",
            values: memory.map((mib) => (mib === null ? null : mib / MIB_A_GIB)),
          },
        ]}
        format={(value) => `${formats.gib(value * MIB_A_GIB)} GiB`}
      />
      <TimeChart
        {...common}
        title={t("device.temperature")}
        lines={[{ label: t("device.temperature"), color: "#e8590c", values: temperature }]}
        format={(value) => t("unit.celsius", { n: formats.integer(value) })}
      />
      <TimeChart
        {...common}
        title={t("device.power")}
        lines={[{ label: t("device.power"), color: "#2f9e44", values: power }]}
        format={formats.watts}
      />
    </div>
  );
}
