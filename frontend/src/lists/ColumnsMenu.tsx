import { Button, Checkbox, Popover, SegmentedControl } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

import { DENSITIES, type Density } from "./layout";
import type { List } from "./useList";

/** Which columns, and how close the rows stand. */
export function ColumnsMenu<Row>({ list }: { list: List<Row> }) {
  const { t } = useTranslation();
  const { columns, shown, layout, setLayout } = list;
  const inView = new Set(shown.map((column) => column.key));
  const toggle = (key: string): void => {
    const keys = columns.map((column) => column.key);
    setLayout({ columns: keys.filter((each) => (each === key ? !inView.has(each) : inView.has(each))) });
  };
  return (
    <Popover position="bottom-end" withinPortal trapFocus shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} aria-hidden />}>
          {t("list.columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="columnpicker">
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label={t("list.density")}
            data={DENSITIES.map((value) => ({ value, label: t(`list.densities.${value}`) }))}
            value={layout.density}
            onChange={(density) => {
              setLayout({ density: density as Density });
            }}
          />
          <div className="columnchoices" role="group" aria-label={t("list.columns")}>
            {columns.map((column) => (
              <Checkbox
                key={column.key}
                size="xs"
                label={column.header}
                checked={inView.has(column.key)}
                disabled={column.fixed === true}
                onChange={() => {
                  toggle(column.key);
                }}
              />
            ))}
          </div>
          <Button
            size="compact-xs"
            variant="subtle"
            disabled={layout.columns === null}
            onClick={() => {
              setLayout({ columns: null });
            }}
          >
            {t("list.usualColumns")}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
