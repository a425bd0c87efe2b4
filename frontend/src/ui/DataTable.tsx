import { Checkbox } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useShortcuts } from "../app/shortcuts";
import { groupItems, leastWidth, nextOrdering, visibleColumns } from "./tableModel";

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** A CSS grid track. */
  track: string;
  /** The column is left out while the table is narrower than this. */
  from?: number;
  align?: "end";
  /** The server's name for sorting by it. */
  sort?: string;
  /** Always in view. */
  fixed?: boolean;
  /** In view only when somebody asked for it. */
  extra?: boolean;
};

type Selection = { keys: ReadonlySet<string>; set: (keys: ReadonlySet<string>) => void };

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowHeight?: number;
  /** Rows of one line, close together. */
  compact?: boolean;
  onOpen?: (row: Row) => void;
  openKey?: string | undefined;
  group?: ((row: Row) => string) | undefined;
  ordering?: string | undefined;
  onOrdering?: (ordering: string) => void;
  selection?: Selection;
  onEnd?: (() => void) | undefined;
  onHover?: (over: boolean) => void;
  empty: ReactNode;
};

const OVERSCAN = 8;
const GROUP_HEIGHT = 32;
const NEAR_END = 12;

/** A table that draws only the rows on screen. Sorting and filtering are the server's; keys: j k Enter x. */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, rows, rowKey, rowHeight = 42, compact = false, onOpen, group, selection, onEnd } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize();
  const merged = useMergedRef(scroller, sized);
  const [active, setActive] = useState(-1);
  const shown = useMemo(() => visibleColumns(columns, width), [columns, width]);
  const items = useMemo(() => groupItems(rows, group), [rows, group]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (items[index]?.kind === "group" ? GROUP_HEIGHT : rowHeight),
    overscan: OVERSCAN,
  });

  useEffect(() => {
    virtual.measure();
  }, [virtual, rowHeight]);

  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (items.length > 0 && last >= items.length - NEAR_END) onEnd?.();
  }, [last, items.length, onEnd]);

  const move = (by: number): void => {
    const next = Math.min(rows.length - 1, Math.max(0, active + by));
    setActive(next);
    virtual.scrollToIndex(items.findIndex((item) => item.kind === "row" && item.index === next));
  };
  const toggle = (key: string): void => {
    if (selection === undefined) return;
    const keys = new Set(selection.keys);
    if (!keys.delete(key)) keys.add(key);
    selection.set(keys);
  };
  const current = rows[active];
  useShortcuts({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    Enter: () => {
      if (current !== undefined) onOpen?.(current);
    },
    x: () => {
      if (current !== undefined) toggle(rowKey(current));
    },
  });

  const tracks = [...(selection ? ["36px"] : []), ...shown.map((column) => column.track)];
  const grid: CSSProperties = { gridTemplateColumns: tracks.join(" ") };
  const minWidth = leastWidth(tracks);
  const allSelected =
    selection !== undefined && rows.length > 0 && rows.every((row) => selection.keys.has(rowKey(row)));
  return (
    // Hovering only keeps rows in place; nothing is done by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={merged}
      className="table"
      role="table"
      aria-label={props.label}
      data-compact={compact || undefined}
      aria-rowcount={rows.length + 1}
      onMouseEnter={() => props.onHover?.(true)}
      onMouseLeave={() => props.onHover?.(false)}
    >
      <div role="rowgroup" className="tablehead" style={{ minWidth }}>
        <div role="row" className="tablerow" style={grid} aria-rowindex={1}>
          {selection && (
            <span role="columnheader" aria-label={t("table.selectAll")}>
              <Checkbox
                size="xs"
                aria-label={t("table.selectAll")}
                checked={allSelected}
                indeterminate={!allSelected && selection.keys.size > 0}
                onChange={() => {
                  selection.set(allSelected ? new Set() : new Set(rows.map(rowKey)));
                }}
              />
            </span>
          )}
          {shown.map((column) => (
            <HeaderCell key={column.key} column={column} ordering={props.ordering} onOrdering={props.onOrdering} />
          ))}
        </div>
      </div>
      {items.length === 0 && <div className="tableempty">{props.empty}</div>}
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative", minWidth }}>
        {virtual.getVirtualItems().map(({ index, start, size }) => {
          const item = items[index];
          if (item === undefined) return null;
          const place: CSSProperties = { transform: `translateY(${String(start)}px)`, height: size };
          if (item.kind === "group")
            return (
              <div key={`g ${item.label}`} role="row" className="tablegroup" style={place}>
                <span role="cell">
                  {item.label} <span className="dim num">{item.count}</span>
                </span>
              </div>
            );
          const key = rowKey(item.row);
          return (
            <TableRow
              key={key}
              item={item}
              style={{ ...place, ...grid }}
              columns={shown}
              active={item.index === active || key === props.openKey}
              onOpen={
                onOpen &&
                (() => {
                  setActive(item.index);
                  onOpen(item.row);
                })
              }
              selected={selection?.keys.has(key)}
              onToggle={() => {
                toggle(key);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

type HeaderProps<Row> = {
  column: Column<Row>;
  ordering: string | undefined;
  onOrdering: ((ordering: string) => void) | undefined;
};

function HeaderCell<Row>({ column, ordering, onOrdering }: HeaderProps<Row>) {
  const { sort } = column;
  if (sort === undefined || onOrdering === undefined)
    return (
      <span role="columnheader" data-align={column.align}>
        {column.header}
      </span>
    );
  const direction = ordering === sort ? "ascending" : ordering === `-${sort}` ? "descending" : "none";
  return (
    <span role="columnheader" aria-sort={direction} data-align={column.align}>
      <button
        type="button"
        className="sorter"
        onClick={() => {
          onOrdering(nextOrdering(ordering, sort));
        }}
      >
        {column.header}
        {direction === "ascending" && <IconArrowUp size={12} aria-hidden />}
        {direction === "descending" && <IconArrowDown size={12} aria-hidden />}
      </button>
    </span>
  );
}

type RowProps<Row> = {
  item: { row: Row; index: number };
  style: CSSProperties;
  columns: readonly Column<Row>[];
  active: boolean;
  selected: boolean | undefined;
  onOpen: (() => void) | undefined;
  onToggle: () => void;
};

function TableRow<Row>({ item, style, columns, active, selected, onOpen, onToggle }: RowProps<Row>) {
  const { t } = useTranslation();
  return (
    // The keyboard way to open a row is j, k and Enter, and the link that each row's name is.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      role="row"
      aria-rowindex={item.index + 2}
      aria-selected={selected}
      className="tablerow"
      data-active={active || undefined}
      data-opens={onOpen !== undefined || undefined}
      style={style}
      onClick={(event) => {
        if (event.target instanceof HTMLElement && event.target.closest("a,button,input,label") === null) onOpen?.();
      }}
    >
      {selected !== undefined && (
        <span role="cell">
          <Checkbox size="xs" aria-label={t("table.select")} checked={selected} onChange={onToggle} />
        </span>
      )}
      {columns.map((column) => (
        <span role="cell" key={column.key} data-align={column.align}>
          {column.cell(item.row)}
        </span>
      ))}
    </div>
  );
}
