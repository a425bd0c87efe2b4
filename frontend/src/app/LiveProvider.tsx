import type { Notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { overviewQuery, refetchAll } from "../api/queries";
import { LiveClient } from "../live/client";
import { LiveContext } from "../live/hooks";
import { refresher } from "../live/refresh";
import { missedEvents } from "../live/seen";
import { useFormats } from "../ui/format";

/** The overview answers with at most this many events. */
const RECENT = 30;
const NAMED = 3;

/** Holds the socket while somebody is signed in, and tells what happened while it was away. */
export function LiveProvider({ onSignedOut, children }: { onSignedOut: () => void; children: ReactNode }) {
  const queryClient = useQueryClient();
  const { t } = useTranslation();
  const formats = useFormats();
  // The first page is small because notices, which most visits never see, come with the first of them.
  const [Notices, setNotices] = useState<typeof Notifications | null>(null);
  const [live] = useState(() => new LiveClient(onSignedOut));

  useEffect(() => {
    live.start();
    const leaveTopics = live.addTopics(["jobs"]);
    const refresh = refresher(queryClient);
    const leaveEvents = live.onEvent(refresh.take);
    return () => {
      leaveEvents();
      refresh.stop();
      leaveTopics();
      live.stop();
    };
  }, [live, queryClient]);

  useEffect(
    () =>
      live.onGap(({ lastSeen, awayMs }) => {
        const tell = async (): Promise<void> => {
          await refetchAll(queryClient);
          if (awayMs < 1000) return;
          const { recent_events: recent } = await queryClient.fetchQuery({ ...overviewQuery, staleTime: 2000 });
          const missed = missedEvents(recent, lastSeen);
          const count = `${String(missed.length)}${missed.length >= RECENT ? "+" : ""}`;
          const named = missed
            .slice(-NAMED)
            .map((event) => `${event.job_name}: ${t(`state.${event.to_state}`)}`)
            .join(" · ");
          const { notifications, Notifications: host } = await import("@mantine/notifications");
          setNotices(() => host);
          notifications.show({
            id: "missed",
            title: t("live.backTitle", { duration: formats.duration(awayMs / 1000) }),
            message: missed.length === 0 ? t("live.backNothing") : t("live.backMissed", { events: count, named }),
            color: "pine",
            autoClose: 10_000,
            closeButtonProps: { "aria-label": t("action.close") },
          });
        };
        // When even this fails the socket drops again soon, and the next gap tells.
        tell().catch(() => undefined);
      }),
    [live, queryClient, t, formats],
  );

  return (
    <LiveContext value={live}>
      {children}
      {Notices !== null && <Notices position="bottom-right" />}
    </LiveContext>
  );
}
