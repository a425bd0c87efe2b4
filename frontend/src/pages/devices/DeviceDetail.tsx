import { Tabs } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { deviceQuery, keys } from "../../api/queries";
import type { Device } from "../../api/types";
import { useMay } from "../../app/session";
import { useTopics } from "../../live/hooks";
import { ConfirmButton } from "../../ui/ConfirmButton";
import { CodeBlock, Loaded, PageHead, Panel, Waiting } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { DeviceHistory } from "./DeviceHistory";
import { DeviceNow } from "./DeviceNow";
import { partOf, PARTS } from "./model";

const DeviceCharts = lazy(() => import("./DeviceCharts").then((module) => ({ default: module.DeviceCharts })));

type Props = { id: string; part: string | undefined; onPart: (part: string | null) => void; linkToPage?: boolean };

/** One card: what is on it, what it did lately, who held it. In a drawer and on a page of its own. */
export function DeviceDetail({ id, ...rest }: Props) {
  const query = useQuery(deviceQuery(id));
  useTopics(`device:${id}`);
  return <Loaded query={query}>{(device) => <Detail device={device} {...rest} />}</Loaded>;
}

type DetailProps = Omit<Props, "id"> & { device: Device };

function Detail({ device, part, onPart, linkToPage = false }: DetailProps) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <div className="stack">
      <PageHead
        title={`${device.model} ${t("device.indexNumber", { index: device.index })}`}
        sub={
          <span className="chips">
            <StateChip state={device.health} />
            <StateChip state={device.mode} />
            {device.cordoned && <StateChip state="cordoned" />}
          </span>
        }
      >
        {may("devices.write") && <CordonDevice device={device} />}
        {linkToPage && (
          <Link to="/devices/$id" params={{ id: device.id }} className="link small">
            <IconExternalLink size={14} aria-hidden /> {t("action.openPage")}
          </Link>
        )}
      </PageHead>
      <Tabs
        value={partOf(part)}
        keepMounted={false}
        onChange={(value) => {
          onPart(value === PARTS[0] ? null : value);
        }}
      >
        <Tabs.List aria-label={t("device.parts")} mb="sm">
          {PARTS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`device.part.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="now">
          <DeviceNow device={device} />
        </Tabs.Panel>
        <Tabs.Panel value="metrics">
          <Panel title={t("device.history")}>
            <Suspense fallback={<Waiting />}>
              <DeviceCharts device={device} />
            </Suspense>
          </Panel>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <DeviceHistory device={device} />
        </Tabs.Panel>
        <Tabs.Panel value="raw">
          <Panel title={t("device.record")}>
            <CodeBlock text={JSON.stringify(device, null, 2)} label={t("device.copyRecord")} />
          </Panel>
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

function CordonDevice({ device }: { device: Device }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const cordoned = device.cordoned ?? false;
  return (
    <ConfirmButton
      action={t(cordoned ? "action.uncordon" : "action.cordon")}
      title={t(cordoned ? "device.uncordonTitle" : "device.cordonTitle")}
      body={t(cordoned ? "device.uncordonBody" : "device.cordonBody")}
      color={cordoned ? "pine" : "orange"}
      onConfirm={async () => {
        await ok(
          api.PATCH("/api/v1/devices/{id}/", {
            params: { path: { id: device.id } },
            headers: ifMatch(device.version),
            body: { cordoned: !cordoned },
          }),
        );
        await queryClient.invalidateQueries({ queryKey: keys.devices });
      }}
    />
  );
}
