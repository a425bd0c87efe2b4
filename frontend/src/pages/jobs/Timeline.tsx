import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { jobEventsQuery } from "../../api/queries";
import type { Job } from "../../api/types";
import { useNow } from "../../lib/clock";
import { useFormats } from "../../ui/format";
import { StateChip } from "../../ui/StateChip";
import { isEnded } from "../../ui/states";
import { buildTimeline } from "./timeline";

/** A job that was put back often has many states: the newest tell where it is. */
const MOST = 10;

export function Timeline({ job }: { job: Job }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const now = useNow();
  const events = useQuery(jobEventsQuery(job.id)).data ?? [];
  const spans = buildTimeline(job, events, now);
  const hidden = Math.max(0, spans.length - MOST);
  return (
    <ol className="timeline" aria-label={t("job.timeline")}>
      {hidden > 0 && <li className="dim small">{t("job.earlier", { count: hidden })}</li>}
      {spans.slice(hidden).map((span) => (
        <li key={`${span.state} ${String(span.from)}`} data-now={span.until === null || undefined}>
          <StateChip state={span.state} />
          <span className="num dim small" title={formats.dateTime(new Date(span.from))}>
            {isEnded(span.state) ? formats.time(new Date(span.from)) : formats.duration(span.seconds)}
          </span>
        </li>
      ))}
    </ol>
  );
}
