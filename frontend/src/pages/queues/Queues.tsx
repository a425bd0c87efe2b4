import { Drawer, Select } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { queuesQuery } from "../../api/queries";
import type { Queue } from "../../api/types";
import { useScope } from "../../app/Scope";
import { changed } from "../../app/search";
import { useTopics } from "../../live/hooks";
import { useFormats } from "../../ui/format";
import { Loaded, PageHead } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { BulletBar } from "./BulletBar";
import { QueueDetail } from "./QueueDetail";
import { usePresentClasses } from "./usePresentClasses";
import { classesOf, type QueueRow, quotaOf, treeRows } from "./tree";

const route = getRouteApi("/shell/queues");

export function Queues() {
  const { t } = useTranslation();
  const query = useQuery(queuesQuery);
  useTopics("queues");
  return (
    <div className="page scrolls">
      <PageHead title={t("nav.queues")} />
      <Loaded query={query}>{(queues) => <Tree queues={queues} />}</Loaded>
    </div>
  );
}

function Tree({ queues: all }: { queues: readonly Queue[] }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { pool, tenant } = useScope();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const queues = all.filter(
    (queue) =>
      (pool === undefined || queue.pool.name === pool) && (tenant === undefined || queue.tenant?.name === tenant),
  );
  const present = usePresentClasses();
  const classes = classesOf(queues, present);
  const shown =
    classes.find((name) => name === search.class) ?? classes.find((name) => name !== "any") ?? classes[0] ?? "";
  const rows = treeRows(queues, closed);
  const set = (change: { class?: string | null; open?: string | null }): void => {
    void navigate({ search: (old) => changed<Record<string, unknown>>(old, change), replace: true });
  };
  const toggle = (id: string, open?: boolean): void => {
    const next = new Set(closed);
    if (open ?? closed.has(id)) next.delete(id);
    else next.add(id);
    setClosed(next);
  };
  const scale = Math.max(
    1,
    ...queues.map((queue) => Math.max(queue.held[shown] ?? 0, quotaOf(queue, shown)?.limit ?? 0)),
  );
  const opened = all.find((queue) => queue.id === search.open);
  return (
    <>
      <div className="filters">
        <Select
          label={t("queue.showClass")}
          size="xs"
          w={220}
          data={classes.map((value) => ({ value, label: value === "any" ? t("queue.anyClass") : value }))}
          value={shown || null}
          allowDeselect={false}
          onChange={(value) => {
            set({ class: value });
          }}
        />
        <BulletLegend />
      </div>
      <table className="plain tree" aria-label={t("nav.queues")}>
        <thead>
          <tr>
            <th>{t("term.queue")}</th>
            <th>{t("job.state")}</th>
            <th className="wide">{t("queue.usage")}</th>
            <th data-align="end">{t("queue.heldOf")}</th>
            <th data-align="end" className="from-sm">
              {t("queue.waitingCards")}
            </th>
            <th data-align="end" className="from-sm">
              {t("queue.waiting")}
            </th>
            <th data-align="end" className="from-sm">
              {t("queue.running")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.queue.id}
              row={row}
              shown={shown}
              scale={scale}
              onToggle={(open) => {
                toggle(row.queue.id, open);
              }}
              onOpen={() => {
                set({ open: row.queue.id });
              }}
            />
          ))}
          {rows.length === 0 && (
            <tr>
              <td colSpan={7} className="dim">
                {t("empty.noQueues")}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <Drawer
        opened={opened !== undefined}
        onClose={() => {
          set({ open: null });
        }}
        position="right"
        size="lg"
        title={t("term.queue")}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        {opened !== undefined && <QueueDetail key={opened.id} queue={opened} />}
      </Drawer>
    </>
  );
}

type RowProps = { row: QueueRow; shown: string; scale: number; onToggle: (open?: boolean) => void; onOpen: () => void };

function Row({ row, shown, scale, onToggle, onOpen }: RowProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { queue } = row;
  const quota = quotaOf(queue, shown);
  const held = queue.held[shown] ?? 0;
  const limit = quota?.limit ?? null;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowRight") onToggle(true);
    else if (event.key === "ArrowLeft") onToggle(false);
    else return;
    event.preventDefault();
  };
  const pending = queue.pending_milli[shown] ?? 0;
  // Jobs that take any device may come to this class too.
  const anyDevice = shown === "any" ? 0 : (queue.pending_milli["any"] ?? 0);
  return (
    <tr>
      <td>
        <span className="treename" style={{ paddingInlineStart: row.depth * 20 }}>
          {row.hasChildren ? (
            <button
              type="button"
              className="twisty"
              aria-expanded={row.open}
              aria-label={t(row.open ? "queue.collapse" : "queue.expand", { name: queue.path })}
              onClick={() => {
                onToggle();
              }}
              onKeyDown={onKeyDown}
            >
              {row.open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
            </button>
          ) : (
            <span className="twisty" />
          )}
          <button
            type="button"
            className="linkbutton"
            onClick={onOpen}
            onKeyDown={row.hasChildren ? onKeyDown : undefined}
          >
            {queue.name}
          </button>
          {queue.tenant !== null && row.depth === 0 && <span className="dim small">{queue.tenant.name}</span>}
        </span>
      </td>
      <td>
        <StateChip state={queue.state ?? "open"} />
      </td>
      <td>
        <BulletBar held={held} guaranteed={quota?.guaranteed ?? 0} limit={limit} scale={scale} />
      </td>
      <td data-align="end" className="num nowrap">
        {formats.cards(held)}{" "}
        <span className="dim">/ {limit === null ? t("queue.noLimit") : formats.cards(limit)}</span>
      </td>
      <td data-align="end" className="num from-sm">
        {formats.cards(pending)}
        {anyDevice > 0 && (
          <span className="dim small">{` ${t("queue.plusAny", { cards: formats.cards(anyDevice) })}`}</span>
        )}
      </td>
      <td data-align="end" className="num from-sm">
        <Link to="/jobs" search={{ tab: "waiting", queue: queue.path }} className="link">
          {formats.integer(queue.pending_jobs)}
        </Link>
      </td>
      <td data-align="end" className="num from-sm">
        <Link to="/jobs" search={{ tab: "running", queue: queue.path }} className="link">
          {formats.integer(queue.running_jobs)}
        </Link>
      </td>
    </tr>
  );
}

function BulletLegend() {
  const { t } = useTranslation();
  return (
    <span className="bulletlegend dim small" aria-hidden>
      <span className="swatch held" /> {t("queue.held")}
      <span className="swatch guaranteed" /> {t("queue.guaranteed")}
      <span className="swatch limit" /> {t("queue.limit")}
    </span>
  );
}
