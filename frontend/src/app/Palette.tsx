import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import {
  IconCpu,
  IconKey,
  IconLayoutDashboard,
  IconLanguage,
  IconListDetails,
  IconMoon,
  IconPlugConnected,
  IconPlus,
  IconSearch,
  IconServer2,
  IconSitemap,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../api/client";
import { chooseLanguage } from "../i18n";
import { useMay } from "./session";

const [store, spotlight] = createSpotlight();
export const openPalette = spotlight.open;

const MOST_FOUND = 5;
const LEAST_LETTERS = 2;
const ICON = { size: 18, stroke: 1.6, "aria-hidden": true } as const;

async function find(search: string) {
  const query = { search, page_size: MOST_FOUND };
  const [jobs, nodes, devices] = await Promise.all([
    ok(api.GET("/api/v1/jobs/", { params: { query } })),
    ok(api.GET("/api/v1/nodes/", { params: { query } })),
    ok(api.GET("/api/v1/devices/", { params: { query } })),
  ]);
  return { jobs: jobs.results, nodes: nodes.results, devices: devices.results };
}

/** Go to a page, find an object by name or id, do something: all from the keyboard. */
export function Palette() {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), 180);
  const wanted = typed.trim();
  const asks = wanted.length >= LEAST_LETTERS;
  const found = useQuery({
    queryKey: ["find", search],
    queryFn: () => find(search),
    enabled: search.length >= LEAST_LETTERS,
  });
  const settled = !asks || (search === wanted && !found.isFetching);
  const pages = usePages();
  const actions = useActions();
  // What was found for another word would be opened by mistake.
  const objects = useObjects(asks && search === wanted ? found.data : undefined);
  const matches = (action: SpotlightActionData): boolean =>
    (action.label ?? "").toLowerCase().includes(wanted.toLowerCase());
  const groups: SpotlightActionGroupData[] = [
    { group: t("palette.objects"), actions: objects },
    { group: t("palette.pages"), actions: pages.filter(matches) },
    { group: t("palette.actions"), actions: actions.filter(matches) },
  ].filter((group) => group.actions.length > 0);
  const enter = useFirstAction(groups, settled);
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={typed}
      onQueryChange={setTyped}
      filter={(_, all) => all}
      actions={groups}
      scrollable
      maxHeight={420}
      nothingFound={!settled ? t("palette.searching") : t("palette.nothing")}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t("palette.placeholder"),
        "aria-label": t("palette.placeholder"),
        onKeyDown: enter,
      }}
    />
  );
}

/**
 * Enter takes the first result, also one that comes from the server only after the last letter, and also when Enter was
 * pressed before it came. Spotlight by itself looks at the results once, when a letter is typed.
 */
function useFirstAction(groups: readonly SpotlightActionGroupData[], settled: boolean): (event: KeyboardEvent) => void {
  const first = groups[0]?.actions[0];
  const waits = useRef(false);
  useEffect(() => {
    if (!settled || !waits.current) return;
    waits.current = false;
    if (first !== undefined) run(first);
  }, [first, settled]);
  return (event) => {
    if (event.key !== "Enter") return;
    if (!settled) waits.current = true;
    else if (first !== undefined && document.querySelector(".mantine-Spotlight-action[data-selected]") === null)
      run(first);
  };
}

/** As a click on it does. */
function run(action: SpotlightActionData): void {
  spotlight.close();
  action.onClick?.({} as MouseEvent<HTMLButtonElement>);
}

function usePages(): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  return [
    {
      id: "p-overview",
      label: t("nav.overview"),
      leftSection: <IconLayoutDashboard {...ICON} />,
      onClick: () => void navigate({ to: "/" }),
    },
    {
      id: "p-nodes",
      label: t("nav.nodes"),
      leftSection: <IconServer2 {...ICON} />,
      onClick: () => void navigate({ to: "/nodes" }),
    },
    {
      id: "p-devices",
      label: t("nav.devices"),
      leftSection: <IconCpu {...ICON} />,
      onClick: () => void navigate({ to: "/devices" }),
    },
    {
      id: "p-jobs",
      label: t("nav.jobs"),
      leftSection: <IconListDetails {...ICON} />,
      onClick: () => void navigate({ to: "/jobs" }),
    },
    {
      id: "p-queues",
      label: t("nav.queues"),
      leftSection: <IconSitemap {...ICON} />,
      onClick: () => void navigate({ to: "/queues" }),
    },
    {
      id: "p-tokens",
      label: t("nav.tokens"),
      leftSection: <IconKey {...ICON} />,
      onClick: () => void navigate({ to: "/tokens" }),
    },
    ...(may("enrolment.write")
      ? [
          {
            id: "p-enrolment",
            label: t("nav.enrolment"),
            leftSection: <IconPlugConnected {...ICON} />,
            onClick: () => void navigate({ to: "/enrolment" }),
          },
        ]
      : []),
  ];
}

function useActions(): SpotlightActionData[] {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  const { toggleColorScheme } = useMantineColorScheme();
  const other = i18n.language === "zh" ? "en" : "zh";
  return [
    ...(may("jobs.submit")
      ? [
          {
            id: "a-submit",
            label: t("jobs.submit"),
            leftSection: <IconPlus {...ICON} />,
            onClick: () => void navigate({ to: "/jobs/new" }),
          },
        ]
      : []),
    {
      id: "a-waiting",
      label: t("palette.showWaiting"),
      leftSection: <IconListDetails {...ICON} />,
      onClick: () => void navigate({ to: "/jobs", search: { tab: "waiting" } }),
    },
    { id: "a-theme", label: t("palette.switchTheme"), leftSection: <IconMoon {...ICON} />, onClick: toggleColorScheme },
    {
      id: "a-language",
      label: t("palette.switchLanguage"),
      leftSection: <IconLanguage {...ICON} />,
      onClick: () => void chooseLanguage(other),
    },
  ];
}

function useObjects(found: Awaited<ReturnType<typeof find>> | undefined): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (found === undefined) return [];
  return [
    ...found.jobs.map((job) => ({
      id: job.id,
      label: job.name,
      description: `${t("term.job")} · ${t(`state.${job.state}`)} · ${job.queue.path}`,
      leftSection: <IconListDetails {...ICON} />,
      onClick: () => void navigate({ to: "/jobs/$id", params: { id: job.id } }),
    })),
    ...found.nodes.map((node) => ({
      id: node.id,
      label: node.name,
      description: `${t("term.node")} · ${t(`state.${node.state}`)} · ${node.pool.name}`,
      leftSection: <IconServer2 {...ICON} />,
      onClick: () => void navigate({ to: "/nodes/$id", params: { id: node.id } }),
    })),
    ...found.devices.map((device) => ({
      id: device.id,
      label: `${device.model} #${String(device.index)}`,
      description: `${t("term.device")} · ${device.node.name} · ${device.uuid}`,
      leftSection: <IconCpu {...ICON} />,
      onClick: () => void navigate({ to: "/devices/$id", params: { id: device.id } }),
    })),
  ];
}
