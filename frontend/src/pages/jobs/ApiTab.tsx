import { useTranslation } from "react-i18next";

import type { Job } from "../../api/types";
import { CodeBlock, Panel } from "../../ui/parts";

const curl = (method: string, path: string): string =>
  `curl ${method === "GET" ? "" : `-X ${method} `}-H "Authorization: Bearer $VAST_TOKEN" '${location.origin}${path}'`;

/** The same by REST and by the command line, ready to copy. */
export function ApiTab({ job }: { job: Job }) {
  const { t } = useTranslation();
  const path = `/api/v1/jobs/${job.id}/`;
  const lines: readonly (readonly [name: string, curl: string, cli: string])[] = [
    ["get", curl("GET", path), `vast job get ${job.id}`],
    ["why", curl("GET", `${path}why/`), `vast job why ${job.id}`],
    ["tasks", curl("GET", `${path}tasks/`), `vast job get ${job.id}`],
    ["events", curl("GET", `${path}events/`), `vast job events ${job.id}`],
    ["cancel", curl("POST", `${path}cancel/`), `vast job cancel ${job.id}`],
  ];
  return (
    <div className="stack">
      <p className="dim">{t("api.intro")}</p>
      {lines.map(([name, request, command]) => (
        <Panel key={name} title={t(`api.${name}`)}>
          <CodeBlock text={request} label={t("action.copyCurl")} />
          <CodeBlock text={command} label={t("action.copyCli")} />
        </Panel>
      ))}
    </div>
  );
}
