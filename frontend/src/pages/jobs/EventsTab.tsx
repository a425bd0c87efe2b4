import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { jobEventsQuery, jobTasksQuery } from "../../api/queries";
import type { Job, JobEvent } from "../../api/types";
import { sentence } from "../../i18n/reasons";
import { Loaded } from "../../ui/parts";
import { StateChip } from "../../ui/StateChip";
import { When } from "../../ui/When";

export function EventsTab({ job }: { job: Job }) {
  const query = useQuery(jobEventsQuery(job.id));
  const tasks = useQuery(jobTasksQuery(job.id)).data ?? [];
  const names = new Map(tasks.map((task) => [task.id, `${task.group}/${String(task.index)}`]));
  return <Loaded query={query}>{(events) => <EventRows events={[...events].reverse()} names={names} />}</Loaded>;
}

function EventRows({ events, names }: { events: readonly JobEvent[]; names: ReadonlyMap<string, string> }) {
  const { t, i18n } = useTranslation();
  if (events.length === 0) return <p className="dim">{t("job.noEvents")}</p>;
  return (
    <div className="panel scrollbox">
      <table className="plain">
        <thead>
          <tr>
            <th>{t("event.at")}</th>
            <th>{t("event.what")}</th>
            <th>{t("event.why")}</th>
            <th>{t("event.actor")}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td className="nowrap">
                <When at={event.at} />
              </td>
              <td className="nowrap">
                <span className="dim small">{t(`event.kind.${event.kind}`, { defaultValue: event.kind })}</span>{" "}
                {event.task !== null && <span>{names.get(event.task) ?? ""} </span>}
                {event.to_state !== "" && <StateChip state={event.to_state} />}
              </td>
              <td>{event.reason === null ? event.message : sentence(event.reason, i18n.language)}</td>
              <td>{event.actor === "system" ? t("event.system") : event.actor}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
