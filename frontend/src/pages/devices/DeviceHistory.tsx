import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { deviceHistoryQuery } from "../../api/queries";
import type { Device, DeviceHistory as Holding } from "../../api/types";
import { Loaded, Panel } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { Elapsed, When } from "../../ui/When";
import { useShareText } from "./useShareText";

/** Who holds and held the card, the newest first. */
export function DeviceHistory({ device }: { device: Device }) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(deviceHistoryQuery(device.id));
  return (
    <Panel title={t("deviceHistory.title")}>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.results);
          if (rows.length === 0) return <p className="dim">{t("deviceHistory.none")}</p>;
          return (
            <div className="scrollbox">
              <Holdings device={device} rows={rows} />
              {query.hasNextPage && (
                <Button
                  size="xs"
                  variant="default"
                  mt="sm"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {t("deviceHistory.older")}
                </Button>
              )}
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Holdings({ device, rows }: { device: Device; rows: readonly Holding[] }) {
  const { t } = useTranslation();
  const share = useShareText(device);
  return (
    <table className="plain" aria-label={t("deviceHistory.title")}>
      <thead>
        <tr>
          <th>{t("term.job")}</th>
          <th>{t("term.queue")}</th>
          <th>{t("job.state")}</th>
          <th data-align="end">{t("device.cores")}</th>
          <th data-align="end">{t("device.memory")}</th>
          <th data-align="end">{t("deviceHistory.from")}</th>
          <th data-align="end">{t("deviceHistory.to")}</th>
          <th data-align="end">{t("deviceHistory.length")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.allocation ?? `${row.since} ${String(index)}`}>
            <td>
              {row.job === null ? (
                <span className="dim">{t("slice.otherTenant")}</span>
              ) : (
                <Link to="/jobs/$id" params={{ id: row.job.id }} className="link">
                  {row.job.name}
                </Link>
              )}
            </td>
            <td>{row.queue ?? t("cell.none")}</td>
            <td>
              <StateChip state={row.state} />
            </td>
            <td data-align="end" className="num nowrap">
              {share.cores(row)}
            </td>
            <td data-align="end" className="num nowrap">
              {share.memory(row)} <small>{t("unit.gib")}</small>
            </td>
            <td data-align="end" className="num nowrap">
              <When at={row.since} />
            </td>
            <td data-align="end" className="num nowrap">
              {row.until === null ? t("deviceHistory.now") : <When at={row.until} />}
            </td>
            <td data-align="end" className="nowrap">
              <Elapsed from={row.since} until={row.until} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
