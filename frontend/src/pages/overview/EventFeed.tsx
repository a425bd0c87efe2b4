import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { JobEvent } from "../../api/types";
import { sentence } from "../../i18n/reasons";
import { useCell, useLive } from "../../live/hooks";
import { Panel } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { When } from "../../ui/When";
import { feed } from "./model";

const SHOWN = 24;

export function EventFeed({ recent }: { recent: readonly JobEvent[] }) {
  const { t, i18n } = useTranslation();
  const live = useCell(useLive().events);
  const events = feed(recent, live, SHOWN);
  return (
    <Panel title={t("overview.events")}>
      {events.length === 0 ? (
        <p className="dim">{t("overview.noEvents")}</p>
      ) : (
        <ol className="feed">
          {events.map((event) => (
            <li key={event.id}>
              <StateChip state={event.to_state} />
              <Link to="/jobs/$id" params={{ id: event.job }} className="link" preload={false}>
                {event.job_name}
              </Link>
              <When at={event.at} className="dim small num" />
              {event.reason !== null && (
                <span className="feedreason dim small">{sentence(event.reason, i18n.language)}</span>
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
