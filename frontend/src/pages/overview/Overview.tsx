import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { overviewQuery } from "../../api/queries";
import type { Overview as OverviewData } from "../../api/types";
import { useScope } from "../../app/Scope";
import { useCell, useLive, useTopics } from "../../live/hooks";
import { Loaded, PageHead, Panel } from "../../ui/parts";
import { When } from "../../ui/When";
import { EventFeed } from "./EventFeed";
import { FateBar } from "./FateBar";
import { FirstRun } from "./FirstRun";
import { HeatGrid } from "./HeatGrid";
import { scoped, withLive } from "./model";
import { NeedsYou } from "./NeedsYou";
import { TenantBars } from "./TenantBars";
import { Tiles } from "./Tiles";
import { UsageTable } from "./UsageTable";
import { WaitingPanel } from "./WaitingPanel";

export function Overview() {
  const query = useQuery(overviewQuery);
  const { t } = useTranslation();
  useTopics("overview", "nodes");
  return (
    <div className="page scrolls">
      <PageHead title={t("nav.overview")} />
      <Loaded query={query}>{(base) => <Content base={base} />}</Loaded>
    </div>
  );
}

function Content({ base }: { base: OverviewData }) {
  const { t } = useTranslation();
  const live = useLive();
  const frame = useCell(live.overview);
  const { pool } = useScope();
  const overview = withLive(base, frame);
  const pools = overview.pools.filter((each) => pool === undefined || each.name === pool);
  const nodes = overview.nodes.filter((node) => pool === undefined || node.pool === pool);
  return (
    <>
      <FirstRun setup={base.setup} />
      <Tiles overview={overview} pool={pool} />
      {overview.totals.devices > 0 && <FateBar fate={scoped(overview, pool).fate} />}
      <div className="overviewgrid">
        <div className="stack">
          <Panel title={t("overview.cards")} aside={<When at={overview.at} className="dim small" />}>
            <HeatGrid nodes={nodes} devices={overview.totals.devices} />
          </Panel>
          <Panel title={t("overview.pools")}>
            <UsageTable
              label={t("overview.pools")}
              rows={pools.map((each) => ({ key: each.id, name: each.name, usage: each, search: { pool: each.name } }))}
            />
          </Panel>
          <Panel
            title={t("overview.vendors")}
            aside={pool === undefined ? null : <span className="dim small">{t("overview.allPools")}</span>}
          >
            <UsageTable
              label={t("overview.vendors")}
              rows={overview.vendors.map((each) => ({
                key: each.vendor,
                name: t(`vendor.${each.vendor}`, { defaultValue: each.vendor }),
                usage: each,
                search: { vendor: each.vendor },
              }))}
            />
          </Panel>
        </div>
        <div className="stack">
          <NeedsYou overview={base} />
          <TenantBars />
          <WaitingPanel waiting={base.waiting} totals={overview.totals} />
          <EventFeed recent={base.recent_events} />
        </div>
      </div>
    </>
  );
}
