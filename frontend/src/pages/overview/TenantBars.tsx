import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { queuesQuery } from "../../api/queries";
import { useScope } from "../../app/Scope";
import { useFormats } from "../../ui/format";
import { Loaded, Panel } from "../../ui/parts";
import { BulletBar } from "../queues/BulletBar";
import { usePresentClasses } from "../queues/usePresentClasses";
import { type TenantRow, tenantRows } from "./model";

/** What each tenant holds against what it is guaranteed. */
export function TenantBars() {
  const { t } = useTranslation();
  const query = useQuery(queuesQuery);
  const present = usePresentClasses();
  const { pool, tenant } = useScope();
  return (
    <Panel title={t("overview.tenants")} aside={<span className="dim small">{t("overview.heldOfGuaranteed")}</span>}>
      <Loaded query={query}>
        {(queues) => {
          const rows = tenantRows(
            queues.filter(
              (queue) =>
                (pool === undefined || queue.pool.name === pool) &&
                (tenant === undefined || queue.tenant?.name === tenant),
            ),
            present,
          );
          const scale = Math.max(1, ...rows.map((row) => Math.max(row.held, row.guaranteed)));
          if (rows.length === 0) return <p className="dim">{t("empty.noQueues")}</p>;
          return (
            <ul className="bars">
              {rows.map((row) => (
                <Row key={row.name} row={row} scale={scale} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Row({ row, scale }: { row: TenantRow; scale: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const classes = row.classes.map(
    (each) => `${each.name}: ${formats.cards(each.held)} / ${formats.cards(each.guaranteed)}`,
  );
  return (
    <li title={classes.join("\n")}>
      <span className="two">
        <Link to="/queues" search={{ tenant: row.name }} className="link">
          {row.name}
        </Link>
        {row.waiting > 0 && (
          <span className="dim small num">{t("overview.tenantWaits", { cards: formats.cards(row.waiting) })}</span>
        )}
      </span>
      <BulletBar held={row.held} guaranteed={row.guaranteed} limit={null} scale={scale} />
      <span className="num nowrap">
        {formats.cards(row.held)} <span className="dim">/ {formats.cards(row.guaranteed)}</span>
      </span>
    </li>
  );
}
