import { Button, Menu } from "@mantine/core";
import { IconBookmark, IconCheck, IconDeviceFloppy, IconPencil, IconStarFilled } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { ManageViews } from "./ManageViews";
import { SaveView } from "./SaveView";
import type { List } from "./useList";
import { isShown } from "./views";

const ICON = { size: 14, "aria-hidden": true } as const;

/** The saved views of a page: pick one, save what is shown, tidy up. */
export function ViewsMenu<Row>({ list }: { list: List<Row> }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"save" | "manage" | null>(null);
  const views = list.views ?? [];
  const current = views.find((view) => isShown(view, list.search, list.layout.columns));
  const close = (): void => {
    setOpen(null);
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark {...ICON} />} className="viewsbutton">
            {current === undefined ? t("views.title") : t("views.current", { name: current.name })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Label>{t("views.none")}</Menu.Label>}
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              leftSection={view === current ? <IconCheck {...ICON} /> : <span className="menugap" />}
              rightSection={view.is_default ? <IconStarFilled size={12} aria-label={t("views.isDefault")} /> : null}
              onClick={() => {
                list.show(view);
              }}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconDeviceFloppy {...ICON} />}
            onClick={() => {
              setOpen("save");
            }}
          >
            {t("views.save")}
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item
              leftSection={<IconPencil {...ICON} />}
              onClick={() => {
                setOpen("manage");
              }}
            >
              {t("views.manage")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === "save" && <SaveView list={list} onClose={close} />}
      {open === "manage" && <ManageViews list={list} onClose={close} />}
    </>
  );
}
