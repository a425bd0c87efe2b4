import { Button, Menu } from "@mantine/core";
import { IconCheck, IconDownload, IconTerminal2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

import { useCopy } from "../lib/clipboard";
import { ColumnsMenu } from "./ColumnsMenu";
import { asCli, asCurl, exportPath } from "./commands";
import type { List } from "./useList";
import { ViewsMenu } from "./ViewsMenu";

const ICON = { size: 14, "aria-hidden": true } as const;

/** What one can do with a list as a whole: see it another way, keep it as a view, take it elsewhere. */
export function ListTools<Row>({ list }: { list: List<Row> }) {
  const { t } = useTranslation();
  return (
    <div className="listtools">
      <ViewsMenu list={list} />
      <ColumnsMenu list={list} />
      <CopyMenu list={list} />
      <Button
        component="a"
        href={exportPath(list.page, list.filters)}
        download
        size="xs"
        variant="default"
        leftSection={<IconDownload {...ICON} />}
        title={t("list.exportHelp")}
      >
        {t("list.export")}
      </Button>
    </div>
  );
}

function CopyMenu<Row>({ list }: { list: List<Row> }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={copied ? <IconCheck {...ICON} /> : <IconTerminal2 {...ICON} />}
          title={t("list.copyHelp")}
        >
          <span role="status">{t(copied ? "action.copied" : "list.copyAs")}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() => {
            copy(asCurl(list.page, list.filters, location.origin));
          }}
        >
          {t("action.copyCurl")}
        </Menu.Item>
        <Menu.Item
          onClick={() => {
            copy(asCli(list.page, list.filters));
          }}
        >
          {t("action.copyCli")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
